"""On which line of a journal each record stands, for errors that name it. Reads the file again: only where one is wrong."""

from __future__ import annotations

from pathlib import Path

from borgd.errors import JournalError
from borgd.journal import Journal


def record_lines(path: Path) -> list[int]:
    """The 1-based line of each record of the journal at ``path``, in its order; empty where it cannot be read."""
    try:
        reading = Journal(path).read()
        lines = path.read_bytes().split(b"\n")
    except (JournalError, OSError):
        return []
    without = {damage.line for damage in reading.damage if damage.lost or "marker" in damage.reason}
    return [number for number, line in enumerate(lines, 1) if line.strip() and number not in without]
