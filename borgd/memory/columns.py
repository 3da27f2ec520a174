"""Outcomes by the million: interned and packed into columns, then folded in numpy.

Promises the same as taking them one by one in any order. Damaged lines are counted, never fatal.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from borgd.memory import belief as beliefs
from borgd.memory.belief import CREDIT, RANKS, SHIFT, Tally
from borgd.memory.counted_sessions import BY, LAST_MS, CountedOutcomes, CountedSessions, held_ms, session_key
from borgd.memory.records import OutcomeKind

Places = dict[int, tuple[set[str], set[str]]]
"""Per lesson: the repositories and the engineers for whom it changed something."""


class _Line(msgspec.Struct, gc=False):
    """A line of outcomes.jsonl without what memory does not count; evidence is most of a line."""

    id: str
    ms: int
    lesson: str
    kind: OutcomeKind
    decision: str = ""
    agent: str = ""
    session: str = ""
    held: bool = False
    credit: float = 1.0
    repo: str = ""
    engineer: str = ""
    turn: int = 1


class Folded:
    """Millions of outcomes as sorted columns. ``pair`` is lesson number << 32 | session number."""

    SESSION_MASK = (1 << 32) - 1

    def __init__(
        self,
        *,
        lessons: dict[str, int],
        sessions: CountedSessions,
        places: Places,
        pairs: npt.NDArray[np.uint64],
        values: npt.NDArray[np.uint32],
        uses: npt.NDArray[np.uint64],
    ) -> None:
        self.lessons, self.sessions, self.places = lessons, sessions, places
        self._pairs, self._values, self._uses = pairs, values, uses

    @classmethod
    def empty(cls) -> Folded:
        """Nothing known."""
        return FoldColumns().fold()

    @property
    def starts(self) -> Iterable[int]:
        return self.sessions.begun.values()

    def times(self) -> npt.NDArray[np.int64]:
        """When each session began, or what names none was told, by number."""
        count = len(self.sessions.engineers)
        return np.maximum(_by_number(self.sessions.begun, count), _by_number(self.sessions.loose, count))

    def rows(self, lesson: int | None = None) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Pairs and their results, of one lesson or of all."""
        if lesson is None:
            return self._pairs, self._values
        first, last = np.searchsorted(self._pairs, np.array([lesson << 32, (lesson + 1) << 32], dtype=np.uint64))
        return self._pairs[int(first) : int(last)], self._values[int(first) : int(last)]

    def tallies(self) -> dict[int, Tally]:
        """Credit units per lesson number and rank, each result counted whole."""
        if not len(self._pairs):
            return {}
        width = len(beliefs.empty())
        ranks = (self._values >> np.uint32(SHIFT) & np.uint32(15)).astype(np.int64)
        slots = (self._pairs >> np.uint64(32)).astype(np.int64) * width + ranks
        units = (self._values & np.uint32((1 << SHIFT) - 1)).astype(np.float64)
        sums = np.bincount(slots, weights=units, minlength=len(self.lessons) * width)
        rows = sums.astype(np.int64).reshape(-1, width)
        return {number: row for number, row in enumerate(rows.tolist()) if any(row)}

    def pair(self, lesson: int, session: str) -> int:
        """The pair's key; a session not seen before gets a number."""
        return lesson << 32 | self.sessions.number(session)

    def result(self, pair: int) -> int:
        """The result known for this pair, 0 for none."""
        place = int(np.searchsorted(self._pairs, np.uint64(pair)))
        if place < len(self._pairs) and int(self._pairs[place]) == pair:
            return int(self._values[place])
        return 0

    def used(self, pair: int) -> bool:
        """Whether the lesson changed something in this pair's session."""
        place = int(np.searchsorted(self._uses, np.uint64(pair)))
        return place < len(self._uses) and int(self._uses[place]) == pair

    def users(self, lesson: int) -> list[int]:
        """Numbers of the sessions in which the lesson changed something."""
        first, last = self._span(lesson)
        numbers: list[int] = (self._uses[first:last] & np.uint64(self.SESSION_MASK)).tolist()
        return numbers

    def use_count(self, lesson: int) -> int:
        first, last = self._span(lesson)
        return last - first

    def _span(self, lesson: int) -> tuple[int, int]:
        if lesson < 0 or not len(self._uses):
            return 0, 0
        first, last = np.searchsorted(self._uses, np.array([lesson << 32, (lesson + 1) << 32], dtype=np.uint64))
        return int(first), int(last)


