"""Which lessons of a pool get the slots, and how likely each was to get one.

The rule: each class (first, then the rest) fills its slots with its best-drawn lessons, and what the text has no room
for is cut from the end. Where the text cannot cut, a class is a top k over independent arms and the probability is
exact (quadrature). Where it can, the probability is the share of P_DRAWS other draws in which the same rule keeps the
lesson, the decision's own draw counted among them: all are exchangeable, so the share is right on average, and a lesson
that was kept is never at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from borgd.recall import draws
from borgd.recall.rank import HALF, Ranked

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NODES = 256
"""method: quadrature nodes, half of them even in score, half at the arms' own quantiles."""
COARSE = 48
"""method: scores at which the range of the nodes is looked for."""
SPREADS = 5.0
"""method: standard deviations after which a sum of coins is taken as settled."""
P_LEAST = 2.0**-16
"""method: stands for a probability too small to see; none is ever logged as 0."""


class Rule(NamedTuple):
    """``slots`` in all, of which lessons that are not ``first`` take at most ``generic``; ``room`` in characters."""

    slots: int
    generic: int
    room: int


class Pool(NamedTuple):
    """Lessons that compete. ``first`` marks the class that fills its slots first; ``sizes`` are characters of text."""

    lessons: Sequence[Ranked]
    first: npt.NDArray[np.bool_]
    sizes: Ints

    @property
    def base(self) -> Floats:
        return np.array([lesson.base for lesson in self.lessons], dtype=np.float64)


class Filled(NamedTuple):
    """Indices into the pool: ``kept`` in order, then ``cut`` for want of room. ``scores`` are what decided."""

    kept: list[int]
    cut: list[int]
    scores: Floats


def fill(pool: Pool, drawn: Floats, rule: Rule) -> Filled:
    """Fill the slots by base × (0.5 + draw); ids break ties."""
    scores = pool.base * (HALF + drawn)
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], pool.lessons[i].id))
    first, rest = _counts(pool, rule)
    winners = [i for i in order if pool.first[i]][:first] + [i for i in order if not pool.first[i]][:rest]
    fits = int(np.searchsorted(np.cumsum(pool.sizes[winners]), rule.room, side="right")) if winners else 0
    return Filled(winners[:fits], winners[fits:], scores)


def propensity(pool: Pool, rule: Rule, filled: Filled, session: str, count: int) -> Floats:
    """P(kept) of every lesson in the pool, in (0, 1], before any holdout; exactly 1 where the pool always fits.

    :param filled: what the decision's own draw kept.
    :param session: seeds the other draws; empty where nothing was drawn at all.
    """
    kept = np.zeros(len(pool.lessons), dtype=bool)
    kept[filled.kept] = True
    if not session:
        return np.where(kept, 1.0, P_LEAST)
    first, rest = _counts(pool, rule)
    if _longest(pool.sizes[pool.first], first) + _longest(pool.sizes[~pool.first], rest) > rule.room:
        return _share(pool, rule, kept, session, count)
    chances = np.ones(len(pool.lessons))
    for members, slots in ((np.flatnonzero(pool.first), first), (np.flatnonzero(~pool.first), rest)):
        if len(members) > slots:
            chances[members] = top_k(pool.base[members], draws.tables([pool.lessons[int(i)] for i in members]), slots)
    return chances


def top_k(base: Floats, knots: Floats, slots: int) -> Floats:
    """P(arm i is among the ``slots`` best of base × (0.5 + x)), x independent with quantile tables ``knots``.

    ∫ P(fewer than ``slots`` others beat s) dF_i(s), by the trapezoid rule over the scores at which that is in question;
    the integrand is the Poisson-binomial tail without arm i, from running products before and after it.
    """
    chances = np.full(len(base), P_LEAST)
    if slots <= 0:
        return chances
    scores = base[:, None] * (HALF + knots)
    levels = np.linspace(0.0, 1.0, knots.shape[1])
    nodes = _nodes(scores, levels, slots)
    racing = np.flatnonzero(scores[:, -1] > nodes[0])
    below = np.stack([np.interp(nodes, scores[arm], levels) for arm in racing])
    tail = _fewer_than(below, slots)
    inner = (np.diff(below, axis=1) * (tail[:, 1:] + tail[:, :-1])).sum(axis=1) / 2
    above = 1 - below[:, -1]
    chances[racing] = np.clip(below[:, 0] * tail[:, 0] + inner + above, P_LEAST, 1.0)
    return chances


