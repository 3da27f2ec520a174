"""kill -9 in the middle of a session, over and over: the next prompt of the same session is served. Clients that vanish.

``BORGD_SOAK_KILLS`` (200) kills; 1,000 connections broken off leave descriptors and threads as they were.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path

import pytest

from tests.server.processes import Home, wait_for

pytestmark = pytest.mark.soak
KILLS = int(os.environ.get("BORGD_SOAK_KILLS", "200"))
ABRUPT = 1000
WORDS = ("--question", "Is the cap of the Tethys pump raised?", "--consequence", "It floods.", "--scope", "Tethys")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.borg("install", "claude-code", "--apply")
    home.borg("start")
    home.borg("lesson", "add", *WORDS, "--situation", "raising a limit of the Tethys pump")
    return home


def pid_of(home: Home) -> int:
    return int(json.loads(home.ask(b"borg/1 call ping\n").out)["pid"])


def test_the_next_prompt_of_the_session_is_served(home: Home) -> None:
    served = 0
    try:
        for number in range(KILLS):
            os.kill(pid_of(home), signal.SIGKILL)
            wait_for(lambda: not home.answers())
            body = {"session_id": "s", "prompt_id": f"p{number}", "prompt": f"go on {number}", "cwd": "/tmp"}
            lines = len(home.hook_log)
            assert json.loads(home.client("UserPromptSubmit", json.dumps(body).encode()).stdout) == {}
            served += len(home.hook_log) == lines  # a prompt that nobody answered is a line there
            wait_for(home.answers)
            body |= {"prompt_id": f"q{number}", "prompt": f"and on {number}"}
            lines = len(home.hook_log)
            home.client("UserPromptSubmit", json.dumps(body).encode())
            assert len(home.hook_log) == lines, home.hook_log[-1]
    finally:
        home.borg("stop")
    print(f"{served} of {KILLS} prompts right after a kill were served within their second, all of the ones after them")


def test_clients_that_vanish_leave_nothing_behind(home: Home) -> None:
    pid = pid_of(home)

    def counts() -> tuple[int, int]:
        return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))

    try:
        before = counts()
        for number in range(ABRUPT):
            with socket.socket(socket.AF_UNIX) as sock:
                sock.connect(str(home.socket))
                sock.send(b"borg/1 hook claude-code Stop\n{"[: number % 31])
        wait_for(lambda: home.answers() and counts()[0] <= before[0] + 1)
        assert counts()[1] <= before[1] + 2
    finally:
        home.borg("stop")
