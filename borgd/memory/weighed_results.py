"""What is left of every lesson's results after half-life and shares, kept up to date one result at a time.

Results that were folded in columns stay there; those that came since lie over them. A lesson is weighed anew when it is
next asked about, all of them at once where many changed. Comes out the same however results were fed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from borgd.memory.belief import SHIFT, BeliefRule, Tally
from borgd.memory.columns import Folded
from borgd.memory.shares import OWN, Results, weighed
from borgd.memory.trust import EngineerNames

ALL_AT_ONCE = 64
"""method: from this many changed lessons on, all are weighed in one pass."""


class WeighedResults:
    """Tallies by lesson number. ``own`` is the canonical name of the person whose machine this is; empty: all alike."""

    def __init__(self, folded: Folded, people: EngineerNames, rule: BeliefRule, own: str = "") -> None:
        self._folded, self._people, self._own = folded, people, own
        self._rule = rule if own else msgspec.structs.replace(rule, other_credits=rule.own_credits)
        self._fresh: dict[int, dict[int, int]] = {}
        self._tallies: dict[int, Tally] = {}
        self._stale: set[int] = set()
        self._persons: dict[str, int] = {"": OWN, own: OWN}
        self._repos: dict[str, int] = {}
        if len(folded.rows()[0]):
            self._weigh(None)

    def __contains__(self, lesson: int) -> bool:
        return lesson in self._tallies

    def tally(self, lesson: int) -> Tally | None:
        """Credit units per rank as they were last weighed; None: no result moved a belief about it."""
        return self._tallies.get(lesson)

    def result(self, lesson: int, session: int) -> int:
        """The session's result about the lesson, 0 for none."""
        found = self._fresh.get(lesson, {}).get(session)
        return self._folded.result(lesson << 32 | session) if found is None else found

    def put(self, lesson: int, session: int, value: int) -> None:
        """The session's result about the lesson is now ``value``."""
        self._fresh.setdefault(lesson, {})[session] = value
        self._stale.add(lesson)

    def moved(self, session: int) -> None:
        """The session began earlier than was known, or elsewhere."""
        pairs, _ = self._folded.rows()
        there = pairs[(pairs & np.uint64(Folded.SESSION_MASK)) == np.uint64(session)] >> np.uint64(32)
        self._stale.update(there.tolist())
        self._stale.update(lesson for lesson, sessions in self._fresh.items() if session in sessions)

    def settle(self) -> Iterator[tuple[int, Tally | None, Tally]]:
        """Weigh what changed; each such lesson's number, its tally before and its tally now."""
        stale, self._stale = self._stale, set()
        before = {lesson: self._tallies.get(lesson) for lesson in stale}
        if len(stale) >= ALL_AT_ONCE:
            self._weigh(None)
        else:
            for lesson in stale:
                self._weigh(lesson)
        return ((lesson, before[lesson], self._tallies[lesson]) for lesson in sorted(stale))

    def _weigh(self, lesson: int | None) -> None:
        pairs, values = self._rows(lesson)
        sessions = (pairs & np.uint64(Folded.SESSION_MASK)).astype(np.int64)
        known = self._folded.sessions
        if lesson is None:
            begun = self._folded.times()[sessions]
            person = np.fromiter(map(self._person, known.engineers), dtype=np.int64)[sessions]
            repo = np.fromiter(map(self._repo, known.repos), dtype=np.int64)[sessions]
            numbers = (pairs >> np.uint64(32)).astype(np.int64)
            count = len(self._folded.lessons)
        else:
            places = sessions.tolist()
            begun = np.array([known.when(place) for place in places], dtype=np.int64)
            person = np.array([self._person(known.engineers[place]) for place in places], dtype=np.int64)
            repo = np.array([self._repo(known.repos[place]) for place in places], dtype=np.int64)
            numbers, count = np.zeros(len(places), dtype=np.int64), 1
        rank = (values >> np.uint32(SHIFT) & np.uint32(15)).astype(np.int64)
        units = (values & np.uint32((1 << SHIFT) - 1)).astype(np.int64)
        found = weighed(Results(numbers, person, repo, begun, rank, units), count, self._rule).tolist()
        if lesson is not None:
            self._tallies[lesson] = found[0]
        else:
            self._tallies = {number: found[number] for number in np.unique(numbers).tolist()}

    def _rows(self, lesson: int | None) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """What was folded, less what newer results lie over, and those."""
        pairs, values = self._folded.rows(lesson)
        layers: Iterable[int] = self._fresh if lesson is None else [lesson] if lesson in self._fresh else []
        fresh = {each << 32 | session: value for each in layers for session, value in self._fresh[each].items()}
        if not fresh:
            return pairs, values
        over = np.array(list(fresh), dtype=np.uint64)
        kept = ~np.isin(pairs, over)
        new = np.array(list(fresh.values()), dtype=np.uint32)
        return np.concatenate((pairs[kept], over)), np.concatenate((values[kept], new))

    def _person(self, name: str) -> int:
        number = self._persons.get(name)
        if number is None:
            canonical = self._people.canonical(name) if name.strip() else ""
            number = self._persons.setdefault(canonical, len(self._persons))
            self._persons[name] = number
        return number

    def _repo(self, name: str) -> int:
        return self._repos.setdefault(name, len(self._repos))
