"""Outcomes by the million: which reward a lesson brought in a decision, and what was believed of it at any moment.

Promises: order and repetition of lines change nothing; 10 bytes an outcome, 42 with beliefs; beliefs at a time use only
outcomes from before that time. What a kind means for a belief is ``borgd.memory.belief``'s business; here it is only dated.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from borgd.lessons.team import hashed
from borgd.memory.belief import RANKS, BeliefRule, believe, packed, rank_of, units_of
from borgd.memory.records import OutcomeKind
from borgd.memory.shares import OWN
from borgd.replay.keys import SortedKeys
from borgd.replay.lesson_evidence import LessonEvidence, SessionResult
from borgd.replay.records import ABSURD, DAMAGED, LATEST_MS, NOT_A_NUMBER, hash64, hash_name
from borgd.replay.values_by_key import ValuesByKey

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

KINDS: tuple[OutcomeKind, ...] = (
    "changed", "ignored", "not_arisen", "corrected", "not_corrected",
    "vetoed", "contradicted", "regretted", "tested", "unclear", "withdrawn",
)  # fmt: skip
BIT: dict[str, int] = {kind: 1 << place for place, kind in enumerate(KINDS)}
CHANGED = BIT["changed"] | BIT["tested"]
UNDONE = BIT["regretted"] | BIT["contradicted"] | BIT["vetoed"]
CORRECTED = BIT["corrected"]
SETTLE_MS = 2 * 24 * 3600 * 1000
"""design: a session ends when it has idled for a day, and may have worked for a day; younger decisions are not judged."""

BATCH = 2048
"""method: outcomes that are handled together."""


class OutcomeLine(msgspec.Struct, gc=False):
    """What replay reads of an outcome."""

    id: str
    ms: int
    lesson: str
    kind: str
    decision: str = ""
    agent: str = ""
    session: str = ""
    held: bool = False
    credit: float = 1.0
    repo: str = ""
    engineer: str = ""
    turn: int = 1
    coin_ms: int = 0
    """Not 0: an occasion that was settled, told beside the outcomes themselves."""


_DECODER = msgspec.json.Decoder(OutcomeLine)


class Outcomes:
    """All outcomes, packed. Fill with ``add``; then ``seal`` once; then ask."""

    def __init__(self, *, beliefs: bool = True, salt: str = "") -> None:
        """:param beliefs: whether beliefs will be asked for; without, an outcome costs a quarter of the memory.

        :param salt: the team's, where teammates' outcomes are added too: own ones are then counted as the team sees them.
        """
        self._with_beliefs = beliefs
        self._salt = salt
        self._told = SortedKeys()
        """Ids, where the same outcome may be found in an own journal and in the team's files."""
        self._kinds = ValuesByKey(np.bitwise_or, np.uint16)
        self._corrected = ValuesByKey(np.minimum, np.int64)
        self._lessons, self._sessions, self._times, self._results = array("Q"), array("Q"), array("q"), array("q")
        self._people, self._repos = array("Q"), array("Q")
        self.skipped: Counter[str] = Counter()
        self.count = 0
        self.latest_ms = 0

    def add(self, lines: Iterable[bytes], *, shared: bool = False) -> None:
        """Take lines of outcomes.jsonl in; what cannot be read is counted.

        :param shared: they are from a team's file: ids and sessions are hashed already, and decisions are nobody's here.
        """
        if not self._salt:
            for line, bit in self._usable(lines):
                self._take(line, bit, shared=shared)
            return
        usable = self._usable(lines)
        while batch := list(islice(usable, BATCH)):
            for (line, bit), new in zip(batch, self._are_new([line for line, _ in batch], shared=shared), strict=True):
                if new:
                    self._take(line, bit, shared=shared)

    def _usable(self, lines: Iterable[bytes]) -> Iterator[tuple[OutcomeLine, int]]:
        """Lines that can be read, each with the bit of its kind; the others are counted."""
        for raw in lines:
            text = raw.strip(b" \t\r\n\0\xef\xbb\xbf")
            if not text:
                continue
            try:
                line = _DECODER.decode(text)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                self.skipped[NOT_A_NUMBER if b"NaN" in text or b"Infinity" in text else DAMAGED] += 1
                continue
            bit = BIT.get(line.kind, 0)
            if not bit or not 0 < line.ms < LATEST_MS or not line.lesson:
                self.skipped["unknown kind" if not bit else ABSURD] += 1
                continue
            if not line.coin_ms:
                yield line, bit

    def _are_new(self, lines: list[OutcomeLine], *, shared: bool) -> list[bool]:
        names = [line.id if shared else hashed(self._salt, "outcome", line.id) for line in lines]
        fresh: list[bool] = self._told.add(np.array([hash64(name) for name in names], dtype=np.uint64)).tolist()
        return fresh

    def _session(self, line: OutcomeLine, *, shared: bool) -> int:
        name = line.session or f"\0{line.decision or line.id}"
        if self._salt and not shared and line.session:
            name = hashed(self._salt, "session", f"{line.agent}\0{line.session}")
        return hash_name(line.agent, name, line.engineer)

    def _repo(self, line: OutcomeLine, *, shared: bool) -> int:
        name = hashed(self._salt, "repo", line.repo) if self._salt and not shared else line.repo
        return hash_name(name) if name else 0

    def _take(self, line: OutcomeLine, bit: int, *, shared: bool) -> None:
        self.count += 1
        self.latest_ms = max(self.latest_ms, line.ms)
        if line.decision:
            key = hash64(line.decision, line.lesson)
            self._kinds.add(key, bit)
            if bit == CORRECTED:
                self._corrected.add(key, line.ms)
        rank = 0 if line.held else RANKS.get(line.kind, 0)
        if not self._with_beliefs or not (rank or line.session):
            return
        self._lessons.append(hash_name(line.lesson))
        self._sessions.append(self._session(line, shared=shared))
        self._times.append(line.ms)
        self._results.append(packed(rank, line.credit, line.turn) if rank else 0)
        self._people.append(hash_name(line.engineer) if line.engineer else OWN)
        self._repos.append(self._repo(line, shared=shared))

    def seal(self) -> Outcomes:
        """Sort for asking."""
        self._kinds.seal()
        self._corrected.seal()
        return self

    def corrected_ms(self, arm_keys: Keys) -> Ints:
        """When each (decision, lesson) was first corrected; 0: it was not."""
        return self._corrected.of(arm_keys)

    def kinds(self, arm_keys: Keys) -> NDArray[np.uint16]:
        """The kinds (bits of BIT) recorded for each (decision, lesson) key; 0 where there is none."""
        return self._kinds.of(arm_keys).astype(np.uint16)

    def beliefs(self, rule: BeliefRule) -> Timeline:
        """What was believed of each lesson at each time, under ``rule``."""
        return Timeline(self._in_order(), rule)

    def _in_order(self) -> Iterator[TimedResult]:
        """All results by time; rows are made a few at a time, as one is many times its columns' size."""
        columns = (self._lessons, self._sessions, self._people, self._repos, self._times, self._results)
        order = np.lexsort((np.array(self._results, dtype=np.int64), np.array(self._times, dtype=np.int64)))
        for start in range(0, len(order), BATCH):
            for place in order[start : start + BATCH].tolist():
                yield TimedResult(*[column[place] for column in columns])


