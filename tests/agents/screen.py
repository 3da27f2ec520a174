"""Drives an agent's terminal UI under a pseudo-terminal: type, press keys, wait for what the screen says."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

KEYS = {"enter": b"\r", "down": b"\x1b[B", "escape": b"\x1b"}
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78])")
_FORWARD = re.compile(r"\x1b\[(\d*)C")


class Screen:
    """``with Screen(command, env, cwd) as screen: screen.wait("…"); screen.type("…"); screen.press("enter")``."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        self._command, self._cwd = command, cwd
        self._env = env | {"TERM": "xterm-256color", "COLUMNS": "140", "LINES": "50"}
        self._seen = b""

    def __enter__(self) -> Self:
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(self._cwd)
            os.execve(self._command[0], self._command, self._env)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(self._pid, number)
            except OSError:
                break
            self._read(1.5)
            if os.waitpid(self._pid, os.WNOHANG)[0]:
                break
        os.close(self._terminal)

    def _read(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self._terminal], [], [], min(0.1, left))
            if not ready:
                continue
            try:
                data = os.read(self._terminal, 65536)
            except OSError:
                return
            if not data:
                return
            self._seen += data
            if b"\x1b[c" in data:
                os.write(self._terminal, b"\x1b[?62;c")
            if b"\x1b[6n" in data:
                os.write(self._terminal, b"\x1b[1;1R")

    @property
    def text(self) -> str:
        """Everything the screen showed since the last ``wait``, without its control sequences."""
        return _ESCAPES.sub("", _FORWARD.sub(" ", self._seen.decode("utf-8", "replace")))

    def wait(self, pattern: str, seconds: float = 30.0) -> str:
        """Until the screen shows ``pattern``; what it showed. Forgets it, so that the next wait is for something new."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            if time.monotonic() > end:
                raise AssertionError(f"the screen never showed {pattern!r}; it ends: {self.text[-1500:]}")
            self._read(0.1)
        shown, self._seen = self.text, b""
        return shown

    def settle(self, seconds: float = 0.5) -> None:
        """Until nothing is drawn for ``seconds``: what has just come up takes no key yet. Forgets nothing."""
        before = -1
        while before != len(self._seen):
            before = len(self._seen)
            self._read(seconds)

    def watch(self, holds: Callable[[], bool], seconds: float = 60.0) -> None:
        """Until ``holds()``, reading what is drawn meanwhile."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"it never came to it; the screen ends: {self.text[-1500:]}")
            self._read(0.1)

    def type(self, text: str) -> None:
        """Type as a person does, key by key."""
        for letter in text:
            os.write(self._terminal, letter.encode())
            self._read(0.01)
        self._read(0.3)

    def press(self, key: str) -> None:
        """Press one of KEYS."""
        os.write(self._terminal, KEYS[key])
        self._read(0.3)
