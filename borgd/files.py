"""The one way to replace a file, and the one way to open a file whose path came from outside.

A replaced file is there whole, before or after, never half; it is durable when ``replace_file`` returns.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

NEW_MODE = 0o600
"""design: permissions of a file that was not there before."""


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Put ``data`` in place of ``path`` in one step, through a symbolic link where ``path`` is one.

    :param mode: permissions of the new file; None: those of the file that is there, else owner only.
    :raises OSError: it cannot be written; what was there stays, and no temporary file is left.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else NEW_MODE
    temporary = target.with_name(f".{target.name}.{os.getpid()}.new")
    with suppress(FileNotFoundError):  # left by a process that died; another user may have laid a link there
        temporary.unlink()
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)  # the umask of the caller has no say in a file that keeps its mode
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from None
    _sync_directory(target.parent)


def _sync_directory(directory: Path) -> None:
    with suppress(OSError):  # some file systems cannot; the file itself is durable
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_regular(path: Path) -> BinaryIO:
    """``path`` for reading, without ever waiting: a pipe or a device there would hold up every session.

    :raises OSError: it cannot be opened, or is not a regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is not a regular file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise
