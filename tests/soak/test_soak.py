"""A daemon that is used for weeks: a million events over thousands of sessions, the clock moved by the test.

``BORGD_SOAK_EVENTS`` (1,000,000) events over ``BORGD_SOAK_SESSIONS`` (5,000) sessions, in waves; after each the clock goes
on by more than a day, so that its sessions expire. Printed as a curve: memory, descriptors and threads when a wave ends
and when its sessions are gone. The last must be within a tenth of the first.
"""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.server.processes import Home, end, wait_for
from tests.server.support import lesson, write_lessons

pytestmark = [pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

EVENTS = int(os.environ.get("BORGD_SOAK_EVENTS", "1000000"))
SESSIONS = int(os.environ.get("BORGD_SOAK_SESSIONS", "5000"))
WAVES = int(os.environ.get("BORGD_SOAK_WAVES", "20"))
DAY_MS = 24 * 3600 * 1000
GROWTH = 1.10
"""How much more memory the daemon may hold when the last sessions are gone than when the first were."""
SYSTEMS = ["Tethys", "Orion", "Calypso", "Rhea", "Dione", "Mimas", "Hyperion", "Phoebe"]
TAUGHT = 4
"""Systems and parts of which there is a lesson."""
PARTS = ["pump", "uploader", "ledger", "gateway", "scheduler", "cache", "parser", "billing"]


class Held(NamedTuple):
    """What the daemon holds. ``memory_kb``: resident."""

    memory_kb: int
    descriptors: int
    threads: int


def held(pid: int) -> Held:
    status = Path(f"/proc/{pid}/status").read_text()
    return Held(
        int(status.split("VmRSS:")[1].split()[0]), len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))
    )


def work(session: str, directory: Path, steps: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of one session: prompts, changes, what was read, a subagent now and then, Stops, perhaps an end."""
    chance = random.Random(session)
    system, part = chance.choice(SYSTEMS), chance.choice(PARTS)
    transcript = directory / f"{session}.jsonl"
    follows = chance.random() < 0.2
    common: dict[str, Any] = {
        "session_id": session,
        "cwd": f"/w/{system.lower()}",
        "transcript_path": str(transcript) if follows else "",
    }
    yield "SessionStart", {**common, "source": "startup"}
    sent, turn = 1, 0
    while sent < steps - 1:
        turn += 1
        mark = f"{session}-{turn}"
        if follows:
            row = {"type": "user", "uuid": mark, "message": {"role": "user", "content": f"work on the {part} {turn}"}}
            with transcript.open("a") as file:
                file.write(json.dumps(row) + "\n")
        yield (
            "UserPromptSubmit",
            {**common, "prompt": f"raise limit {mark} of the {system} {part}", "prompt_id": f"p{mark}"},
        )
        for number in range(chance.randrange(1, 5)):
            name = chance.choice(["Edit", "Read", "Bash"])
            call: dict[str, Any] = {"tool_use_id": f"t{mark}-{number}", "prompt_id": f"p{mark}", "tool_name": name}
            match name:
                case "Edit":
                    changed = f"limit = {turn} # {mark} " + "y" * chance.randrange(400)
                    call["tool_input"] = {"file_path": f"{common['cwd']}/{part}{turn}.py", "old_string": "x"}
                    call["tool_input"]["new_string"] = changed
                case "Read":
                    call["tool_input"] = {"file_path": f"{common['cwd']}/{part}{number}.py"}
                case _:
                    call["tool_input"] = {"command": f"git log -{turn} -- {part}.py"}
            if chance.random() < 0.1:
                call |= {"agent_id": f"a{turn}", "agent_type": "general-purpose"}
            yield "PreToolUse", {**common, **call}
            yield "PostToolUse", {**common, **call, "tool_response": {"stdout": "z" * chance.randrange(2000)}}
            sent += 2
        yield (
            "Stop",
            {**common, "stop_hook_active": False, "last_assistant_message": f"done {mark}", "prompt_id": f"p{mark}"},
        )
        sent += 2
    if chance.random() < 0.5:  # the others fall silent
        yield "SessionEnd", {**common, "reason": "exit"}


def send(path: str, event: str, fields: dict[str, Any]) -> bytes:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(60)
        sock.connect(path)
        body = json.dumps({**fields, "hook_event_name": event}).encode()
        sock.sendall(f"borg/1 hook claude-code {event}\n".encode() + body)
        sock.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: sock.recv(1 << 16), b""))


class Clocked:
    """A home whose daemon goes by the test's clock."""

    def __init__(self, directory: Path) -> None:
        self.clock, self.moved_ms = directory / "clock", 0
        self.clock.write_bytes(bytes(8))
        self.home = Home(directory, BORGD_SOAK_CLOCK=str(self.clock))
        lessons = [
            lesson(
                f"l-{system}-{part}".lower(),
                f"Is the limit of the {system} {part} raised on both sides?",
                situations=[f"raising a limit of the {system} {part}"],
                scope=[system],
            )
            for system in SYSTEMS[:TAUGHT]
            for part in PARTS[:TAUGHT]
        ]
        write_lessons(directory, *lessons)
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("clocked_daemon.py"))],
            env={**self.home.env, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdin=subprocess.DEVNULL,
        )
        wait_for(lambda: self.home.answers() and self.live() == 0, 120)

    def live(self) -> int:
        """Sessions in the daemon's memory, -1 while it loads."""
        status = json.loads(self.home.ask(b"borg/1 call status\n{}").out)["service"]
        return int(status["sessions"]) if status["loaded"] else -1

    def go_on(self, ms: int) -> None:
        """Time passes. The file is written in place: the daemon has it mapped."""
        self.moved_ms += ms
        with self.clock.open("r+b") as file:
            file.write(self.moved_ms.to_bytes(8, "little", signed=True))


