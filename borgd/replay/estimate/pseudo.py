"""Pseudo-outcomes: a policy's value written as sums that are unbiased given the past and bounded below.

Everything that is replayed comes down to *arms*: a lesson in a decision that the candidate gives ``mass`` to, that the
log saw with a known probability, and whose reward in [0, 1] is known where it was seen. From the arms come, for a lower
bound and (from 1 − reward) for an upper bound, observations X = expected + residual with residual ≥ −scale: what
intervals need.

Promises: E[X | past] ≤ Σ mass × E[reward | past] for any weights between 0 and mass / p and any predictable model; equal
for full weights with full support. So switched or shrunk weights and mass without support widen an interval and never
bias it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from borgd.replay.estimate.intervals import ALPHA, SCALES, Interval, lower_total

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Arms:
    """The arms of m decisions, flattened.

    ``decision`` is the decision's number 0 … m − 1. ``mass`` ≥ 0 what the candidate gives the arm, ``weight`` at most
    mass / p (0 without support), ``covered`` = p × weight. ``reward`` and ``predicted`` in [0, 1]. ``limit`` is how many
    arms of this arm's decision can be seen at most. All of shape (n,). ``offset`` of shape (m,) is added to the decision's
    value. ``plain``: no control variate (weights that are not known before the choice allow none).
    """

    decision: Ints
    mass: Floats
    weight: Floats
    covered: Floats
    seen: Bools
    reward: Floats
    predicted: Floats
    limit: Floats
    offset: Floats
    plain: bool = False

    @property
    def complement(self) -> Arms:
        """The same arms with what they lacked as the reward; no offset."""
        predicted = self.predicted if self.plain else 1.0 - self.predicted
        return replace(self, reward=1.0 - self.reward, predicted=predicted, offset=np.zeros_like(self.offset))


def arms(  # noqa: PLR0917
    decision: Ints, mass: Floats, p: Floats, seen: Bools, reward: Floats, predicted: Floats, limit: Floats, count: int
) -> Arms:
    """Arms from signed masses: −mass × reward is written as mass × (1 − reward) − mass, which keeps residuals bounded.

    :param p: the logger's probability of seeing the arm; 0 or nan where there is no support.
    """
    negative = mass < 0.0
    size = np.abs(mass)
    supported = p > 0.0
    weight = np.where(supported, size / np.where(supported, p, 1.0), 0.0)
    return Arms(
        decision=decision,
        mass=size,
        weight=weight,
        covered=np.where(supported, size, 0.0),
        seen=seen,
        reward=np.where(negative, 1.0 - reward, reward),
        predicted=np.where(negative, 1.0 - predicted, predicted),
        limit=limit,
        offset=-np.bincount(decision, np.where(negative, size, 0.0), minlength=count).astype(np.float64),
    )


def joined(parts: list[Arms]) -> Arms:
    """Arms of the same decisions, side by side; offsets add up."""
    if len(parts) == 1:
        return parts[0]
    return Arms(
        decision=np.concatenate([part.decision for part in parts]),
        mass=np.concatenate([part.mass for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
        covered=np.concatenate([part.covered for part in parts]),
        seen=np.concatenate([part.seen for part in parts]),
        reward=np.concatenate([part.reward for part in parts]),
        predicted=np.concatenate([part.predicted for part in parts]),
        limit=np.concatenate([part.limit for part in parts]),
        offset=np.sum([part.offset for part in parts], axis=0),
    )


def with_model(terms: Arms, predicted: Floats) -> Arms:
    """The arms with another predicted reward."""
    return replace(terms, predicted=predicted)


def with_weights(terms: Arms, weight: Floats) -> Arms:
    """The arms with smaller weights (switched, shrunk)."""
    share = np.divide(weight, terms.weight, out=np.zeros_like(weight), where=terms.weight > 0.0)
    return replace(terms, weight=weight, covered=terms.covered * share)


def observations(terms: Arms, scales: tuple[float, ...] = SCALES) -> tuple[Floats, Floats]:
    """(expected, residual), each of shape (scales, m): X = expected + residual per decision, residual ≥ −scale.

    The model's value is cut to scale / (limit × weight) per arm, so that all arms that can be seen together lose at
    most ``scale`` (the truncation of Waudby-Smith et al. 2024, equation 11, for slates).
    """
    count = len(terms.offset)
    expected, residual = np.empty((len(scales), count)), np.empty((len(scales), count))
    room = np.divide(1.0, terms.limit * terms.weight, out=np.full_like(terms.weight, np.inf), where=terms.weight > 0.0)
    for row, scale in enumerate(scales):
        model = np.minimum(terms.predicted, scale * room)
        gain = np.where(terms.seen, terms.weight * (terms.reward - model), 0.0)
        residual[row] = np.bincount(terms.decision, gain, minlength=count)
        expected[row] = np.bincount(terms.decision, terms.covered * model, minlength=count) + terms.offset
    return expected, residual


class Sequences:
    """Anytime-valid intervals for the mean value per decision, one for each key (a candidate, a lesson, a week, …).

    The state is a few numbers a key, however long the log is.
    """

    def __init__(self, keys: int = 1) -> None:
        self.count: Floats = np.zeros(keys)
        self.sums: Floats = np.zeros((2, keys, len(SCALES)))
        self.squares: Floats = np.zeros((2, keys, len(SCALES)))
        self.bounds: Floats = np.zeros((2, keys))
        """Σ of the value if no arm brought anything, and if each brought 1."""

    @property
    def keys(self) -> int:
        return len(self.count)

    def grow(self, keys: int) -> None:
        """Make room for ``keys`` keys."""
        more = keys - self.keys
        if more > 0:
            self.count = np.pad(self.count, (0, more))
            self.sums = np.pad(self.sums, ((0, 0), (0, more), (0, 0)))
            self.squares = np.pad(self.squares, ((0, 0), (0, more), (0, 0)))
            self.bounds = np.pad(self.bounds, ((0, 0), (0, more)))

    def add(self, terms: Arms, key: Ints | None = None) -> None:
        """Take the next decisions in, in the order of their time; ``key`` of shape (m,) says whose they are."""
        decisions = len(terms.offset)
        key = np.zeros(decisions, dtype=np.int64) if key is None else key
        if decisions:
            self.grow(int(key.max()) + 1)
        self.count += np.bincount(key, minlength=self.keys)
        for side, form in enumerate((terms, terms.complement)):
            expected, residual = observations(form)
            for row in range(len(SCALES)):
                self.sums[side, :, row] += np.bincount(key, expected[row] + residual[row], minlength=self.keys)
                self.squares[side, :, row] += np.bincount(key, residual[row] ** 2, minlength=self.keys)
        most = terms.offset + np.bincount(terms.decision, terms.mass, minlength=decisions)
        self.bounds[0] += np.bincount(key, terms.offset, minlength=self.keys)
        self.bounds[1] += np.bincount(key, most, minlength=self.keys)

    def intervals(self, alpha: float = ALPHA) -> tuple[Floats, Floats]:
        """(low, high) per key, two-sided at ``alpha`` over all looks together; ∓inf where a key has no decision."""
        if not self.keys:
            return np.empty(0), np.empty(0)
        known = self.count > 0
        count = np.where(known, self.count, 1.0)
        low = np.maximum(lower_total(self.sums[0], self.squares[0], alpha / 2), self.bounds[0]) / count
        high = (self.bounds[1] - np.maximum(lower_total(self.sums[1], self.squares[1], alpha / 2), 0.0)) / count
        return np.where(known, low, -np.inf), np.where(known, np.maximum(high, low), np.inf)

    def interval(self, alpha: float = ALPHA) -> Interval:
        """The first key's interval."""
        low, high = self.intervals(alpha)
        return Interval(float(low[0]), float(high[0]))

    def variance(self) -> float:
        """The first key's variance per decision as the interval sees it, the sharper side's scale; 0 before any decision."""
        return float(self.squares[0, 0].min() / self.count[0]) if self.count[0] else 0.0
