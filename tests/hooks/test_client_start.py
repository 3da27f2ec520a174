"""The client starts the daemon at a session's start and at a prompt, only where none listens; a prompt waits for it."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from borgd.protocol.address import socket_path
from tests.server.processes import CLIENT, ECHO, INTERPRETER, PATIENT_CLIENT, ROOT, Home, wait_for

REPORT = """
import json, os, sys
with open(sys.argv[1], "a") as file:
    fds = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    targets = [os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2)]
    file.write(json.dumps({"sid": os.getsid(0) == os.getpid() or os.getsid(0), "ppid": os.getppid(), "fds": len(fds),
        "targets": targets, "cwd": os.getcwd()}) + "\\n")
sys.exit(1)
"""
SANDBOX = """
import ctypes, os, struct, sys
program = [(0x20, 0, 0, 0), (0x15, 0, 1, 42), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
prog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, prog, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
"""connect(2), number 42 on x86-64, answers EPERM, as in an agent's sandbox."""


def launch(home: Home, *command: str, mode: int = 0o600) -> Path:
    """The installer's launch file."""
    path = home.directory / ".local/share/borgd/launch"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text("\n".join(command) + "\n")
    path.chmod(mode)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, script=CLIENT)


@pytest.fixture
def starts(home: Home, tmp_path: Path) -> Path:
    """Where a daemon that dies at boot writes one line per start; the home's launch file starts it."""
    script = tmp_path / "dies.py"
    script.write_text(REPORT)
    launch(home, INTERPRETER, str(script), str(tmp_path / "starts"))
    return tmp_path / "starts"


def test_a_session_start_brings_a_daemon_up_and_does_not_wait_for_it(home: Home) -> None:
    launch(home, sys.executable, str(ECHO))
    assert home.client("SessionStart").stdout == b"{}\n"
    wait_for(home.answers)
    home.script = PATIENT_CLIENT
    try:
        assert json.loads(home.client("SessionStart").stdout)["event"] == "SessionStart"
        assert len(home.hook_log) == 1
    finally:
        home.borg("stop")


