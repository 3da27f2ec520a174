"""Writing at a journal's end, with its lock held: repair of a torn tail, one write, one fsync, and the way back.

An append is durable or absent. What is cut from a torn tail goes to the quarantine file first.
"""

from __future__ import annotations

import binascii
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import msgspec

from borgd.errors import JournalError, ReadOnlyError
from borgd.journal.layer import FileLayer, ReadOnly
from borgd.journal.lock import locked
from borgd.journal.parse import BLANK, Damage, whole_size
from borgd.journal.read import chunks

QUARANTINE_SUFFIX = ".quarantine"
TAIL_STEP_BYTES = 1 << 16
"""method: step by which the last LF is looked for, backwards."""
_NO_DIRECTORY_SYNC = {22, 95}
"""host: EINVAL, EOPNOTSUPP: file systems that cannot sync a directory; elsewhere they mean nothing to us."""


class Quarantined(msgspec.Struct, frozen=True, kw_only=True):
    """A line of ``<name>.quarantine``: bytes that were taken out of a journal, in ``base64`` where they are no UTF-8."""

    ms: int
    reason: str
    offset: int
    text: str = ""
    base64: str = ""


@contextmanager
def writing(path: str, layer: FileLayer) -> Iterator[Writer]:
    """The one writer of the journal at ``path``, its tail repaired.

    :raises ReadOnlyError: an earlier failure made it read-only.
    :raises JournalError: the lock or the file cannot be had.
    """
    refuse_read_only(path, layer)
    with locked(path, layer):
        refuse_read_only(path, layer)
        try:
            descriptor = layer.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            raise JournalError(f"{path} cannot be written: {error.strerror}; check its directory and permissions") from error
        try:
            if not stat.S_ISREG(layer.fstat(descriptor).st_mode):
                raise JournalError(f"{path} cannot be written: expected a file; move it away")
            writer = Writer(path, descriptor, layer)
            writer.prepare()
            yield writer
        finally:
            layer.close(descriptor)


def refuse_read_only(path: str, layer: FileLayer) -> None:
    failure = layer.read_only.get(path)
    if failure is not None:
        raise ReadOnlyError(
            f"{path} is read-only since {failure.reason}; what was acknowledged before is safe; "
            "check the disk, then restart (borg stop, borg start)"
        )


class Writer:
    """Exists only while the lock is held."""

    def __init__(self, path: str, descriptor: int, layer: FileLayer) -> None:
        self._path = path
        self._layer = layer
        self._missing_lf = b""
        self.descriptor = descriptor
        self.size = 0
        self.repairs: list[Damage] = []

    def prepare(self) -> None:
        """Find the end; make it the end of a whole line."""
        try:
            info = self._layer.fstat(self.descriptor)
            self.size = info.st_size
            identity = (info.st_dev, info.st_ino)
            if self.size == 0 or self._layer.named.get(self._path) != identity:
                sync_directory(self._path, self._layer)  # whoever made or moved the file may have died before doing so
                self._layer.name_is_durable(self._path, identity)
            if self.size and self._layer.pread(self.descriptor, 1, self.size - 1) != b"\n":
                self._repair_tail()
        except OSError as error:
            raise JournalError(f"{self._path} cannot be written: {error.strerror}; nothing was stored") from error

    def _repair_tail(self) -> None:
        start = self._last_line_start()
        tail = b"".join(chunks(self.descriptor, start, self.size, self._path, self._layer))
        whole = whole_size(tail)
        if whole == len(tail):
            self._missing_lf = b"\n"
            self.repairs.append(Damage(0, start, "the last line had no line end; finished", lost=False, path=self._path))
            return
        torn = tail[whole:]
        if torn.strip(b"\0" + BLANK):
            reason = f"torn last line, {len(torn)} bytes (a crash or a full disk); moved to {self._path}{QUARANTINE_SUFFIX}"
            self.quarantine(torn, start + whole, "torn last line")
        else:
            reason = f"{len(torn)} bytes of padding after the last line (a crash); removed"
        self._layer.truncate(self.descriptor, start + whole)
        self.size = start + whole
        self._missing_lf = b"\n" if whole else b""
        self.repairs.append(Damage(0, start + whole, reason, path=self._path))

    def _last_line_start(self) -> int:
        end = self.size
        while end > 0:
            start = max(0, end - TAIL_STEP_BYTES)
            found = self._layer.pread(self.descriptor, end - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def append(self, lines: bytes) -> None:
        """Store ``lines``; durable on return.

        :raises JournalError: nothing of it was stored.
        :raises ReadOnlyError: nor will anything be from now on.
        """
        data = self._missing_lf + lines
        try:
            write_all(self.descriptor, data, self._layer)
        except BaseException as error:
            self._take_back()
            if isinstance(error, OSError):
                raise JournalError(
                    f"{self._path} cannot be written: {error.strerror}; nothing was stored; free some space and repeat"
                ) from error
            raise
        try:
            self._layer.sync(self.descriptor)
        except OSError as error:
            self._take_back()
            self.fail(f"an fsync failed ({error.strerror})", error)
        except BaseException:
            self._take_back()
            raise
        self.size += len(data)
        self._missing_lf = b""

    def _take_back(self) -> None:
        try:
            self._layer.truncate(self.descriptor, self.size)
        except OSError as error:
            self.fail(f"a failed write could not be cut off ({error.strerror})", error, size=self.size)
        try:
            self._layer.sync(self.descriptor)
        except OSError as error:
            self.fail(f"an fsync failed ({error.strerror})", error)

    def fail(self, reason: str, error: OSError, *, size: int | None = None) -> NoReturn:
        """Make the journal read-only for this process, and say so."""
        self._layer.read_only.setdefault(self._path, ReadOnly(reason, size))
        try:
            refuse_read_only(self._path, self._layer)
        except ReadOnlyError as refusal:
            raise refusal from error
        raise AssertionError("unreachable")

    def quarantine(self, data: bytes, offset: int, reason: str) -> None:
        """Keep ``data`` in the quarantine file, durably."""
        try:
            row = Quarantined(ms=self._layer.now_ms(), reason=reason, offset=offset, text=data.decode())
        except UnicodeDecodeError:
            row = Quarantined(
                ms=self._layer.now_ms(),
                reason=reason,
                offset=offset,
                base64=binascii.b2a_base64(data, newline=False).decode(),
            )
        descriptor = self._layer.open(self._path + QUARANTINE_SUFFIX, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            write_all(descriptor, b"\n" + msgspec.json.encode(row) + b"\n", self._layer)
            self._layer.sync(descriptor)
        finally:
            self._layer.close(descriptor)
        sync_directory(self._path, self._layer)


def write_all(descriptor: int, data: bytes, layer: FileLayer) -> None:
    """All of ``data``, however little each call takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[layer.write(descriptor, rest) :]


def sync_directory(path: str, layer: FileLayer) -> None:
    """The directory of ``path`` holds its name durably when this returns."""
    try:
        layer.sync_directory(os.path.dirname(os.path.realpath(path)))  # noqa: PTH120 (a link may lead elsewhere)
    except OSError as error:
        if error.errno not in _NO_DIRECTORY_SYNC:
            raise
