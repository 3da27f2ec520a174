"""Propensities: exact against draws, against the logger's own quadrature, and against brute force for ordered slates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from borgd.memory import beta as tables
from borgd.recall import slots as logger
from borgd.replay import propensity


def pool(seed: int, batch: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    base = random.uniform(0.2, 1.0, (batch, count))
    return base, 1.0 + random.integers(0, 20, (batch, count)), 1.0 + random.integers(0, 20, (batch, count)) / 2


@pytest.mark.parametrize(("count", "slots"), [(3, 1), (6, 2), (12, 5), (30, 10)])
def test_exact_and_drawn_agree(count: int, slots: int) -> None:
    base, alpha, beta = pool(count, 3, count)
    exact = propensity.inclusion(base, alpha, beta, slots)
    np.testing.assert_allclose(exact.sum(axis=1), slots, atol=1e-3)
    random = np.random.default_rng(5)
    for row in range(3):
        scores = base[row] * (0.5 + random.beta(alpha[row], beta[row], (100_000, count)))
        won = np.argsort(-scores, axis=1)[:, :slots]
        share = np.bincount(won.ravel(), minlength=count) / len(scores)
        assert np.abs(share - exact[row]).max() < 0.006


def test_two_arms_by_scipy() -> None:
    base, alpha, beta = np.array([[1.0, 0.8]]), np.array([[3.0, 5.0]]), np.array([[2.0, 1.5]])

    def beats(x: float) -> float:
        return float(stats.beta.pdf(x, 3.0, 2.0) * stats.beta.cdf((0.5 + x) / 0.8 - 0.5, 5.0, 1.5))

    truth, _ = integrate.quad(beats, 0.0, 1.0, points=[0.7], epsabs=1e-10)
    assert propensity.inclusion(base, alpha, beta, 1)[0, 0] == pytest.approx(truth, abs=5e-4)


def test_what_recall_logs_is_what_replay_computes() -> None:
    for seed in range(20):
        base, alpha, beta = pool(seed, 1, 9)
        logged = logger.top_k(base[0], tables.tables(alpha[0].tolist(), beta[0].tolist()), 3)
        ours = propensity.inclusion(base, alpha, beta, 3)[0]
        assert np.abs(logged - ours).max() < 0.01


def test_ordered_places_by_brute_force() -> None:
    base, alpha, beta = pool(8, 2, 5)
    order = np.argsort(-base, axis=1)[:, :3].astype(np.int64)
    chance = propensity.prefixes(base, alpha, beta, order)
    random = np.random.default_rng(9)
    for row in range(2):
        scores = base[row] * (0.5 + random.beta(alpha[row], beta[row], (200_000, 5)))
        places = np.argsort(-scores, axis=1)[:, :3]
        share = [(places[:, : k + 1] == order[row, : k + 1]).all(axis=1).mean() for k in range(3)]
        np.testing.assert_allclose(chance[row], share, atol=0.005)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 10))
@settings(max_examples=60, deadline=None)
def test_probabilities_are_probabilities(seed: int, count: int, slots: int) -> None:
    base, alpha, beta = pool(seed, 2, count)
    base[0, 0] = 0.0
    chance = propensity.inclusion(base, alpha, beta, slots)
    assert np.all((chance >= 0.0) & (chance <= 1.0))
    np.testing.assert_allclose(chance.sum(axis=1), min(slots, count), atol=1e-3)


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_order_of_arms_changes_nothing(seed: int) -> None:
    base, alpha, beta = pool(seed, 1, 6)
    order = np.random.default_rng(seed).permutation(6)
    straight = propensity.inclusion(base, alpha, beta, 2)[:, order]
    np.testing.assert_allclose(
        propensity.inclusion(base[:, order], alpha[:, order], beta[:, order], 2), straight, atol=1e-12
    )
