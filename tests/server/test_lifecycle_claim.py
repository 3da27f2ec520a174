"""Exactly one daemon serves, and no live socket is ever taken away."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from borgd.errors import BorgError
from borgd.paths import Paths, private_dir, user_paths
from borgd.protocol.address import socket_path
from borgd.server.listen import AlreadyServingError, Claim, claim
from borgd.stores.daemon_lock import LOCK_NAME, is_locked, state_lock
from tests.server.processes import ROOT, Home, end, wait_for


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """The claim sets the process's umask; other tests keep theirs."""
    old = os.umask(0o022)
    yield
    os.umask(old)


@pytest.fixture
def where(home: Path) -> Paths:
    return user_paths()


def node(path: Path) -> tuple[int, int]:
    info = path.stat()
    return info.st_dev, info.st_ino


def losers(processes: list[subprocess.Popen[bytes]], winner: int) -> None:
    """Everyone but the winner ends by itself, with a sentence that names the winner."""
    for process in processes:
        if process.pid == winner:
            continue
        assert process.stderr is not None
        assert process.wait(60) == 1
        assert f"the daemon already runs (pid {winner})" in process.stderr.read().decode()


@pytest.mark.slow
@pytest.mark.parametrize(("count", "before"), [(2, "nothing"), (2, "stale"), (2, "locks"), (50, "nothing"), (50, "stale")])
def test_of_many_started_at_once_exactly_one_serves(tmp_path: Path, count: int, before: str) -> None:
    home = Home(tmp_path)
    if before != "nothing":
        home.socket.parent.mkdir(parents=True)
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(home.socket))
    if before == "locks":
        (home.socket.parent / LOCK_NAME).write_text("1 /somewhere\n")
    processes = [home.spawn() for _ in range(count)]
    try:
        wait_for(home.answers, 120)
        winner = json.loads(home.ask(b"borg/1 call ping\n").out)["pid"]
        losers(processes, winner)
        assert json.loads(home.ask(b"borg/1 call ping\n").out)["pid"] == winner
    finally:
        for process in processes:
            end(process)
    assert not home.socket.exists()


@pytest.mark.slow
@pytest.mark.parametrize("state", ["idle", "busy", "stopped"])
def test_a_second_one_never_takes_the_socket_of_the_first(tmp_path: Path, state: str) -> None:
    home = Home(tmp_path)
    with home.daemon() as first:
        before = node(home.socket)
        if state == "stopped":
            first.send_signal(signal.SIGSTOP)
        elif state == "busy":
            threads = [threading.Thread(target=home.ask, args=(b"borg/1 hook a busy\n{}",)) for _ in range(4)]
            for thread in threads:
                thread.start()
        second = home.spawn()
        losers([second], first.pid)
        end(second)
        assert node(home.socket) == before
        if state == "busy":
            for thread in threads:
                thread.join()
        first.send_signal(signal.SIGCONT)
        assert json.loads(home.ask(b"borg/1 call ping\n").out)["pid"] == first.pid


@pytest.mark.parametrize("state", ["idle", "deaf", "full"])
def test_a_live_socket_without_our_lock_is_not_taken_either(where: Paths, state: str) -> None:
    private_dir(where.run)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(where.socket))
        listener.listen(0 if state == "full" else 8)
        waiting = []
        while state == "full":
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            try:
                waiting[-1].connect(str(where.socket))
            except BlockingIOError:
                break
        before = node(where.socket)
        with pytest.raises(AlreadyServingError, match="never taken away"):
            claim(where, os.environ)
        assert node(where.socket) == before
        for sock in waiting:
            sock.close()


def test_a_daemon_whose_locks_were_deleted_keeps_its_socket(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.daemon() as first:
        before = node(home.socket)
        first.send_signal(signal.SIGSTOP)  # it ends by itself when it finds its locks gone
        (home.socket.parent / LOCK_NAME).unlink()
        for lock in home.state.glob("*.lock"):
            lock.unlink()
        second = home.spawn()
        try:
            assert second.wait(120) == 1
        finally:
            end(second)
        assert node(home.socket) == before


def test_one_state_directory_has_one_daemon_whatever_the_runtime_directory(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "runtime").mkdir(mode=0o700)
    with home.daemon() as first:
        second = home.spawn(XDG_RUNTIME_DIR=str(tmp_path / "runtime"))
        losers([second], first.pid)
        end(second)


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("/dev/null")])
def test_what_is_no_socket_is_not_removed(where: Paths, make: Callable[[Path], None]) -> None:
    private_dir(where.run)
    make(where.socket)
    with pytest.raises(BorgError, match="is not a socket; move it away"):
        claim(where, os.environ)
    assert os.path.lexists(where.socket)


def test_a_dangling_link_is_stale(where: Paths) -> None:
    private_dir(where.run)
    where.socket.symlink_to("nowhere")
    held = claim(where, os.environ)
    assert not where.socket.is_symlink()
    held.close()
    assert not where.socket.exists()