def test_thirty_session_starts_at_once_bring_up_one(home: Home, starts: Path) -> None:
    many = [
        subprocess.Popen(
            [INTERPRETER, "-I", "-S", str(CLIENT), "claude-code", "SessionStart"],
            env=home.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        for _ in range(30)
    ]
    for process in many:
        assert process.communicate(timeout=120)[0] == b"{}\n"
    wait_for(starts.exists)
    assert len(starts.read_text().splitlines()) == 1


def test_what_is_started_holds_nothing_of_ours(home: Home, starts: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.set_inheritable(True)
        subprocess.run(
            [INTERPRETER, "-I", "-S", str(CLIENT), "claude-code", "SessionStart"],
            env=home.env,
            input=b"{}",
            capture_output=True,
            check=True,
            pass_fds=[other.fileno()],
        )
    wait_for(lambda: starts.exists() and starts.read_text())
    report = json.loads(starts.read_text())
    assert report["targets"] == ["/dev/null"] * 3
    assert report["fds"] == 5  # three of /dev/null, the report, the listing itself
    assert report["cwd"] == "/"
    assert report["sid"] not in (True, os.getsid(0))


def is_served(home: Home) -> bool:
    """Whether a prompt is answered by a daemon."""
    return "event" in json.loads(home.client("UserPromptSubmit").stdout)


def test_a_prompt_brings_a_daemon_back_and_is_served_by_it(home: Home) -> None:
    launch(home, sys.executable, str(ECHO))
    home.script = PATIENT_CLIENT
    try:
        assert is_served(home)
        for _ in range(3):
            pid = json.loads(home.ask(b"borg/1 call ping\n").out)["pid"]
            os.kill(pid, signal.SIGKILL)
            (home.state / "hook.start").unlink(missing_ok=True)  # as the real daemon does when it has loaded
            assert is_served(home)
        assert home.hook_log == [], "no prompt found it gone and left it so"
    finally:
        home.borg("stop")


def test_a_prompt_right_after_a_session_start_waits_for_the_daemon_of_that(home: Home) -> None:
    launch(home, sys.executable, str(ECHO))
    home.script = PATIENT_CLIENT
    try:
        assert home.client("SessionStart").stdout == b"{}\n"
        os.utime(home.state / "hook.start")  # however long that took, it was just now
        assert is_served(home)
        assert len(home.hook_log) == 1, "of the session's start"
    finally:
        home.borg("stop")


def test_what_was_stopped_to_stay_so_is_not_started(home: Home, starts: Path) -> None:
    home.state.mkdir(parents=True)
    assert "stays so" in home.borg("stop", "--stay").stdout
    for event in ("SessionStart", "UserPromptSubmit"):
        assert home.client(event).stdout == b"{}\n", "nothing is wrong, so nothing is told"
    assert not starts.exists()


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"])
def test_no_other_event_starts_anything(home: Home, starts: Path, event: str) -> None:
    home.client(event)
    assert not (home.state / "hook.start").exists()
    assert not starts.exists()


def test_a_daemon_that_dies_at_boot_is_left_alone_for_a_while(home: Home, starts: Path) -> None:
    marker = home.state / "hook.start"
    for _ in range(5):
        home.client("SessionStart")
        os.utime(marker)  # however long this test takes, the last start was just now
    wait_for(starts.exists)
    os.utime(marker, (time.time() - 6, time.time() - 6))
    home.client("SessionStart")
    wait_for(lambda: len(starts.read_text().splitlines()) == 2)
    os.utime(marker, (time.time() - 6, time.time() - 6))
    assert "none came up" in json.loads(home.client("SessionStart").stdout)["systemMessage"]
    assert len(starts.read_text().splitlines()) == 2, "each time it is left alone for longer"
    os.utime(marker, (time.time() + 9999, time.time() + 9999))  # the clock was set back since
    home.client("SessionStart")
    wait_for(lambda: len(starts.read_text().splitlines()) == 3)


def test_a_stale_socket_does_not_keep_a_session_from_starting_it(home: Home, starts: Path) -> None:
    home.socket.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(home.socket))
    home.client("SessionStart")
    wait_for(starts.exists)
    assert home.hook_log[0].split()[3] == "ECONNREFUSED"


@pytest.mark.parametrize("spoil", ["group", "world", "link", "relative", "empty", "directory", "fifo", "missing"])
def test_a_launch_file_that_is_not_ours_alone_is_not_run(home: Home, starts: Path, spoil: str) -> None:
    path = home.directory / ".local/share/borgd/launch"
    command = path.read_text().split("\n")
    if spoil in ("group", "world"):
        path.chmod(0o620 if spoil == "group" else 0o602)
    elif spoil == "relative":
        launch(home, "python3", *command[1:3])
    elif spoil == "empty":
        path.write_text("\n\n")
    else:
        path.rename(path.with_name("moved"))
        if spoil == "link":
            path.symlink_to("moved")
        elif spoil == "directory":
            path.mkdir()
        elif spoil == "fifo":
            os.mkfifo(path)
    assert "no daemon runs" in json.loads(home.client("SessionStart").stdout)["systemMessage"]
    assert not (home.state / "hook.start").exists()
    assert not starts.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="needs to give a file to another uid")
def test_a_launch_file_of_another_uid_is_not_run(home: Home, starts: Path) -> None:
    os.chown(home.directory / ".local/share/borgd/launch", 65534, 65534)
    home.client("SessionStart")
    assert not (home.state / "hook.start").exists()


def test_a_command_that_does_not_exist_is_survived(home: Home) -> None:
    launch(home, "/nowhere/borgd", "run")
    assert home.client("SessionStart").stdout == b"{}\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter knows x86-64's number of connect(2)")
def test_a_sandbox_that_forbids_connect_is_told_from_a_daemon_that_is_not_there(home: Home, starts: Path) -> None:
    for event in ("SessionStart", "Stop"):
        done = subprocess.run(
            [INTERPRETER, "-c", SANDBOX, INTERPRETER, "-I", "-S", str(CLIENT), "claude-code", event],
            env=home.env,
            input=b"{}",
            capture_output=True,
            check=True,
        )
        assert done.stderr == b""
        assert ("sandbox" in json.loads(done.stdout).get("systemMessage", "")) is (event == "SessionStart")
    assert [line.split()[2:4] for line in home.hook_log] == [["SessionStart", "EPERM"], ["Stop", "EPERM"]]
    assert not (home.state / "hook.start").exists()
    status = subprocess.run(
        [INTERPRETER, "-c", SANDBOX, sys.executable, "-m", "borgd", "status"],
        env=home.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert status.returncode == 4
    assert "EPERM" in status.stderr
    assert "no daemon runs" not in status.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="needs to become another uid")
