"""The session state file: plain text, a line per prompt, touch and plan, bookkeeping lines that start with ``#borg-``.

Anyone may append to it; ``foreign`` returns what others wrote since we last looked, ``append`` never mixes it up with
our own lines. Not a journal: losing the last lines costs a session a memory, never a record.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from borgd.stores.state_lines import KINDS, LINE_CHARS, MARK, escape, parse, unescape

__all__ = ["KINDS", "LINE_CHARS", "MARK", "StateFile", "escape", "parse", "unescape"]

READ_BYTES = 1 << 20
"""guard: of a larger file only the end is read."""

FILE_BYTES = 8 << 20
"""guard: a file this large takes no more work lines, only bookkeeping."""

MARK_CHARS = 1 << 16
"""guard: characters of a bookkeeping line; a decision cut short would be lost at a restart."""


def _line_starts(file: BinaryIO, offset: int) -> bool:
    if not offset:
        return True
    file.seek(offset - 1)
    return file.read(1) == b"\n"


class StateFile:
    """One session's file. ``offset`` is how far it has been read or written by us."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0

    def load(self) -> list[tuple[str, str]]:
        """Everything in the file (its last READ_BYTES), for a session that this process does not know yet."""
        self.offset = 0
        try:
            size = self.path.stat().st_size
        except OSError:
            return []
        self.offset = self._line_after(size - READ_BYTES) if size > READ_BYTES else 0
        return list(parse(self._new_lines()))

    def _line_after(self, offset: int) -> int:
        with self.path.open("rb") as file:
            file.seek(offset)
            return offset + len(file.readline())

    def _new_lines(self) -> list[str]:
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size < self.offset or not _line_starts(file, self.offset):  # replaced or cut by someone
                    self.offset = 0
                file.seek(self.offset)
                data = file.read(READ_BYTES)
        except OSError:
            return []
        whole = data.rfind(b"\n") + 1
        self.offset += whole
        return data[:whole].decode("utf-8", "replace").split("\n")[:-1]

    def vanished(self) -> bool:
        """Whether there was something in the file once and somebody removed it."""
        return self.offset > 0 and not self.path.exists()

    def foreign(self) -> list[tuple[str, str]]:
        """Lines that someone else appended since the last look. A half-written line waits for its end."""
        return list(parse(self._new_lines()))

    def append(self, lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Write (kind, text) lines and return what someone else had appended before them.

        :raises OSError: the file cannot be written.
        """
        data = "".join(
            f"{kind} {escape(text, MARK_CHARS)}\n" if kind.startswith(MARK) else f"{kind}: {escape(text)}\n"
            for kind, text in lines
        ).encode("utf-8", "replace")
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(descriptor).st_size > FILE_BYTES:
                data = b"".join(line + b"\n" for line in data.split(b"\n") if line.startswith(MARK.encode()))
            os.write(descriptor, data)
            end = os.lseek(descriptor, 0, os.SEEK_CUR)
        finally:
            os.close(descriptor)
        start = end - len(data)
        found: list[tuple[str, str]] = []
        if start > self.offset:
            found = [entry for entry in self._between(start) if not entry[0].startswith(MARK)]
        self.offset = end
        return found

    def _between(self, end: int) -> list[tuple[str, str]]:
        with self.path.open("rb") as file:
            file.seek(self.offset)
            data = file.read(min(end - self.offset, READ_BYTES))
        return list(parse(data.decode("utf-8", "replace").split("\n")))
