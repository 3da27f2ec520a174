"""``borg doctor`` sends an event: through the installed client to the running daemon and back, and through a whole life in
a throw-away home (install, start, event, recall, uninstall)."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene
from borgd.protocol.client import UnreachableError, call
from borgd.protocol.probe import PROBE_SESSION
from borgd.stores.installed.client import client_path

RUN_S = 30.0
"""guard: seconds for one command of the journey, on a busy machine too."""
TRIES = 3
"""guard: a client gives up after a second, which on a busy machine says nothing; what never comes back in so many does."""
SLOW_S = 0.3
"""design: a hook that takes longer than this is felt."""


def event(scene: Scene) -> Iterator[DoctorFinding]:
    """One real event through the installed client and the running daemon and back."""
    path = client_path(scene.where)
    if not os.access(path, os.X_OK):
        return
    try:
        call("ping", timeout_s=2.0)
    except UnreachableError as error:
        if error.cause in ("ENOENT", "ECONNREFUSED"):
            return  # said by the check of the daemon
        yield DoctorFinding("event", BAD, f"no event reaches the daemon: {error}", "see the check of the daemon")
        return
    word, answer, took = PROBE_SESSION + secrets.token_hex(8), "", 0.0
    for _ in range(TRIES):
        began = time.monotonic()
        try:
            answer = _hook(path, scene.env, "UserPromptSubmit", word)
        except (OSError, subprocess.TimeoutExpired) as error:
            text = f"the installed client cannot be run: {error}"
            yield DoctorFinding("event", BAD, text, "borg install claude-code --apply")
            return
        took += time.monotonic() - began
        if word in answer:
            break
    if word not in answer:
        text = f"an event through {path} did not come back from the daemon: {answer[:80]!r}"
        yield DoctorFinding("event", BAD, text, f"see the last lines of {scene.where.state / 'hook.log'}")
    elif took > SLOW_S:
        yield DoctorFinding("event", NOTE, f"an event went to the daemon and back, but took {took * 1000:.0f} ms")
    else:
        yield DoctorFinding("event", OK, f"an event went through the client to the daemon and back in {took * 1000:.0f} ms")


def _hook(client: Path, env: dict[str, str], name: str, session: str, **fields: object) -> str:
    body = {"session_id": session, "transcript_path": "", "cwd": "/", "hook_event_name": name, "prompt": "", **fields}
    kept = {key: value for key, value in env.items() if key not in ("BORGD_OFF", "BORGD_INSIDE")}
    done = subprocess.run(
        [client, "claude-code", name],
        input=json.dumps(body).encode(),
        env=kept,
        capture_output=True,
        timeout=RUN_S,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace")


def whole_life(scene: Scene) -> Iterator[DoctorFinding]:
    """Install, start, event, recall, uninstall in a throw-away home, with this very borgd."""
    began = time.monotonic()
    problem, slow = "", ""
    with tempfile.TemporaryDirectory(prefix="borgd-doctor-") as name:
        home = Path(name)
        (home / "run").mkdir(mode=0o700)
        env = {"HOME": name, "PATH": scene.env.get("PATH", os.defpath), "XDG_RUNTIME_DIR": f"{name}/run", "LANG": "C.UTF-8"}
        try:
            problem = _life(home, env)
        except subprocess.TimeoutExpired as error:
            slow = f"the round trip was given up: {error.cmd[-1]} took longer than {RUN_S:g} s"
        finally:
            _borg(env, "stop")
    if slow:
        yield DoctorFinding("round trip", NOTE, slow, "try again when the machine is less busy")
    elif problem:
        yield DoctorFinding(
            "round trip", BAD, f"in a throw-away home: {problem}", "install borgd again; if that does not help, report this"
        )
    else:
        text = f"install, event, recall and uninstall work in a throw-away home ({time.monotonic() - began:.1f} s)"
        yield DoctorFinding("round trip", OK, text)


def _life(home: Path, env: dict[str, str]) -> str:
    """What does not work; empty: all does."""
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    before = b'{\n\t"model": "x"\n}'
    settings.write_bytes(before)
    lesson = (
        "--question",
        "Is the cap of the Zephyr queue raised too?",
        "--consequence",
        "It overflows.",
        "--scope",
        "Zephyr",
    )
    for words in (
        ("install", "claude-code", "--apply"),
        ("start",),
        ("lesson", "add", *lesson, "--situation", "raising a limit of the Zephyr queue"),
    ):
        done = _borg(env, *words)
        if done.returncode:
            return f"borg {' '.join(words[:2])} ended with {done.returncode}: {_last(done)}"
    client = home / ".local/share/borgd/hook/borg-hook"
    said = _hook(client, env, "UserPromptSubmit", "round-trip", prompt="raise a limit of the Zephyr queue", cwd=str(home))
    if "Zephyr" not in said:
        return f"a prompt that names a lesson's system brought up no lesson: {said.strip()[:80]}"
    done = _borg(env, "uninstall", "claude-code", "--apply")
    if done.returncode:
        return f"borg uninstall ended with {done.returncode}: {_last(done)}"
    return "" if settings.read_bytes() == before else "uninstall did not give the settings their bytes back"


def _borg(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", "borgd", *words]
    return subprocess.run(
        command, env=env, capture_output=True, timeout=RUN_S, check=False, stdin=subprocess.DEVNULL, cwd="/"
    )


def _last(done: subprocess.CompletedProcess[bytes]) -> str:
    return (done.stderr or done.stdout).decode("utf-8", "replace").strip().split("\n")[-1][:200]
