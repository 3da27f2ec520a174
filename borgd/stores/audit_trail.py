"""The trail of verdicts on disk: appended by any process, each line chained to the one before, the head kept apart.

The head (how many lines, the last hash) is found and extended under the journal's lock, so verdicts of several processes
form one chain. It is also kept in a file of its own, written after the line: a cut end of the trail shows against it. After
a crash it may be a few lines old, which only means that a cut of those lines would not be seen. A kept head that the trail
does not continue is left as it is, so that verdicts appended later cannot cover the cut; a person who has seen the report
removes the file. Calls block on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from borgd.errors import LimitError
from borgd.journal import Follower, Journal, Reading
from borgd.limits.audit import AuditEntry, TrailHead, TrailProblem, head_of, link, verify
from borgd.paths import Paths, private_dir

TAIL_BYTES = 1 << 16
"""method: the part of the trail in which its last line is looked for; a hundred lines."""


class AuditTrail:
    """The one trail of this user. Any number of objects in any number of processes may append."""

    def __init__(self, places: Paths) -> None:
        self.journal = Journal(places.journal("audit"))
        self.head_file = places.state / "audit.head"
        self._follower = Follower(self.journal)
        self._head = TrailHead()
        self._lock = Lock()

    def record(self, entries: Sequence[AuditEntry], now_ms: int) -> TrailHead:
        """Append the ``entries`` in order; durable on return.

        :raises JournalError: none of them is in the trail.
        """
        if not entries:
            return self._head

        def decide(reading: Reading) -> tuple[Sequence[dict[str, object]], tuple[TrailHead, TrailHead]]:
            before = self._newest(reading)
            records, after = link(entries, before, now_ms)
            return records, (before, after)

        with self._lock:
            private_dir(self.journal.path.parent)
            before, self._head = self.journal.transact(self._follower, decide)
            self._keep(before, self._head)
            return self._head

    def _newest(self, reading: Reading) -> TrailHead:
        heads = (head_of(record) for record in reversed(reading.records))
        found = next((head for head in heads if head is not None), None)
        if found is not None:
            self._head = found
        elif reading.replaced:
            self._head = TrailHead()
        return self._head

    def _keep(self, before: TrailHead, head: TrailHead) -> None:
        """Write ``head`` down, unless the trail before it does not go on from the kept one; a failure costs no verdict."""
        kept = self.kept_head()
        if kept is not None and kept != before and not self._contains(kept):
            return
        private_dir(self.head_file.parent)
        temporary = self.head_file.with_name(f"{self.head_file.name}.{os.getpid()}")
        with suppress(OSError):
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(f"{head}\n")
            temporary.replace(self.head_file)

    def _contains(self, head: TrailHead) -> bool:
        """Whether the trail has the line that ``head`` names. Reads all of it: asked only when a head was left behind."""
        return head == TrailHead() or any(head_of(record) == head for record in self.journal.read().records)

    def kept_head(self) -> TrailHead | None:
        """The head that was kept apart; None where there is none or it cannot be read."""
        try:
            return TrailHead.parse(self.head_file.read_text(encoding="ascii"))
        except (OSError, UnicodeDecodeError, LimitError):
            return None

    def verify(self, head: TrailHead | None = None) -> tuple[int, TrailHead, list[TrailProblem]]:
        """How many lines there are, the head as the file has it, and everything wrong.

        :param head: one that a person kept; else the one that was kept apart.
        """
        with self._lock:
            kept = self.kept_head() if head is None else head
            data = self._bytes()
        lines = data.count(b"\n")
        return lines, _last_head(data), verify(data, kept)

    def _bytes(self) -> bytes:
        try:
            return Path(self.journal.path).read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise LimitError(f"{self.journal.path} cannot be read: {error.strerror}") from None


def _last_head(data: bytes) -> TrailHead:
    import msgspec

    for line in reversed(data[-TAIL_BYTES:].splitlines()):
        with suppress(msgspec.DecodeError, RecursionError):
            found = head_of(msgspec.json.decode(line, type=dict[str, object]))
            if found is not None:
                return found
    return TrailHead()
