"""The daemon's own log: one bounded file in the state directory, one older beside it, no text of a payload in it.

An exception's message can quote what the agent sent, so only its type and the places in our code are written.
"""

from __future__ import annotations

import logging
import os
import time
import traceback
from pathlib import Path

LOG_BYTES = 1 << 20
"""guard: beyond this the file is set aside as ``.1`` in place of the one before it."""
FRAMES = 12
"""guard: the innermost places of an exception that are written."""


def places_of(error: BaseException) -> str:
    """``Type at file:line in function < file:line …``, innermost first, without the message."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in reversed(frames))
    return f"{type(error).__name__} at {where}" if where else type(error).__name__


class LogFile(logging.Handler):
    """Appends one line a record; rotates by size; a full disk costs lines, never the daemon."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._file = self._open()

    def _open(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def emit(self, record: logging.LogRecord) -> None:
        """Write ``record``; an exception in it as its type and places only."""
        try:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
            text = record.getMessage().partition("\n")[0]  # asyncio's further lines quote what was at hand
            if record.exc_info and record.exc_info[1] is not None:
                text = f"{text}: {places_of(record.exc_info[1])}"
            line = f"{stamp} {os.getpid()} {record.levelname.lower()} {record.name} {text}"
            os.write(self._file, ("".join(c if c.isprintable() else " " for c in line) + "\n").encode("utf-8", "replace"))
            if os.fstat(self._file).st_size > LOG_BYTES:
                self._path.replace(f"{self._path}.1")
                os.close(self._file)
                self._file = self._open()
        except OSError:
            return

    def close(self) -> None:
        """Give the file back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        super().close()


def open_log(path: Path) -> LogFile:
    """Send the daemon's and the event loop's records to ``path``; ``close_log`` undoes it.

    :raises OSError: the file cannot be opened.
    """
    handler = LogFile(path)
    logger = logging.getLogger("borgd")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    for name in ("borgd", "asyncio"):
        logging.getLogger(name).addHandler(handler)
    return handler


def close_log(handler: LogFile) -> None:
    """Take ``handler`` off again and close its file."""
    for name in ("borgd", "asyncio"):
        logging.getLogger(name).removeHandler(handler)
    logging.getLogger("borgd").propagate = True
    handler.close()
