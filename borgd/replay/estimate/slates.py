"""Prefix weights of slates: how much likelier a candidate is to fill the first k places as the log did.

A class (standing, first, second) is a slate of its own: its places are by falling score, as they are displayed, and a
reward may depend on the places before it in its class. The holdout of each place is part of its weight. Decisions that
the candidate leaves alone weigh exactly 1; so do classes that fit and lose nobody, whose order carries nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from borgd.replay import propensity
from borgd.replay.candidates import HALF, CandidateRule, Masses
from borgd.replay.records import DecisionColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NEARLY_NOTHING = 1e-300
"""guard: keeps a logarithm finite; weights below its square root count as 0."""


@dataclass(frozen=True)
class SlateSlots:
    """The places that were filled, in the order they were filled.

    ``row`` is the pool entry, ``place`` 0-based in its class, ``prefix`` the weight up to and including it, ``before``
    without it, ``exists`` whether the candidate fills such a place at all.
    """

    row: Ints
    place: Ints
    prefix: Floats
    before: Floats
    exists: Bools

    def take(self, rows: Bools) -> SlateSlots:
        """Those of the pool entries in ``rows``, renumbered."""
        mine = rows[self.row]
        number = np.cumsum(rows) - 1
        return SlateSlots(number[self.row[mine]], self.place[mine], self.prefix[mine], self.before[mine], self.exists[mine])


def places(found: DecisionColumns, was: CandidateRule, rule: CandidateRule, masses: Masses, kept: Floats) -> SlateSlots:
    """The places of every decision with their weights.

    :param kept: the candidate's probability to withhold, per entry.
    """
    row = np.flatnonzero(found.shown | found.held)
    chain = (found.decision * 3 + np.where(found.standing, 0, 1 + was.second))[row]
    order = np.argsort(chain, kind="stable")
    row, chain = row[order], chain[order]
    start, length = _runs(chain)
    place = np.arange(len(row)) - np.repeat(start, length)
    usual = found.coin
    share = np.where(found.held, _ratio(kept, usual), _ratio(1.0 - kept, 1.0 - usual))
    step, exists = np.ones(len(found.p)), np.ones(len(found.p), dtype=bool)
    _steps(found, (was, rule), ~masses.same, step, exists)
    logs = np.log(np.maximum(np.where(masses.same[found.decision], 1.0, step * share)[row], NEARLY_NOTHING))
    running = np.cumsum(logs)
    base = np.repeat(np.concatenate(([0.0], running))[start], length)
    return SlateSlots(row, place, _weight(running - base), _weight(running - base - logs), exists[row])


def _steps(
    found: DecisionColumns, rules: tuple[CandidateRule, CandidateRule], moved: Bools, step: Floats, exists: Bools
) -> None:
    """Per place of moved decisions: P(candidate fills it so, given the places before) over the same for the log's rule."""
    was, rule = rules
    rows = np.flatnonzero(moved[found.decision] & ~found.standing)
    if not len(rows):
        return
    rows = rows[np.argsort(found.decision[rows] * 2 + was.second[rows], kind="stable")]
    name = found.decision[rows] * 2 + was.second[rows]
    each = np.concatenate(([0], np.cumsum(name[1:] != name[:-1])))
    classes = int(each[-1]) + 1
    filled, able = (found.shown | found.held)[rows], rule.eligible[rows]
    slots = [_class_slots(found, one, classes, each, rows) for one in rules]
    live = np.bincount(each, able, minlength=classes)
    size = np.bincount(each, minlength=classes)
    place = _counted(each, filled) - 1
    there = place < np.minimum(slots[1], live)[each]
    exists[rows[filled]] = there[filled]
    fits = (live == size) & (size <= np.minimum(slots[0], slots[1]))
    goes_on = _counted(each, filled & ~(able & there)) == 0
    old = _chances(found, was, _Class(rows, each, np.ones(len(rows), dtype=bool), filled & (place < slots[0][each])))
    new = _chances(found, rule, _Class(rows, each, able, filled & goes_on & (place < slots[1][each])))
    mine = filled & ~fits[each]
    step[rows[mine]] = _ratio(_given_before(new, place, filled), _given_before(old, place, filled))[mine]


