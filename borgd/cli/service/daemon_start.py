"""``borg start``: start the daemon in the background, unless it runs already; says so once it answers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

from borgd.cli.service.daemon_stop import STAY
from borgd.cli.terminal_text import flags_of
from borgd.errors import BorgError, NoDaemonError
from borgd.paths import user_paths
from borgd.protocol.client import UnreachableError, call, daemon_pid

START_S = 30.0
"""design: seconds within which a daemon has loaded and answers, on a slow disk too."""
PING_S = 2.0
"""guard: a daemon that runs answers a ping within this."""
STEP_S = 0.02
"""method: pause between two pings of a daemon that is starting."""
COMMAND = ("-P", "-m", "borgd", "run")
"""Arguments of this interpreter that run the daemon, whatever the working directory holds."""


def run(argv: list[str]) -> int:
    """Start, or say that it runs.

    :raises NoDaemonError: one holds the socket and does not answer, or the new one does not come up.
    """
    flags = flags_of(argv, "start", __doc__, json="one JSON document")
    started = not _answers()
    if started:
        _start()
    else:
        _wait_until_loaded(time.monotonic() + START_S)
    with suppress(FileNotFoundError):
        (user_paths().state / STAY).unlink()
    pid = daemon_pid(PING_S)
    if flags:
        print(f'{{"pid":{pid if pid is not None else "null"},"started":{"true" if started else "false"}}}')
    else:
        print(f"borgd {'started' if started else 'already runs'}, pid {pid}")
    return 0


def _answers() -> bool:
    """Whether a daemon answers.

    :raises NoDaemonError: one is there and does not answer, or must not be reached.
    """
    try:
        return call("ping", timeout_s=PING_S).status == 0
    except UnreachableError as error:
        if error.cause in ("ENOENT", "ECONNREFUSED"):
            return False
        if error.cause == "timeout":
            pid = daemon_pid_or_none()
            raise NoDaemonError(
                f"a daemon holds the socket (pid {pid or 'unknown'}) but does not answer; borg stop ends it"
            ) from None
        raise


def _is_loaded() -> bool:
    """Whether a daemon answers and has all that it needs.

    :raises BorgError: it answers, and never will have: says why.
    :raises NoDaemonError: none answers.
    """
    answer = call("ping", timeout_s=PING_S)
    if b'"problem":"",' not in answer.out.replace(b"}", b","):
        raise BorgError(f"the daemon runs but cannot serve: {_problem(answer.out)}")
    return answer.status == 0 and b'"loaded":true' in answer.out


def _problem(out: bytes) -> str:
    import json

    try:
        return str(json.loads(out)["problem"])
    except (ValueError, KeyError, TypeError):
        return "it is of another version; borg stop, then borg start"


def _wait_until_loaded(deadline: float) -> None:
    while not _is_loaded():
        if time.monotonic() > deadline:
            raise NoDaemonError(f"the daemon answers but has not loaded within {START_S:g} s; its log says why")
        time.sleep(STEP_S)


def daemon_pid_or_none() -> int | None:
    """The pid of whoever listens, None where nobody can be reached."""
    try:
        return daemon_pid(PING_S)
    except NoDaemonError:
        return None


def _start() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("LISTEN_FDS", "LISTEN_PID")}
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            [sys.executable, *COMMAND],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            cwd="/",
            env=environment,
        )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            ended = child.poll() is not None
            try:
                if _is_loaded():
                    child.returncode = 0 if child.returncode is None else child.returncode  # it outlives us on purpose
                    return
            except NoDaemonError:
                pass
            if ended:
                said.seek(0)
                words = said.read().decode("utf-8", "replace").strip().removeprefix("borg: ")
                raise BorgError(f"the daemon did not come up: {words or f'exit code {child.returncode}'}")
            time.sleep(STEP_S)
    raise NoDaemonError(f"the daemon (pid {child.pid}) did not answer within {START_S:g} s; its log says why")