class Packed(NamedTuple):
    """What ``FoldColumns`` gathered, as plain values: names by number, and columns that refer to them.

    ``begun`` holds each session's beginning (ms) by number, -1 where there is none, ``loose`` that of what names no session,
    ``repos`` each one's repository; ``places`` (lesson number, repositories, engineers). Where these may come from a file of
    someone else's making, ``sound`` says whether they fit together.
    """

    lessons: list[str]
    sessions: list[str]
    repos: list[str]
    begun: npt.NDArray[np.int64]
    loose: npt.NDArray[np.int64]
    places: list[tuple[int, list[str], list[str]]]
    pairs: npt.NDArray[np.uint64]
    values: npt.NDArray[np.uint32]
    uses: npt.NDArray[np.uint64]

    def sound(self) -> bool:
        """Whether every number names something, and every array is of its kind."""
        times64 = (self.begun, self.loose)
        kinds = [column.dtype for column in (*times64, self.pairs, self.values, self.uses)]
        if kinds != [np.int64, np.int64, np.uint64, np.uint32, np.uint64]:
            return False
        if any(column.ndim != 1 for column in (*times64, self.pairs, self.values, self.uses)):
            return False
        if any(len(each) != len(self.sessions) for each in (*times64, self.repos)) or len(self.pairs) != len(self.values):
            return False
        both = np.concatenate((self.pairs, self.uses))
        lessons, sessions = both >> np.uint64(32), both & np.uint64(Folded.SESSION_MASK)
        fit = bool((lessons < len(self.lessons)).all() and (sessions < len(self.sessions)).all())
        ranks = self.values >> np.uint32(SHIFT) & np.uint32(15)
        fit = fit and bool(((ranks > 0) & (ranks < len(beliefs.empty()))).all())
        used = self.begun[(self.uses & np.uint64(Folded.SESSION_MASK)).astype(np.int64)] if fit else self.begun[:0]
        held = all(bool(((column >= -1) & (column <= LAST_MS)).all()) for column in times64)
        times = held and bool((used >= 0).all())
        return fit and times and all(0 <= lesson < len(self.lessons) for lesson, _, _ in self.places)


__all__ = ["FORMAT", "FoldColumns", "Folded", "Packed", "session_key"]

FORMAT = f"3/{CREDIT}/{SHIFT}/{RANKS}/{beliefs.FOLLOWED}"
"""What the numbers in Packed mean; other numbers are another format."""


