"""Where things live: the XDG places, their permissions, and the one socket path.

Promises that client and daemon compute the same socket path from the same environment
(hooks/borg-hook holds a second copy of ``socket_path``; a test compares the two).
Creates directories only through ``private_dir``, always 0700.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xdg_base_dirs import xdg_config_home, xdg_data_home, xdg_state_home

from borgd.errors import BorgError

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


@dataclass(frozen=True)
class Places:
    """Every directory and file borgd uses. Nothing is created by building one."""

    config: Path
    data: Path
    state: Path
    socket: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def sessions(self) -> Path:
        return self.state / "sessions"

    @property
    def run(self) -> Path:
        return self.socket.parent

    def journal(self, name: str) -> Path:
        """Path of the journal ``name`` (``lessons``, ``outcomes``, ``decisions``, ``episodes``, …)."""
        return self.data / f"{name}.jsonl"


def places(env: Mapping[str, str] | None = None) -> Places:
    """The places of this process's environment (``env`` is for the socket only and defaults to os.environ)."""
    return Places(
        config=xdg_config_home() / "borgd",
        data=xdg_data_home() / "borgd",
        state=xdg_state_home() / "borgd",
        socket=Path(socket_path(os.environ if env is None else env, os.getuid())),
    )


def private_dir(path: Path) -> Path:
    """``path`` as a directory of ours with mode 0700, created with its parents where missing.

    :raises BorgError: it exists and is not a directory, belongs to someone else, or cannot be created.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = path.stat()
    except OSError as error:
        raise BorgError(f"{path} cannot be used as a directory: {error.strerror}; move it away or fix its parent") from error
    if info.st_uid != os.getuid():
        raise BorgError(f"{path} belongs to uid {info.st_uid}, not to you; remove it or set XDG_STATE_HOME elsewhere")
    if stat.S_IMODE(info.st_mode) & 0o077:
        try:
            path.chmod(0o700)
        except OSError:  # bind mounts refuse chmod; ownership was checked above
            return path
    return path


def shipped(name: str) -> Path:
    """A file or directory that comes with borgd (``hooks``, ``systemd``, ``lessons.example.jsonl``).

    :raises BorgError: this installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / "_shipped" / name, package.parent / name):
        if candidate.exists():
            return candidate
    raise BorgError(f"{name} is missing from this installation; install borgd again")
