"""Memory at work and at size: what it brings a simulated team, and what millions of outcomes cost.

Run as a test (``pytest tests/perf/bench_memory.py -s``). Prints figures; asserts that every case ran.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from borgd.lessons.lesson import Lesson
from borgd.memory.columns import FoldColumns
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome
from tests.memory.simulated_team import ARMS, Arm, run
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

SESSIONS = sized(2000, 120)
SEEDS = sized((1, 2), (1,))
OUTCOMES = sized(1_000_000, 100_000)
LESSONS = 2000
PIECE = 20_000
KINDS = np.array(["changed", "ignored", "not_arisen", "corrected", "not_corrected"])


def test_what_memory_brings_a_team(capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    cases: list[tuple[Arm, str, dict[str, Any]]] = [(arm, arm, {}) for arm in ARMS]
    cases.append(("memory", "memory, asleep below −2", {"activation.threshold": -2}))
    for arm, name, settings in cases:
        seasons = [run(arm, SESSIONS, seed, settings) for seed in SEEDS]
        early = np.mean([season.repeat_rate(0, SESSIONS // 4) for season in seasons])
        late = np.mean([season.repeat_rate(SESSIONS // 2, SESSIONS) for season in seasons])
        helpful, useless = np.mean([season.mean_beliefs() for season in seasons], axis=0)
        shown = np.mean([np.mean(season.shown) for season in seasons])
        rows.append((name, early, late, helpful, useless, shown))
        for season in seasons:  # the clock that DORMANT_BELOW is tuned on is the one that runs in a team
            assert season.memory.sessions == season.touched
    with capsys.disabled():
        print(f"\n{SESSIONS} sessions, {len(SEEDS)} teams: repeat corrections per arisen pitfall, mean beliefs at the end")
        print(f"{'':28}{'first quarter':>14}{'second half':>13}{'helpful':>9}{'useless':>9}{'shown':>7}")
        for name, early, late, helpful, useless, shown in rows:
            print(f"{name:28}{early:14.3f}{late:13.3f}{helpful:9.2f}{useless:9.2f}{shown:7.2f}")
    assert len(rows) == len(cases)


def team_files(outcomes: int) -> Iterator[bytes]:
    """Outcome lines of fifty engineers, in pieces; about ten outcomes a session."""
    rng = np.random.default_rng(7)
    for first in range(0, outcomes, PIECE):
        kinds = KINDS[rng.integers(0, len(KINDS), PIECE)].tolist()
        names = rng.integers(0, LESSONS, PIECE).tolist()
        yield b"".join(
            b'{"id":"%032x","ms":%d,"lesson":"L%d","kind":"%s","evidence":"the answer line said so, and a file was touched",'
            b'"decision":"%032x","agent":"claude-code","session":"%032x","repo":"r%d","engineer":"engineer%d","machine":"m"}\n'
            % (i, 1000 + i // 10, name, kind.encode(), i, i // 10, i // 10 % 40, i // 10 % 50)
            for i, name, kind in zip(range(first, first + PIECE), names, kinds, strict=True)
        )


def test_a_team_of_fifty(capsys: pytest.CaptureFixture[str]) -> None:
    lessons = {
        f"L{i}": Lesson(id=f"L{i}", question="q", consequence="c", engineers=(f"engineer{i % 50}",)) for i in range(LESSONS)
    }
    decoder, columns, size = msgspec.json.Decoder(Outcome), FoldColumns(), 0
    decode = fold = 0.0
    for piece in team_files(OUTCOMES):
        size += len(piece)
        start = time.process_time()
        decoder.decode_lines(piece)
        middle = time.process_time()
        columns.lines(piece)
        decode += middle - start
        fold += time.process_time() - middle
    start = time.process_time()
    memory = Memory.of_columns(lessons, columns)
    fold += time.process_time() - start

    new = [
        Outcome(id=f"n{i}", ms=10**9 + i, lesson=f"L{i % LESSONS}", kind="changed", evidence="e", session=f"n{i // 3}")
        for i in range(3000)
    ]
    start = time.process_time()
    for outcome in new:
        memory.apply(outcome)
    apply = (time.process_time() - start) / len(new)
    weigh = []
    for _ in range(2):
        start = time.process_time()
        for i in range(50):
            memory.weight(f"L{i}")
        weigh.append((time.process_time() - start) / 50)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with capsys.disabled():
        print(f"\n{OUTCOMES:,} outcomes ({size / 1e6:.0f} MB), {memory.sessions:,} sessions, {LESSONS} lessons")
        each = fold / OUTCOMES * 1e6
        print(f"fold from lines {each:.2f} s of CPU per million, {fold / decode:.2f} × decoding whole outcomes")
        print(
            f"one new outcome {apply * 1e6:.1f} µs; a lesson's weight {weigh[0] * 1e6:.0f} µs, again {weigh[1] * 1e6:.1f} µs"
        )
        print(f"peak memory of this process {peak:.0f} MB")
    assert columns.skipped == 0
