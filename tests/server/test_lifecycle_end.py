"""How a daemon ends and is ended, what systemd hears, and who is never signalled."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from borgd.server.systemd import activated_listener, notify, watchdog_interval_s
from borgd.stores.daemon_lock import LOCK_NAME
from tests.server.processes import ECHO, Home, end, listens, wait_for


@pytest.fixture
def at(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_after_what_is_in_flight(at: Home, number: signal.Signals) -> None:
    answers: list[bytes] = []
    with at.daemon() as process:
        thread = threading.Thread(target=lambda: answers.append(at.ask(b"borg/1 hook a slow\n{}").out))
        thread.start()
        wait_for(lambda: json.loads(at.ask(b"borg/1 call status\n").out)["in_flight"] == 2)
        process.send_signal(number)
        wait_for(lambda: not at.socket.exists())
        (at.state / "answer").touch()
        assert process.wait(120) == 0
        thread.join()
    assert json.loads(answers[0])["event"] == "slow"
    assert (at.state / "closed").read_text() == "closed"
    assert f"ending: {number.name}" in at.daemon_log


def test_a_client_that_never_speaks_does_not_hold_up_the_end(at: Home) -> None:
    with at.daemon() as process, at.connect() as silent:
        silent.sendall(b"borg/1 hook a Stop\n{")
        assert at.borg("stop").returncode == 0
        assert process.wait(120) == 0


def test_those_who_wait_in_the_queue_when_it_ends_are_answered(at: Home) -> None:
    with at.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        queued = [at.connect() for _ in range(20)]
        for sock in queued:
            sock.sendall(b"borg/1 hook a Stop\n{}")
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        for sock in queued:
            assert sock.recv(100).startswith(b"borg/1 0 ")
            sock.close()
        assert process.wait(120) == 0


def test_start_status_stop_in_words_and_in_json(at: Home) -> None:
    done = at.borg("status")
    assert done.returncode == 4
    assert "borg start" in done.stderr
    assert at.borg("stop").stdout == "borgd does not run\n"
    with at.daemon() as process:
        assert at.borg("start").stdout == f"borgd already runs, pid {process.pid}\n"
        assert json.loads(at.borg("start", "--json").stdout) == {"pid": process.pid, "started": False}
        assert "none yet" in at.borg("status").stdout
        at.client("Stop")
        text = at.borg("status").stdout
        assert f"pid {process.pid}" in text
        assert "claude-code Stop" in text
        assert json.loads(at.borg("status", "--json").stdout)["hooks"]["claude-code Stop"]["count"] == 1
        assert at.borg("stop").stdout == f"borgd stopped, pid {process.pid}\n"
        assert process.wait(120) == 0
    for command in ("run", "start", "stop", "status"):
        assert at.borg(command, "--nonsense").returncode == 2
        assert at.borg(command, "--help").stdout.startswith(f"usage: borg {command}")


@pytest.mark.slow
def test_a_stopped_daemon_is_ended_all_the_same(at: Home) -> None:
    with at.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        done = at.borg("stop")
        assert done.returncode == 0, done.stderr
        assert f"pid {process.pid}" in done.stdout
        assert process.wait(120) == 0
    assert not at.socket.exists()


@contextmanager
def deaf(at: Home) -> Iterator[subprocess.Popen[bytes]]:
    """A process of somebody's that holds the socket and never answers."""
    at.socket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    code = "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(9); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code, str(at.socket)]) as process:
        try:
            wait_for(lambda: listens(at.socket))
            yield process
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("named", ["itself", "another", "init", "nobody"])
def test_a_foreign_process_is_never_signalled(at: Home, named: str) -> None:
    with deaf(at) as holder, subprocess.Popen(["sleep", "600"]) as bystander:
        pid = {"itself": holder.pid, "another": bystander.pid, "init": 1, "nobody": 2**22 + 1}[named]
        at.state.mkdir(parents=True, exist_ok=True)
        for lock in (at.socket.parent / LOCK_NAME, at.state / f"borgd-{os.uname().nodename}.lock"):
            lock.write_text(f"{pid} {at.socket}\n")
        (at.socket.parent / "borgd.pid").write_text(str(pid))
        done = at.borg("stop")
        assert done.returncode == 4
        assert "nothing was signalled" in done.stderr
        assert at.borg("start").returncode == 4
        assert holder.poll() is None
        assert bystander.poll() is None
        assert at.socket.exists()
        bystander.kill()


@pytest.mark.slow
def test_a_pid_in_the_lock_that_is_not_the_listeners_is_not_signalled(at: Home) -> None:
    with at.daemon() as daemon, subprocess.Popen(["sleep", "600"]) as bystander:
        for lock in (at.socket.parent / LOCK_NAME, *at.state.glob("*.lock")):
            lock.write_text(f"{bystander.pid} {at.socket}\n")
        daemon.send_signal(signal.SIGSTOP)
        assert at.borg("stop").returncode == 4
        assert bystander.poll() is None
        daemon.send_signal(signal.SIGCONT)
        wait_for(lambda: daemon.poll() is not None)  # it finds the request to stop that waited for it
        assert daemon.returncode == 0
        assert bystander.poll() is None
        bystander.kill()


