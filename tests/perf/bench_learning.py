"""What each part of learning brings where lessons cost attention and the world changes half-way.

Run as a test (``pytest tests/perf/bench_learning.py -s``). Prints figures; asserts that every case ran.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.memory.changing_world import Learning, Years, live
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

SESSIONS = sized(360, 120)
SEEDS = sized((1, 2, 3), (1,))
AFTER = sized(60, 30)
"""Sessions after the change at which beliefs are held against the truth."""
CASES = {
    "everything": Learning(),
    "no half-life": Learning(half_life=0),
    "six whole, half-life 3": Learning(fresh=6, half_life=3),
    "twelve whole, half-life 12": Learning(fresh=12, half_life=12),
    "twenty whole, half-life 2": Learning(fresh=20, half_life=2),
    "no absolute threshold": Learning(threshold=False),
    "no relevance feedback": Learning(feedback=False),
    "no cost-based channels": Learning(by_cost=False),
    "nothing of it": Learning(half_life=0, threshold=False, feedback=False, by_cost=False),
}


def row(years: list[Years]) -> list[float]:
    half = SESSIONS // 2
    spans = ((0, half), (half, half + AFTER), (half + AFTER, SESSIONS))
    return [float(np.mean([one.cost(*span) for one in years])) for span in spans]


def test_what_each_part_brings(capsys: pytest.CaptureFixture[str]) -> None:
    lines = []
    for name, learning in CASES.items():
        years = [live(learning, SESSIONS, seed) for seed in SEEDS]
        costs = row(years)
        told, blocks, repeats, bad = (
            float(np.mean([getattr(one, kind) for one in years])) for kind in ("lines", "blocks", "repeats", "told_bad")
        )
        now = [
            np.nanmean([one.error(SESSIONS // 2 + AFTER - 1, nature) for one in years], axis=0)
            for nature in ("useful", "useless")
        ]
        beliefs = "  ".join(f"{believed:.2f} of {truth:.2f}" for believed, truth in now)
        counted = "".join(f"{figure:8.2f}" for figure in (told, blocks, repeats, bad))
        lines.append(f"{name:28}{costs[0]:8.3f}{costs[1]:8.3f}{costs[2]:8.3f}{counted}   {beliefs}")
    with capsys.disabled():
        print(f"\n{SESSIONS} sessions, {len(SEEDS)} people; cost (corrections) before the change, {AFTER} after, then;")
        print(
            f"lines, blocks, repeats, vetoed lessons told a session; mean belief of the truth after {AFTER}: useful, useless"
        )
        print("\n".join(lines))
    assert len(lines) == len(CASES)