def _nodes(scores: Floats, levels: Floats, slots: int) -> Floats:
    """Scores between "surely too low" and "surely high enough", close to each other where arms are many.

    Both ends are where the expected number of arms above is so far from ``slots`` that the tail is settled: a sum of
    independent coins strays from its mean by more than SPREADS standard deviations less often than 1 in a million.
    """
    stride = max(1, scores.size // (4 * NODES))
    sample = np.sort(scores.reshape(-1)[:: stride | 1])
    coarse = sample[np.linspace(0, len(sample) - 1, COARSE).astype(np.int64)]
    above = len(scores) - sum(np.interp(coarse, row, levels) for row in scores)
    high = max(0.0, slots - SPREADS * np.sqrt(slots))
    low = slots + SPREADS * np.sqrt(slots) + SPREADS**2 / 2
    last = min(int(np.searchsorted(-above, -high)), COARSE - 1)
    first = max(int(np.searchsorted(-above, -low)) - 1, 0)
    inside = sample[(sample >= coarse[first]) & (sample <= coarse[last])]
    even = np.linspace(coarse[first], coarse[last], NODES // 2)
    dense = inside[np.linspace(0, len(inside) - 1, NODES // 2).astype(np.int64)]
    return np.unique(np.concatenate((even, dense)))


def _fewer_than(below: Floats, slots: int) -> Floats:
    """P(fewer than ``slots`` of the other arms exceed each node), per arm; ``below`` is P(arm ≤ node)."""
    arms, nodes = below.shape
    exceed = 1 - below
    exactly = np.zeros((arms, slots, nodes))
    exactly[0, 0] = 1.0
    at_most = np.ones((arms, slots, nodes))
    scratch = np.empty((slots - 1, nodes))
    for arm in range(arms - 1):
        _add_arm(exactly[arm], exactly[arm + 1], below[arm], exceed[arm], scratch)
        last = arms - 1 - arm
        _add_arm(at_most[last], at_most[last - 1], below[last], exceed[last], scratch)
    tail: Floats = np.einsum("akn,akn->an", exactly, at_most[:, ::-1])
    return tail


def _add_arm(counts: Floats, into: Floats, below: Floats, exceed: Floats, scratch: Floats) -> None:
    """The distribution of how many exceed (or its sums), with one more arm; counts of ``slots`` and more are dropped."""
    np.multiply(counts, below, out=into)
    np.multiply(counts[:-1], exceed, out=scratch)
    into[1:] += scratch


def _share(pool: Pool, rule: Rule, kept: npt.NDArray[np.bool_], session: str, count: int) -> Floats:
    """Share of ``count`` other draws, and the decision's own, in which the rule keeps each lesson."""
    scores = pool.base * (HALF + draws.alternatives(session, pool.lessons, count))
    first, rest = _counts(pool, rule)
    places = [_best(scores, np.flatnonzero(pool.first), first), _best(scores, np.flatnonzero(~pool.first), rest)]
    winners = np.concatenate(places, axis=1)
    fits = np.cumsum(pool.sizes[winners], axis=1) <= rule.room
    times = np.bincount(winners[fits], minlength=len(pool.lessons)) + kept
    return np.maximum(times / (count + 1), P_LEAST)


def _best(scores: Floats, members: Ints, slots: int) -> Ints:
    """The ``slots`` best of ``members`` in each row of ``scores``, best first."""
    mine = scores[:, members]
    if len(members) > slots:
        chosen = np.argpartition(-mine, slots - 1, axis=1)[:, :slots] if slots else np.zeros((len(mine), 0), dtype=np.int64)
    else:
        chosen = np.broadcast_to(np.arange(len(members)), mine.shape)
    order = np.argsort(-np.take_along_axis(mine, chosen, axis=1), axis=1)
    best: Ints = members[np.take_along_axis(chosen, order, axis=1)]
    return best


def _counts(pool: Pool, rule: Rule) -> tuple[int, int]:
    """Slots that the first class and the rest fill."""
    ahead = int(np.count_nonzero(pool.first))
    first = max(0, min(rule.slots, ahead))
    return first, max(0, min(rule.generic, rule.slots - first, len(pool.lessons) - ahead))


def _longest(sizes: Ints, count: int) -> int:
    """The most characters that ``count`` of these texts can take."""
    return int(np.sort(sizes)[::-1][:count].sum())