def test_a_directory_that_may_not_be_entered_starts_nothing(home: Home, starts: Path) -> None:
    home.directory.chmod(0o755)
    runtime = home.directory / "runtime"
    (runtime / "borgd").mkdir(parents=True)
    (runtime / "borgd").chmod(0o700)  # root's, inside a runtime directory of nobody's
    runtime.chmod(0o700)
    os.chown(runtime, 65534, 65534)
    state = home.directory / "state"
    state.mkdir()
    os.chown(state, 65534, 65534)
    for parent in home.directory.parents:
        if parent.stat().st_uid == 0 and parent != Path("/tmp") and str(parent).startswith("/tmp"):
            parent.chmod(0o711)
    hooks = home.directory / "hooks"
    hooks.mkdir()
    for name in ("borg-hook", "borg_hook.py"):
        (hooks / name).write_bytes((ROOT / "hooks" / name).read_bytes())
    interpreter = "/usr/bin/python3"
    if not Path(interpreter).exists():
        pytest.skip("no interpreter that another uid can run")
    done = subprocess.run(
        [interpreter, "-I", "-S", str(hooks / "borg-hook"), "claude-code", "SessionStart"],
        env={**home.env, "XDG_RUNTIME_DIR": str(runtime), "XDG_STATE_HOME": str(state)},
        input=b"{}",
        capture_output=True,
        user=65534,
        check=True,
    )
    assert "may not be opened" in json.loads(done.stdout)["systemMessage"]
    log = (state / "borgd/hook.log").read_text()
    assert log.split()[3] == "EACCES"
    assert not (state / "borgd/hook.start").exists()


def client_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("borg_hook", ROOT / "hooks/borg_hook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_client_and_daemon_compute_the_same_path_in_every_environment(tmp_path: Path) -> None:
    module = client_module()
    for name, mode in (
        ("ours", 0o700),
        ("open", 0o777),
        ("group", 0o750),
        ("sticky", 0o1700),
        ("long" * 40, 0o700),
        ("ü", 0o700),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
    (tmp_path / "file").touch(0o700)
    (tmp_path / "link").symlink_to("ours")
    (tmp_path / "foreign").mkdir(0o700)
    if os.getuid() == 0:
        os.chown(tmp_path / "foreign", 65534, 65534)
    places = [
        None,
        "",
        "relative",
        "/",
        *(str(path) for path in tmp_path.iterdir()),
        str(tmp_path / "missing"),
        f"{tmp_path}/ours//",
    ]
    seen = set()
    for runtime, state, home in product(places, places, places):
        given = {"XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": state, "HOME": home}
        env = {name: value for name, value in given.items() if value is not None}
        path = socket_path(env, os.getuid())
        assert module.socket_path(env, os.getuid()) == path
        assert len(os.fsencode(path)) <= 107
        seen.add(path)
    assert f"{tmp_path}/ours/borgd/borgd.sock" in seen
    for name in ("open", "group", "link", "file", "missing"):
        assert f"{tmp_path}/{name}/borgd/borgd.sock" not in seen


def test_the_daemon_is_found_from_where_there_is_no_runtime_directory_and_the_other_way_round(home: Home) -> None:
    runtime = home.directory / "runtime"
    runtime.mkdir(mode=0o700)
    session = {"XDG_RUNTIME_DIR": str(runtime)}
    home.script = PATIENT_CLIENT
    with home.daemon():
        assert json.loads(home.client("Stop", env=session).stdout)["event"] == "Stop"
        assert json.loads(home.borg("status", "--json", **session).stdout)["service"] == {"echo": True}
    inside = Home(home.directory, XDG_RUNTIME_DIR=str(runtime))
    assert inside.socket != home.socket
    with inside.daemon():
        assert json.loads(home.client("Stop").stdout)["event"] == "Stop"
    assert not home.socket.is_symlink()


@pytest.mark.slow
def test_a_start_while_the_daemon_is_stopped_is_told_and_does_not_hang(home: Home) -> None:
    with home.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        done = home.borg("start")
        assert done.returncode == 4
        assert f"pid {process.pid}" in done.stderr
        assert home.socket.exists()
        process.send_signal(signal.SIGCONT)
        wait_for(home.answers)