def test_a_claim_can_be_had_again_after_it_was_given_back(where: Paths) -> None:
    for _ in range(3):
        held = claim(where, os.environ)
        assert held.still_ours()
        assert is_locked(where.run / LOCK_NAME)
        held.close()
        assert not is_locked(where.run / LOCK_NAME)


def test_modes_are_private_under_any_umask(where: Paths) -> None:
    old = os.umask(0)
    try:
        held = claim(where, os.environ)
        try:
            assert where.run.stat().st_mode & 0o777 == where.state.stat().st_mode & 0o777 == 0o700
            assert where.socket.stat().st_mode & 0o077 == 0
            assert (where.run / LOCK_NAME).stat().st_mode & 0o777 == 0o600
            assert not os.get_inheritable(held.listener.fileno())
        finally:
            held.close()
    finally:
        os.umask(old)


def test_another_open_and_close_of_the_lock_file_does_not_release_it(where: Paths) -> None:
    held = claim(where, os.environ)
    for path in (where.run / LOCK_NAME, state_lock(where)):
        path.read_bytes()
        with path.open("r+b"):
            pass
        assert is_locked(path)
    held.close()


def test_a_chmod_that_fails_as_on_bind_mounts_is_tolerated(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    private_dir(where.run).chmod(0o755)

    def fail(*_: object, **__: object) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(Path, "chmod", fail)
    monkeypatch.setattr(os, "chmod", fail)
    claim(where, os.environ).close()


def test_a_link_in_the_shared_temporary_directory_is_not_followed(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", f"{home}/{'long' * 30}")
    where = user_paths()
    assert where.run.parent == Path("/tmp")
    where.run.symlink_to(home)
    try:
        with pytest.raises(BorgError, match="link"):
            claim(where, os.environ)
    finally:
        where.run.unlink()
    claim(where, os.environ).close()
    for path in where.run.iterdir():
        path.unlink()
    where.run.rmdir()


def lost(held: Claim) -> bool:
    was_ours = not held.still_ours()
    held.close()
    return was_ours


def test_a_socket_that_was_replaced_is_noticed_and_left_to_its_new_owner(where: Paths) -> None:
    held = claim(where, os.environ)
    where.socket.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(where.socket))
        assert lost(held)
        assert where.socket.exists()


def test_a_lock_file_that_was_removed_is_noticed(where: Paths) -> None:
    held = claim(where, os.environ)
    (where.run / LOCK_NAME).unlink()
    assert lost(held)


def test_a_runtime_directory_that_went_is_noticed(where: Paths) -> None:
    held = claim(where, os.environ)
    where.run.rename(where.state / "gone")
    assert lost(held)


@pytest.mark.parametrize("spoil", ["unset", "relative", "missing", "open", "foreign", "file", "link"])
def test_a_runtime_directory_that_is_not_ours_is_not_used(
    home: Path, tmp_path: Path, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "runtime"
    if spoil == "file":
        runtime.touch(0o700)
    elif spoil == "link":
        (tmp_path / "target").mkdir(mode=0o700)
        runtime.symlink_to("target")
    elif spoil != "missing":
        runtime.mkdir(mode=0o700)
    if spoil == "open":
        runtime.chmod(0o777)
    if spoil == "foreign":
        if os.getuid():
            pytest.skip("needs to give a directory to another uid")
        os.chown(runtime, 65534, 65534)
    if spoil != "unset":
        monkeypatch.setenv("XDG_RUNTIME_DIR", "runtime" if spoil == "relative" else str(runtime))
    monkeypatch.chdir(tmp_path)
    held = claim(user_paths(), os.environ)
    try:
        ours = socket_path({"HOME": str(home)}, os.getuid())  # in the state directory, or where a path too long goes
        assert held.path == ours == socket_path(os.environ, os.getuid())
    finally:
        held.close()


@pytest.mark.skipif(os.getuid() != 0, reason="needs to become another uid")
def test_another_uid_is_refused_even_where_the_directories_let_it_through(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.daemon():
        for path in (home.socket.parent, home.state, *home.state.parents):
            if str(path).startswith("/tmp/"):
                path.chmod(0o755)
        home.socket.chmod(0o777)
        code = """if True:
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            try:
                s.send(b'borg/1 hook claude-code Stop\\n{}')
            except BrokenPipeError:
                pass
            sys.stdout.buffer.write(s.recv(9999))
        """
        said = subprocess.run(
            ["/usr/bin/python3", "-I", "-c", code, str(home.socket)], user=65534, capture_output=True, check=False
        )
        assert said.stdout.startswith(b"borg/1 1 2 "), said.stderr
        assert b"serves uid 0 only, not 65534" in said.stdout
        status = json.loads(home.ask(b"borg/1 call status\n").out)
        assert status["connections"]["refused"] == 1
        assert status["hooks"] == {}
        assert "refused a connection of uid 65534" in home.daemon_log


def test_a_child_that_outlives_the_daemon_does_not_keep_its_socket(where: Paths) -> None:
    held = claim(where, os.environ)
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        held.close()
        try:
            claim(where, os.environ).close()
        finally:
            child.kill()


def test_the_repository_has_the_client_that_the_tests_run() -> None:
    assert (ROOT / "hooks/borg-hook").stat().st_mode & 0o111
