"""How sure one may be of a difference between shown and withheld: sequences from counts, good at every look.

What is counted is an occasion: a lesson that won its place was withheld with a probability h that was known before the
coin, and was corrected again (1) or not (0). With m, a guess made before the coin, Z = (held − h)(corrected − m) has the
mean h(1 − h) × (rate withheld − rate shown) whatever m is: each occasion weighs h(1 − h), so that occasions of different h
add up, and the noise is least for m = (1 − h) × rate withheld + h × rate shown. Occasions with the same h and m are alike,
so counts are all that is kept, and the order of occasions changes nothing.

Two sequences come from the same counts. *Betting*: for a difference d the product of 1 + λ(Z − h(1 − h)d) is a fair bet
against d for any λ chosen beforehand; mixed over stakes λ and both signs it is hedged, and a d that has lost 1/α is left
out for ever (Waudby-Smith and Ramdas 2024). Stakes stay the same from the first occasion to the last, so order is of no
matter and a drifting difference is bounded in its mean up to an error of third order in λ; ``VALIDATED`` is what replays
with drift found. *Empirical Bernstein*: ``borgd.replay.estimate.intervals`` on Z, which holds for the mean of whatever
drifts, and is wider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from borgd.replay.estimate.intervals import ALPHA, Interval, lower_total

Floats = NDArray[np.float64]

Method = Literal["betting", "empirical Bernstein"]

LEAST_STAKE, LARGEST_STAKE = 0.03, 8.0
"""method: the best stake is difference / variance per weight; below the least nobody waits, above the largest all is
told."""
STAKES = 24
"""method: points of the grid of stakes."""
CENTRE, SPREAD = 0.8, 1.0
"""tuned (tests/perf/bench_evidence): log-normal weights of the stakes."""
MOST_LOST = 0.9
"""method: the largest share of the capital that one occasion may lose."""
ROUNDS, POINTS = 4, 33
"""method: the bound is found on POINTS differences, then between two of them, ROUNDS times: to 2 × 32⁻⁴."""
SCALES = (0.25, 0.5, 1.0)
"""method: bounds of Z that the Bernstein sequence mixes over; h(1 − h) ≤ 0.25, so a guess m that keeps to them exists."""

VALIDATED: Final[dict[Method, float]] = {"betting": 0.038, "empirical Bernstein": 0.01}
"""tuned (tests/perf/bench_evidence): upper 95 % bound of the share of replays that missed at any look, in the worst
world."""
PRINTED: Final[Method] = "betting"
"""design: the narrower of the sequences whose VALIDATED is at most ALPHA; one for all looks, as choosing anew would miss
more."""

_STAKE: Floats = np.geomspace(LEAST_STAKE, LARGEST_STAKE, STAKES)
_PRIOR: Floats = -0.5 * (np.log(_STAKE / CENTRE) / SPREAD) ** 2
_PRIOR -= math.log(np.exp(_PRIOR).sum())


@dataclass(frozen=True)
class OccasionCounts:
    """Occasions by ``holdout`` h in (0, 1) and ``guess`` m in [0, 1], both of shape (c,).

    ``count`` of shape (c, 4): withheld and corrected again, withheld and not, shown and corrected again, shown and not.
    """

    holdout: Floats
    guess: Floats
    count: Floats

    @property
    def weight(self) -> float:
        """Σ h(1 − h)."""
        return float(self.count.sum(axis=1) @ (self.holdout * (1.0 - self.holdout)))

    @property
    def occasions(self) -> int:
        return round(float(self.count.sum()))

    @property
    def held_rate(self) -> float:
        """The rate where withheld, weighted so that strata count as they do where shown; nan where there is none."""
        return _rate(self.count[:, 0], self.count[:, 1], 1.0 - self.holdout)

    @property
    def shown_rate(self) -> float:
        """The rate where shown, weighted so that strata count as they do where withheld; nan where there is none."""
        return _rate(self.count[:, 2], self.count[:, 3], self.holdout)

    def scaled(self, factor: float) -> OccasionCounts:
        """The same occasions, ``factor`` times as many."""
        return OccasionCounts(self.holdout, self.guess, self.count * factor)

    def values(self) -> Floats:
        """Z of the four kinds, shape (c, 4)."""
        return _values(self.holdout, self.guess)


def _rate(corrected: Floats, clean: Floats, weight: Floats) -> float:
    total = float(weight @ (corrected + clean))
    return float(weight @ corrected) / total if total > 0.0 else math.nan


def _values(holdout: Floats, guess: Floats) -> Floats:
    away = 1.0 - holdout
    return np.stack((away * (1.0 - guess), -away * guess, -holdout * (1.0 - guess), holdout * guess), axis=-1)


def log_evidence(counts: OccasionCounts, sign: int, difference: float = 0.0) -> float:
    """The log of the capital of a bet that the difference is above (``sign`` 1) or below (−1) ``difference``; 0 at the
    start.

    It exceeds ln(1/α) with a probability of at most α, at any time, where that is not so.
    """
    weight = counts.holdout * (1.0 - counts.holdout)
    return float(_capital(counts.count, sign * counts.values(), sign * weight, np.array([difference]))[0])


def interval(counts: OccasionCounts, alpha: float = ALPHA, method: Method = PRINTED) -> Interval:
    """The difference withheld − shown, two-sided at ``alpha`` over all looks; from −1 to 1 before the first occasion."""
    if not counts.occasions:
        return Interval(-1.0, 1.0)
    if method == "empirical Bernstein":
        return _bernstein(counts, alpha)
    weight = counts.holdout * (1.0 - counts.holdout)
    low = _least(counts.count, counts.values(), weight, alpha, -1.0)
    high = -_least(counts.count, -counts.values(), weight, alpha, -1.0)
    return Interval(low, max(low, high))


def rate_interval(counts: OccasionCounts, *, held: bool, alpha: float = ALPHA) -> Interval:
    """The rate where withheld or where shown, two-sided at ``alpha`` over all looks; from 0 to 1 where nothing is known."""
    seen = counts.count[:, :2] if held else counts.count[:, 2:]
    if not seen.sum():
        return Interval(0.0, 1.0)
    weight = 1.0 - counts.holdout if held else counts.holdout
    values = np.stack((weight, np.zeros_like(weight)), axis=-1)
    low = _least(seen, values, weight, alpha, 0.0)
    high = 1.0 - _least(seen, weight[:, None] - values, weight, alpha, 0.0)
    return Interval(low, max(low, high))


def _capital(count: Floats, values: Floats, weight: Floats, differences: Floats) -> Floats:
    """Log capital against each of ``differences`` in [−1, 1]; ``weight`` of shape (c,) times it is the mean it expects."""
    used = count.sum(axis=1) > 0
    count, values, weight = count[used], values[used], weight[used]
    lost = np.maximum((-values).max(axis=1), 0.0) + np.abs(weight)
    stakes = np.minimum(_STAKE[:, None], MOST_LOST / lost[None, :])
    gain = values[None, :, :] - (differences[:, None] * weight[None, :])[:, :, None]
    logs = (np.log1p(stakes[:, None, :, None] * gain[None]) * count[None, None]).sum(axis=(2, 3))
    logs += _PRIOR[:, None]
    top = logs.max(axis=0)
    capital: Floats = np.log(np.exp(logs - top).sum(axis=0)) + top
    return capital


def _least(count: Floats, values: Floats, weight: Floats, alpha: float, start: float) -> float:
    """The smallest value that a bet on "it is larger" has not brought to 2/α; the capital falls as the value rises."""
    bar = math.log(2.0 / alpha)
    low, high = start, 1.0
    for _ in range(ROUNDS):
        points = np.linspace(low, high, POINTS)
        lost = _capital(count, values, weight, points) > bar
        if not lost[0]:
            return low
        place = int(np.flatnonzero(lost)[-1])
        if place == POINTS - 1:
            return high
        low, high = float(points[place]), float(points[place + 1])
    return low


def _bernstein(counts: OccasionCounts, alpha: float) -> Interval:
    """Both bounds from sums of Z and Z², each scale with the guess that keeps Z ≥ −scale (or −Z, for the upper bound)."""
    bounds = []
    for sign in (1, -1):
        sums, squares = np.empty((1, len(SCALES))), np.empty((1, len(SCALES)))
        for row, scale in enumerate(SCALES):
            h = counts.holdout
            least, most = (1.0 - scale / h, scale / (1.0 - h)) if sign > 0 else (1.0 - scale / (1.0 - h), scale / h)
            values = sign * _values(h, np.minimum(np.maximum(counts.guess, least), most))
            sums[0, row] = float((values * counts.count).sum())
            squares[0, row] = float((values**2 * counts.count).sum())
        bounds.append(sign * float(lower_total(sums, squares, alpha / 2, SCALES)[0]) / counts.weight)
    return Interval(max(-1.0, bounds[0]), min(1.0, max(bounds)))


def needed(counts: OccasionCounts, alpha: float = ALPHA, most: float = 1000.0) -> float | None:
    """How many times the occasions so far it takes to tell the difference from 0, if all goes on as it did.

    :return: 1 and above; 1 where it is told already. None: more than ``most`` times, or nothing is known yet.
    """
    bar = math.log(2.0 / alpha)
    if not counts.occasions:
        return None

    def told(factor: float) -> bool:
        return max(log_evidence(counts.scaled(factor), 1), log_evidence(counts.scaled(factor), -1)) > bar

    if told(1.0):
        return 1.0
    low, high = 1.0, 2.0
    while not told(high):
        low, high = high, high * 2.0
        if low > most:
            return None
    while high - low > 0.02 * low:
        middle = (low + high) / 2.0
        low, high = (low, middle) if told(middle) else (middle, high)
    return high
