"""``borg doctor`` on directories and the socket: whose they are, who else can look in, what stands in their place."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene, chmod, quoted
from borgd.protocol.address import socket_path

LEAST_FREE_BYTES = 1 << 20
"""design: a disk with less room than this is as good as full."""


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def runtime_directory(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether $XDG_RUNTIME_DIR can hold the socket."""
    name, value = "runtime directory", scene.env.get("XDG_RUNTIME_DIR", "")
    path = Path(value)
    if not value:
        yield DoctorFinding(name, OK, "XDG_RUNTIME_DIR is not set; the socket is in the state directory")
    elif not value.startswith("/"):
        text = f"XDG_RUNTIME_DIR is the relative path {value!r} and is not used"
        yield DoctorFinding(name, NOTE, text, "set it to an absolute path")
    elif not path.is_dir() or path.is_symlink():
        yield DoctorFinding(
            name, NOTE, f"{value} is not a directory and is not used", "log in again, or unset XDG_RUNTIME_DIR"
        )
    elif path.stat().st_uid != os.getuid():
        text = f"{value} belongs to uid {path.stat().st_uid} and is not used"
        yield DoctorFinding(name, NOTE, text, "unset it after su or sudo")
    elif _mode(path) != 0o700:
        yield DoctorFinding(name, NOTE, f"{value} has mode {_mode(path):o} and is not used", quoted("chmod", "700", value))
    else:
        yield DoctorFinding(name, OK, f"{value} holds the socket")


def directories(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether our directories are ours, private and writable."""
    where = scene.where
    for path in dict.fromkeys((where.config, where.data, where.state, where.run)):
        if path.exists() or path.is_symlink():
            yield _directory(path, is_config=path == where.config)


def _directory(path: Path, *, is_config: bool) -> DoctorFinding:
    name = "directories"
    if path.is_symlink() and not is_config:
        text = f"{path} is a link to {os.readlink(path)}; a directory that borgd writes must be one"  # noqa: PTH115
        return DoctorFinding(name, BAD, text, quoted("rm", path))
    if not path.is_dir():
        return DoctorFinding(
            name, BAD, f"a file stands at {path}, where a directory belongs", quoted("mv", path, f"{path}.old")
        )
    info, disk = path.stat(), os.statvfs(path)
    mode = stat.S_IMODE(info.st_mode)
    if info.st_uid != os.getuid():
        todo = quoted("sudo", "chown", "-R", os.getuid(), path)
        return DoctorFinding(name, BAD, f"{path} belongs to uid {info.st_uid}, not to you ({os.getuid()})", todo)
    if disk.f_flag & os.ST_RDONLY:
        return DoctorFinding(name, BAD, f"{path} is on a read-only file system: nothing is stored", "mount it writable")
    if not mode & stat.S_IWUSR or not os.access(path, os.W_OK | os.X_OK):
        return DoctorFinding(
            name, BAD, f"{path} cannot be written", quoted("chmod", "u+rwx", path), chmod(path, mode | 0o700)
        )
    if disk.f_bavail * disk.f_frsize < LEAST_FREE_BYTES:
        return DoctorFinding(
            name, BAD, f"{path}: the disk is full, nothing is stored", f"free some space ({quoted('df', '-h', path)})"
        )
    if mode & (0o022 if is_config else 0o077):
        what = "change what is in it" if mode & 0o022 else "look in"
        text = f"{path} has mode {mode:o}: others can {what}"
        new = mode & ~0o022 if is_config else 0o700
        return DoctorFinding(name, BAD, text, quoted("chmod", f"{new:o}", path), chmod(path, new))
    return DoctorFinding(name, OK, f"{path} is yours")


def at_the_socket(scene: Scene) -> Iterator[DoctorFinding]:
    """What stands where the socket should be, at both of its paths: with a runtime directory and without."""
    here = str(scene.where.socket)
    for path in dict.fromkeys((here, socket_path({**scene.env, "XDG_RUNTIME_DIR": ""}, os.getuid()))):
        found = _socket(Path(path), main=path == here)
        if found is not None:
            yield found


def _socket(path: Path, *, main: bool) -> DoctorFinding | None:
    name = "socket"
    try:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            info = path.stat()
    except FileNotFoundError:
        dangling = path.is_symlink()
        if dangling and not _listens(path):
            return DoctorFinding(name, NOTE, f"{path} is a link to a socket that is gone", quoted("rm", path), path.unlink)
        return None
    except NotADirectoryError:
        return DoctorFinding(
            name, BAD, f"a file stands where {path.parent} should be", quoted("mv", path.parent, f"{path.parent}.old")
        )
    if not stat.S_ISSOCK(info.st_mode):
        kind = "directory" if stat.S_ISDIR(info.st_mode) else "file"
        text = f"a {kind} stands at {path}, where the socket belongs: no daemon can listen"
        return DoctorFinding(name, BAD, text, quoted("mv", path, f"{path}.old"))
    if info.st_uid != os.getuid():
        text = f"the socket {path} belongs to uid {info.st_uid}: what listens there is not yours"
        return DoctorFinding(name, BAD, text, quoted("sudo", "rm", path))
    if not _listens(path):
        text = f"{path} is left over from a daemon that died: nobody listens on it"
        return DoctorFinding(name, BAD if main else NOTE, text, "borg start")
    return DoctorFinding(name, OK, f"{path} is yours and somebody listens")


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.setblocking(False)
        try:
            sock.connect(str(path))
        except BlockingIOError:
            return True
        except PermissionError:
            return True
        except OSError:
            return False
    return True
