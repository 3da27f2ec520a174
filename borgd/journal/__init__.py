"""The append-only store under everything: JSON Lines files that survive crashes, full disks and other writers.

What a caller may rely on:

* ``append`` returns after the records are on the disk (fdatasync; the directory too when the file is new). If it
  raises, none of its records is in the journal. After a crash of the process or the machine every acknowledged
  record is there exactly once; of a batch that was not acknowledged, the first records may be there and whole.
* One object a line, UTF-8. A line ends at LF and nowhere else; U+2028, U+2029, U+0085, VT and FF are written escaped,
  so that no other program's idea of a line splits a record. Unknown keys stay on the disk, whatever a reader makes of them.
* Writers take a flock on ``<name>.lock``, which nothing else opens, for one batch at a time: daemon and command line are
  peers. A torn last line is moved to ``<name>.quarantine`` by the next writer, aloud; a last line that only misses
  its LF is a whole record and is finished.
* A reader never stops at damage: every damaged line is skipped and reported with line and offset, NUL padding, CRLF, byte
  order marks and merge-conflict markers are read around and reported, and a file that shrank, was replaced or was
  edited in place (seen by its size, the bytes last read or, a second later, its time) is read again from the start
  (``replaced``). A reader without the lock may see records of an append that
  is about to fail; when they are taken back it is told so in the same way.
* A write that fails is cut off again. Where that fails too, or an fsync fails, the journal is read-only for this process
  (``ReadOnlyError``): what the kernel still holds of the file can no longer be trusted to reach the disk.

Must not: know what a record means, create directories, or write to a file without its lock.
"""

from typing import TYPE_CHECKING, Any

from borgd.journal.append import Quarantined
from borgd.journal.encoding import Record, encode
from borgd.journal.follow import Follower, Position, TypedFollower
from borgd.journal.layer import REAL, FileLayer
from borgd.journal.parse import Damage, Reading, TypedReading
from borgd.journal.store import Journal, Rewritten

if TYPE_CHECKING:
    from borgd.journal.commit import GroupCommit

__all__ = [
    "REAL",
    "Damage",
    "FileLayer",
    "Follower",
    "GroupCommit",
    "Journal",
    "Position",
    "Quarantined",
    "Reading",
    "Record",
    "Rewritten",
    "TypedFollower",
    "TypedReading",
    "encode",
]


def __getattr__(name: str) -> Any:
    """GroupCommit brings the event loop with it, which costs a command more than all the rest of its start."""
    if name == "GroupCommit":
        from borgd.journal.commit import GroupCommit

        return GroupCommit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
