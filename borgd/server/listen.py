"""The claim to be the one daemon: locks, the probe of what is there, the listening socket, and giving them back.

Promises that a socket which anyone still holds open is never taken away: it is removed only under the lock, and only
after the kernel said that nobody listens. Knows pids from lock files for its messages alone; it signals nobody.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from borgd.errors import EXIT_FORESEEN, BorgError
from borgd.paths import Paths, private_dir
from borgd.protocol.address import socket_path
from borgd.server.systemd import activated_listener
from borgd.stores.daemon_lock import LOCK_NAME, lock_owner, state_lock

BACKLOG = 1024
"""guard: connections that the kernel holds for us while we are busy (it may cap this itself)."""
LOCK_TRIES = 5
"""guard: rounds in which a lock is tried again: its file was replaced, or somebody was just looking whether it is held."""
LOCK_STEP_S = 0.01
"""method: pause between two of them."""
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class AlreadyServingError(BorgError):
    """Another process is the daemon of this user, or holds its socket. ``pid`` is None where it is not known."""

    exit_code = EXIT_FORESEEN

    def __init__(self, text: str, pid: int | None = None) -> None:
        super().__init__(text)
        self.pid = pid


def _take_lock(path: Path) -> int:
    for _ in range(LOCK_TRIES):
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise BorgError(f"{path} cannot be opened as a lock file: {error.strerror}; remove it") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file), os.stat(path)):  # noqa: PTH116 (compared with a descriptor)
                return file
        except (BlockingIOError, FileNotFoundError):
            time.sleep(LOCK_STEP_S)
        except OSError as error:
            if error.errno in NO_LOCKS:
                return file
            os.close(file)
            raise BorgError(f"{path} cannot be locked: {error.strerror}") from error
        os.close(file)
    pid, where = lock_owner(path) or (None, "its socket")
    raise AlreadyServingError(f"the daemon already runs (pid {pid or 'unknown'}) on {where}", pid)


def probe(path: str) -> bool:
    """Whether somebody listens at ``path``: busy, stopped and deaf listeners count.

    :raises BorgError: what is there is no socket, or it cannot be told.
    """
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):  # noqa: PTH116
            raise BorgError(f"{path} is not a socket; move it away")
    except FileNotFoundError:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.setblocking(False)
        try:
            sock.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except BlockingIOError:
            return True
        except OSError as error:
            raise BorgError(f"{path} cannot be probed: {error.strerror}; move it away or fix its permissions") from error
    return True


def _clear_stale(path: str) -> None:
    if not os.path.lexists(path):
        return
    if probe(path):
        raise AlreadyServingError(f"something else listens on {path}; stop it first, a live socket is never taken away")
    Path(path).unlink(missing_ok=True)


class Claim:
    """A held claim. ``listener`` is non-blocking and close-on-exec; ``activated``: it belongs to systemd."""

    def __init__(self, places: Paths, listener: socket.socket, activated: bool, locks: list[tuple[Path, int]]) -> None:
        self.listener = listener
        self.activated = activated
        self.path = str(places.socket)
        self.alias: str | None = None
        self._locks = locks
        self._node = os.stat(self.path) if not activated else None  # noqa: PTH116

    def still_ours(self) -> bool:
        """Whether a client that connects to our path now would reach us, and our locks still mean something."""
        try:
            nodes = [(os.stat(path), os.fstat(file)) for path, file in self._locks]  # noqa: PTH116
            if self._node is not None:
                nodes.append((os.stat(self.path), self._node))  # noqa: PTH116
        except OSError:
            return False
        return all(os.path.samestat(*pair) for pair in nodes)

    def withdraw(self) -> None:
        """Take the path away, if it is still ours, so that no new client comes; those who came are still served."""
        if self.alias is not None:
            try:
                if os.readlink(self.alias) == self.path:  # noqa: PTH115
                    Path(self.alias).unlink()
            except OSError:
                pass
        if self._node is not None and self.still_ours():
            Path(self.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Withdraw, and give listener and locks back."""
        self.withdraw()
        self.listener.close()
        for _, file in self._locks:
            os.close(file)
        self._locks = []


def _alias(places: Paths, env: Mapping[str, str]) -> str | None:
    """Make the socket reachable for agents that run without our runtime directory: a link at the path they compute."""
    other = socket_path({**env, "XDG_RUNTIME_DIR": ""}, os.getuid())
    if other == str(places.socket):
        return None
    try:
        private_dir(Path(other).parent)
        _clear_stale(other)
        Path(other).symlink_to(places.socket)
    except (BorgError, OSError):
        return None
    return other


def claim(places: Paths, env: Mapping[str, str]) -> Claim:
    """Become the daemon of these places, listening from the moment this returns.

    :raises AlreadyServingError: another process is it, or listens on the socket.
    :raises BorgError: a directory, a lock file or the socket path cannot be used.
    """
    os.umask(0o077)
    for directory in (places.state, places.run):
        private_dir(directory)
    locks: list[tuple[Path, int]] = []
    try:
        for path in (state_lock(places), places.run / LOCK_NAME):
            locks.append((path, _take_lock(path)))
        listener = activated_listener(env)
        activated = listener is not None
        if listener is None:
            _clear_stale(str(places.socket))
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.setblocking(False)
            try:
                listener.bind(str(places.socket))
            except OSError as error:
                listener.close()
                raise BorgError(f"{places.socket} cannot be bound: {error.strerror}") from error
        listener.listen(BACKLOG)  # on a socket of systemd's too: the kernel then names us as its owner
        for _, file in locks:
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()} {places.socket}\n".encode(), 0)
        held = Claim(places, listener, activated, locks)
    except BaseException:
        for _, file in locks:
            os.close(file)
        raise
    held.alias = _alias(places, env)
    return held
