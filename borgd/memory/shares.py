"""How much each result counts: evidence has a half-life in sessions, and neither one person nor one repository decides.

A result's age is the number of results about the same lesson by the same person whose sessions began later, so that what
nobody tells anything about any more is not forgotten, and that many sessions of one person age no one else's. A veto is a
person's word: only what speaks for the lesson since makes it older. The ``fresh`` youngest count whole, the next
``half_life`` half, the next a quarter, and so on. Then whoever has more than
``most_share`` of a lesson's evidence is scaled down to it, but never below so many credits as a single voice may have; the
same again for repositories. All sums are of integers: the same in any order, to the byte.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from borgd.memory.belief import CREDIT, FOLLOWED, PRECEDENCE, RANKS, BeliefRule

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

OWN = 0
"""design: the number of the person whose machine this is, and of whoever is not named."""
MOST_HALVINGS = 21
"""method: after so many, nothing of a credit is left."""
WIDTH = len(PRECEDENCE) + 1
VETOED_RANK = RANKS["vetoed"]
FOLLOWED_RANKS = [RANKS[kind] for kind in FOLLOWED]


class Results(NamedTuple):
    """One result per lesson, session and person, in any order, as columns of one length.

    ``lesson``, ``person`` (OWN: this one) and ``repo`` are numbers from 0, ``begun`` when the session began (ms), ``rank``
    the place in PRECEDENCE from 1, ``units`` the credit in 1 / CREDIT.
    """

    lesson: Ints
    person: Ints
    repo: Ints
    begun: Ints
    rank: Ints
    units: Ints

    def ordered(self, order: Ints) -> Results:
        return Results(*(column[order] for column in self))


def weighed(results: Results, lessons: int, rule: BeliefRule) -> Ints:
    """Credit units per lesson and rank after half-life and shares; shape (lessons, WIDTH)."""
    if not len(results.lesson):
        return np.zeros((lessons, WIDTH), dtype=np.int64)
    found = results.ordered(np.lexsort((-results.begun, results.person, results.lesson)))
    ages = _ages(found, _changes(found.lesson, found.person))
    found = _summed(found._replace(units=found.units >> _halvings(ages, rule)))
    alone = np.where(found.person == OWN, rule.own_credits, rule.other_credits)
    found = found._replace(units=_held(found, _changes(found.lesson, found.person), alone, rule))
    found = found.ordered(np.lexsort((found.repo, found.lesson)))
    alone = np.full(len(found.lesson), rule.repository_credits)
    units = _held(found, _changes(found.lesson, found.repo), alone, rule)
    slots = found.lesson * WIDTH + found.rank
    sums = np.bincount(slots, weights=units.astype(np.float64), minlength=lessons * WIDTH)
    return sums.astype(np.int64).reshape(lessons, WIDTH)


def _summed(results: Results) -> Results:
    """One row for what has all but its session in common, ordered by lesson and person."""
    found = results.ordered(np.lexsort((results.rank, results.repo, results.person, results.lesson)))
    starts = np.flatnonzero(_changes(found.lesson, found.person, found.repo, found.rank))
    return found.ordered(starts)._replace(units=np.add.reduceat(found.units, starts))


def steps_of(rule: BeliefRule) -> list[float]:
    """How much a whole credit moves a belief, by rank."""
    return [0.0, *(float(getattr(rule, kind, 0.0)) for kind in PRECEDENCE)]


def _changes(*columns: Ints) -> Bools:
    """Where a row differs from the one before it."""
    first = np.ones(len(columns[0]), dtype=bool)
    first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return first


def _halvings(ages: Ints, rule: BeliefRule) -> Ints:
    older = np.where(ages < rule.fresh, 0, 1 + (ages - rule.fresh) // rule.half_life)
    return np.minimum(older, MOST_HALVINGS)


def _ages(found: Results, first: Bools) -> Ints:
    """Rows of the same group (begun falling, groups start at ``first``) that began later and count for each."""
    place = np.arange(len(found.begun))
    group = np.maximum.accumulate(np.where(first, place, 0))
    run = np.maximum.accumulate(np.where(first | _changes(found.begun), place, 0))
    good = np.concatenate(([0], np.cumsum(np.isin(found.rank, FOLLOWED_RANKS))))
    ages: Ints = np.where(found.rank == VETOED_RANK, good[run] - good[group], run - group)
    return ages


def _held(found: Results, first: Bools, alone: Floats, rule: BeliefRule) -> Ints:
    """The units scaled so that no group has more than its share of its lesson's evidence, or than it may have ``alone``."""
    steps = np.array(steps_of(rule))
    weight = np.rint(found.units * steps[found.rank]).astype(np.int64)
    starts = np.flatnonzero(first)
    mass, group_lesson = np.add.reduceat(weight, starts), found.lesson[starts]
    total = np.bincount(group_lesson, weights=mass.astype(np.float64)).astype(np.int64)
    most = _most(alone[starts], total[group_lesson] - mass, rule.most_share)
    scale = np.where(mass > most, most / np.maximum(mass, 1), 1.0)
    held: Ints = np.rint(found.units * scale[np.cumsum(first) - 1]).astype(np.int64)
    return held


def _most(alone: Floats, others: Ints, most_share: float) -> Floats:
    """Evidence that a group may have beside ``others``, in units."""
    most: Floats = np.maximum(alone * CREDIT, others * (most_share / (1 - most_share)))
    return most
