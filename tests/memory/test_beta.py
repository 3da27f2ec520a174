"""Our Beta distributions are scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from borgd.memory import beta

SHAPES = [(1, 1), (1, 1.5), (2, 1), (50, 2), (3, 7.5), (500, 500), (1, 4000), (0.5, 0.5), (100_000, 300_000), (1.5, 9)]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_distribution_and_quantiles(a: float, b: float) -> None:
    truth = stats.beta(a, b)
    levels = np.linspace(0.001, 0.999, 97)
    for level in levels:
        x = float(truth.ppf(level))
        assert beta.quantile(float(level), a, b) == pytest.approx(x, abs=1e-5)


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_draws_follow_the_distribution(a: float, b: float) -> None:
    """Kolmogorov's distance of the tabulated distribution stays below half a cell."""
    levels = np.linspace(1e-5, 1 - 1e-5, 20_001)
    drawn = beta.draw(levels[:, None], beta.tables([a], [b]))[:, 0]
    assert (np.diff(drawn) >= 0).all()
    assert np.abs(stats.beta(a, b).cdf(drawn) - levels).max() < 0.5 / beta.KNOTS


def test_interval_is_central() -> None:
    low, high = beta.interval(9, 3)
    assert (low, high) == pytest.approx(stats.beta(9, 3).interval(0.95), abs=1e-5)


def test_draw_vectors() -> None:
    """Fixed numbers: another machine, Python or numpy must give the same draws."""
    u = np.array([[0.001, 0.25, 0.5, 0.75, 0.999]]).T
    drawn = np.concatenate([beta.draw(u, beta.tables([a], [b])) for a, b in ((1, 1), (3, 1.5), (2, 7))], axis=1)
    assert drawn.T.tolist() == VECTORS


VECTORS = [
    [0.001119140625, 0.25, 0.5, 0.75, 0.998880859375],
    [0.07357066624611616, 0.5284802513197064, 0.6930525377392769, 0.8288717661052942, 0.99628184209764],
    [0.005798234909772873, 0.12062861118465662, 0.20113146770745516, 0.30270062293857336, 0.7223168083876371],
]
