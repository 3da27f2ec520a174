"""Which lessons of a pool get the slots, and how likely each was to get one.

The rule: each class (first, then the rest) fills its slots with its best-drawn lessons, and what the text has no room
for is cut from the end. Where the text cannot cut, a class is a top k over independent arms and the probability is
exact (quadrature). Where it can, the probability is the share of P_DRAWS other draws in which the same rule keeps the
lesson, the decision's own draw counted among them: all are exchangeable, so the share is right on average, and a lesson
that was kept is never at zero.

The probability is over sessions. A lesson keeps its draw for the session, so a second contest there is no fresh one:
whoever estimates from several decisions of a session counts a lesson's first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from borgd.recall import draws
from borgd.recall.inclusion import included
from borgd.recall.rank import HALF, Ranked

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NODES = 192
"""method: quadrature nodes, half of them even in score, half at the arms' own quantiles."""
SAMPLE = 4096
"""method: knots that the nodes are picked from."""
SPREADS = 5.0
"""method: standard deviations after which a sum of coins is taken as settled."""
P_LEAST = 2.0**-16
"""method: stands for a probability too small to see; none is ever logged as 0."""


class SlotRule(NamedTuple):
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


def fill(pool: Pool, drawn: Floats, rule: SlotRule) -> Filled:
    """Fill the slots by base × (0.5 + draw); ids break ties."""
    scores = pool.base * (HALF + drawn)
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], pool.lessons[i].id))
    first, rest = _counts(pool, rule)
    winners = [i for i in order if pool.first[i]][:first] + [i for i in order if not pool.first[i]][:rest]
    fits = int(np.searchsorted(np.cumsum(pool.sizes[winners]), rule.room, side="right")) if winners else 0
    return Filled(winners[:fits], winners[fits:], scores)


def propensity(pool: Pool, rule: SlotRule, filled: Filled, session: str, count: int) -> Floats:
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

    By ``included`` over the scores at which it is in question.
    """
    chances = np.full(len(base), P_LEAST)
    if slots <= 0:
        return chances
    scores = base[:, None] * (HALF + knots)
    levels = np.linspace(0.0, 1.0, knots.shape[1])
    nodes = _nodes(scores, slots)
    racing = np.flatnonzero(scores[:, -1] > nodes[0])
    below = np.stack([np.interp(nodes, scores[arm], levels) for arm in racing])
    chances[racing] = np.clip(included(below[None], slots)[0], P_LEAST, 1.0)
    return chances


def _nodes(scores: Floats, slots: int) -> Floats:
    """Scores between "surely too low" and "surely high enough", close to each other where arms are many.

    Knots are equally likely, so their share above a score is the expected number of arms above it. Both ends are where
    that is so far from ``slots`` that the tail is settled: a sum of independent coins strays from its mean by more than
    SPREADS standard deviations less often than 1 in a million.
    """
    stride = max(1, scores.size // SAMPLE) | 1
    sample = np.sort(scores.reshape(-1)[::stride])
    fewest = max(0.0, slots - SPREADS * math.sqrt(slots))
    most = slots + SPREADS * math.sqrt(slots) + SPREADS**2 / 2
    first = max(0, math.floor(len(sample) * (1 - most / len(scores))))
    last = min(len(sample) - 1, math.ceil(len(sample) * (1 - fewest / len(scores))))
    even = np.linspace(sample[first], sample[last], NODES // 2)
    dense = sample[np.linspace(first, last, NODES // 2).astype(np.int64)]
    return np.unique(np.concatenate((even, dense)))


def _share(pool: Pool, rule: SlotRule, kept: npt.NDArray[np.bool_], session: str, count: int) -> Floats:
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


def _counts(pool: Pool, rule: SlotRule) -> tuple[int, int]:
    """Slots that the first class and the rest fill."""
    ahead = int(np.count_nonzero(pool.first))
    first = max(0, min(rule.slots, ahead))
    return first, max(0, min(rule.generic, rule.slots - first, len(pool.lessons) - ahead))


def _longest(sizes: Ints, count: int) -> int:
    """The most characters that ``count`` of these texts can take."""
    return int(np.sort(sizes)[::-1][:count].sum())
