"""Where the daemon's socket is, from an environment and a uid. Reads nothing but the runtime directory's own mode.

Promises that client and daemon compute the same path: hooks/borg_hook.py holds a second copy and a test compares the two.
Imports next to nothing, because every quick command starts with it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping

SOCKET_NAME = "borgd.sock"
SOCKET_PATH_BYTES = 103 if sys.platform == "darwin" else 107
"""host: sun_path holds 104 or 108 bytes, one of them the closing NUL."""


def fnv1a(data: bytes) -> int:
    """64-bit FNV-1a (Fowler, Noll, Vo): the client may import no hash library, so both sides use this."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def _is_private(path: str, uid: int) -> bool:
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == uid and stat.S_IMODE(info.st_mode) == 0o700


def socket_path(env: Mapping[str, str], uid: int) -> str:
    """The daemon's socket for this environment.

    ``$XDG_RUNTIME_DIR/borgd/borgd.sock`` where the runtime directory is absolute, ours and 0700; else
    ``$XDG_STATE_HOME/borgd/run/borgd.sock``; a path too long for a socket gets a short hashed directory.
    """
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and _is_private(runtime, uid):
        directory = runtime.rstrip("/") + "/borgd"
    else:
        state = env.get("XDG_STATE_HOME", "")
        if not state.startswith("/"):
            state = env.get("HOME", "/").rstrip("/") + "/.local/state"
        directory = state.rstrip("/") + "/borgd/run"
    path = f"{directory}/{SOCKET_NAME}"
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES:
        return path
    return f"/tmp/borgd-{uid}-{fnv1a(os.fsencode(path)):016x}/{SOCKET_NAME}"  # noqa: S108 (0700 and owner are checked before use)
