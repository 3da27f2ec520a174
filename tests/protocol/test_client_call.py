"""The command line's call to the daemon: every way in which nobody answers has its own name and sentence."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from borgd.errors import EXIT_NO_DAEMON, ProtocolError
from borgd.paths import user_paths
from borgd.protocol.client import UnreachableError, call, daemon_pid
from tests.server.processes import Home


@contextmanager
def answering(reply: bytes, *, delay: bool = False) -> Iterator[None]:
    path = user_paths().socket
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        kept = []

        def serve() -> None:
            sock, _ = listener.accept()
            if delay:
                kept.append(sock)
                return
            with sock:
                while sock.recv(1 << 16):
                    pass
                with suppress(BrokenPipeError):
                    sock.sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()
        for sock in kept:
            sock.close()


def cause_of(**options: Any) -> str:
    with pytest.raises(UnreachableError) as caught:
        call("ping", **options)
    assert caught.value.exit_code == EXIT_NO_DAEMON
    return caught.value.cause


def test_an_answer_comes_back_whole(home: Path) -> None:
    out = b"x" * 3_000_000
    with answering(b"borg/1 7 3000000 3\n" + out + b"err"):
        answer = call("echo", b"y" * 500_000)
    assert answer == (7, out, b"err")


def test_each_way_of_not_being_there_has_its_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cause_of() == "ENOENT"
    with answering(b""):
        assert cause_of() == "closed"
    assert cause_of() == "ECONNREFUSED"
    user_paths().socket.unlink()
    with answering(b"", delay=True):
        assert cause_of(timeout_s=0.05) == "timeout"
    user_paths().socket.unlink()
    with answering(b""):
        assert daemon_pid() == os.getpid()
    monkeypatch.setattr("borgd.protocol.client.peer_uid", lambda _: 12345)
    user_paths().socket.unlink()
    with answering(b""):
        assert cause_of() == "uid"


@pytest.mark.parametrize("reply", [b"HTTP/1.1 200\r\n", b"borg/1 0 5 0\nab", b"borg/2 0 0 0\n", b"borg/1 0 x 0\n"])
def test_an_answer_that_is_none_says_what_to_do(home: Path, reply: bytes) -> None:
    with answering(reply), pytest.raises(ProtocolError, match="borg stop and borg start"):
        call("ping")


def test_a_stopped_daemon_is_a_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = Home(tmp_path)
    for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with at.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        assert cause_of(timeout_s=0.1) == "timeout"
        assert daemon_pid() == process.pid


def test_the_quick_command_imports_nothing_slow(tmp_path: Path) -> None:
    code = "import sys; before = set(sys.modules); import borgd.cli.service.status; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    slow = {"argparse", "json", "pathlib", "dataclasses", "inspect", "socket", "anyio", "msgspec", "numpy", "logging"}
    assert not slow & set(done.stdout.split())