def test_idle_exit_is_off_by_default_and_counts_from_the_last_request(at: Home) -> None:
    config = at.directory / ".config/borgd/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[daemon]\nidle_exit_s = 0.3\n")
    process = at.spawn()
    wait_for(lambda: process.poll() is not None)
    assert process.returncode == 0
    end(process)
    assert "no request for 0.3 s" in at.daemon_log
    assert not at.socket.exists()


def test_a_broken_config_is_told_and_the_defaults_serve(at: Home) -> None:
    config = at.directory / ".config/borgd/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[daemon]\nidle_exit = 3\n")
    process = at.spawn()
    wait_for(at.answers)
    process.terminate()
    assert process.stderr is not None
    said = process.stderr.read().decode()
    end(process)
    assert "config.toml" in said
    assert "idle_exit" in said
    assert "defaults" in at.daemon_log


def test_a_crash_at_start_is_told_and_logged_and_leaves_nothing(at: Home) -> None:
    process = at.spawn(ECHO_FAILS_AT_START="1")
    assert process.stderr is not None
    said = process.stderr.read().decode()
    assert process.wait(120) == 3
    end(process)
    assert "made to fail" in said
    assert "crashed" in at.daemon_log
    assert not at.socket.exists()
    with at.daemon():
        pass


@pytest.mark.slow
def test_a_lost_socket_ends_the_daemon_so_that_a_new_one_can_start(at: Home) -> None:
    with at.daemon() as first:
        at.socket.unlink()
        assert first.wait(120) == 1
        assert "removed or replaced" in at.daemon_log
        with at.daemon() as second:
            assert json.loads(at.ask(b"borg/1 call ping\n").out)["pid"] == second.pid


@contextmanager
def manager(at: Home) -> Iterator[tuple[str, list[bytes]]]:
    """systemd's ear: (address, what it heard)."""
    heard: list[bytes] = []
    address = f"{at.directory}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(address)
        ear.settimeout(0.05)
        stop = threading.Event()

        def listen() -> None:
            while not stop.is_set():
                try:
                    heard.append(ear.recv(4096))
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield address, heard
        finally:
            stop.set()
            thread.join()


def test_systemd_hears_ready_the_watchdog_and_stopping(at: Home) -> None:
    with manager(at) as (address, heard):
        with at.daemon(NOTIFY_SOCKET=address, WATCHDOG_USEC="100000"):
            wait_for(lambda: heard.count(b"WATCHDOG=1") >= 3)
            assert heard.count(b"READY=1") == 1
        wait_for(lambda: heard[-1] == b"STOPPING=1")


def test_the_watchdog_falls_silent_when_the_loop_that_serves_is_stuck(at: Home) -> None:
    with manager(at) as (address, heard), at.daemon(NOTIFY_SOCKET=address, WATCHDOG_USEC="40000"):
        wait_for(lambda: b"WATCHDOG=1" in heard)

        def silent() -> bool:
            """In the half second that the loop is stuck there would have been 25; more than once: this test may be stuck."""
            before = heard.count(b"WATCHDOG=1")
            at.ask(b"borg/1 hook a busy\n{}")
            return heard.count(b"WATCHDOG=1") - before < 5

        assert any(silent() for _ in range(20))


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "@nobody-listens-here"])
def test_a_manager_that_is_not_there_is_no_error(address: str) -> None:
    assert notify({"NOTIFY_SOCKET": address}, "READY=1") is False


def test_an_abstract_address_is_understood() -> None:
    name = f"borgd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0{name}")
        assert notify({"NOTIFY_SOCKET": f"@{name}"}, "READY=1", "STATUS=x")
        assert ear.recv(99) == b"READY=1\nSTATUS=x"


def test_the_watchdog_is_for_the_process_it_names() -> None:
    assert watchdog_interval_s({}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "x"}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "0"}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}) == 1.5


ACTIVATE = """
import os, socket, sys
sock = socket.socket(socket.AF_UNIX)
sock.bind(sys.argv[1])
sock.listen(8)
os.dup2(sock.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.executable, [sys.executable, sys.argv[2]])
"""


def test_a_socket_of_systemds_is_served_and_left_in_place(at: Home) -> None:
    at.socket.parent.mkdir(parents=True, mode=0o700)
    process = subprocess.Popen(
        [sys.executable, "-c", ACTIVATE, str(at.socket), str(ECHO)], env=at.env, stderr=subprocess.PIPE
    )
    try:
        wait_for(at.answers)
        assert json.loads(at.client("Stop").stdout)["event"] == "Stop"
        assert f"pid {process.pid}" in at.borg("stop").stdout
        assert process.wait(120) == 0
    finally:
        end(process)
    assert at.socket.exists()
    assert "ended" in at.daemon_log


def test_descriptors_meant_for_another_process_are_left_alone() -> None:
    assert activated_listener({"LISTEN_FDS": "1", "LISTEN_PID": "1"}) is None
    assert activated_listener({"LISTEN_FDS": "x", "LISTEN_PID": str(os.getpid())}) is None
    assert activated_listener({"LISTEN_FDS": "0", "LISTEN_PID": str(os.getpid())}) is None
