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
"""method: least number of quadrature nodes, spread over the arms' own quantiles."""
NODES_PER_ARM = 8
"""method: least number of them from each arm."""
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

    ∫ P(fewer than ``slots`` others beat s) dF_i(s), by the trapezoid rule over nodes at the arms' own quantiles; the
    integrand is the Poisson-binomial tail without arm i, from running products before and after it.
    """
    arms = len(base)
    if slots <= 0:
        return np.full(arms, P_LEAST)
    scores = base[:, None] * (HALF + knots)
    each = max(NODES_PER_ARM, -(-NODES // arms))
    picks = np.linspace(0, knots.shape[1] - 1, each).astype(np.int64)
    nodes = np.unique(scores[:, picks])
    levels = np.linspace(0.0, 1.0, knots.shape[1])
    below = np.stack([np.interp(nodes, row, levels) for row in scores])
    tail = _fewer_than(below, slots)
    mass = np.diff(below, axis=1, prepend=0.0)
    middle = np.concatenate((tail[:, :1], (tail[:, 1:] + tail[:, :-1]) / 2), axis=1)
    chances: Floats = np.clip((mass * middle).sum(axis=1), P_LEAST, 1.0)
    return chances


def _fewer_than(below: Floats, slots: int) -> Floats:
    """P(fewer than ``slots`` of the other arms exceed each node), per arm; ``below`` is P(arm ≤ node)."""
    arms, nodes = below.shape
    before = np.zeros((arms + 1, slots, nodes))
    after = np.zeros((arms + 1, slots, nodes))
    before[0, 0] = after[arms, 0] = 1.0
    for arm in range(arms):
        _add_arm(before[arm], before[arm + 1], below[arm])
        _add_arm(after[arms - arm], after[arms - arm - 1], below[arms - arm - 1])
    at_most = np.cumsum(after[1:], axis=1)[:, ::-1]
    tail: Floats = np.einsum("akn,akn->an", before[:-1], at_most)
    return tail


def _add_arm(counts: Floats, into: Floats, below: Floats) -> None:
    """Distribution of how many exceed, with one more arm; counts of ``slots`` and more are dropped."""
    np.multiply(counts, below, out=into)
    into[1:] += counts[:-1] * (1 - below)


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
