"""A million decisions through ``borg debug ope``: time and memory, and how they grow. Estimators' errors and coverage.

Run as a test (``pytest tests/perf/bench_replay.py -s``). Prints figures; asserts that every case ran. The files take 1.7 GB
per million decisions in the temporary directory; BENCH_REPLAY_DECISIONS sets another size.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from borgd.replay.estimate import intervals
from borgd.replay.simulate import simulate
from tests.perf.sizes import sized
from tests.replay.support import World, run

pytestmark = [pytest.mark.perf, pytest.mark.timeout(1800)]

DECISIONS = int(os.environ.get("BENCH_REPLAY_DECISIONS", sized("1000000", "20000")))
REPLAYS = sized(400, 40)


def write(directory: Path, decisions: int) -> tuple[Path, Path, int]:
    """A long log: a simulated one, repeated under other sessions and ids."""
    sessions = list(simulate(1500, 3, lessons=100))
    files = directory / f"decisions-{decisions}.jsonl", directory / f"outcomes-{decisions}.jsonl"
    lines = [
        [msgspec.json.encode(record) + b"\n" for each in sessions for record in each.decisions],
        [msgspec.json.encode(record) + b"\n" for each in sessions for record in each.outcomes],
    ]
    copies = max(1, round(decisions / len(lines[0])))
    for file, each in zip(files, lines, strict=True):
        whole = b"".join(each)
        with file.open("wb") as stream:
            for copy in range(copies):
                stream.write(re.sub(rb'"s0', b'"s%d-0' % copy, whole))
    return (*files, copies * len(lines[0]))


def test_a_million_decisions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for size in (DECISIONS // 10, DECISIONS):
        decisions, outcomes, count = write(tmp_path, size)
        command = [sys.executable, "-c", "from borgd.cli import main; main()", "debug", "ope"]
        command += ["--decisions", str(decisions), "--outcomes", str(outcomes)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run(
            [*command, "--set", "relative=0.7", "--json"],
            capture_output=True, check=True, env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
        )  # fmt: skip
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        used = msgspec.json.decode(done.stdout)["coverage"]["used"]
        rows.append((count, used, decisions.stat().st_size / 1e6, wall, spent, after.ru_maxrss / 1024))
        decisions.unlink()
        outcomes.unlink()
    with capsys.disabled():
        print(f"\n{'decisions':>10}{'used':>10}{'MB':>8}{'wall s':>8}{'CPU s':>8}{'µs each':>9}{'peak MB':>9}")
        for count, used, megabytes, wall, spent, peak in rows:
            print(f"{count:10,}{used:10,}{megabytes:8.0f}{wall:8.1f}{spent:8.1f}{1e6 * wall / count:9.0f}{peak:9.0f}")
        more, longer, larger = (rows[1][place] / rows[0][place] for place in (0, 4, 5))
        print(f"{more:.1f} times the decisions: {longer:.1f} times the CPU time, {larger:.1f} times the memory")
    assert len(rows) == 2


WORLDS = {
    "early and adaptive": World(REPLAYS, 160),
    "two slots, seasons": World(REPLAYS, 160, slots=2, season=0.6),
    "towards the rarest": World(REPLAYS, 160, candidate_base=(1.0, 1.0, 1.0, 2.0), ignored=0.0),
    "difference": World(REPLAYS, 160, relative=True),
    "high rewards, steady": World(
        REPLAYS, 160, effect=(0.9, 0.8, 0.7, 0.6), season=0.0, candidate_base=(1.0, 1.0, 1.0, 1.5)
    ),
    "high drift": World(REPLAYS, 160, effect=(0.6, 0.5, 0.4, 0.3), season=0.6),
}


def test_coverage_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """Over all looks together: how often the truth was left out; at the last: width and each estimator's error."""
    looks = sorted({*np.geomspace(3, 160, 36).astype(int).tolist()})
    rows = []
    for name, world in WORLDS.items():
        found = run(world, looks, bootstrap=80)
        last = float(np.mean((found.truth[-1] < found.boot_low[-1]) | (found.truth[-1] > found.boot_high[-1])))
        errors = ["–"] * 3 if world.relative else [f"{found.error(each):.4f}" for each in ("IPS", "DM", "DR")]
        widths = float((found.high[-1] - found.low[-1]).mean()), float((found.boot_high[-1] - found.boot_low[-1]).mean())
        rows.append((name, found.ever_missed().mean(), found.bootstrap_ever_missed().mean(), last, *widths, *errors))
    with capsys.disabled():
        print(f"\n{REPLAYS} replays of 160 decisions, {len(looks)} looks; a 95 % interval may miss 5 %")
        print(
            f"{'':22}{'missed ever':>12}{'bootstrap':>11}{'at last':>9}{'width':>8}{'boot':>8}{'IPS':>9}{'DM':>9}{'DR':>9}"
        )
        for name, ever, naive, last, width, narrow, ips, dm, dr in rows:
            print(f"{name:22}{ever:12.1%}{naive:11.1%}{last:9.1%}{width:8.3f}{narrow:8.3f}{ips:>9}{dm:>9}{dr:>9}")
    assert len(rows) == len(WORLDS)


def test_how_wide_the_sequence_is(capsys: pytest.CaptureFixture[str]) -> None:
    """The boundary in standard errors by total variance, and for other weights of λ: what CENTRE, SPREAD were tuned on."""
    variances = (1.0, 3.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e5)
    rows = {"as it is": [intervals.boundary(variance) / variance**0.5 for variance in variances]}
    kept = intervals._PRIOR
    try:
        for centre, spread in ((0.05, 1.5), (0.15, 0.8), (0.15, 3.0), (0.4, 1.5)):
            weights = -0.5 * (np.log(intervals._RATE / centre) / spread) ** 2
            intervals._PRIOR = weights - np.log(np.exp(weights).sum())
            rows[f"{centre:g}, {spread:g}"] = [intervals.boundary(variance) / variance**0.5 for variance in variances]
    finally:
        intervals._PRIOR = kept
    with capsys.disabled():
        print("\nboundary / standard error (a fixed sample: 1.96)")
        print(f"{'total variance':>16}" + "".join(f"{variance:9.0f}" for variance in variances))
        for name, widths in rows.items():
            print(f"{name:>16}" + "".join(f"{width:9.2f}" for width in widths))
    assert len(rows) == 5
