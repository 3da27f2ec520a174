"""How sure one may be: confidence sequences that hold at every look, and a bootstrap for comparison only.

Promises: ``lower_total`` covers the running mean of the conditional means at all times at once with probability
1 − α, whatever the logging policy learnt from the past (only: each observation is bounded below and its conditional mean
is what the target averages). Nothing is assumed about drift, independence or how large weights may become. What it rests on:
that a logged p is the chance given all that came before. Each interval is for itself; of many, some are wrong.

The bound. For ξ ≥ −1 and 0 ≤ λ < 1: exp(λξ − ψ(λ)ξ²) ≤ 1 + λξ with ψ(λ) = −ln(1 − λ) − λ (Fan, Grama and Liu 2015). With
ξ = (X − X̂)/c, X̂ known before X, the product of exp(λ(X − ν)/c − ψ(λ)((X − X̂)/c)²) is a nonnegative supermartingale (Howard,
Ramdas, McAuliffe and Sekhon 2021, theorem 4; for policies' values Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro
2024, theorem 3). So is its mixture over a grid of λ and of scales c, and Ville's inequality bounds it for ever.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ALPHA = 0.05
"""design: two-sided error over all looks together."""
SCALES = (0.5, 2.0, 8.0, 24.0)
"""method: lower bounds −c of the residuals that are mixed over; the right one need not be known beforehand."""
RATES = 48
"""method: points of the grid of λ; twice as many narrow the interval by less than 1 %."""
LEAST_RATE, LARGEST_RATE = 1e-3, 0.9
"""method: the range of λ; ψ is infinite at 1, and a smaller λ is the best only above a variance of some 10⁷ scales²."""
CENTRE, SPREAD = 0.15, 1.5
"""tuned (tests/perf/bench_replay): log-normal weights of λ; the bound is 4.5 standard errors at a variance of 10,
3.8 at 100, 3.6 to 3.5 from 1,000 to 100,000, where a fixed sample would have 2.0."""
NEWTON_STEPS = 60
"""method: at most so many steps; about 8 are used, and stopping early only widens the interval."""
CLOSE = 1e-10
"""method: relative change at which the root counts as found."""

_RATE: Floats = np.geomspace(LEAST_RATE, LARGEST_RATE, RATES)
_PSI: Floats = -np.log1p(-_RATE) - _RATE
_PRIOR: Floats = -0.5 * (np.log(_RATE / CENTRE) / SPREAD) ** 2
_PRIOR -= math.log(np.exp(_PRIOR).sum())


@dataclass(frozen=True)
class Interval:
    """A closed interval; ``low`` may be −inf and ``high`` inf where nothing is known."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def lower_total(sums: Floats, squares: Floats, alpha: float, scales: tuple[float, ...] = SCALES) -> Floats:
    """The lower confidence bound of Σν for one or many states of the sequence.

    :param sums: shape (…, scales), ΣX by scale (a scale's residuals may use their own control variates).
    :param squares: shape (…, scales), Σ(X − X̂)² by scale, in X's unit.
    :param alpha: one-sided error probability over all times.
    :return: shape (…), the smallest total the data do not reject. −inf where there is no finite evidence.
    """
    sums, squares = np.atleast_2d(sums), np.atleast_2d(squares)
    scale = np.asarray(scales)
    slope = (_RATE[None, :] / scale[:, None]).ravel()
    fixed = (slope.reshape(len(scales), -1) * sums[..., :, None]) - _PSI * (squares / scale**2)[..., :, None]
    fixed = (fixed + _PRIOR).reshape(*sums.shape[:-1], -1) - math.log(len(scales))
    target = math.log(1.0 / alpha)
    total: Floats = np.max((fixed - target) / slope, axis=-1)
    for _ in range(NEWTON_STEPS):
        exponent = fixed - slope * total[..., None]
        top = exponent.max(axis=-1, keepdims=True)
        grown = np.exp(exponent - top)
        mass = grown.sum(axis=-1)
        value = np.log(mass) + top[..., 0] - target
        step = value * mass / (grown @ slope)
        total = total + step
        if np.all(np.abs(step) <= CLOSE * (1.0 + np.abs(total))):
            break
    return total


def boundary(variance: float, alpha: float = ALPHA) -> float:
    """How far Σ(X − ν) may rise at a total variance Σ(X − X̂)², two-sided at ``alpha`` over all times; X's unit."""
    square = np.full((1, len(SCALES)), variance)
    return -float(lower_total(np.zeros((1, len(SCALES))), square, alpha / 2)[0])


class Bootstrap:
    """Poisson bootstrap of a mean in one pass: NOT valid when logging adapted or when one looks more than once.

    It is here because people know it, and so that its shortfall can be shown beside the sequence's coverage.
    """

    def __init__(self, seed: int, replicates: int = 400) -> None:
        self._random = np.random.default_rng(seed)
        self.sums: Floats = np.zeros(replicates)
        self.counts: Floats = np.zeros(replicates)

    def add(self, values: Floats) -> None:
        """Take n observations in, shape (n,)."""
        weights = self._random.poisson(1.0, size=(len(self.sums), len(values)))
        self.sums = self.sums + weights @ values
        self.counts = self.counts + weights.sum(axis=1)

    def interval(self, alpha: float = ALPHA) -> Interval:
        """Percentile interval of the mean; everything before the first observation."""
        used = self.counts > 0
        if not used.any():
            return Interval(-math.inf, math.inf)
        means = self.sums[used] / self.counts[used]
        low, high = np.quantile(means, [alpha / 2, 1.0 - alpha / 2])
        return Interval(float(low), float(high))
