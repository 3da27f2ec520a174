"""A disk that fills up and is emptied, a home that turns read-only and back, a clock that is set back and forth.

In each a daemon runs, hooks come and lessons are added. Counted: lessons whose adding was acknowledged and that are not
there afterwards, and hooks that did harm. Both must be 0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from tests.server.processes import CLIENT, INTERPRETER, Home, end, wait_for
from tests.soak.test_soak import DAY_MS, Clocked

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PARTS = ("pump", "ledger", "gateway", "parser", "invoice", "turbine", "calendar", "printer", "antenna", "elevator")
NUMBERS = count()


class Tally:
    """What was acknowledged, what was told in a hook's answer, what did harm."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.acknowledged: list[str] = []
        self.told = self.refused = self.harm = 0

    def add(self) -> bool:
        part = PARTS[len(self.acknowledged) % len(PARTS)] + str(len(self.acknowledged) // len(PARTS) or "")
        words = (
            "--question",
            f"Is the cap of the Tethys {part} raised?",
            "--consequence",
            "It floods.",
            "--scope",
            "Tethys",
        )
        done = self.home.borg("lesson", "add", *words, "--situation", f"raising a limit of the Tethys {part}", "--json")
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        if done.returncode:
            self.refused += 1
            assert done.stderr.startswith("borg: ")
            return False
        self.acknowledged.append(str(json.loads(done.stdout)["id"]))
        return True

    def hook(self, event: str = "UserPromptSubmit", **fields: Any) -> bytes:
        name = f"s{next(NUMBERS)}"
        body = {"session_id": name, "hook_event_name": event, "cwd": "/w/tethys", "prompt_id": name, **fields}
        body |= {"prompt": "raise a limit of the Tethys pump"} if event == "UserPromptSubmit" else {}
        done = subprocess.run(
            [INTERPRETER, "-I", "-S", str(CLIENT), "claude-code", event],
            env=self.home.env,
            input=json.dumps(body).encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        try:
            said = json.loads(done.stdout)
            harmless = done.returncode == 0 and not done.stderr and "decision" not in said
            self.harm += not harmless or "permissionDecision" in said.get("hookSpecificOutput", {})
        except ValueError:
            self.harm += 1
        self.told += b"Tethys" in done.stdout
        return done.stdout

    def hooks(self) -> None:
        """One of each, as a session brings them."""
        call = {
            "tool_name": "Edit",
            "tool_use_id": "t",
            "tool_input": {"file_path": "/w/tethys/a.py", "new_string": "cap = 9"},
        }
        for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"):
            self.hook(event, **(call if "Tool" in event else {}))

    def lost(self) -> int:
        """Acknowledged lessons that are not there, and decisions that were told and are not recorded."""
        held = {one["id"] for one in json.loads(self.home.borg("lesson", "list", "--json").stdout)["lessons"]}
        decisions = Journal(self.home.directory / ".local/share/borgd/decisions.jsonl").read()
        assert [one for one in decisions.damage if one.lost] == []
        missing = max(0, self.told - len(decisions.records))
        return len(set(self.acknowledged) - held) + missing

    def settle(self) -> None:
        """All is as before: a lesson can be added, and a prompt brings one up."""
        wait_for(self.add, 120)
        wait_for(lambda: b"Tethys" in self.hook(), 120)
        figures = f"{len(self.acknowledged)} acknowledged, {self.refused} refused, {self.told} told"
        print(f"{figures}: {self.lost()} lost, {self.harm} did harm")
        assert (self.lost(), self.harm) == (0, 0)


def configured(directory: Path) -> None:
    (directory / ".config/borgd").mkdir(parents=True)
    (directory / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\n")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own that a home is on."""
    place = tmp_path / "disk"
    place.mkdir()
    small = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", str(place)]
    if os.getuid() or subprocess.run(small, check=False, capture_output=True).returncode:
        pytest.skip("needs to mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def tally(disk: Path) -> Iterator[Tally]:
    configured(disk)
    tally = Tally(Home(disk))
    assert tally.home.borg("start").returncode == 0
    try:
        assert tally.add()
        wait_for(lambda: b"Tethys" in tally.hook())
        yield tally
    finally:
        tally.home.borg("stop")


def test_a_disk_that_fills_up_and_is_emptied(tally: Tally) -> None:
    ballast = tally.home.directory / "ballast"
    for _ in range(3):
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        tally.hooks()
        tally.add()
        tally.hooks()
        ballast.unlink()
        tally.settle()
    tally.home.borg("stop")
    assert tally.home.borg("start").returncode == 0
    tally.settle()


def test_a_daemon_that_starts_on_a_full_disk(tally: Tally) -> None:
    ballast = tally.home.directory / "ballast"
    tally.home.borg("stop")
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    tally.home.borg("start")
    tally.hooks()
    tally.add()
    ballast.unlink()
    tally.home.borg("start")
    tally.settle()


@pytest.mark.parametrize("daemon", ["runs on", "starts in it"])
def test_a_home_that_turns_read_only_and_back(tally: Tally, daemon: str) -> None:
    for _ in range(2):
        if daemon == "starts in it":
            tally.home.borg("stop")
        how = subprocess.run(["mount", "-o", "remount,ro", tally.home.directory], check=False, capture_output=True)
        if how.returncode:  # a daemon that has a file open to write keeps its disk writable
            pytest.skip("the disk cannot be made read-only while it is used")
        tally.hooks()
        assert not tally.add()
        tally.home.borg("status")
        tally.home.borg("start")
        subprocess.run(["mount", "-o", "remount,rw", tally.home.directory], check=True)
        tally.home.borg("start")
        tally.settle()


def test_a_clock_that_is_set_back_and_forth(tmp_path: Path) -> None:
    configured(tmp_path)
    place = Clocked(tmp_path)
    tally = Tally(place.home)
    try:
        for days in (0, 400, -800, 5, 395, -30, 30):
            place.go_on(days * DAY_MS)
            tally.add()
            tally.hooks()
        tally.settle()
        problems = json.loads(place.home.ask(b"borg/1 call status\n{}").out)["service"]["problems"]
        assert problems == []
    finally:
        end(place.process)


@pytest.mark.parametrize("limit", [40, 64, 256])
def test_too_few_descriptors_from_the_start(tmp_path: Path, limit: int) -> None:
    configured(tmp_path)
    tally = Tally(Home(tmp_path))
    daemon = subprocess.Popen(
        ["sh", "-c", f'ulimit -n {limit}; exec "$0" -P -m borgd run', sys.executable], env=tally.home.env
    )
    try:
        wait_for(tally.home.answers, 120)
        held = [tally.home.connect() for _ in range(min(limit, 128))]
        tally.hooks()
        tally.add()
        for sock in held:
            sock.close()
        tally.settle()
        assert daemon.poll() is None
    finally:
        end(daemon)
