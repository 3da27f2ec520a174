"""What people met with daemons that ran for weeks: memory, descriptors, children, directory walks; a real daemon each."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from borgd.paths import user_paths
from borgd.protocol.address import socket_path
from borgd.stores.installed.client import client_path
from tests.server.processes import wait_for
from tests.server.support import client, lesson, running_daemon, write_config, write_lessons

WORDS = [
    "retry", "limit", "uploader", "backoff", "cap", "storage", "throttle", "cache", "index", "parser", "token", "budget",
    "queue", "worker", "schema", "migration", "release", "branch", "deploy", "config", "logging", "metric", "alert", "batch",
]  # fmt: skip
EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "Notification", "SubagentStop")


class Use(NamedTuple):
    """What a process holds."""

    descriptors: int
    megabytes: float
    children: int


class Daemon(NamedTuple):
    """A running one, spoken to over its socket without a client process each time."""

    env: dict[str, str]
    pid: int

    def send(self, header: str, body: bytes = b"") -> Any:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(30)
            sock.connect(socket_path(self.env, os.getuid()))
            sock.sendall(header.encode() + b"\n" + body)
            sock.shutdown(socket.SHUT_WR)
            reply = b"".join(iter(lambda: sock.recv(1 << 16), b""))
        head, _, rest = reply.partition(b"\n")
        _, _, out, err = head.split(b" ")
        assert err == b"0", rest[int(out) :][:2000]
        return json.loads(rest[: int(out)])

    def hook(self, event: str, **fields: Any) -> Any:
        body = {"session_id": "s", "cwd": "/w/orion", "hook_event_name": event, **fields}
        return self.send(f"borg/1 hook claude-code {event}", json.dumps(body).encode())

    def use(self) -> Use:
        process = Path(f"/proc/{self.pid}")
        resident = re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())
        assert resident is not None
        children = sum(len(task.read_text().split()) for task in process.glob("task/*/children"))
        return Use(len(list((process / "fd").iterdir())), int(resident[1]) / 1024, children)


def journals_are_whole(home: Path) -> dict[str, int]:
    """Lines of each journal; fails where one is not a JSON object."""
    counts = {}
    for path in (home / ".local/share/borgd").rglob("*.jsonl"):
        lines = path.read_bytes().split(b"\n")
        assert lines.pop() == b"", path
        assert all(isinstance(json.loads(line), dict) for line in lines), path
        counts[path.name] = len(lines)
    return counts


@pytest.fixture
def daemon(home: Path) -> Iterator[Daemon]:
    choose = random.Random(7)
    write_lessons(
        home,
        *(
            lesson(
                f"L{number}",
                f"When the {' '.join(choose.sample(WORDS, 6))} changes, is the {choose.choice(WORDS)} checked?",
                situations=[" ".join(choose.sample(WORDS, 5))],
                scope=[choose.choice(WORDS).title() + choose.choice(WORDS).title()] if number % 2 else [],
            )
            for number in range(300)
        ),
    )
    write_config(home, "[recall]\npolicy = 'budget'\nfloor = 0.05\n")
    with running_daemon(home) as env:
        running = Daemon(env, 0)
        running = Daemon(env, running.send("borg/1 call ping")["pid"])
        wait_for(lambda: running.send("borg/1 call status")["service"]["loaded"])
        yield running


def event(choose: random.Random, number: int, session: str, directory: Path) -> tuple[str, dict[str, Any]]:
    """One event of an ordinary day, and the transcript line that goes with it."""
    transcript = directory / f"{session}.jsonl"
    text = {"type": "text", "text": " ".join(choose.sample(WORDS, 8))}
    message = {"id": f"m{number}", "content": [text], "usage": {"input_tokens": 5}}
    with transcript.open("a") as file:
        file.write(json.dumps({"type": "assistant", "uuid": f"u{number}", "message": message}) + "\n")
    name = choose.choice(EVENTS)
    system = choose.choice(WORDS).title() + choose.choice(WORDS).title()
    fields: dict[str, Any] = {"session_id": session, "transcript_path": str(transcript), "cwd": str(directory)}
    if name == "UserPromptSubmit":
        words = " ".join(choose.choices(WORDS, k=choose.choice([15, 300])))
        fields |= {"prompt": f"In {system} change the {words}", "prompt_id": f"p{number}"}
    elif "Tool" in name:
        fields |= {
            "tool_name": "Edit",
            "tool_use_id": f"t{number}",
            "tool_response": {"content": "y" * 50_000},
            "error": "no",
        }
        fields |= {"tool_input": {"file_path": f"/srv/{system}/{choose.choice(WORDS)}.py", "new_string": "x\n" * 50}}
    elif name == "Stop":
        fields |= {"last_assistant_message": f"done {number}", "stop_hook_active": choose.random() < 0.3}
    elif name == "SubagentStop":
        fields |= {"agent_id": f"a{number}", "agent_type": ""}
    return name, fields


@pytest.mark.slow
def test_two_thousand_events_of_fifty_sessions_leave_nothing_behind(daemon: Daemon, home: Path, tmp_path: Path) -> None:
    """Descriptors, children and memory are flat in the second half; every journal is whole; commands make sense of it."""
    choose = random.Random(3)
    marks = []
    for number in range(2000):
        name, fields = event(choose, number, f"day-{number % 50}", tmp_path)
        daemon.hook(name, **fields)
        if number in (999, 1999):
            marks.append(daemon.use())
    half, end = marks
    assert end.descriptors <= half.descriptors + 2
    assert end.children == half.children == 0
    assert end.megabytes < half.megabytes + 12
    status = daemon.send("borg/1 call status")
    assert status["errors"]["crashes"] == 0
    assert status["service"]["sessions"] == 50
    assert status["service"]["problems"] == []
    assert journals_are_whole(home)["decisions.jsonl"] > 50
    seen = daemon.send("borg/1 call tail", b'{"since": 0}')["events"]
    assert [one["number"] for one in seen] == list(range(seen[-1]["number"] - len(seen) + 1, seen[-1]["number"] + 1))
    assert {one["answer"] for one in seen} == {"nothing", "context", "block"}
    for arguments in (["why", "day-1"], ["why", "day-1", "--json"], ["status"], ["status", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "borgd", *arguments],
            env=daemon.env,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert (done.returncode, bool(done.stdout), done.stderr) == (0, True, ""), arguments


@pytest.mark.slow
def test_three_hundred_sessions_start_no_process_and_cost_little(daemon: Daemon) -> None:
    """No child, no descriptor and no thread per session; memory by the kilobyte."""
    daemon.hook("UserPromptSubmit", session_id="first", prompt="hello")
    before = daemon.use()
    for number in range(300):
        for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"):
            daemon.hook(name, session_id=f"s{number}", prompt="the retry limit", tool_name="Read", tool_use_id="t")
    after = daemon.use()
    assert after.descriptors <= before.descriptors + 2
    assert after.children == 0
    assert after.megabytes - before.megabytes < 300 * 0.06


def test_the_number_of_old_sessions_changes_no_event(home: Path, daemon: Daemon, tmp_path: Path) -> None:
    """Six hundred state files lie there: an event opens its own and lists no directory."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    sessions = home / ".local/state/borgd/sessions"
    for number in range(600):
        (sessions / f"claude-code-old{number}.ctx").write_text("prompt: the retry limit\n" * 200)
    event_log = tmp_path / "trace"
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", str(event_log), "-e", "trace=file,getdents64", "-p", str(daemon.pid)],
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(lambda: tracer.poll() is not None or "TracerPid:\t0" not in Path(f"/proc/{daemon.pid}/status").read_text())
        if tracer.poll() is not None:
            pytest.skip("strace may not attach here")
        for number in range(20):
            fields = {"tool_name": "Edit", "tool_use_id": f"t{number}", "tool_response": {"content": "y" * 50_000}}
            daemon.hook("PostToolUse", **fields, tool_input={"file_path": f"/w/orion/{number}.py"})
    finally:
        tracer.terminate()
        tracer.wait(120)
    lines = event_log.read_text().splitlines()
    assert len(lines) > 20, "the tracer saw nothing"
    assert not [line for line in lines if "/old" in line or "-old" in line]
    assert not [line for line in lines if "getdents" in line and "sessions" in line]
    per_event = len([line for line in lines if "getdents" in line])
    assert per_event < 20, "directories are listed by the event"


