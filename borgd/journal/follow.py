"""A reader's position in a journal: what is new since the last time, in time that depends on what is new alone.

Besides the offset it keeps the last bytes it consumed: where they are no longer in front of the offset, the file was
taken back, replaced or edited, whatever its size and inode say.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from borgd.errors import JournalError
from borgd.journal.layer import FileLayer
from borgd.journal.parse import MARK_BYTES, Parser, TypedReading
from borgd.journal.read import chunks, open_to_read, read_records, readable_size

T = TypeVar("T")

SETTLES_MS = 1000
"""guard: age from which a changed time without a changed size is an edit."""


class FollowedFile(Protocol):
    """What a follower needs of a journal."""

    path: Path
    name: str
    layer: FileLayer


class _Seen(NamedTuple):
    """The file as the last read found it."""

    device: int
    inode: int
    size: int
    mtime_ns: int


class Position(NamedTuple):
    """Where a follower stands in its file, as plain numbers that may be kept; see ``TypedFollower.resume``."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    offset: int
    line: int
    mark: bytes
    torn: bool


def _seen(info: os.stat_result) -> _Seen:
    return _Seen(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)


class TypedFollower(Generic[T]):
    """A position in ``journal``, at first before its first record. Records are decoded as ``kind`` (see Journal.read).

    For one thread at a time.
    """

    def __init__(self, journal: FollowedFile, kind: type[T] | None) -> None:
        self.journal = journal
        self._kind = kind
        self._rewind()

    def _rewind(self) -> None:
        self._file: _Seen | None = None
        self._offset = 0
        self._line = 0
        self._mark = b""
        self._torn = False

    @property
    def offset(self) -> int:
        """Bytes consumed."""
        return self._offset

    @property
    def position(self) -> Position | None:
        """Where this follower stands; None before it has read a file, and of one that changed a moment ago."""
        if self._file is None or not self._has_settled(self._file):
            return None
        return Position(*self._file, self._offset, self._line, self._mark, self._torn)

    def resume(self, position: Position) -> bool:
        """Stand where another follower of this file stood, if the file is still just as that one left it."""
        path, layer = self.journal.name, self.journal.layer
        try:
            found = _seen(layer.stat(path))
        except OSError:
            return False
        if found != _Seen(*position[:4]) or path in layer.read_only:
            return False
        self._file = found
        self._offset, self._line, self._mark, self._torn = position[4:]
        return True

    def read(self) -> TypedReading[T]:
        """What is new since the last call; all of the file on the first.

        :raises JournalError: the file cannot be read; the position stays.
        """
        path, layer = self.journal.name, self.journal.layer
        try:
            unchanged = self._file == _seen(layer.stat(path)) and path not in layer.read_only
        except OSError:
            unchanged = False
        if unchanged:
            return TypedReading(torn=self._torn, offset=self._offset)
        return self.read_contents()

    def read_contents(self, *, locked: bool = False) -> TypedReading[T]:
        """As ``read``, without trusting size and time of an unchanged file.

        :param locked: the caller holds the writers' lock, so that no append is under way.
        """
        path, layer = self.journal.name, self.journal.layer
        descriptor = open_to_read(path, layer)
        if descriptor is None:
            had_file = self._file is not None
            self._rewind()
            return TypedReading(replaced=had_file)
        try:
            info = _seen(layer.fstat(descriptor))
            end = readable_size(path, layer, info.size)
            replaced = not self._is_same(descriptor, info, end, locked=locked)
            if replaced:
                self._rewind()
            elif self._file is not None and info.size == self._file.size == self._offset:
                info = self._file  # its time is believed when it has settled
            parser = Parser(self._kind, path, line=self._line, offset=self._offset, mark=self._mark)
            reading = read_records(descriptor, end, parser, layer)
            reading.replaced = replaced
            self._file, self._torn = info, reading.torn
            self._offset, self._line, self._mark = parser.offset, parser.line, parser.mark
        finally:
            layer.close(descriptor)
        return reading

    def _has_settled(self, info: _Seen) -> bool:
        """The file's time is not that of an append under way, which the kernel puts down before the size grows."""
        return self.journal.layer.now_ms() - info.mtime_ns // 1_000_000 > SETTLES_MS

    def _is_same(self, descriptor: int, info: _Seen, end: int, *, locked: bool) -> bool:
        if self._file is None:
            return True
        if (info.device, info.inode) != (self._file.device, self._file.inode) or end < self._offset:
            return False
        same_size = info.size == self._file.size == self._offset
        if same_size and info.mtime_ns != self._file.mtime_ns and (locked or self._has_settled(info)):
            return False  # edited in place: nothing else explains the time
        return self._bytes_before(descriptor, self._offset) == self._mark

    def _bytes_before(self, descriptor: int, offset: int) -> bytes:
        start = max(0, offset - MARK_BYTES)
        try:
            return self.journal.layer.pread(descriptor, offset - start, start)
        except OSError as error:
            raise JournalError(f"{self.journal.name} cannot be read at byte {start}: {error.strerror}") from error

    def skip_own(self, descriptor: int) -> None:
        """Move to the end of the file, past records that this follower's owner has just appended under the lock."""
        layer = self.journal.layer
        info = _seen(layer.fstat(descriptor))
        own = b"".join(chunks(descriptor, self._offset, info.size, self.journal.name, layer))
        self._mark = (self._mark + own)[-MARK_BYTES:]
        self._line += own.count(b"\n")
        self._file, self._offset, self._torn = info, info.size, False


class Follower(TypedFollower[dict[str, Any]]):
    """A position in ``journal``; records are dicts."""

    def __init__(self, journal: FollowedFile) -> None:
        super().__init__(journal, None)
