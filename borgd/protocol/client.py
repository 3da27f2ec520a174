"""The command line's way to the daemon: one call, one answer. Imports little, because ``borg status`` is asked often."""

from __future__ import annotations

import _socket
import os
import time
from typing import NoReturn

from borgd.errors import NoDaemonError, ProtocolError
from borgd.protocol import frames as wire
from borgd.protocol.address import socket_path
from borgd.protocol.frames import ReplyFrame
from borgd.protocol.peer import peer_pid, peer_uid

CALL_S = 10.0
"""design: seconds a command waits for its answer unless it says otherwise."""
BUSY_STEP_S = 0.005
"""method: pause between two tries where the daemon's backlog is full."""
CHUNK = 1 << 16


class UnreachableError(NoDaemonError):
    """``cause`` is ENOENT, ECONNREFUSED, EPERM, EACCES, timeout, closed or uid."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


def socket_paths() -> list[str]:
    """Where a daemon of this environment may listen, the likeliest first: the hook client looks in the same order."""
    uid = os.getuid()
    paths = [socket_path(os.environ, uid), socket_path({**os.environ, "XDG_RUNTIME_DIR": ""}, uid)]
    return paths[: 1 if paths[0] == paths[1] else 2]


def _fail(error: OSError, path: str) -> NoReturn:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        raise UnreachableError("ENOENT", f"no daemon runs: there is no socket at {path}; borg start starts one") from None
    if isinstance(error, ConnectionRefusedError):
        raise UnreachableError("ECONNREFUSED", f"no daemon runs: nobody listens on {path}; borg start starts one") from None
    if isinstance(error, PermissionError):
        cause = "EPERM" if error.errno == 1 else "EACCES"
        raise UnreachableError(
            cause,
            f"not allowed to connect to {path} ({cause}): a sandbox or its permissions forbid it; a daemon may well run",
        ) from None
    if isinstance(error, (TimeoutError, BlockingIOError)):
        raise UnreachableError("timeout", f"the daemon on {path} does not answer; borg stop ends it") from None
    raise UnreachableError("closed", f"the daemon on {path} broke off: {error.strerror or error}") from None


def _connect(path: str, deadline: float) -> _socket.socket:
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        while True:
            try:
                sock.connect(path)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(BUSY_STEP_S)
    except BaseException:
        sock.close()
        raise
    uid = peer_uid(sock)
    if uid is not None and uid != os.getuid():
        sock.close()
        raise UnreachableError("uid", f"the socket {path} is served by uid {uid}, not by you; remove it")
    return sock


def connect(timeout_s: float = CALL_S) -> _socket.socket:
    """A connection to the daemon.

    :raises UnreachableError: nobody is there, or it may not be reached.
    """
    deadline = time.monotonic() + timeout_s
    first: tuple[OSError, str] | None = None
    for path in socket_paths():
        try:
            return _connect(path, deadline)
        except OSError as error:
            first = first or (error, path)
            if not isinstance(error, (FileNotFoundError, ConnectionRefusedError)):
                break
    assert first is not None
    _fail(*first)


def daemon_pid(timeout_s: float = CALL_S) -> int | None:
    """The pid of whoever listens, from the kernel; None where the platform does not say.

    :raises UnreachableError: nobody is there.
    """
    sock = connect(timeout_s)
    try:
        return peer_pid(sock)
    finally:
        sock.close()


def call(method: str, body: bytes = b"", timeout_s: float = CALL_S) -> ReplyFrame:
    """The daemon's answer to ``method``.

    :param body: JSON parameters, or nothing.
    :raises UnreachableError: no daemon, or it did not answer; ``cause`` says which.
    :raises ProtocolError: what answered is not a borgd, or of another version.
    """
    deadline = time.monotonic() + timeout_s
    sock = connect(timeout_s)
    reply = bytearray()
    try:
        sock.settimeout(timeout_s)
        _send_all(sock, wire.request("call", method) + body)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            sock.settimeout(left)
            chunk = sock.recv(CHUNK)
            if not chunk:
                break
            reply += chunk
    except OSError as error:
        _fail(error, socket_paths()[0])
    finally:
        sock.close()
    if not reply:
        raise UnreachableError("closed", "the daemon closed the connection without an answer; its log says why")
    try:
        return wire.unpack(bytes(reply))
    except ProtocolError as error:
        raise ProtocolError(f"{error}; borg stop and borg start bring daemon and command to the same version") from None


def _send_all(sock: _socket.socket, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[sock.send(view) :]
        sock.shutdown(_socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        return  # it answered early; the answer is still to be read
