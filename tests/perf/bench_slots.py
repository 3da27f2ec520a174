"""What a draw, a decision and its propensities cost, beside the plain ways to get them.

Run as a test (``pytest tests/perf/bench_slots.py -s``). Prints ratios; asserts that every case ran.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome, OutcomeKind
from borgd.recall import draws
from borgd.recall.choose import choose_early, choose_stop
from borgd.recall.policy import P_DRAWS, RecallPolicy
from borgd.recall.rank import rank
from borgd.recall.slots import Pool, SlotRule, fill, propensity, top_k
from tests.memory.support import fold_memory
from tests.perf.sizes import sized
from tests.recall.choice_support import Found

pytestmark = pytest.mark.perf

POOL = 50
SLOTS = 3
ROUNDS = sized(40, 5)


def best_of(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Seconds of the quickest of ``rounds``."""
    run()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def world(count: int) -> tuple[dict[str, Lesson], Memory, list[Found]]:
    lessons = {
        name: Lesson(
            id=name,
            question="Is the queue drained before the worker stops?",
            consequence="It loses work.",
            scope=("Answer Guard",),
            engineers=("ann",),
        )
        for name in (f"L{i:03}" for i in range(count))
    }
    kinds: tuple[OutcomeKind, ...] = ("changed", "ignored", "corrected")
    outcomes = [
        Outcome(id=f"{i}-{j}", ms=1, lesson=f"L{i:03}", kind=kinds[(i + j) % 3], evidence="e", session=f"s{j}")
        for i in range(count)
        for j in range(i % 12)
    ]
    matches = [Found(name, 0.9 - 0.3 * place / count) for place, name in enumerate(lessons)]
    return lessons, fold_memory(lessons, outcomes), matches


def test_draws_and_propensities(capsys: pytest.CaptureFixture[str]) -> None:
    lessons, memory, matches = world(POOL)
    ranked = rank(matches, lessons, memory, RecallPolicy()).ranked
    pool = Pool(ranked, np.ones(len(ranked), dtype=bool), np.full(len(ranked), 100))
    loose, tight = SlotRule(SLOTS, 0, 10_000), SlotRule(SLOTS, 0, 250)
    filled = fill(pool, draws.thompson("s", ranked), loose)
    knots = draws.tables(ranked)
    rng = np.random.default_rng(1)
    alphas, betas = [np.array([getattr(lesson, name) for lesson in ranked]) for name in ("alpha", "beta")]
    cases = {
        "numpy's own 512 Beta draws and a top 3": lambda: np.argpartition(
            -pool.base * (0.5 + rng.beta(alphas, betas, (P_DRAWS, POOL))), SLOTS - 1, axis=1
        ),
        "random.betavariate, 512 draws": lambda: [
            [random.betavariate(a, b) for a, b in zip(alphas, betas, strict=True)] for _ in range(P_DRAWS)
        ],
        "a decision's draws": lambda: draws.thompson("s", ranked),
        "512 seeded draws": lambda: draws.alternatives("s", ranked, P_DRAWS),
        "share of 512 draws, text cut included": lambda: propensity(pool, tight, filled, "s", P_DRAWS),
        "exact, by quadrature": lambda: top_k(pool.base, knots, SLOTS),
    }
    times = {name: best_of(run, 3 if "betavariate" in name else ROUNDS) for name, run in cases.items()}
    reference = next(iter(times.values()))
    exact, share = top_k(pool.base, knots, SLOTS - 1), propensity(pool, tight, filled, "s", P_DRAWS)
    with capsys.disabled():
        print(f"\n{POOL} lessons, {SLOTS} slots")
        for name, seconds in times.items():
            print(f"{name:42}{seconds * 1e3:9.3f} ms{seconds / reference:9.2f}")
        print(f"exact: least {exact.min():.1e}, sum {exact.sum():.4f}; shares are off by {np.abs(exact - share).max():.3f}")
    assert len(times) == 6


@pytest.mark.parametrize("count", [1, 5, 50, 500])
def test_whole_choices(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    lessons, memory, matches = world(count)
    told: dict[str, Any] = {"done": (), "session": "s", "decision_id": "d", "now_ms": 1}
    early = best_of(lambda: choose_early(matches, lessons, memory, topics=["Answer Guard"], **told), 20)
    stop = best_of(lambda: choose_stop(matches, lessons, memory, **told), 20)
    with capsys.disabled():
        print(f"\n{count} matching lessons: early {early * 1e3:.2f} ms, Stop {stop * 1e3:.2f} ms")
    assert choose_stop(matches, lessons, memory, **told).decision is not None