@dataclass(frozen=True)
class _Class:
    """Entries by class: ``rows`` sorted by class, ``each`` their class's number, who competes, and who filled its places."""

    rows: Ints
    each: Ints
    member: Bools
    inside: Bools


def _class_slots(found: DecisionColumns, rule: CandidateRule, classes: int, each: Ints, rows: Ints) -> Ints:
    """Slots of every class under ``rule``, shape (classes,)."""
    count = found.count
    standing = np.bincount(found.decision, found.standing, minlength=count).astype(np.int64)
    left = np.maximum(rule.slots - standing, 0)
    live = rule.eligible & ~found.standing
    first = np.minimum(left, np.bincount(found.decision, live & ~rule.second, minlength=count))
    rest = np.minimum(rule.generic, left - first)
    slots = np.zeros(classes, dtype=np.int64)
    slots[each] = np.where(rule.second[rows], rest[found.decision[rows]], first[found.decision[rows]])
    return slots


def _chances(found: DecisionColumns, rule: CandidateRule, group: _Class) -> Floats:
    """P(the first k places of a class are filled as they were), at the k-th place's entry; 0 elsewhere."""
    chance = np.zeros(len(group.rows))
    classes = int(group.each[-1]) + 1
    members = np.bincount(group.each, group.member, minlength=classes).astype(np.int64)
    depth = np.bincount(group.each, group.inside, minlength=classes).astype(np.int64)
    position = _counted(group.each, group.member) - 1
    kind = members * (int(depth.max(initial=0)) + 1) + depth
    for one in np.unique(kind[depth > 0]):
        chosen = (kind == one)[group.each]
        many, deep = divmod(int(one), int(depth.max()) + 1)
        table = group.rows[chosen & group.member].reshape(-1, many)
        spot = np.flatnonzero(chosen & group.inside)
        order = position[spot].reshape(-1, deep)
        chance[spot] = _prefix_chances(found, rule, table, order).ravel()
    return chance


def _prefix_chances(found: DecisionColumns, rule: CandidateRule, table: Ints, order: Ints) -> Floats:
    """Shape (batch, places) from the members (batch, n) and the filled ones among them."""
    base, alpha, beta = found.base[table], rule.alpha[table], rule.beta[table]
    if not rule.explore:
        best = np.argsort(-base * (HALF + alpha / (alpha + beta)), axis=1, kind="stable")[:, : order.shape[1]]
        return np.cumprod(best == order, axis=1).astype(np.float64)
    return propensity.prefixes(base, alpha, beta, order)


def _given_before(chance: Floats, place: Ints, filled: Bools) -> Floats:
    """Conditional probabilities of places from those of prefixes; 1 where nothing was filled."""
    spot = np.flatnonzero(filled)
    value = chance[spot]
    before = np.where(place[spot] == 0, 1.0, np.concatenate(([1.0], value[:-1])))
    conditional = np.ones(len(chance))
    conditional[spot] = _ratio(value, before)
    return conditional


def _counted(each: Ints, among: Bools) -> Ints:
    """Running count, from 1, of the entries of each class for which ``among`` holds."""
    running = np.cumsum(among)
    start, length = _runs(each)
    counted: Ints = running - np.repeat(np.concatenate(([0], running))[start], length)
    return counted


def _runs(sorted_keys: Ints) -> tuple[Ints, Ints]:
    """(start, length) of each run of equal keys."""
    if not len(sorted_keys):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    start = np.flatnonzero(np.concatenate(([True], sorted_keys[1:] != sorted_keys[:-1])))
    return start, np.diff(np.append(start, len(sorted_keys)))


def _ratio(new: Floats, old: Floats) -> Floats:
    return np.divide(new, old, out=np.zeros_like(new), where=old > 0.0)


def _weight(logs: Floats) -> Floats:
    return np.where(logs < np.log(NEARLY_NOTHING) / 2, 0.0, np.exp(np.minimum(logs, 700.0)))
