"""What systemd wants to hear and what it tells: sd_notify(3), the watchdog, sd_listen_fds(3).

A no-op everywhere else; a notification that cannot be sent never harms the daemon.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

FIRST_FD = 3
"""host: SD_LISTEN_FDS_START."""


def notify(env: Mapping[str, str], *states: str) -> bool:
    """Send ``states`` (``READY=1``, ``STOPPING=1``, ``WATCHDOG=1``) where systemd listens; whether it was sent."""
    address = env.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return False
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            sock.connect("\0" + address[1:] if address[0] == "@" else address)
            sock.send("\n".join(states).encode())
    except OSError:
        return False
    return True


def watchdog_interval_s(env: Mapping[str, str]) -> float | None:
    """Half the time within which systemd wants a ping, None where it wants none from this process."""
    microseconds = env.get("WATCHDOG_USEC", "")
    if not microseconds.isdigit() or not int(microseconds) or env.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(microseconds) / 2e6


def activated_listener(env: Mapping[str, str]) -> socket.socket | None:
    """The listening Unix socket that systemd passed to this process, None where it passed none.

    Everything else it passed is left alone. The socket is close-on-exec and non-blocking on return.
    """
    count = env.get("LISTEN_FDS", "")
    if env.get("LISTEN_PID") != str(os.getpid()) or not count.isdigit():
        return None
    for number in range(FIRST_FD, FIRST_FD + int(count)):
        os.set_inheritable(number, False)
        try:
            sock = socket.socket(fileno=number)
        except OSError:
            continue
        if sock.family == socket.AF_UNIX and sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            sock.setblocking(False)
            return sock
        sock.detach()
    return None
