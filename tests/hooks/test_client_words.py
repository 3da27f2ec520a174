"""What the agent's host says of a session travels in the header; a daemon that does not know such words gets none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.processes import Home

BODY = b'{"session_id":"s","a":"' + b"x" * 300_000 + b'"}'
ATTENDED, ENTRY = "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_ENTRYPOINT"


@contextmanager
def listening(home: Home, *, old: bool) -> Iterator[list[bytes]]:
    """A daemon that answers every request and keeps it; ``old``: one that refuses a header of more than two words."""
    home.socket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home.socket))
    listener.listen(8)
    heard: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with sock:
                data = b""
                while b"\n" not in data:
                    data += sock.recv(1 << 16)
                if old and len(data.split(b"\n")[0].split()) > 4:
                    heard.append(data.split(b"\n")[0] + b"\n")
                    error = b"a header is 'borg/1 hook <agent> <event>' or 'borg/1 call <method>'"
                    sock.sendall(b"borg/1 1 2 %d\n{}%s" % (len(error), error))
                    continue
                while piece := sock.recv(1 << 16):
                    data += piece
                heard.append(data)
                sock.sendall(b'borg/1 0 9 0\n{"ok": 1}')

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield heard
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({}, b""),
        ({ATTENDED: "0"}, b" attended.0"),
        ({ATTENDED: "1", ENTRY: "cli"}, b" attended.1 entry.cli"),
        ({ENTRY: "claude-vscode"}, b" entry.claude-vscode"),
        ({ATTENDED: "", ENTRY: "x" * 40}, b""),
        ({ATTENDED: "0\nborg/1 call stop", ENTRY: "ü"}, b""),
        ({ATTENDED: "0 entry.cli", ENTRY: "a b"}, b""),
        ({"CLAUDE_CODE_SESSION_ID": "secret"}, b""),
    ],
)
def test_only_the_words_on_the_list_travel(tmp_path: Path, env: dict[str, str], words: bytes) -> None:
    home = Home(tmp_path)
    with listening(home, old=False) as heard:
        assert home.client("Stop", BODY, env=env).stdout == b'{"ok": 1}\n'
    assert heard == [b"borg/1 hook claude-code Stop" + words + b"\n" + BODY]


@pytest.mark.parametrize("event", ["Stop", "PreToolUse"])
def test_an_old_daemon_is_told_again_without_them(tmp_path: Path, event: str) -> None:
    home = Home(tmp_path)
    with listening(home, old=True) as heard:
        done = home.client(event, BODY, env={ATTENDED: "0", ENTRY: "sdk-cli"})
        assert (done.returncode, done.stdout) == (0, b'{"ok": 1}\n')
    start = b"borg/1 hook claude-code " + event.encode()
    assert heard == [start + b" attended.0 entry.sdk-cli\n", start + b"\n" + BODY]
    assert home.hook_log == []
