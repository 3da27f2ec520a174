"""A command under a real pseudo-terminal: what a person sees and types."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path


def in_a_terminal(argv: list[str], keys: list[tuple[str, str]], home: Path) -> tuple[str, int]:
    """Run ``borg ARGV`` in ``home`` under a terminal of its own; each of ``keys`` is (wait for, then type)."""
    ours, theirs = pty.openpty()
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
    command = [sys.executable, "-m", "borgd", *argv]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=home, start_new_session=True,
        preexec_fn=_as_a_terminal_would,  # noqa: PLW1509 (two system calls; control C needs them)
    )  # fmt: skip
    os.close(theirs)
    seen, position, deadline = "", 0, time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if keys and (found := seen.find(keys[0][0], position)) >= 0:
                position = found + len(keys[0][0])
                os.write(ours, keys.pop(0)[1].encode())
                continue
            if not select.select([ours], [], [], 1)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                data = os.read(ours, 4096)
            except OSError:
                break
            if not data:
                break
            seen += data.decode("utf-8", "replace")
    finally:
        if process.poll() is None and (keys or time.monotonic() >= deadline):
            process.kill()
        code = process.wait(120)
        os.close(ours)
    return seen, code


def _as_a_terminal_would() -> None:
    """Tests that run in the background of a shell ignore control C, and what they start would too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
