"""Where things live: the XDG places, their permissions, and the one socket path.

The socket's path is computed in borgd.protocol.address, which quick commands import without the rest.
Creates directories only through ``private_dir``, always 0700.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

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
    """The places of this process's environment (``env`` is for the socket only and defaults to os.environ).

    :raises BorgError: HOME or an XDG directory is relative: everything would go where a command happens to be typed.
    """
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        value = os.environ.get(name)
        if value is not None and not value.startswith("/") and (value or name == "HOME"):
            mend = "set it to an absolute path" if name == "HOME" else "set it to an absolute path, or unset it"
            raise BorgError(f"{name} is {value!r}, which is not an absolute path; {mend}")
    return Paths(
        config=xdg_config_home() / "borgd",
        data=xdg_data_home() / "borgd",
        state=xdg_state_home() / "borgd",
        socket=Path(socket_path(os.environ if env is None else env, os.getuid())),
    )


def private_dir(path: Path) -> Path:
    """``path`` as a directory of ours that nobody else can write, created with mode 0700 (and its parents) where missing.

    What we did not make is never changed: a directory that was there keeps its mode. One that others can only look into
    is used, as every file in it is for its owner alone.

    :raises BorgError: it is a link or no directory, belongs to someone else, can be written by others, or cannot be made;
        says the command that mends it.
    """
    try:
        path.mkdir(mode=0o700, parents=True)
        return path
    except FileExistsError:
        pass
    except OSError as error:
        remedy = REMEDIES.get(error.errno or 0, "move it away or fix its parent")
        raise BorgError(f"{path} cannot be used as a directory: {error.strerror}; {remedy}") from error
    info = path.lstat()
    if stat.S_ISLNK(info.st_mode):
        raise BorgError(
            f"{path} is a link to {os.readlink(path)}, and borgd writes into no directory through one: rm {quote(str(path))}"  # noqa: PTH115
        )
    if not stat.S_ISDIR(info.st_mode):
        where = quote(str(path))
        raise BorgError(f"{path} cannot be used as a directory: a file stands there; mv {where} {where}.old")
    if info.st_uid != os.getuid():
        mend = f"sudo chown -R {os.getuid()} {quote(str(path))}, or set XDG_STATE_HOME elsewhere"
        raise BorgError(f"{path} belongs to uid {info.st_uid}, not to you; {mend}")
    if info.st_mode & 0o022 and not _ignores_modes(path):
        raise BorgError(
            f"{path} has mode {stat.S_IMODE(info.st_mode):o}, so others can write in it: chmod 700 {quote(str(path))}"
        )
    return path


def _ignores_modes(directory: Path) -> bool:
    """Whether the file system shows modes that nobody gave, as mounts of other systems' disks do."""
    try:
        descriptor, name = tempfile.mkstemp(dir=directory)
    except OSError:
        return False
    try:
        return bool(os.fstat(descriptor).st_mode & 0o022)
    finally:
        os.close(descriptor)
        Path(name).unlink(missing_ok=True)


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
