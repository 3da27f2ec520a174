"""``borg stop``: stop the daemon; requests in flight are answered first, and one that does not answer is ended.

Signals nobody but the process that holds both the socket, by the kernel's word, and the lock that names it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from borgd.cli.terminal_text import flags_of
from borgd.errors import BorgError, NoDaemonError, ProtocolError
from borgd.paths import private_dir, user_paths
from borgd.protocol.client import UnreachableError, call, daemon_pid
from borgd.stores.daemon_lock import LOCK_NAME, is_locked, lock_owner, state_lock

ASK_S = 2.0
"""design: seconds for the answer to a polite request."""
END_S = 8.0
"""design: seconds that a daemon gets to drain and flush before it is killed."""
KILLED_S = 2.0
"""guard: seconds for the kernel to end a killed process."""
STEP_S = 0.01
STAY = "stay"
"""design: the file in the state directory that keeps hooks from starting the daemon."""


def run(argv: list[str]) -> int:
    """Stop it; not running is fine too.

    :raises NoDaemonError: it can be neither asked nor safely ended.
    """
    flags = flags_of(argv, "stop", __doc__, stay="hooks do not start it again until borg start")
    code = _stop()
    if flags:
        (private_dir(user_paths().state) / STAY).touch(mode=0o600)
        print("It stays so until borg start.")
    return code


def _stop() -> int:
    pid = None
    try:
        pid = daemon_pid(ASK_S)
        call("stop", timeout_s=ASK_S)
    except UnreachableError as error:
        if error.cause in ("ENOENT", "ECONNREFUSED"):
            print("borgd does not run")
            return 0
        if error.cause not in ("timeout", "closed"):
            raise
        return _signal(pid, signal.SIGTERM)
    except ProtocolError:
        return _signal(pid, signal.SIGTERM)
    lock = _lock_of(pid)
    if lock is None or _ended(lock, END_S):
        print(f"borgd stopped, pid {pid}")
        return 0
    return _signal(pid, signal.SIGKILL)


def _lock_of(pid: int | None) -> Path | None:
    """The held lock that names ``pid``: the proof that it is the daemon."""
    where = user_paths()
    for path in (state_lock(where), where.run / LOCK_NAME):
        owner = lock_owner(path)
        if pid is not None and owner is not None and owner[0] == pid and is_locked(path):
            return path
    return None


def _ended(lock: Path, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while is_locked(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(STEP_S)
    return True


def _signal(pid: int | None, first: signal.Signals) -> int:
    """End the daemon by signal, after checking that socket, lock and process are one and the same.

    A reused pid cannot be hit: the handle is taken while the lock is held, and the lock is looked at again.
    """
    lock = _lock_of(pid)
    if pid is None or lock is None:
        raise NoDaemonError(
            f"what listens on {user_paths().socket} (pid {pid or 'unknown'}) does not answer and does not hold borgd's lock;"
            " nothing was signalled: look at it, and end it yourself"
        )
    with _Process(pid) as process:
        for number, seconds in ((first, END_S), (signal.SIGKILL, KILLED_S)):
            if is_locked(lock):
                process.send(number)
                process.send(signal.SIGCONT)
            if _ended(lock, seconds):
                print(f"borgd did not answer and was ended with {number.name}, pid {pid}")
                return 0
    raise BorgError(f"borgd (pid {pid}) cannot be ended, not even with SIGKILL; the kernel holds it")


class _Process:
    """A process to send signals to, by a handle that no other process can inherit where the platform has one."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._handle: int | None = None

    def __enter__(self) -> _Process:
        if sys.platform == "linux":
            try:
                self._handle = os.pidfd_open(self._pid)
            except OSError:
                self._handle = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def send(self, number: signal.Signals) -> None:
        """Send ``number``; a process that has gone is fine."""
        try:
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, number)
            elif sys.platform != "linux":
                os.kill(self._pid, number)
        except ProcessLookupError:
            return
