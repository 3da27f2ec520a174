"""Who is at the other end of a Unix socket, as the kernel knows it. Linux and macOS; None where a platform does not say."""

from __future__ import annotations

import _socket
import sys

_UCRED_BYTES = 12
"""host: struct ucred of Linux, pid, uid, gid of four bytes each."""
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
_LOCAL_PEERPID = 2
_XUCRED_BYTES = 76
"""host: struct xucred of macOS, version and uid first."""


def _number(data: bytes) -> int:
    return int.from_bytes(data, sys.byteorder)


def peer_uid(sock: _socket.socket) -> int | None:
    """The uid of the peer."""
    if sys.platform == "linux":
        return _number(sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED_BYTES)[4:8])
    if sys.platform == "darwin":
        return _number(sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)[4:8])
    return None


def peer_pid(sock: _socket.socket) -> int | None:
    """The pid of the peer: of whoever called listen(), where ``sock`` is the connecting end."""
    if sys.platform == "linux":
        return _number(sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED_BYTES)[:4])
    if sys.platform == "darwin":
        return _number(sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, 4))
    return None
