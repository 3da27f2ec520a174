"""The hook client as an agent runs it: one JSON object and exit 0, whatever stands at either end."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.server.processes import CLIENT, INTERPRETER, PATIENT_CLIENT, ROOT, Home, wait_for

ALLOWED = {"_socket", "posix", "select", "sys", "time"}
EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd", "PreCompact", "Unheard"]


def said_nothing(done: subprocess.CompletedProcess[bytes]) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


def loaded_modules(arguments: list[str], env: dict[str, str]) -> set[str]:
    """What the interpreter imports for ``arguments``, beyond what it imports for nothing."""
    runs = [
        subprocess.run(
            [INTERPRETER, "-I", "-S", "-X", "importtime", *words], env=env, input=b"{}", capture_output=True, check=True
        )
        for words in (["-c", "pass"], arguments)
    ]
    bare, full = ({line.rsplit("|", 1)[1].strip() for line in run.stderr.decode().splitlines()} for run in runs)
    return full - bare - {"imported package"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("served"))
    with home.daemon():
        yield home


def test_the_client_imports_these_modules_and_no_other(served: Home) -> None:
    for event in ("Stop", "crash"):
        loaded = loaded_modules([str(CLIENT), "claude-code", event], served.env)
        assert loaded <= ALLOWED | {"borg_hook"}
        assert {"_socket", "select", "borg_hook"} <= loaded
    for home in (Home(served.directory / "nobody"),):
        assert loaded_modules([str(CLIENT), "claude-code", "SessionStart"], home.env) <= ALLOWED | {"borg_hook"}


def test_the_answer_of_the_daemon_is_printed(served: Home) -> None:
    done = served.client("Stop", b'{"a":1}\n')
    assert json.loads(done.stdout) == {"agent": "claude-code", "event": "Stop", "length": 7}
    assert done.stdout.count(b"\n") == 1
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", ["AI_AGENT", "CLAUDECODE", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONINSPECT", "PYTHONVERBOSE"])
def test_no_variable_of_the_agent_adds_a_byte(served: Home, name: str) -> None:
    done = served.client("Stop", b"{}", env={name: "1"})
    assert json.loads(done.stdout)["length"] == 2
    assert done.stderr == b""


def test_stdin_that_is_never_closed_costs_nothing(served: Home) -> None:
    read, write = os.pipe()
    os.write(write, b'{"a":1}')
    try:
        done = served.client("PreToolUse", read)
    finally:
        os.close(write)
        os.close(read)
    assert json.loads(done.stdout)["length"] == 7


def test_a_slow_writer_is_waited_for(served: Home) -> None:
    process = subprocess.Popen(
        [INTERPRETER, "-I", "-S", str(PATIENT_CLIENT), "claude-code", "Stop"],
        env=served.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for byte in b'\xef\xbb\xbf{"a":1}':
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    assert json.loads(process.stdout.readline())["length"] == 7
    process.stdin.close()
    process.stdout.close()
    assert process.wait(120) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\r\n",
        b"not json",
        b"\x00\xff" * 5000,
        b'{"a":',
        b"[]",
        b'{"a":[' + b'"x",' * (2 << 18) + b'"x"]}',
        b"\xff" * (3 << 20),
    ],
    ids=["empty", "blank", "words", "binary", "cut", "array", "huge", "huge-binary"],
)
@pytest.mark.parametrize("event", ["Stop", "PreToolUse"])
def test_bad_input_is_answered_with_nothing(served: Home, event: str, body: bytes) -> None:
    said_nothing(served.client(event, body))


def test_a_hundred_megabytes_are_answered_within_the_deadline(tmp_path: Path, served: Home) -> None:
    for home in (served, Home(tmp_path)):
        with subprocess.Popen(["head", "-c", "100000000", "/dev/zero"], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            said_nothing(home.client("Stop", writer.stdout.fileno()))


def test_a_megabyte_that_fits_goes_through(served: Home) -> None:
    body = b'{"a":"' + b"x" * 1_000_000 + b'"}'
    assert json.loads(served.client("Stop", body).stdout)["length"] == len(body)


@pytest.mark.parametrize("event", ["Stop", "PostToolUse"])
def test_a_large_answer_of_a_tool_is_cut_in_the_middle_and_goes_through(served: Home, event: str) -> None:
    body = b'{"a":"' + b"x" * (8 << 20) + b'","b":1}'
    assert 1 << 15 < json.loads(served.client(event, body).stdout)["length"] < 1 << 20


@pytest.mark.parametrize("fd", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "</dev/null"])
def test_missing_standard_streams_are_survived(served: Home, fd: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -I -S "$1" claude-code Stop {fd}', INTERPRETER, str(PATIENT_CLIENT)],
        env=served.env,
        input=b"{}",
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    if ">&-" not in fd or fd == "2>&-":
        json.loads(done.stdout)


def test_a_terminal_is_not_read(served: Home) -> None:
    main, terminal = pty.openpty()
    try:
        said_nothing(served.client("Stop", terminal))
    finally:
        os.close(main)
        os.close(terminal)


def test_a_reader_that_has_gone_is_no_error(served: Home) -> None:
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        [INTERPRETER, "-I", "-S", str(PATIENT_CLIENT), "claude-code", "Stop"],
        env=served.env,
        stdin=subprocess.PIPE,
        stdout=write,
    ) as process:
        os.close(write)
        process.communicate(b"{}", 120)
    assert process.returncode == 0
    assert "stdout" in served.hook_log[-1]


@pytest.mark.parametrize("arguments", [[], ["claude-code"], ["a b", "Stop"], ["x", "Stop\nborg/1 call stop"], ["ä", "Stop"]])
def test_a_wrong_command_line_is_an_empty_object(served: Home, arguments: list[str]) -> None:
    done = subprocess.run(
        [INTERPRETER, "-I", "-S", str(PATIENT_CLIENT), *arguments],
        env=served.env,
        input=b"{}",
        capture_output=True,
        timeout=120,
        check=False,
    )
    said_nothing(done)
    assert " usage " in served.hook_log[-1]
    assert served.answers()


def test_a_crash_of_the_daemon_is_one_line_without_the_payload(served: Home) -> None:
    said_nothing(served.client("crash", b'{"prompt":"the canary 4711"}'))
    assert " daemon hook claude-code other crashed: ValueError" in served.hook_log[-1]
    assert not any("4711" in line for line in served.hook_log)


@pytest.mark.parametrize("directory", ["with space", "quo'te", "ünïcode", "new\nline"])
def test_the_client_runs_from_any_directory(served: Home, tmp_path: Path, directory: str) -> None:
    (tmp_path / directory).mkdir()
    for name in ("borg-hook", "borg_hook.py"):
        text = (ROOT / "hooks" / name).read_bytes()
        (tmp_path / directory / name).write_bytes(text.replace(b"LONG_S = 1.0", b"LONG_S = 60.0"))
    link = tmp_path / "link"
    link.symlink_to(tmp_path / directory / "borg-hook")
    for path in (tmp_path / directory / "borg-hook", link):
        done = subprocess.run(
            [INTERPRETER, "-I", "-S", str(path), "claude-code", "Stop"],
            env=served.env,
            input=b"{}",
            capture_output=True,
            timeout=120,
            check=True,
        )
        assert json.loads(done.stdout)["length"] == 2


def test_a_deleted_working_directory_is_survived(served: Home, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$2" && exec "$0" -I -S "$1" claude-code Stop', INTERPRETER, str(PATIENT_CLIENT), str(gone)],
        cwd=gone,
        env=served.env,
        input=b"{}",
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert json.loads(done.stdout)["length"] == 2


def test_a_client_without_its_second_half_still_answers(tmp_path: Path) -> None:
    (tmp_path / "borg-hook").write_bytes(CLIENT.read_bytes())
    done = subprocess.run(
        [INTERPRETER, "-I", "-S", str(tmp_path / "borg-hook"), "claude-code", "Stop"],
        env={"HOME": str(tmp_path)},
        input=b"{}",
        capture_output=True,
        timeout=120,
        check=False,
    )
    said_nothing(done)


@pytest.mark.parametrize("event", EVENTS)
def test_without_a_daemon_every_event_is_answered(tmp_path: Path, event: str) -> None:
    home = Home(tmp_path)
    done = home.client(event)
    if event == "SessionStart":
        assert "no daemon runs" in json.loads(done.stdout)["systemMessage"]
    else:
        said_nothing(done)
    assert home.hook_log[0].split()[1:4] == ["claude-code", event, "ENOENT"]


def test_a_home_that_cannot_be_written_is_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("/proc/nowhere", "/dev/null", "relative", ""):
        said_nothing(Home(Path("/"), HOME=name, XDG_STATE_HOME=name).client("UserPromptSubmit"))
    said_nothing(
        subprocess.run(
            [INTERPRETER, "-I", "-S", str(CLIENT), "a", "b"],
            env={"XDG_STATE_HOME": "/proc/nowhere"},
            input=b"{}",
            capture_output=True,
            check=True,
        )
    )
    assert list(tmp_path.iterdir()) == [], "nothing is written where the agent happens to work"


@contextmanager
def stranger(home: Home, replies: bytes | None, *, read: bool = True) -> Iterator[None]:
    """Something that is not a borgd at the socket's path: answers ``replies`` and closes, or stays deaf (None)."""
    home.socket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home.socket))
    listener.listen(64)
    kept = []

    def serve() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            if replies is None:
                kept.append(sock)
                continue
            with sock:
                if read:
                    sock.recv(1 << 16)
                try:
                    sock.sendall(replies)
                except OSError:
                    continue

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for sock in kept:
            sock.close()


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (b"", "closed"),
        (b"borg/1 0 2", "closed"),
        (b"borg/1 0 9 0\n{}", "closed"),
        (b"borg/1 0 2 0\n{}{}", "garbage"),
        (b"borg/1 0 x 0\n{}", "garbage"),
        (b"borg/1 0 -2 4\n{}", "garbage"),
        (b"borg/1 0 99999999 0\n{}", "garbage"),
        (b"borg/1 0 2\n{}", "garbage"),
        (b"borg/2 0 2 0\n{}", "version"),
        (b"borg/1 0 7 0\nWelcome", "garbage"),
        (b"borg/1 0 0 0\n", "garbage"),
        (b"borg/1 0 4 0\n[{}]", "garbage"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "garbage"),
        (b"\x00" * 300_000, "garbage"),
        (b"borg/1 " + b"0" * 300_000, "garbage"),
        (b"borg/1 1 2 4\n{}busy", "daemon"),
    ],
)
@pytest.mark.parametrize("read", [True, False])
def test_a_strange_answer_is_nothing(tmp_path: Path, reply: bytes, cause: str, read: bool) -> None:
    home = Home(tmp_path)
    with stranger(home, reply, read=read):
        said_nothing(home.client("Stop", b'{"a":"' + b"x" * 100_000 + b'"}'))
    assert len(home.hook_log) == 1
    assert home.hook_log[0].split()[3] == cause


