"""Every call by which a journal touches the operating system, so that a test can put a failing disk beneath it.

Must not decide anything: no retries, no interpretation of errors.
"""

from __future__ import annotations

import fcntl
import os
import time
from typing import NamedTuple

from borgd import clock

FILE_MODE = 0o600
NAMED = 1024
"""guard: files whose names are known to be durable; a file that is forgotten costs one more sync of its directory."""


class ReadOnly(NamedTuple):
    """Why a journal takes no more writes in this process.

    ``size``: bytes of it that may be read, where a failed write could not be cut off again; else None.
    """

    reason: str
    size: int | None = None


class FileLayer:
    """The real operating system. A near_duplicate that injects faults overrides methods; errors are OSError throughout."""

    def __init__(self) -> None:
        self.read_only: dict[str, ReadOnly] = {}
        """Path of a journal -> why it is read-only. It lives here because a disk fails a process, not one Journal object."""
        self.named: dict[str, tuple[int, int]] = {}
        """Path of a journal -> device and inode of the file whose name this process has made durable."""

    def name_is_durable(self, path: str, identity: tuple[int, int]) -> None:
        """Remember that ``path`` keeps its name over a loss of power; of too many the oldest half is forgotten."""
        self.named[path] = identity
        if len(self.named) > NAMED:
            for old in list(self.named)[: NAMED // 2]:
                self.named.pop(old, None)

    def open(self, path: str, flags: int) -> int:
        return os.open(path, flags | os.O_CLOEXEC, FILE_MODE)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def stat(self, path: str) -> os.stat_result:
        return os.stat(path)  # noqa: PTH116 (a Path would cost more than the call)

    def fstat(self, descriptor: int) -> os.stat_result:
        return os.fstat(descriptor)

    def pread(self, descriptor: int, size: int, offset: int) -> bytes:
        return os.pread(descriptor, size, offset)

    def write(self, descriptor: int, data: memoryview) -> int:
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        """Contents and size are on the disk when this returns."""
        if hasattr(fcntl, "F_FULLFSYNC"):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(descriptor)

    def sync_directory(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)  # noqa: PTH105

    def unlink(self, path: str) -> None:
        os.unlink(path)  # noqa: PTH108

    def try_lock(self, descriptor: int) -> bool:
        """Take an exclusive flock if nobody holds one."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(self, descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def monotonic(self) -> float:
        return time.monotonic()

    def now_ms(self) -> int:
        return clock.now_ms()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)


REAL = FileLayer()
