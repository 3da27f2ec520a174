"""What each bar makes of a day: streams of 3 to 200 asks, beside the offline optimum that knows the whole day.

Run as a test (``pytest tests/perf/bench_interrupts.py -s``). Prints figures; asserts that every case ran.

The world: asks arrive over the working day (08:00 to 20:00, local noon twice as busy), stakes U(0, 1), the model's own
confidence U(0, 0.6); the ask's confidence is ½ stakes + ½ (1 − model confidence), and its value to the person is the same
plus noise U(−0.1, 0.1), never below 0: the numbers that programs state are not the truth. ``fixed`` is a bar that stays at
0.8 until ordinary asks alone have spent the budget; the optimum takes the most valuable ``budget`` ordinary asks and every
high-stakes one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import mean

import pytest

from borgd.config.schema import InterruptsConfig
from borgd.limits.interrupts.ceilings import policy
from borgd.limits.interrupts.replay import InterruptReplay
from borgd.limits.interrupts.verdict import Ask
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

STREAMS = (3, 5, 10, 20, 50, 100, 200)
DAYS = sized(120, 10)
BUDGET = 3
THRESHOLD = 0.9
FIXED = 0.8
MIDNIGHT = 1_767_139_200_000  # 2025-12-31T00:00:00Z
KINDS = ("linear", "timed", "fixed", "optimum")


@dataclass
class _Arrival:
    ms: int
    confidence: float
    stakes: float
    value: float

    @property
    def high(self) -> bool:
        return self.stakes >= THRESHOLD


@dataclass
class _Tally:
    """One kind of bar on one stream size, a value per day."""

    value: list[float] = field(default_factory=list)
    ordinary_value: list[float] = field(default_factory=list)
    over: list[int] = field(default_factory=list)
    ordinary: list[int] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    """Part of the working day that had passed when the last ordinary ask was admitted."""
    high_deferred: int = 0


def _day(size: int, draw: random.Random) -> list[_Arrival]:
    arrivals = []
    for _ in range(size):
        hour = draw.triangular(8, 20, 12) if draw.random() < 0.5 else draw.uniform(8, 20)
        stakes, model = draw.random(), draw.uniform(0, 0.6)
        confidence = round(0.5 * stakes + 0.5 * (1 - model), 3)
        value = max(0.0, confidence + draw.uniform(-0.1, 0.1))
        arrivals.append(_Arrival(MIDNIGHT + round(hour * 3_600_000), confidence, round(stakes, 3), value))
    return sorted(arrivals, key=lambda one: one.ms)


def _admitted(kind: str, arrivals: list[_Arrival]) -> list[_Arrival]:
    if kind == "optimum":
        ordinary = sorted((one for one in arrivals if not one.high), key=lambda one: -one.value)[:BUDGET]
        return [one for one in arrivals if one.high or one in ordinary]
    if kind == "fixed":
        spent, taken = 0, []
        for one in arrivals:
            if one.high or (one.confidence >= FIXED and spent < BUDGET):
                spent += not one.high
                taken.append(one)
        return taken
    config = InterruptsConfig(daily_interrupt_budget=BUDGET, bar="timed" if kind == "timed" else "linear")
    replay = InterruptReplay(policy(config))
    return [one for one in arrivals if replay.ask(Ask(confidence=one.confidence, stakes=one.stakes), one.ms).admitted]


def _count(tally: _Tally, kind: str, arrivals: list[_Arrival]) -> None:
    taken = _admitted(kind, arrivals)
    ordinary = [one for one in taken if not one.high]
    tally.value.append(sum(one.value for one in taken))
    tally.ordinary_value.append(sum(one.value for one in ordinary))
    tally.ordinary.append(len(ordinary))
    tally.over.append(max(0, len(taken) - BUDGET))
    tally.high_deferred += sum(one.high for one in arrivals) - sum(one.high for one in taken)
    if ordinary:
        tally.last.append((ordinary[-1].ms - MIDNIGHT - 8 * 3_600_000) / (12 * 3_600_000))


def test_bars_against_the_offline_optimum(capsys: pytest.CaptureFixture[str]) -> None:
    tallies = {(size, kind): _Tally() for size in STREAMS for kind in KINDS}
    for size in STREAMS:
        draw = random.Random(size)
        for _ in range(DAYS):
            arrivals = _day(size, draw)
            for kind in KINDS:
                _count(tallies[size, kind], kind, arrivals)
    with capsys.disabled():
        print(f"\nbudget {BUDGET} a day, threshold {THRESHOLD}, {DAYS} days a row; values are means per day")
        print("asks bar        value  of optimum  ordinary  their value  of optimum   over  last at  high deferred")
        for (size, kind), tally in tallies.items():
            best = tallies[size, "optimum"]
            last = f"{mean(tally.last):.0%}" if tally.last else "-"
            print(
                f"{size:>4} {kind:<8}{mean(tally.value):>8.2f}{mean(tally.value) / mean(best.value):>12.1%}"
                f"{mean(tally.ordinary):>10.2f}{mean(tally.ordinary_value):>13.2f}"
                f"{mean(tally.ordinary_value) / mean(best.ordinary_value):>12.1%}"
                f"{mean(tally.over):>7.2f}{last:>9}{tally.high_deferred:>15}"
            )
    assert all(len(tally.value) == DAYS for tally in tallies.values())
    assert len(tallies) == len(STREAMS) * len(KINDS)


def test_order_of_asks_matters_and_by_how_much(capsys: pytest.CaptureFixture[str]) -> None:
    """The same 6 asks in 200 orders: how many different sets get through."""
    draw = random.Random(6)
    arrivals = _day(6, draw)
    sets, sizes = set(), set()
    for _ in range(200):
        draw.shuffle(arrivals)
        replay = InterruptReplay(policy(InterruptsConfig(daily_interrupt_budget=BUDGET)))
        taken = frozenset(
            id(one) for one in arrivals if replay.ask(Ask(confidence=one.confidence, stakes=one.stakes), MIDNIGHT).admitted
        )
        sets.add(taken)
        sizes.add(len(taken))
    with capsys.disabled():
        print(f"\n6 asks in 200 orders: {len(sets)} different sets admitted, sizes {min(sizes)} to {max(sizes)}")
    assert sets


def test_the_cost_of_a_verdict_by_depth(capsys: pytest.CaptureFixture[str]) -> None:
    """Ratios beside a verdict at the root, in the same run."""
    import time

    built = policy(InterruptsConfig(daily_interrupt_budget=1000))
    figures = {}
    for depth in (0, 1, 2, 4, 8, 16, 32, 3000):
        replay = InterruptReplay(built)
        ask = Ask(scope="/".join("s" * depth), confidence=Fraction(0), stakes=Fraction(0))
        before = time.perf_counter()
        for _ in range(500):
            replay.ask(ask, MIDNIGHT)
        figures[depth] = (time.perf_counter() - before) / 500 * 1e6
    with capsys.disabled():
        print(
            "\nmicroseconds a verdict by depth (3000 is refused): "
            + ", ".join(f"{depth}: {cost:.0f}" for depth, cost in figures.items())
        )
    assert len(figures) == 8
