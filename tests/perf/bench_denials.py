"""Denials that are lost to the client's deadline on a busy machine, beside an empty asyncio server's in the same run.

Both are asked by the installed client as the agent's host starts it: a process a call, the payload on its standard input.
The machine is brought to a load of LOAD by processes that only count. Run as a test (``pytest tests/perf/bench_denials.py
-s``). Prints shares; asserts only that every call was made and that what was said was a denial.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.perf.sizes import sized
from tests.server.processes import Home, end, listens, wait_for

pytestmark = [pytest.mark.perf, pytest.mark.timeout(1800)]

CALLS = sized(1000, 30)
LOAD = 8
"""design: processes that want to run, on whatever number of cores there is."""
MARGIN = 0.01
"""design: the daemon may lose twice the empty server's share and this."""
LIMITS = "[investigation.main]\nmode = 'enforce'\nmax_retrieval_calls = 1\nmax_iterations = 'none'\n"
COUNTING = [sys.executable, "-I", "-S", "-c", "while True: pass"]
BASELINE = str(Path(__file__).with_name("baselines.py"))


class Called(NamedTuple):
    """One call of the client: how long it took from start to end, in seconds, and what it said."""

    seconds: float
    said: bytes


def call(home: Home, event: str, **fields: object) -> Called:
    """One hook call in ``home``, by its installed client."""
    client = home.directory / ".local/share/borgd/hook/borg-hook"
    body = {"session_id": "s1", "prompt_id": "p1", "cwd": "/", "transcript_path": "", "hook_event_name": event, **fields}
    began = time.perf_counter()
    done = subprocess.run(
        [client, "claude-code", event], input=json.dumps(body).encode(), env=home.env, capture_output=True, check=False
    )
    return Called(time.perf_counter() - began, done.stdout)


def read(home: Home, number: int) -> Called:
    given = {"file_path": f"/srv/project/src/module_{number}.py"}
    return call(home, "PreToolUse", tool_name="Read", tool_use_id=f"t{number}", tool_input=given)


@contextmanager
def counting() -> Iterator[int]:
    """As many counting processes as bring the machine to LOAD; their number. All are gone afterwards."""
    number = max(0, LOAD - round(os.getloadavg()[0]))
    running = [subprocess.Popen(COUNTING, env={}) for _ in range(number)]
    try:
        yield number
    finally:
        for one in running:
            one.kill()
        for one in running:
            one.wait()


@contextmanager
def empty_server(home: Home) -> Iterator[None]:
    """An asyncio server where the daemon of ``home`` would be, which answers everything with one denial."""
    home.socket.parent.mkdir(parents=True, mode=0o700)
    process = subprocess.Popen([sys.executable, BASELINE, "denying", str(home.socket)], env=home.env)
    try:
        wait_for(lambda: listens(home.socket))
        yield
    finally:
        end(process)


@contextmanager
def daemon(home: Home) -> Iterator[None]:
    """The daemon of ``home``, whose next read will be over the budget."""
    config = home.directory / ".config/borgd/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(LIMITS)
    process = subprocess.Popen([sys.executable, "-I", "-m", "borgd", "run"], env=home.env, stderr=subprocess.DEVNULL)
    try:
        wait_for(home.answers)
        wait_for(lambda: '"loaded":true' in home.borg("status", "--json").stdout.replace(" ", ""))
        wait_for(lambda: b"deny" in read(home, -1).said or b"deny" in read(home, -2).said)
        yield
    finally:
        end(process)


def test_denials_lost_under_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    homes = {name: Home(tmp_path / name) for name in ("borgd", "empty asyncio server")}
    for home in homes.values():
        home.directory.mkdir()
        assert home.borg("install", "claude-code", "--apply").returncode == 0
    borgd, empty = homes.values()
    calls: dict[str, list[Called]] = {name: [] for name in homes}
    with empty_server(empty), daemon(borgd), counting() as number:
        began = os.getloadavg()[0]
        for turn in range(CALLS):
            for name, home in list(homes.items())[:: 1 if turn % 2 else -1]:
                calls[name].append(read(home, turn))
        ended = os.getloadavg()[0]
    lost = {name: sum(b"deny" not in one.said for one in made) / CALLS for name, made in calls.items()}
    allowed = 2 * lost["empty asyncio server"] + MARGIN
    with capsys.disabled():
        print(f"\n\n{CALLS} denials each, interleaved, {number} counting processes, load {began:.1f} to {ended:.1f}")
        for name, made in calls.items():
            times = sorted(one.seconds * 1000 for one in made)
            p50, p95, p99 = (times[int(len(times) * share)] for share in (0.5, 0.95, 0.99))
            print(f"  {name:<22} lost {lost[name]:6.2%}   whole call p50 {p50:6.0f}  p95 {p95:6.0f}  p99 {p99:6.0f} ms")
        print(f"  allowed {allowed:.2%} (twice the empty server's share and {MARGIN:.0%}): "
              f"{'held' if lost['borgd'] <= allowed else 'NOT held'}")  # fmt: skip
    assert [len(made) for made in calls.values()] == [CALLS, CALLS]
    assert any(b"deny" in one.said for one in calls["borgd"])
