"""Real daemons and real hook clients as processes, in a throw-away home."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from borgd.errors import ProtocolError
from borgd.protocol import frames as wire
from borgd.protocol.address import socket_path

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "hooks" / "borg-hook"
ECHO = Path(__file__).with_name("echo_daemon.py")
PATIENT_CLIENT = Path(__file__).with_name("patient_client.py")
"""For tests of what is answered, not of when; the real CLIENT gives up after a second."""
INTERPRETER = os.path.realpath(sys.executable)
PATIENCE_S = 120.0


def wait_for(what: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Return as soon as ``what()`` is true; a test that waits in vain fails."""
    deadline = time.monotonic() + patience_s
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def listens(path: Path) -> bool:
    """Whether somebody listens at the socket ``path``."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(60)
        return sock.connect_ex(str(path)) == 0


class Home:
    """A home with nothing in it; ``script`` is its hook client, ``env`` what a process there sees."""

    def __init__(self, directory: Path, *, script: Path = PATIENT_CLIENT, **env: str) -> None:
        self.directory = directory
        self.script = script
        self.env = {"HOME": str(directory), "PATH": os.environ["PATH"], **env}
        self.state = directory / ".local/state/borgd"
        self.socket = Path(socket_path(self.env, os.getuid()))

    @property
    def hook_log(self) -> list[str]:
        path = self.state / "hook.log"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def daemon_log(self) -> str:
        path = self.state / "daemon.log"
        return path.read_text() if path.exists() else ""

    def spawn(self, **env: str) -> subprocess.Popen[bytes]:
        """A daemon, not waited for."""
        return subprocess.Popen(
            [sys.executable, str(ECHO)], env={**self.env, **env}, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    @contextmanager
    def daemon(self, **env: str) -> Iterator[subprocess.Popen[bytes]]:
        """A daemon that answers."""
        process = self.spawn(**env)
        try:
            wait_for(lambda: self.answers() or process.poll() is not None)
            assert process.poll() is None, process.stderr and process.stderr.read()
            yield process
        finally:
            end(process)

    def connect(self, timeout_s: float = 60.0) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(timeout_s)
        try:
            sock.connect(str(self.socket))
        except OSError:
            sock.close()
            raise
        return sock

    def ask(self, data: bytes, *, close: bool = True) -> wire.ReplyFrame:
        """The answer to a raw request; ``close``: the sending side is shut after it."""
        with self.connect() as sock:
            try:
                sock.sendall(data)
                if close:
                    sock.shutdown(socket.SHUT_WR)
            except BrokenPipeError:
                pass
            return wire.unpack(b"".join(iter(lambda: sock.recv(1 << 16), b"")))

    def answers(self) -> bool:
        try:
            return self.ask(b"borg/1 call ping\n").status == 0
        except (OSError, ProtocolError):
            return False

    def borg(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """The real command line in this home."""
        return subprocess.run(
            [sys.executable, "-m", "borgd", *arguments],
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=240,
        )

    def client(
        self, event: str = "Stop", stdin: bytes | int = b"{}", agent: str = "claude-code", env: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[bytes]:
        """The real hook client in this home."""
        command = [INTERPRETER, "-I", "-S", str(self.script), agent, event]
        seen = {**self.env, **env}
        if isinstance(stdin, int):
            return subprocess.run(command, env=seen, stdin=stdin, capture_output=True, check=False, timeout=120)
        return subprocess.run(command, env=seen, input=stdin, capture_output=True, check=False, timeout=120)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that a test started, whatever state it is in."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
    if process.stderr:
        process.stderr.close()
