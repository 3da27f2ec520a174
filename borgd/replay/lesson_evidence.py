"""The results about one lesson as time goes on: at each moment what ``borgd.memory.shares.weighed`` makes of those before.

For replay, which needs every moment of many results: a result costs what it changes, not a pass over all of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from borgd.memory.belief import CREDIT, BeliefRule, halvings
from borgd.memory.shares import FOLLOWED_RANKS, MOST_HALVINGS, VETOED_RANK, WIDTH, steps_of

Part = tuple[int, int, list[int]]
"""Person, repository, units per rank."""


class SessionResult(NamedTuple):
    """What a session said of the lesson: ``units`` of a credit of the ``rank``."""

    session: int
    repo: int
    rank: int
    units: int


class LessonEvidence:
    """One lesson's results. Give those of a person by rising ``begun``: an earlier one costs a pass over that person's."""

    def __init__(self, rule: BeliefRule) -> None:
        self._rule = rule
        self._steps = steps_of(rule)
        self._people: dict[int, _Person] = {}

    def add(self, person: int, row: SessionResult, begun: int) -> None:
        """A session's result, new or changed; the session ``begun`` then (ms)."""
        known = self._people.get(person)
        if known is None:
            known = self._people[person] = _Person(self._rule)
        known.add(row, begun)

    def tally(self) -> list[int]:
        """Credit units per rank."""
        rule = self._rule
        parts = [(person, repo, units) for person, one in self._people.items() for repo, units in one.units.items()]
        parts = self._held(parts, lambda part: part[0], rule.own_credits)
        parts = self._held(parts, lambda part: part[1], rule.repository_credits)
        return [sum(column) for column in zip(*(units for _, _, units in parts), strict=True)] if parts else [0] * WIDTH

    def _held(self, parts: list[Part], key: Callable[[Part], int], alone: float) -> list[Part]:
        mass: dict[int, int] = {}
        for part in parts:
            weight = sum(round(units * step) for units, step in zip(part[2], self._steps, strict=True))
            mass[key(part)] = mass.get(key(part), 0) + weight
        total, beside = sum(mass.values()), self._rule.most_share / (1 - self._rule.most_share)
        scale = {}
        for group, own in mass.items():
            most = max(alone * CREDIT, (total - own) * beside)
            scale[group] = most / own if own > most else 1.0
        if all(factor == 1.0 for factor in scale.values()):
            return parts
        return [(part[0], part[1], [round(units * scale[key(part)]) for units in part[2]]) for part in parts]


class _Person:
    """One person's results by rising ``begun``, and what is left of them by repository and rank."""

    def __init__(self, rule: BeliefRule) -> None:
        self._rule = rule
        self._begun: list[int] = []
        self._rows: list[SessionResult] = []
        self._where: dict[int, int] = {}
        """Session to begun."""
        self._vetoed = False
        self.units: dict[int, list[int]] = {}

    def add(self, row: SessionResult, begun: int) -> None:
        before = self._where.get(row.session)
        if before is not None:
            there = range(bisect_left(self._begun, before), len(self._rows))
            place = next(i for i in there if self._rows[i].session == row.session)
            if before == begun and not self._vetoed and row.rank != VETOED_RANK:
                halved = self._halvings(place)
                self._count(self._rows[place], halved, -1)
                self._rows[place] = row
                self._count(row, halved, 1)
                return
            del self._begun[place], self._rows[place]
        self._where[row.session] = begun
        place = bisect_right(self._begun, begun)
        self._begun.insert(place, begun)
        self._rows.insert(place, row)
        self._vetoed = self._vetoed or row.rank == VETOED_RANK
        if self._vetoed or before is not None or place < len(self._rows) - 1:
            self._recount()
        else:
            self._count(row, 0, 1)
            self._grow_older()

    def _grow_older(self) -> None:
        """One more result came last: those whose age passes a multiple of the half-life lose half of what is left."""
        last = len(self._begun)
        for halved in range(1, MOST_HALVINGS + 1):
            end = last - self._rule.fresh - (halved - 1) * self._rule.half_life
            if end < 1 or (end < last and self._begun[end] == self._begun[end - 1]):
                if end < 1:
                    return
                continue
            place = end - 1
            while place >= 0 and self._begun[place] == self._begun[end - 1]:
                self._count(self._rows[place], halved - 1, -1)
                self._count(self._rows[place], halved, 1)
                place -= 1

    def _recount(self) -> None:
        self.units = {}
        good = [0, *accumulate(row.rank in FOLLOWED_RANKS for row in self._rows)]
        for place, row in enumerate(self._rows):
            later = bisect_right(self._begun, self._begun[place])
            age = good[-1] - good[later] if row.rank == VETOED_RANK else len(self._begun) - later
            self._count(row, min(halvings(age, self._rule), MOST_HALVINGS), 1)

    def _halvings(self, place: int) -> int:
        age = len(self._begun) - bisect_right(self._begun, self._begun[place])
        return min(halvings(age, self._rule), MOST_HALVINGS)

    def _count(self, row: SessionResult, halvings: int, sign: int) -> None:
        found = self.units.get(row.repo)
        if found is None:
            found = self.units[row.repo] = [0] * WIDTH
        found[row.rank] += sign * (row.units >> halvings)
