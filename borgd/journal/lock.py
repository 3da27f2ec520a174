"""The writers' lock: a flock on a file of its own, held for one batch.

flock, not fcntl locks: closing any other descriptor of a file drops a process's fcntl locks. Each holder opens the lock
file anew, so that threads exclude each other as processes do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from borgd.errors import JournalError
from borgd.journal.layer import FileLayer

LOCK_SUFFIX = ".lock"
WAIT_S = 30.0
"""guard: longest wait for another writer (one that was stopped, not slow) before giving up."""
FIRST_PAUSE_S = 0.0002
"""method: first wait between two tries, about one fdatasync."""
LONGEST_PAUSE_S = 0.01
"""method: waits double up to this."""


@contextmanager
def locked(path: str, layer: FileLayer) -> Iterator[None]:
    """Hold the lock of the journal at ``path``.

    :raises JournalError: another process kept it for WAIT_S seconds, or the lock file cannot be used.
    """
    lock_path = path + LOCK_SUFFIX
    descriptor = _acquire(lock_path, layer)
    try:
        yield
    finally:
        try:
            layer.unlock(descriptor)  # a forked child may still hold a copy of the descriptor
        finally:
            layer.close(descriptor)


def _acquire(lock_path: str, layer: FileLayer) -> int:
    deadline = layer.monotonic() + WAIT_S
    pause = FIRST_PAUSE_S
    while True:
        try:
            descriptor = layer.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
        except OSError as error:
            raise JournalError(
                f"{lock_path} cannot be opened: {error.strerror}; check its directory and permissions"
            ) from error
        try:
            if layer.try_lock(descriptor):
                if _is_current(lock_path, descriptor, layer):
                    return descriptor
            elif layer.monotonic() > deadline:
                raise JournalError(
                    f"another process has held {lock_path} for {WAIT_S:.0f} s; nothing was stored; end or resume it"
                )
        except OSError as error:
            layer.close(descriptor)
            raise JournalError(f"{lock_path} cannot be locked: {error.strerror}") from error
        except BaseException:
            layer.close(descriptor)
            raise
        layer.close(descriptor)
        layer.pause(pause)
        pause = min(pause * 2, LONGEST_PAUSE_S)


def _is_current(lock_path: str, descriptor: int, layer: FileLayer) -> bool:
    """False where the lock file was removed while we waited: others would lock a new one."""
    try:
        now = layer.stat(lock_path)
    except FileNotFoundError:
        return False
    held = layer.fstat(descriptor)
    return (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino)
