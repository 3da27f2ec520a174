"""Where things live: the XDG places, their permissions, and the one socket path.

The socket's path is computed in borgd.protocol.address, which quick commands import without the rest.
Creates directories only through ``private_dir``, always 0700.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xdg_base_dirs import xdg_config_home, xdg_data_home, xdg_state_home

from borgd.errors import REMEDIES, BorgError
from borgd.protocol.address import fnv1a, socket_path

__all__ = ["Paths", "fnv1a", "private_dir", "socket_path", "user_paths"]


@dataclass(frozen=True)
class Paths:
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


def user_paths(env: Mapping[str, str] | None = None) -> Paths:
    """The places of this process's environment (``env`` is for the socket only and defaults to os.environ)."""
    return Paths(
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
        remedy = REMEDIES.get(error.errno or 0, "move it away or fix its parent")
        raise BorgError(f"{path} cannot be used as a directory: {error.strerror}; {remedy}") from error
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


_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z")


def session_file_name(agent: str, session: str, subagent: str = "") -> str:
    """``<agent>-<id>.ctx``; an id that is not safe in a file name is replaced by its hash, so ``../`` names nothing
    and no session's file is another's subagent's."""
    parts = [
        part if _SAFE.match(part) else f"x{fnv1a(part.encode('utf-8', 'replace')):016x}"
        for part in (session, subagent)
        if part
    ]
    return f"{agent}-{'.'.join(parts)}.ctx"
