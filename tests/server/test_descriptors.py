"""A shortage of descriptors, from the first moment on, is survived, and what was missed in it is taken in when it ends."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tests.server.processes import Home, wait_for

NUMBERS = count()
pytestmark = pytest.mark.slow
WORDS = ("--question", "Is the cap of the Tethys pump raised?", "--consequence", "It floods.", "--scope", "Tethys")


@pytest.mark.parametrize("limit", [48, 70, 100, 200])
def test_a_shortage_from_the_start_on_ends_without_a_trace(tmp_path: Path, limit: int) -> None:
    home = Home(tmp_path)
    daemon = subprocess.Popen(["sh", "-c", f'ulimit -n {limit}; exec "$0" -P -m borgd run', sys.executable], env=home.env)
    held: list[socket.socket] = []
    try:
        wait_for(home.socket.exists)
        for _ in range(2 * limit):
            sock = socket.socket(socket.AF_UNIX)
            sock.setblocking(False)
            try:
                sock.connect(str(home.socket))
                sock.send(b"borg/1 hook claude-code Stop\n{")
            except OSError:
                sock.close()
                continue
            held.append(sock)
        done = home.borg("lesson", "add", *WORDS, "--situation", "raising a limit of the Tethys pump")
        assert done.returncode == 0, done.stderr
        assert daemon.poll() is None
        for sock in held:
            sock.close()
        wait_for(lambda: "Tethys pump" in said(home))
    finally:
        for sock in held:
            sock.close()
        daemon.terminate()
        daemon.wait(120)


def said(home: Home) -> str:
    """What a new session's prompt brings up."""
    body = {
        "session_id": f"s{next(NUMBERS)}",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "raise a limit of the Tethys pump",
        "cwd": "/tmp",
    }
    try:
        return home.ask(b"borg/1 hook claude-code UserPromptSubmit\n" + json.dumps(body).encode()).out.decode()
    except OSError:
        return ""