def wave(place: Clocked, number: int, sessions: int, events: int) -> tuple[int, int]:
    """Send the events of ``sessions`` sessions in turns; how many were sent, and how many answers said something."""
    steps = max(4, events // sessions)
    running = [work(f"w{number}s{one}", place.home.directory, steps) for one in range(sessions)]
    sent = spoke = 0
    while running:
        for one in list(running):
            event = next(one, None)
            if event is None:
                running.remove(one)
                continue
            answer = send(str(place.home.socket), *event)
            assert answer.startswith(b"borg/1 0 "), answer[:300]
            sent += 1
            spoke += b"additionalContext" in answer or b'"block"' in answer
        place.go_on(20_000)
    return sent, spoke


def test_memory_descriptors_and_threads_stay_as_they_are(tmp_path: Path) -> None:
    place = Clocked(tmp_path)
    pid = place.process.pid
    curve: list[Held] = []
    total = 0
    try:
        print("\n   events  live      kB  fds threads   after expiry:      kB  fds threads")
        for number in range(WAVES):
            began = time.monotonic()
            sent, spoke = wave(place, number, SESSIONS // WAVES, EVENTS // WAVES)
            total += sent
            busy, live = held(pid), place.live()
            place.go_on(2 * DAY_MS)
            wait_for(lambda: place.live() == 0, 300)
            curve.append(held(pid))
            print(
                f"{total:>9} {live:>5} {busy.memory_kb:>7} {busy.descriptors:>4} {busy.threads:>7}   "
                f"{'':>13} {curve[-1].memory_kb:>7} {curve[-1].descriptors:>4} {curve[-1].threads:>7}   "
                f"({sent / (time.monotonic() - began):.0f} a second, {spoke} spoke)",
                flush=True,
            )
    finally:
        end(place.process)
    first, last = curve[0], curve[-1]
    assert last.descriptors <= first.descriptors + 3
    assert last.threads <= first.threads + 2
    assert last.memory_kb <= first.memory_kb * GROWTH, [one.memory_kb for one in curve]
