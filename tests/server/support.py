"""A service in this process, and a real daemon in another, each in a home of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio

from borgd.paths import socket_path, user_paths
from borgd.server.service import Service, build
from tests.server.processes import PATIENT_CLIENT

PATIENT_DAEMON = Path(__file__).with_name("patient_daemon.py")


def lesson(name: str, question: str, **fields: Any) -> dict[str, Any]:
    """A line of lessons.jsonl."""
    return {"id": name, "version": 1, "ms": 1, "question": question, "consequence": "It breaks.", **fields}


def write_lessons(home: Path, *lessons: dict[str, Any]) -> None:
    """Put lessons into the home's store."""
    directory = home / ".local/share/borgd"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "lessons.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lessons))


def write_config(home: Path, text: str) -> None:
    """Put a config.toml into the home."""
    directory = home / ".config/borgd"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.toml").write_text(text)


@asynccontextmanager
async def running_service(*, periodic: bool = False) -> AsyncIterator[Service]:
    """The service of the HOME that the environment names, loaded.

    Its periodic work (ending silent sessions, publishing, settling) is left to the test unless ``periodic``: whenever it
    came round by itself, it would act on the files that the test looks at.
    """

    async def never(seconds: float, work: object) -> None:
        """In place of doing ``work`` every so often."""

    async with anyio.create_task_group() as tasks:
        service = build(user_paths())
        service.patience_s = lambda _: 600.0  # no busy machine makes a test's answer come too late
        if not periodic:
            service._every = never  # type: ignore[method-assign]
        await service.start(tasks)
        await service.loaded.wait()
        yield service
        await service.close()
        tasks.cancel_scope.cancel()


def loaded(path: str) -> bool:
    """Whether a daemon at ``path`` has read what it knows: before, a client's second may be over first."""
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(30)
            sock.connect(path)
            sock.sendall(b"borg/1 call status\n{}")
            sock.shutdown(socket.SHUT_WR)
            reply = b"".join(iter(lambda: sock.recv(1 << 16), b""))
        return bool(json.loads(reply.partition(b"\n")[2])["service"]["loaded"])
    except (OSError, ValueError):
        return False


@contextmanager
def running_daemon(home: Path) -> Iterator[dict[str, str]]:
    """A daemon process in ``home``, in no hurry; its environment."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    daemon = subprocess.Popen([sys.executable, "-I", str(PATIENT_DAEMON)], env=env, stdin=subprocess.DEVNULL)
    path, end = socket_path(env, os.getuid()), time.monotonic() + 120
    while not loaded(path) and time.monotonic() < end and daemon.poll() is None:
        time.sleep(0.01)
    try:
        yield env
    finally:
        daemon.terminate()
        assert daemon.wait(120) == 0


def client(env: dict[str, str], event: str, body: bytes, agent: str = "claude-code") -> bytes:
    """What the real client, in no hurry, prints for one event."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PATIENT_CLIENT), agent, event],
        env=env,
        input=body,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    return done.stdout


class Agent:
    """Speaks to a service as Claude Code would, in one session."""

    def __init__(self, service: Service, session: str = "s1", cwd: str = "/w/orion") -> None:
        self.service = service
        self.common = {"session_id": session, "cwd": cwd}
        self.prompts = 0
        self.tools = 0

    async def send(self, event: str, **fields: Any) -> dict[str, Any]:
        body = {**self.common, "hook_event_name": event, **fields}
        out: dict[str, Any] = json.loads(await self.service.hook("claude-code", event, json.dumps(body).encode()))
        return out

    async def prompt(self, text: str, **fields: Any) -> str:
        """A user prompt; the context that comes with it."""
        self.prompts += 1
        out = await self.send("UserPromptSubmit", **{"prompt": text, "prompt_id": f"p{self.prompts}", **fields})
        return str(out.get("hookSpecificOutput", {}).get("additionalContext", ""))

    async def tool(self, name: str, tool_input: dict[str, Any], response: Any = None, *, fails: str = "") -> dict[str, Any]:
        """A tool call from its announcement to its end; the announcement's answer if it was denied, else the end's."""
        self.tools += 1
        call = {
            "tool_name": name,
            "tool_input": tool_input,
            "tool_use_id": f"t{self.tools}",
            "prompt_id": f"p{self.prompts}",
        }
        before = await self.send("PreToolUse", **call)
        if before.get("hookSpecificOutput", {}).get("permissionDecision") == "deny":
            return before
        if fails:
            return await self.send("PostToolUseFailure", **call, error=fails)
        return await self.send("PostToolUse", **call, tool_response=response or {})

    async def edit(self, path: str, text: str) -> dict[str, Any]:
        """An edit of one file."""
        return await self.tool("Edit", {"file_path": f"{self.common['cwd']}/{path}", "old_string": "x", "new_string": text})

    async def stop(self, said: str, **fields: Any) -> str:
        """The agent wants to finish; the reason to go on, empty: none."""
        fields = {"stop_hook_active": False, "prompt_id": f"p{self.prompts}", "background_tasks": [], **fields}
        return str((await self.send("Stop", last_assistant_message=said, **fields)).get("reason", ""))
