"""Power: what is truly better is called so in the time foretold, and what is not is hardly ever called so."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.replay.estimate import power
from borgd.replay.estimate.intervals import boundary
from tests.replay.support import HOLDOUT, World, run

EDGE = 0.1 / (1 - HOLDOUT)
"""Two lessons, one slot; always choosing the better one gains ten points over a coin."""
BETTER: dict[str, Any] = {
    "effect": (0.5 + EDGE, 0.5 - EDGE),
    "season": 0.0,
    "learns": False,
    "relative": True,
    "candidate_base": (1.0, 0.01),
}
NULL: dict[str, Any] = {**BETTER, "effect": (0.5, 0.5)}


def foretold() -> int:
    """Decisions that the calculation asks for, from a pilot's variance."""
    found = run(World(replays=40, steps=150, seed=9, **BETTER), [150])
    return int(power.needed(found.variance, 0.1))


@pytest.mark.slow
def test_ten_points_are_seen_in_the_time_foretold() -> None:
    steps = foretold()
    assert 300 < steps < 3000
    found = run(World(replays=150, steps=steps, seed=10, **BETTER), [steps])
    assert np.mean(found.truth[-1]) == pytest.approx(0.1, abs=0.003)
    assert found.ever_above().mean() >= 0.85


@pytest.mark.slow
def test_no_difference_is_hardly_ever_called_better() -> None:
    looks = list(range(5, 400, 5))
    assert run(World(replays=200, steps=400, seed=12, **NULL), looks).ever_above().mean() <= 0.05


@pytest.mark.slow
def test_a_thousand_runs_without_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    """False alarms over all looks: the sequence stays below 5 %, looking at a fixed-sample interval does not."""
    looks = list(range(4, 500, 4))
    found = run(World(replays=1000, steps=500, seed=13, **NULL), looks, bootstrap=60)
    sequence = found.ever_above().mean()
    naive = np.any([low > 0.0 for low in found.boot_low], axis=0).mean()
    with capsys.disabled():
        print(f"\na null candidate called better over {len(looks)} looks: sequence {sequence:.1%}, bootstrap {naive:.1%}")
    assert sequence <= 0.05
    assert naive > sequence


@given(st.floats(0.01, 50.0), st.floats(0.01, 1.0))
@settings(max_examples=40, deadline=None)
def test_what_is_needed_is_just_enough(variance: float, difference: float) -> None:
    count = power.needed(variance, difference)
    luck = power.POWER_QUANTILE * math.sqrt(count * variance)
    assert count * difference - luck >= boundary(count * variance) * (1 - 1e-9)
    fewer = count * 0.98 - 2
    if fewer > 1:
        assert fewer * difference - power.POWER_QUANTILE * math.sqrt(fewer * variance) < boundary(fewer * variance)


def test_sessions_are_said_in_two_digits() -> None:
    assert power.more_sessions(1.0, 0.1, decisions=200, sessions=100) in range(900, 1600, 100)
    assert power.more_sessions(1.0, 0.0, 200, 100) is None
    assert power.more_sessions(1.0, 0.1, 0, 0) is None
    assert power.more_sessions(1e-9, 0.5, 1000, 500) == 1
