"""The daemon's lock files: where they are, who holds them. Taking one is the daemon's own business (server.listen)."""

from __future__ import annotations

import fcntl
import os
import platform
from pathlib import Path

from borgd.paths import Paths

LOCK_NAME = "borgd.lock"


def state_lock(places: Paths) -> Path:
    """The lock on the state directory. It bears the host's name: a home on a network share serves several machines."""
    return places.state / f"borgd-{platform.node() or 'host'}.lock"


def lock_owner(path: Path) -> tuple[int, str] | None:
    """(pid, socket) that a lock file names, whether it still lives or not."""
    try:
        words = path.read_text("utf-8", "replace").split(" ", 1)
        return int(words[0]), words[1].strip()
    except (OSError, ValueError, IndexError):
        return None


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock at ``path``."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False
