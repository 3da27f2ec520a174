"""Intervals: the bound is the mixture's root, and it covers at every look while logging learns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from borgd.replay.estimate import intervals
from borgd.replay.estimate.pseudo import Sequences, arms, observations, with_weights
from tests.replay.support import World, run

LOOKS = sorted({*np.geomspace(3, 160, 36).astype(int).tolist()})


def wealth(total: float, sums: np.ndarray, squares: np.ndarray) -> float:
    """The mixture of the supermartingales at a total, written out."""
    rate = np.geomspace(intervals.LEAST_RATE, intervals.LARGEST_RATE, intervals.RATES)
    prior = np.exp(-0.5 * (np.log(rate / intervals.CENTRE) / intervals.SPREAD) ** 2)
    prior /= prior.sum()
    psi = -np.log(1 - rate) - rate
    each = [
        math.fsum(prior * np.exp(rate * (s - total) / c - psi * q / c**2))
        for c, s, q in zip(intervals.SCALES, sums, squares, strict=True)
    ]
    return math.fsum(each) / len(each)


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_is_where_the_mixture_reaches_one_over_alpha(seed: int) -> None:
    random = np.random.default_rng(seed)
    sums = np.full(4, random.uniform(-5, 60)) + random.uniform(-0.2, 0.2, 4)
    squares = random.uniform(1.0, 80.0, 4)
    bound = float(intervals.lower_total(sums[None], squares[None], 0.025)[0])
    root = brentq(lambda total: math.log(wealth(total, sums, squares)) - math.log(40.0), bound - 50.0, sums.max())
    assert bound == pytest.approx(root, rel=1e-6)


def test_the_supermartingale_inequality_holds_where_it_is_used() -> None:
    xi = np.concatenate((np.linspace(-1.0, 5.0, 4001), np.geomspace(5.0, 1e4, 400)))
    for rate in np.geomspace(intervals.LEAST_RATE, intervals.LARGEST_RATE, intervals.RATES):
        psi = -math.log1p(-rate) - rate
        assert np.all(np.exp(rate * xi - psi * xi**2) <= 1.0 + rate * xi + 1e-12)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.floats(0.01, 1.0), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_residuals_stay_above_minus_their_scale(predicted: list[float], p: float, seed: int) -> None:
    """Whatever weights, models and outcomes: at most ``limit`` arms are seen together and lose at most the scale."""
    random = np.random.default_rng(seed)
    count = len(predicted)
    limit = int(random.integers(1, count + 1))
    seen = np.zeros(count, dtype=bool)
    seen[random.permutation(count)[: random.integers(0, limit + 1)]] = True
    terms = arms(
        np.zeros(count, dtype=np.int64), random.uniform(-1, 1, count), np.full(count, p), seen,
        random.random(count).round(), np.array(predicted), np.full(count, float(limit)), 1,
    )  # fmt: skip
    for form in (terms, terms.complement, with_weights(terms, terms.weight / 3)):
        _, residual = observations(form)
        assert np.all(residual[:, 0] >= -np.array(intervals.SCALES) - 1e-9)


def test_observations_are_unbiased_for_any_weights_and_model() -> None:
    """Over both outcomes of the coin and of the reward, exactly: E X = mass × rate, less for smaller weights."""
    for p, rate, mass, model in ((0.3, 0.6, 0.9, 0.2), (0.05, 0.1, 0.7, 0.9), (0.9, 0.5, -0.4, 0.5)):
        mean, small = np.zeros(len(intervals.SCALES)), np.zeros(len(intervals.SCALES))
        for seen, reward, chance in ((0, 0, 1 - p), (1, 0, p * (1 - rate)), (1, 1, p * rate)):
            one = [np.array([value], dtype=float) for value in (mass, p, reward, model, 1.0)]
            terms = arms(np.zeros(1, np.int64), one[0], one[1], np.array([bool(seen)]), one[2], one[3], one[4], 1)
            mean += chance * np.sum(observations(terms), axis=0)[:, 0]
            small += chance * np.sum(observations(with_weights(terms, terms.weight / 2)), axis=0)[:, 0]
        np.testing.assert_allclose(mean, mass * rate, atol=1e-12)
        assert np.all(small <= mass * rate + 1e-12)


def test_an_interval_shrinks_and_its_boundary_grows() -> None:
    boundaries = [intervals.boundary(v) for v in (0.0, 1.0, 10.0, 100.0, 1000.0)]
    assert boundaries == sorted(boundaries)
    assert 3.0 < intervals.boundary(1000.0) / math.sqrt(1000.0) < 4.2


def test_no_decision_says_nothing() -> None:
    interval = Sequences(1).interval()
    assert (interval.low, interval.high) == (-math.inf, math.inf)


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        World(replays=120, steps=160),
        World(replays=120, steps=160, relative=True),
        World(replays=120, steps=160, slots=2, season=0.6),
        World(replays=120, steps=160, candidate_base=(1.0, 1.0, 1.0, 2.0), ignored=0.0),
    ],
    ids=["value", "difference", "slates and seasons", "towards the rarest"],
)
def test_covers_at_every_look_under_adaptive_logging(world: World) -> None:
    assert run(world, LOOKS).ever_missed().mean() <= 0.05


@pytest.mark.slow
def test_a_thousand_replays_covered_at_every_look_where_the_bootstrap_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    found = run(World(replays=1000, steps=160, seed=11), LOOKS, bootstrap=100)
    missed, naive = found.ever_missed().mean(), found.bootstrap_ever_missed().mean()
    with capsys.disabled():
        print(f"\ncovered at all {len(LOOKS)} looks: sequence {1 - missed:.1%}, naive bootstrap {1 - naive:.1%}")
    assert missed <= 0.05
    assert naive > 0.05


@pytest.mark.slow
def test_doubly_robust_errs_least_where_theory_says_so() -> None:
    """The model is right on average (rates are learnt) but late: it has DM's bias and takes most of IPS's noise."""
    found = run(
        World(replays=150, steps=160, effect=(0.9, 0.8, 0.7, 0.6), season=0.0, candidate_base=(1.0, 1.0, 1.0, 1.5)), [160]
    )
    assert found.error("DR") < found.error("IPS")
    drifting = run(World(replays=150, steps=160, effect=(0.6, 0.5, 0.4, 0.3), season=0.6), [160])
    assert drifting.error("DR") < drifting.error("DM")
