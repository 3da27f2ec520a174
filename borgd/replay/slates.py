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
from borgd.replay.candidates import HALF, Masses, Rule
from borgd.replay.records import Columns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NEARLY_NOTHING = 1e-300
"""guard: keeps a logarithm finite; weights below its square root count as 0."""


@dataclass(frozen=True)
class Places:
    """The places that were filled, in the order they were filled.

    ``row`` is the pool entry, ``place`` 0-based in its class, ``prefix`` the weight up to and including it, ``before``
    without it, ``exists`` whether the candidate fills such a place at all.
    """

    row: Ints
    place: Ints
    prefix: Floats
    before: Floats
    exists: Bools


def places(found: Columns, was: Rule, rule: Rule, masses: Masses, kept: Floats) -> Places:
    """The places of every decision with their weights.

    :param kept: the candidate's probability to withhold, per entry.
    """
    row = np.flatnonzero(found.shown | found.held)
    chain = (found.decision * 3 + np.where(found.standing, 0, 1 + was.second))[row]
    order = np.argsort(chain, kind="stable")
    row, chain = row[order], chain[order]
    start = np.flatnonzero(np.concatenate(([True], chain[1:] != chain[:-1]))) if len(row) else np.empty(0, np.int64)
    length = np.diff(np.append(start, len(row)))
    place = np.arange(len(row)) - np.repeat(start, length)
    usual = np.where(found.standing, 0.0, found.holdout[found.decision])
    share = np.where(found.held, _ratio(kept, usual), _ratio(1.0 - kept, 1.0 - usual))
    step, exists = np.ones(len(found.p)), np.ones(len(found.p), dtype=bool)
    for number in np.flatnonzero(~masses.same).tolist():
        _fill(found, (was, rule), number, step, exists)
    logs = np.log(np.maximum(np.where(masses.same[found.decision], 1.0, step * share)[row], NEARLY_NOTHING))
    running = np.cumsum(logs)
    base = np.repeat(np.concatenate(([0.0], running))[start], length)
    return Places(row, place, _weight(running - base), _weight(running - base - logs), exists[row])


def _fill(found: Columns, rules: tuple[Rule, Rule], number: int, step: Floats, exists: Bools) -> None:
    """Per place of one decision: P(candidate fills it so, given the places before) over the same for the log's rule."""
    was, rule = rules
    low, high = np.searchsorted(found.decision, [number, number + 1])
    rows = np.arange(low, high)
    plain = rows[~found.standing[rows]]
    standing = len(rows) - len(plain)
    slots = [_class_slots(each, number, plain, standing) for each in (was, rule)]
    for second in (False, True):
        members = plain[was.second[plain] == second]
        order = members[found.shown[members] | found.held[members]]
        if not len(order):
            continue
        live = members[rule.eligible[members]]
        exists[order] = np.arange(len(order)) < min(slots[1][second], len(live))
        if len(live) == len(members) and len(members) <= min(slots[0][second], slots[1][second]):
            continue
        old = _chances(found, was, members, order, slots[0][second])
        able = rule.eligible[order] & exists[order]
        fit = order if able.all() else order[: int(np.argmin(able))]
        new = np.zeros(len(order))
        new[: len(fit)] = _chances(found, rule, live, fit, slots[1][second])
        step[order] = _steps(new) / np.maximum(_steps(old), NEARLY_NOTHING)


def _class_slots(rule: Rule, number: int, plain: Ints, standing: int) -> tuple[int, int]:
    left = max(0, int(rule.slots[number]) - standing)
    live = plain[rule.eligible[plain]]
    first = min(left, int((~rule.second[live]).sum()))
    return first, min(int(rule.generic[number]), left - first, int(rule.second[live].sum()))


def _chances(found: Columns, rule: Rule, members: Ints, order: Ints, slots: int) -> Floats:
    """P(the first k places of ``order``) for k = 1 …; 0 beyond the slots."""
    inside = order[:slots]
    chance = np.zeros(len(order))
    if not len(inside):
        return chance
    if not rule.explore:
        score = found.base[members] * (HALF + rule.alpha[members] / (rule.alpha[members] + rule.beta[members]))
        best = members[np.argsort(-score, kind="stable")[: len(inside)]]
        chance[: len(inside)] = np.cumprod(best == inside)
        return chance
    got = propensity.prefixes(
        found.base[members][None],
        rule.alpha[members][None],
        rule.beta[members][None],
        np.searchsorted(members, inside)[None].astype(np.int64),
    )
    chance[: len(inside)] = got[0]
    return chance


def _steps(chance: Floats) -> Floats:
    """Conditional probabilities from those of prefixes."""
    return _ratio(chance, np.concatenate(([1.0], chance[:-1])))


def _ratio(new: Floats, old: Floats) -> Floats:
    return np.divide(new, old, out=np.zeros_like(new), where=old > 0.0)


def _weight(logs: Floats) -> Floats:
    return np.where(logs < np.log(NEARLY_NOTHING) / 2, 0.0, np.exp(np.minimum(logs, 700.0)))
