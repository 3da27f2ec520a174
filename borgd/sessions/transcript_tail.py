"""Reads an agent's session file as it grows: by offset, bounded per read, from the end of one that is already long.

A file that is missing, replaced or cut is not an error: reading starts again from what is there. What is not a regular file
says nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from borgd.agents.transcript import TranscriptFact, TranscriptReader
from borgd.files import open_regular

READ_BYTES = 1 << 20
"""guard: bytes of one read, so that no hook waits for a long transcript."""
STEP_BYTES = 1 << 16
"""guard: bytes of one read in the background, so that a hook waits some milliseconds for it at most."""
FIRST_BYTES = 4 << 20
"""guard: of a file met for the first time, only this much of its end is read."""


class TranscriptTail:
    """One session file; ``reader`` makes a reader of its agent's rows.

    ``more`` says that the last read stopped at its bound and there is more to read.

    ``beginnings`` counts how often reading began anew, which is when rows are numbered anew; ``backlog`` says that what
    was there at the last beginning has not been read to its end yet.
    """

    def __init__(self, path: Path, reader: Callable[[], TranscriptReader]) -> None:
        self.path = path
        self._make = reader
        self.reader = reader()
        self.offset = 0
        self.more = False
        self.beginnings = 0
        self.backlog = False
        self._inode = 0

    def read(self, limit: int = READ_BYTES) -> list[TranscriptFact]:
        """What the next ``limit`` bytes say; empty where there is no file (yet) and at its end."""
        self.backlog = self.backlog and self.more
        try:
            with open_regular(self.path) as file:
                info = os.fstat(file.fileno())
                if info.st_ino != self._inode or info.st_size < self.offset:
                    self._start_over(info)
                    if self.offset and self.reader.NAMED_FIRST:
                        self.reader.feed(file.readline(STEP_BYTES))
                    if self.offset:
                        self.reader.skip_line()
                if info.st_size == self.offset:
                    self.more = self.backlog = False
                    return []
                file.seek(self.offset)
                chunk = file.read(limit)
        except OSError:
            return []
        self.offset += len(chunk)
        self.more = self.offset < info.st_size
        return self.reader.feed(chunk)

    def _start_over(self, info: os.stat_result) -> None:
        self.reader = self._make()
        self.beginnings += 1
        self.backlog = True
        self._inode = info.st_ino
        self.offset = max(0, info.st_size - FIRST_BYTES)