class FoldColumns:
    """Where outcomes are gathered before they are folded. ``skipped`` counts lines that were not outcomes."""

    def __init__(self) -> None:
        self._lessons: dict[str, int] = {}
        self._sessions = CountedSessions()
        self._places: Places = {}
        self._pairs, self._values, self._uses = array("Q"), array("I"), array("Q")
        self._decoder = msgspec.json.Decoder(_Line)
        self.skipped = 0

    def extend(self, outcomes: Iterable[CountedOutcomes]) -> None:
        """Take outcomes in. One loop over plain locals: this is what a start with millions of lines waits for."""
        lessons, places, known = self._lessons, self._places, self._sessions
        numbers, begun, repos = known.numbers.get, known.begun, known.repos
        pairs, values, uses = self._pairs.append, self._values.append, self._uses.append
        followed = frozenset(beliefs.FOLLOWED)
        for outcome in outcomes:
            session = outcome.session
            if session:
                engineer = outcome.engineer
                key = f"{outcome.agent}\0{session}{BY}{engineer}" if engineer else f"{outcome.agent}\0{session}"
                number = numbers(key, -1)
                if number < 0:
                    number = known.number(key)
                repo = outcome.repo
                if repo and repo != repos[number]:
                    known.place(number, repo)
                ms = outcome.ms
                if not 0 <= ms <= LAST_MS:
                    ms = held_ms(ms)
                if begun.setdefault(number, ms) > ms:
                    begun[number] = ms
            rank = RANKS.get(outcome.kind, 0)
            if not rank or outcome.held:
                continue
            if not session:
                number = known.outside(outcome)
            lesson = lessons.setdefault(outcome.lesson, len(lessons))
            credit = outcome.credit
            pair = lesson << 32 | number
            pairs(pair)
            turn = outcome.turn
            values(rank << SHIFT | CREDIT if credit == 1.0 and turn == 1 else beliefs.packed(rank, credit, turn))
            if session and outcome.kind in followed:
                uses(pair)
                place = places.get(lesson)
                if place is None:
                    place = places[lesson] = (set(), set())
                if outcome.repo:
                    place[0].add(outcome.repo)
                if outcome.engineer:
                    place[1].add(outcome.engineer)

    def lines(self, data: bytes) -> None:
        """Whole lines of outcomes.jsonl. A line that is not an outcome is counted in ``skipped``."""
        try:
            self.extend(self._decoder.decode_lines(data))
        except msgspec.MsgspecError:
            self.extend(self._one_by_one(data))

    def saw(self, session: str, ms: int) -> None:
        """A session (by ``session_key``) was alive at ``ms``."""
        if session:
            number, ms = self._sessions.number(session), held_ms(ms)
            self._sessions.begun[number] = min(ms, self._sessions.begun.get(number, ms))

    def packed(self) -> Packed:
        """Everything gathered, one result per session and lesson, for ``take``."""
        folded = self.fold()
        known = self._sessions
        places = [(lesson, sorted(repos), sorted(names)) for lesson, (repos, names) in self._places.items()]
        begun, loose = (_by_number(times, len(known.engineers)) for times in (known.begun, known.loose))
        names = [*self._lessons], [*known.numbers], [*known.repos]
        return Packed(*names, begun, loose, places, folded._pairs, folded._values, folded._uses)

    def take(self, packed: Packed) -> None:
        """What other columns gathered, as if it had been gathered here."""
        lessons = _numbers(self._lessons, packed.lessons)
        sessions = np.array([self._sessions.number(name) for name in packed.sessions], dtype=np.uint64)
        for times, moments in ((self._sessions.begun, packed.begun), (self._sessions.loose, packed.loose)):
            for number, ms in zip(sessions.tolist(), moments.tolist(), strict=True):
                if ms >= 0 and times.setdefault(number, ms) > ms:
                    times[number] = ms
        for number, repo in zip(sessions.tolist(), packed.repos, strict=True):
            self._sessions.place(number, repo)
        for lesson, repos, names in packed.places:
            place = self._places.setdefault(int(lessons[lesson]), (set(), set()))
            place[0].update(repos)
            place[1].update(names)
        for column, pairs in ((self._pairs, packed.pairs), (self._uses, packed.uses)):
            mask = np.uint64(Folded.SESSION_MASK)
            renumbered = lessons[pairs >> np.uint64(32)] << np.uint64(32) | sessions[pairs & mask]
            column.frombytes(renumbered.tobytes())
        self._values.frombytes(packed.values.tobytes())

    def fold(self) -> Folded:
        """Everything gathered, one result per session and lesson."""
        pairs = np.array(self._pairs, dtype=np.uint64)
        values = np.array(self._values, dtype=np.uint32)
        if len(pairs):
            order = np.argsort(pairs, kind="stable")
            pairs, values = pairs[order], values[order]
            firsts = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
            pairs, values = pairs[firsts], np.maximum.reduceat(values, firsts)
        uses = np.sort(np.array(self._uses, dtype=np.uint64))  # np.unique hashes first, six times as slow
        if len(uses):
            uses = uses[np.concatenate(([True], uses[1:] != uses[:-1]))]
        return Folded(
            lessons=self._lessons,
            sessions=self._sessions,
            places=self._places,
            pairs=pairs,
            values=values,
            uses=uses,
        )

    def _one_by_one(self, data: bytes) -> Iterable[_Line]:
        for line in data.split(b"\n"):
            if line.strip():
                try:
                    yield self._decoder.decode(line)
                except msgspec.MsgspecError:
                    self.skipped += 1


def _by_number(times: dict[int, int], count: int) -> npt.NDArray[np.int64]:
    """Times (ms) by number, -1 where there is none."""
    found = np.full(count, -1, dtype=np.int64)
    found[list(times)] = list(times.values())
    return found


def _numbers(known: dict[str, int], names: list[str]) -> npt.NDArray[np.uint64]:
    """The number of each of ``names`` in ``known``, which gets those that are new."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.uint64)