@pytest.mark.slow
def test_thirty_two_clients_at_once_leave_whole_journals(daemon: Daemon, home: Path, tmp_path: Path) -> None:
    """Every answer is an object, every journal parses to its last line, and nobody was turned away."""
    failures: list[BaseException] = []

    def one(worker: int) -> None:
        choose = random.Random(worker)
        try:
            for number in range(60):
                name, fields = event(choose, number, f"w{worker}", tmp_path)
                assert isinstance(daemon.hook(name, **fields), dict)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=(worker,)) for worker in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    counts = journals_are_whole(home)
    status = daemon.send("borg/1 call status")
    assert status["connections"]["refused"] == status["errors"]["crashes"] == 0
    assert counts["outcomes.jsonl"] == sum(status["service"]["outcomes_told"].values())


def test_an_environment_deleted_under_a_running_session_leaves_hooks_that_pass(home: Path, tmp_path: Path) -> None:
    """The installed client is a program of its own: with the package, the daemon and the launcher gone it says nothing."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "borgd", "install", "claude-code", "--apply"]
    subprocess.run(command, env=env, check=True, capture_output=True, timeout=240)
    installed = client_path(user_paths(env))
    launch = home / ".local/share/borgd/launch"
    launch.write_text(f"{tmp_path}/venv/bin/python\n-m\nborgd\nrun\n")  # as after the environment was removed
    for gone in (None, installed.parent / "borg_hook.py", home / ".local/share/borgd/launch", home / ".local/state"):
        if gone is not None:
            shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
        for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"):
            done = subprocess.run(
                [str(installed), "claude-code", name],
                env=env, input=b'{"session_id":"s"}', capture_output=True, check=False, timeout=120,
            )  # fmt: skip
            assert (done.returncode, done.stdout) == (0, b"{}\n"), (gone, name)


def test_files_that_vanish_under_a_running_daemon_cost_no_answer(daemon: Daemon, home: Path) -> None:
    """The state directory, the store and the log may be deleted at any time by whoever cleans up."""
    share, state = home / ".local/share/borgd", home / ".local/state/borgd"
    assert isinstance(daemon.hook("UserPromptSubmit", prompt="the retry limit"), dict)
    shutil.rmtree(state / "sessions")
    for _ in range(3):
        assert isinstance(daemon.hook("PostToolUse", tool_name="Edit", tool_input={"file_path": "/w/a"}), dict)
    (share / "lessons.jsonl").unlink()
    assert daemon.hook("UserPromptSubmit", prompt="the retry limit again", session_id="other") == {}
    assert daemon.hook("Stop", session_id="other") == {}
    assert client(daemon.env, "Stop", b'{"session_id":"x"}') == b"{}\n"