class TimedResult(NamedTuple):
    """One outcome; names are hashes. ``result`` as ``borgd.memory.belief.packed`` makes it, 0: it moves no belief."""

    lesson: int
    session: int
    person: int
    repo: int
    ms: int
    result: int


class Timeline:
    """Beliefs over time: per lesson the moments at which its belief moved, and what it was from then on."""

    def __init__(self, results: Iterable[TimedResult], rule: BeliefRule) -> None:
        """:param results: by rising time."""
        self._rule = rule
        evidence: dict[int, LessonEvidence] = {}
        best: dict[tuple[int, int], int] = {}
        begun: dict[int, int] = {}
        repos: dict[int, int] = {}
        moved: list[tuple[int, int, float, float]] = []
        for row in results:
            start = begun.setdefault(row.session, row.ms)
            repo = repos.setdefault(row.session, row.repo)
            if row.result <= best.get((row.lesson, row.session), 0):
                continue
            best[row.lesson, row.session] = row.result
            known = evidence.get(row.lesson)
            if known is None:
                known = evidence[row.lesson] = LessonEvidence(rule)
            known.add(row.person, SessionResult(row.session, repo, rank_of(row.result), units_of(row.result)), start)
            belief = believe(known.tally(), rule)
            moved.append((row.lesson, row.ms, belief.alpha - rule.prior_alpha, belief.beta - rule.prior_beta))
        moved.sort(key=lambda row: row[0])  # stable: each lesson's stay in the order of time
        self._times = np.array([ms for _, ms, _, _ in moved], dtype=np.int64)
        self._up = np.array([0.0, *(up for _, _, up, _ in moved)])
        self._down = np.array([0.0, *(down for _, _, _, down in moved)])
        lessons = np.array([lesson for lesson, _, _, _ in moved], dtype=np.uint64)
        self.lessons, self._starts = np.unique(lessons, return_index=True)
        self._ends = np.append(self._starts[1:], len(lessons))

    def before(self, lesson: Keys, ms: Ints) -> tuple[Floats, Floats]:
        """(alpha, beta) of each lesson from outcomes strictly before ``ms``; both of shape (n,)."""
        alpha = np.full(len(lesson), self._rule.prior_alpha)
        beta = np.full(len(lesson), self._rule.prior_beta)
        if len(self.lessons) == 0:
            return alpha, beta
        place = np.minimum(np.searchsorted(self.lessons, lesson), len(self.lessons) - 1)
        known = self.lessons[place] == lesson
        for number in np.unique(place[known]):
            start, end = int(self._starts[number]), int(self._ends[number])
            mine = np.flatnonzero(known & (place == number))
            until = start + np.searchsorted(self._times[start:end], ms[mine], side="left")
            alpha[mine] += np.where(until > start, self._up[until], 0.0)
            beta[mine] += np.where(until > start, self._down[until], 0.0)
        return alpha, beta

    def curve(self, lesson: int) -> tuple[Ints, Floats, Floats]:
        """(ms, alpha, beta) after each outcome that moved this lesson's belief; empty where there is none."""
        place = int(np.searchsorted(self.lessons, np.uint64(lesson)))
        if place >= len(self.lessons) or int(self.lessons[place]) != lesson:
            return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
        start, end = int(self._starts[place]), int(self._ends[place])
        rows = slice(start + 1, end + 1)
        return (
            self._times[start:end],
            self._rule.prior_alpha + self._up[rows],
            self._rule.prior_beta + self._down[rows],
        )
