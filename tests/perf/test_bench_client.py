"""What a hook costs: the client's round trip, the daemon's answer under load, the first answer of a cold daemon.

Prints medians and ratios beside baselines of the same run; asserts only that it ran, and how many cases.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.perf.sizes import sized
from tests.server.processes import CLIENT, ECHO, INTERPRETER, Home, end, wait_for

pytestmark = [pytest.mark.perf, pytest.mark.timeout(600)]
HERE = Path(__file__).parent
ROUNDS = sized(120, 15)
COLD_ROUNDS = sized(12, 3)
REQUESTS = sized(6000, 600)
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc compiles the floor")


def compiled(name: str, into: Path) -> Path:
    """A static program from ``name``.c."""
    program = into / name
    subprocess.run(["gcc", "-O2", "-static", "-o", str(program), str(HERE / f"{name}.c")], check=True)
    return program


def took_s(command: list[str], env: dict[str, str], body: Path) -> float:
    """Seconds from starting a process to its end."""
    with body.open("rb") as stdin:
        begin = time.perf_counter()
        process = subprocess.Popen(command, env=env, stdin=stdin, stdout=subprocess.DEVNULL)
        process.wait()
        return time.perf_counter() - begin


@needs_gcc
def test_a_hook_call_against_its_floors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path, script=CLIENT)
    once = str(compiled("once", tmp_path))
    body = tmp_path / "body"
    body.write_bytes(b'{"a":"' + b"x" * 1000 + b'"}')
    commands = {
        "static C, connect + echo": [once, str(home.socket)],
        "python3 -I -S -c pass": [INTERPRETER, "-I", "-S", "-c", "pass"],
        "borg-hook": [INTERPRETER, "-I", "-S", str(CLIENT), "claude-code", "Stop"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    with home.daemon():
        home.client("Stop")
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(took_s(command, home.env, body) * 1000)
    median = {name: statistics.median(times) for name, times in taken.items()}
    with capsys.disabled():
        print(f"\n\nA hook call, whole process, {ROUNDS} interleaved rounds, ms")
        for name, value in median.items():
            ordered = sorted(taken[name])
            line = f"  {name:<26} p50 {value:7.2f}  p95 {ordered[int(len(ordered) * 0.95)]:7.2f}"
            print(f"{line}   x {value / median['python3 -I -S -c pass']:5.2f} of pass")
        print(f"  borg-hook / pass {median['borg-hook'] / median['python3 -I -S -c pass']:.2f} (aim: within 1.3)")
        print(f"  borg-hook / static C {median['borg-hook'] / median['static C, connect + echo']:.1f}")
    assert [len(times) for times in taken.values()] == [ROUNDS] * 3


@contextmanager
def serving(command: list[str], path: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(path.exists)
        time.sleep(0.3)
        yield process
    finally:
        end(process)


@needs_gcc
def test_the_daemons_answer_under_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load = str(compiled("load", tmp_path))
    home = Home(tmp_path / "home")
    home.directory.mkdir()
    baseline = [sys.executable, str(HERE / "baselines.py")]
    protocol, empty = tmp_path / "protocol.sock", tmp_path / "empty.sock"
    rows: dict[tuple[str, int], list[list[float]]] = {}
    with (
        serving([sys.executable, str(ECHO)], home.socket, home.env),
        serving([*baseline, "protocol", str(protocol)], protocol, home.env),
        serving([*baseline, "empty", str(empty)], empty, home.env),
    ):
        servers = {"borgd": home.socket, "anyio, empty": empty, "asyncio Protocol": protocol}
        for _ in range(3):
            for width in (1, 16, 256):
                for name, path in servers.items():
                    said = subprocess.check_output([load, str(path), str(width), str(REQUESTS)], text=True)
                    rows.setdefault((name, width), []).append([float(word) for word in said.split()])
    with capsys.disabled():
        print(f"\n\nThe daemon's answer to one-shot hooks of 1 KB, median of 3 interleaved runs of {REQUESTS}, µs")
        for (name, width), runs in rows.items():
            p50, p95, p99, rate = (statistics.median(column) for column in zip(*runs, strict=True))
            against = statistics.median(run[0] for run in rows["asyncio Protocol", width])
            line = f"  {width:>3} at once  {name:<17} p50 {p50:8.0f}  p95 {p95:8.0f}  p99 {p99:8.0f}  {rate:7.0f}/s"
            print(f"{line}   p50 x {p50 / against:4.2f} of the Protocol")
    assert len(rows) == 9


def first_answer_s(command: list[str], path: Path, env: dict[str, str], request: bytes) -> float:
    """Seconds from starting a server to its first answer."""
    import socket

    begin = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            with socket.socket(socket.AF_UNIX) as sock:
                try:
                    sock.connect(str(path))
                    sock.sendall(request)
                    if sock.recv(100).startswith(b"borg/1 0 "):
                        return time.perf_counter() - begin
                except OSError:
                    time.sleep(0.0005)
            assert process.poll() is None
            assert time.perf_counter() - begin < 60
    finally:
        process.kill()
        process.wait()


def test_the_first_answer_of_a_cold_daemon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hook = b'borg/1 hook claude-code SessionStart\n{"session_id":"s","hook_event_name":"SessionStart","cwd":"/"}'
    ping = b"borg/1 call ping\n{}"
    baseline = [sys.executable, str(HERE / "baselines.py"), "empty"]
    taken: dict[str, list[float]] = {}
    for number in range(COLD_ROUNDS):
        home = Home(tmp_path / str(number))
        home.directory.mkdir()
        path = home.directory / "e.sock"
        for name, command, where, request in (
            ("anyio, empty", [*baseline, str(path)], path, hook),
            ("borgd, ping", [sys.executable, "-m", "borgd", "run"], home.socket, ping),
            ("borgd, a hook", [sys.executable, "-m", "borgd", "run"], home.socket, hook),
        ):
            taken.setdefault(name, []).append(first_answer_s(command, where, home.env, request) * 1000)
            where.unlink(missing_ok=True)
    with capsys.disabled():
        print(f"\n\nFirst answer of a cold server, process start included, {COLD_ROUNDS} interleaved rounds, ms")
        against = statistics.median(taken["anyio, empty"])
        for name, times in taken.items():
            median = statistics.median(times)
            print(f"  {name:<14} p50 {median:7.1f}   x {median / against:4.2f} of the empty one (aim: under 2)")
    assert [len(times) for times in taken.values()] == [COLD_ROUNDS] * 3
