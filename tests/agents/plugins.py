"""borgd's plugins for opencode and oh-my-pi, compiled, run by node without their agents, against daemons of every kind."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HOOKS = REPOSITORY / "hooks"
DRIVER = Path(__file__).with_name("plugin_driver.mjs")
VARIABLE = "BORGD_TYPESCRIPT"
"""Names the directory of an installed ``typescript`` package."""
MODULES = {"opencode": "opencode/plugin.js", "omp": "omp/extension.js"}
SECONDS = 60


def typescript() -> Path:
    """The compiler; skips the test, with the reason, where there is none."""
    named = os.environ.get(VARIABLE)
    for directory in ([Path(named)] if named else []) + [REPOSITORY / "node_modules/typescript"]:
        if (directory / "bin/tsc").is_file():
            return directory
    if named:
        pytest.fail(f"no TypeScript at {named} although {VARIABLE} names it")
    pytest.skip("TypeScript is not installed: npm install --prefix . typescript@5.9.3 @types/node@22")
    raise AssertionError


def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    return found


def checked(*words: str, project: Path = HOOKS) -> None:
    """Have the compiler look at all of ``project``, with further words for it."""
    package = typescript()
    done = subprocess.run(
        [
            node(),
            str(package / "bin/tsc"),
            "-p",
            str(project),
            "--typeRoots",
            str(package.parent / "@types"),
            *words,
        ],
        capture_output=True,
        text=True,
        timeout=4 * SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout


class Driver:
    """A node process with ``copies`` of an agent's plugin in it."""

    def __init__(self, compiled: Path, agent: str, env: dict[str, str], copies: int, words: tuple[str, ...]) -> None:
        self._process = subprocess.Popen(
            [node(), str(DRIVER), agent, str(compiled / MODULES[agent]), str(copies), *words],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, **command: Any) -> dict[str, Any]:
        """What came of one command: output or error, what handlers returned, what was called of the agent, milliseconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(SECONDS)


Answers = Callable[[str, dict[str, Any]], dict[str, Any]]


class FakeDaemon:
    """Listens where the daemon does. ``heard``: (event, body, words) of each request; ``connections``: how many came."""

    def __init__(self, path: Path, answers: Answers | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.heard: list[tuple[str, dict[str, Any], list[str]]] = []
        self.connections = 0
        self._answers = answers
        self._open: list[socket.socket] = []
        self._raw: bytes | None = None
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(100)
        self._path = path
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(one)  # where nothing is answered it must not be closed by the garbage collector
            if self._raw is not None:
                one.sendall(self._raw)
                one.close()
            elif self._answers is not None:
                threading.Thread(target=self._answer, args=(one,), daemon=True).start()

    def _answer(self, one: socket.socket) -> None:
        data = b""
        while True:
            head, newline, rest = data.partition(b"\n")
            try:
                body = json.loads(rest)
                break
            except ValueError:
                try:
                    data += one.recv(1 << 16)
                except OSError:
                    return
        words = head.decode().split(" ")
        assert newline
        self.heard.append((words[3], body, words[4:]))
        assert self._answers is not None
        out = json.dumps(self._answers(words[3], body)).encode()
        one.sendall(b"borg/1 0 %d 0\n" % len(out) + out)

    def say(self, raw: bytes) -> None:
        """From now on: these bytes to whoever comes, and the connection closed."""
        self._raw = raw

    def events(self) -> list[str]:
        return [event for event, _, _ in self.heard]

    def wait_for(self, event: str, count: int = 1) -> None:
        """Until ``event`` was heard ``count`` times."""
        end = time.monotonic() + SECONDS
        while self.events().count(event) < count:
            assert time.monotonic() < end, f"{event} did not come; heard {self.events()}"
            time.sleep(0.01)

    def close(self) -> None:
        self._path.unlink()
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._thread.join(SECONDS)
        self._socket.close()
        for one in self._open:
            one.close()


@contextmanager
def fake_daemon(env: dict[str, str], answers: Answers | None) -> Iterator[FakeDaemon]:
    """A daemon that answers by ``answers``; None: it takes every connection and says nothing."""
    daemon = FakeDaemon(Path(env["HOME"]) / ".local/state/borgd/run/borgd.sock", answers)
    try:
        yield daemon
    finally:
        daemon.close()