@pytest.mark.slow
@pytest.mark.parametrize("event", ["Stop", "PreToolUse"])
def test_a_deaf_socket_and_a_stopped_daemon_time_out(tmp_path: Path, event: str) -> None:
    deaf, stopped = Home(tmp_path / "deaf", script=CLIENT), Home(tmp_path / "stopped", script=CLIENT)
    with stranger(deaf, None):
        said_nothing(deaf.client(event, b"{}" + b" " * 500_000))
    with stopped.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        said_nothing(stopped.client(event))
        process.send_signal(signal.SIGCONT)
        wait_for(stopped.answers)
    assert deaf.hook_log[0].split()[3] == stopped.hook_log[0].split()[3] == "timeout"


def test_a_killed_daemon_leaves_a_refusing_socket(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.daemon() as process:
        process.kill()
        process.wait()
        assert home.socket.exists()
        said_nothing(home.client("Stop"))
    assert home.hook_log[0].split()[3] == "ECONNREFUSED"


def test_a_full_backlog_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    home = Home(tmp_path, script=CLIENT)
    home.socket.parent.mkdir(parents=True)
    waiting = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen(0)
        for _ in range(2):
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            try:
                waiting[-1].connect(str(home.socket))
            except BlockingIOError:
                break
        said_nothing(home.client("PreToolUse"))
        assert home.hook_log[0].split()[3] == "timeout"
        for sock in waiting:
            sock.close()


def test_two_nested_and_fifty_parallel_clients_are_all_answered(served: Home) -> None:
    nested = subprocess.run(
        ["sh", "-c", 'tee /dev/null | "$0" -I -S "$1" a Stop | "$0" -I -S "$1" b Stop', INTERPRETER, str(PATIENT_CLIENT)],
        env=served.env,
        input=b"{}",
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert json.loads(nested.stdout)["agent"] == "b"
    command = [INTERPRETER, "-I", "-S", str(PATIENT_CLIENT), "claude-code", "Stop"]
    many = [subprocess.Popen(command, env=served.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) for _ in range(50)]
    for process in many:
        assert process.communicate(timeout=120)[0] == b"{}\n"
        assert process.returncode == 0


def test_the_log_stays_bounded_and_one_line_is_one_failure(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.state.mkdir(parents=True)
    log = home.state / "hook.log"
    log.write_bytes(b"x" * (256 * 1024 + 1))
    for _ in range(3):
        said_nothing(home.client("Stop"))
    assert len(home.hook_log) == 3
    assert (home.state / "hook.log.1").stat().st_size == 256 * 1024 + 1
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.state.mkdir(parents=True)
    (home.state / "hook.log").symlink_to(tmp_path / "elsewhere")
    said_nothing(home.client("Stop"))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("agent", "told"),
    [("claude-code", True), ("codex", True), ("gemini", True), ("cursor", False), ("copilot", False), ("nobody", False)],
)
def test_a_session_start_says_in_one_line_what_is_wrong_where_the_agent_shows_it(
    tmp_path: Path, agent: str, told: bool
) -> None:
    home = Home(tmp_path)
    with stranger(home, b"HTTP/1.1 400 Bad Request\r\n\r\n"):
        said = json.loads(home.client("SessionStart", agent=agent).stdout)
        assert json.loads(home.client("UserPromptSubmit", agent=agent).stdout) == {}
    assert ("not borgd" in said.get("systemMessage", "")) is told
    assert "\n" not in said.get("systemMessage", "")


def test_after_repeated_misses_one_event_tries_and_the_rest_answer_at_once(tmp_path: Path) -> None:
    home = Home(tmp_path, script=CLIENT)
    with home.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        for _ in range(3):
            said_nothing(home.client("PreToolUse"))
        assert len(home.hook_log) == 3
        missed = home.state / "hook.missed"
        for _ in range(5):
            os.utime(missed)  # however long this test takes, the last miss was just now
            said_nothing(home.client("PreToolUse"))
        assert len(home.hook_log) == 3, "nobody waited"
        os.utime(missed, (0, 0))
        said_nothing(home.client("PreToolUse"))
        assert len(home.hook_log) == 4, "one tried again"
        said_nothing(home.client("PreToolUse"))
        assert len(home.hook_log) == 4
        process.send_signal(signal.SIGCONT)
        wait_for(home.answers)
        os.utime(missed, (0, 0))
        home.script = PATIENT_CLIENT
        assert json.loads(home.client("PreToolUse").stdout)["event"] == "PreToolUse"
        assert not missed.exists(), "an answer ends the count"


def test_bytes_that_still_come_put_the_deadline_off(served: Home) -> None:
    """A tool event's deadline is a quarter of a second; this one takes longer to write than that.

    A machine that stops this writer for as long makes the client give up with reason, so it is tried more than once.
    """
    assert any(_answered_while_written(served) for _ in range(20))


def _answered_while_written(served: Home) -> bool:
    """Whether a client was answered whose input took 0.6 s and more to come."""
    with subprocess.Popen(
        [INTERPRETER, "-I", "-S", str(CLIENT), "claude-code", "PreToolUse"],
        env=served.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it gave up
            process.stdin.write(b'{"a":"')
            began = time.monotonic()
            while time.monotonic() - began < 0.6:
                process.stdin.write(b"x")
                process.stdin.flush()
                time.sleep(0.05)
            process.stdin.write(b'"}')
            process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        with suppress(BrokenPipeError):
            process.stdin.close()
        assert process.wait(120) == 0
    return "event" in answer


def test_an_empty_stdin_leaves_a_trace(served: Home) -> None:
    said_nothing(served.client("Stop", b""))
    assert served.hook_log[-1].split()[1:4] == ["claude-code", "Stop", "empty"]


@pytest.mark.parametrize(("value", "silent"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_a_variable_switches_it_off(served: Home, value: str, silent: bool) -> None:
    lines = len(served.hook_log)
    done = served.client("UserPromptSubmit", env={"BORGD_OFF": value})
    assert (json.loads(done.stdout) == {}) is silent
    assert len(served.hook_log) == lines


def test_nothing_is_written_through_a_linked_state_directory(tmp_path: Path) -> None:
    home = Home(tmp_path)
    victim = tmp_path / "victim"
    victim.mkdir(mode=0o755)
    home.state.parent.mkdir(parents=True)
    home.state.symlink_to(victim)
    home.client("UserPromptSubmit")
    assert list(victim.iterdir()) == []
    assert victim.stat().st_mode & 0o777 == 0o755
