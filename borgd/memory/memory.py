"""What is known of every lesson: a fold over outcomes that comes out the same in any order, split or repetition.

Per session and lesson one result is kept, the largest; per session its beginning, the earliest; per lesson the set of
sessions that used it. Maximum, minimum and union are all the fold does, so merging files merges memory, and a record
read twice is a record read once. ``apply`` takes one new outcome in microseconds; ``fold`` takes millions in columns.
Must not read files or clocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from borgd.lessons.lesson import Lesson
from borgd.memory import belief as beliefs
from borgd.memory.activation import ActivationRule, SessionClock, activation, squash
from borgd.memory.belief import CREDIT, Belief, BeliefRule, Tally, rank_of, units_of
from borgd.memory.columns import FoldColumns, Folded
from borgd.memory.counted_sessions import held_ms, session_key
from borgd.memory.records import Outcome
from borgd.memory.succession import Succession, succeed
from borgd.memory.trust import NEUTRAL, EngineerNames, area_key, trust
from borgd.memory.weighed_results import WeighedResults


class MemoryRule(msgspec.Struct, frozen=True, kw_only=True):
    """Every constant of memory, by name."""

    belief: BeliefRule = BeliefRule()
    activation: ActivationRule = ActivationRule()


RULE = MemoryRule()
"""design: the constants as chosen."""


class LessonWeight(NamedTuple):
    """What memory says of a lesson's rank. ``trust`` is its authors' mean; ``squash`` is of ``activation``."""

    belief: Belief
    activation: float
    squash: float
    dormant: bool
    consolidated: bool
    trust: float


class LessonUse(NamedTuple):
    """How often and where a lesson changed something."""

    sessions: int
    repositories: int
    engineers: int


class Memory:
    """The fold. Build it with ``fold``; feed it with ``apply``, ``saw`` and ``know``."""

    def __init__(
        self,
        lessons: Mapping[str, Lesson] | None = None,
        *,
        aliases: Mapping[str, str] | None = None,
        rule: MemoryRule = RULE,
        own: str = "",
    ) -> None:
        """:param own: whose machine this is; of everyone else a single voice counts less. Empty: nobody's, all alike."""
        self.rule = rule
        self.people = EngineerNames(aliases)
        self._lessons: dict[str, Lesson] = {}
        self._folded = Folded.empty()
        self._clock = SessionClock()
        self._own = self.people.canonical(own) if own else ""
        self._names: list[str] = []
        self._weighed = WeighedResults(self._folded, self.people, rule.belief, self._own)
        self._tallies: dict[int, Tally] = {}
        self._uses: dict[int, set[int]] = {}
        self._places: dict[int, tuple[set[str], set[str]]] = {}
        self._standing: dict[tuple[str, str], list[int]] = {}
        self._succession: Succession | None = None
        self._replaced: dict[tuple[str, str], int] = {}
        self._times: dict[str, npt.NDArray[np.int64]] = {}
        self._activations: dict[str, tuple[int, float]] = {}
        self.know(lessons or {})

    @classmethod
    def of_columns(
        cls,
        lessons: Mapping[str, Lesson],
        columns: FoldColumns,
        *,
        aliases: Mapping[str, str] | None = None,
        rule: MemoryRule = RULE,
        own: str = "",
    ) -> Memory:
        """Memory of outcomes that were gathered in ``columns`` (as ``FoldColumns.lines`` does straight from a file)."""
        memory = cls(aliases=aliases, rule=rule, own=own)
        memory._folded = folded = columns.fold()
        memory._names = list(folded.lessons)
        memory._weighed = WeighedResults(folded, memory.people, rule.belief, memory._own)
        memory._clock = SessionClock(folded.starts)
        memory._tallies = folded.tallies()
        memory._places = {
            lesson: (repos, {memory.people.canonical(name) for name in names if name.strip()})
            for lesson, (repos, names) in folded.places.items()
        }
        memory.know(lessons)
        return memory

    def know(self, lessons: Mapping[str, Lesson]) -> None:
        """The latest versions of all lessons, in place of those known so far."""
        self._lessons = {}
        self._standing = {}
        self._times.clear()
        self._activations.clear()
        for lesson in lessons.values():
            self.learn(lesson)

    def learn(self, lesson: Lesson) -> None:
        """A lesson, new or in a later version."""
        known = self._lessons.get(lesson.id)
        number = self._folded.lessons.get(lesson.id)
        tally = self._weighed.tally(number) if number is not None else None
        if tally is not None:
            followed, refused = beliefs.followed(tally), beliefs.refused(tally)
            if known is not None:
                self._charge(known, -followed, -refused)
            self._charge(lesson, followed, refused)
        self._lessons[lesson.id] = lesson
        self._succession = None
        self._forget_uses(lesson.id)

    def saw(self, session: str, ms: int) -> None:
        """A session of the collective was alive at ``ms``; ``session`` as ``session_key`` makes it."""
        if not session:
            return
        ms = held_ms(ms)
        number = self._folded.sessions.number(session)
        starts = self._folded.sessions.begun
        if number not in starts:
            starts[number] = ms
            self._clock.begin(ms)
        elif ms < starts[number]:
            self._clock.move(starts[number], ms)
            starts[number] = ms
            self._times.clear()
            self._weighed.moved(number)

    def apply(self, outcome: Outcome) -> None:
        """Take in one more outcome; one that is known already changes nothing."""
        session = session_key(outcome.agent, outcome.session, outcome.engineer)
        self.saw(session, outcome.ms)
        value, sessions = beliefs.result(outcome), self._folded.sessions
        if session and outcome.repo:
            number = sessions.number(session)
            place = sessions.repos[number]
            sessions.place(number, outcome.repo)
            if sessions.repos[number] != place:
                self._weighed.moved(number)
        if not value:
            return
        lesson = self._number(outcome.lesson)
        number = sessions.number(session) if session else sessions.outside(outcome)
        before = self._weighed.result(lesson, number)
        if value > before:
            self._weighed.put(lesson, number, value)
            self._count(lesson, before, value)
        elif not session:
            self._weighed.moved(number)
        if session and outcome.kind in beliefs.FOLLOWED:
            self._use(lesson, lesson << 32 | number, outcome)

    def _number(self, lesson: str) -> int:
        number = self._folded.lessons.get(lesson)
        if number is None:
            number = self._folded.lessons[lesson] = len(self._names)
            self._names.append(lesson)
        return number

    # What is asked of it.

    def belief(self, lesson: str) -> Belief:
        """The belief about a lesson; the prior for one without results."""
        self._settle()
        tally = self._weighed.tally(self._folded.lessons.get(lesson, -1))
        if tally is None:
            rule = self.rule.belief
            return Belief(rule.prior_alpha, rule.prior_beta)
        return beliefs.believe(tally, self.rule.belief)

    def results(self, lesson: str) -> dict[str, float]:
        """Sessions by their result, credit-weighted, those that are not zero."""
        tally = self._tallies.get(self._folded.lessons.get(lesson, -1), beliefs.empty())
        return {kind: tally[rank] / CREDIT for kind, rank in beliefs.RANKS.items() if tally[rank]}

    def use(self, lesson: str) -> LessonUse:
        """How often and where a lesson changed something."""
        number = self._folded.lessons.get(lesson, -1)
        repos, engineers = self._places.get(number, ((), ()))
        return LessonUse(self._folded.use_count(number) + len(self._uses.get(number, ())), len(repos), len(engineers))

    def consolidated(self, lesson: str) -> bool:
        """Changed something in enough sessions across enough repositories or engineers."""
        rule, use = self.rule.activation, self.use(lesson)
        breadth = max(use.repositories, use.engineers)
        return use.sessions >= rule.consolidated_sessions and breadth >= rule.consolidated_breadth

    def activation(self, lesson: str) -> float:
        """A: how present the lesson is now, on the clock of sessions."""
        return self._activation(lesson, self.consolidated(lesson))

    def _activation(self, lesson: str, consolidated: bool) -> float:
        known = self._activations.get(lesson)
        if known is not None and known[0] == self._clock.changes:
            return known[1]
        rule = self.rule.activation
        decay = rule.decay_consolidated if consolidated else rule.decay
        level = activation(self._clock.since_each(self._use_times(lesson)), decay)
        self._activations[lesson] = (self._clock.changes, level)
        return level

    def weight(self, lesson: str) -> LessonWeight:
        """Everything that ``rank`` needs of memory for one lesson."""
        consolidated = self.consolidated(lesson)
        level, threshold = self._activation(lesson, consolidated), self.rule.activation.threshold
        return LessonWeight(
            belief=self.belief(lesson),
            activation=level,
            squash=squash(level, threshold),
            dormant=level < threshold,
            consolidated=consolidated,
            trust=self.trust_of(lesson),
        )

    def trust(self, engineer: str, area: str) -> float:
        """How far this engineer's lessons of this area have been borne out, in (0, 1)."""
        place = (self.people.canonical(engineer), area_key(area))
        self.succession()
        followed, refused = self._standing.get(place, (0, 0))
        return trust(followed / CREDIT, refused / CREDIT, self._replaced.get(place, 0))

    def trust_of(self, lesson: str) -> float:
        """The mean trust of a lesson's authors in its area; neutral where it names none."""
        known = self._lessons.get(lesson)
        authors = self.people.authors(known) if known else ()
        if known is None or not authors:
            return NEUTRAL
        return sum(self.trust(author, known.area) for author in authors) / len(authors)

    def trusts(self) -> dict[tuple[str, str], float]:
        """Trust of every (engineer, area) that wrote a lesson, in order."""
        places = {
            (author, area_key(lesson.area)) for lesson in self._lessons.values() for author in self.people.authors(lesson)
        }
        return {place: self.trust(*place) for place in sorted(places)}

    def succession(self) -> Succession:
        """Who is hidden, by whom, and which lessons disagree."""
        self._settle()
        if self._succession is None:
            self._succession = succeed(self._lessons, self.people.authors, self._earned)
            self._replaced = {}
            for lesson in sorted(self._succession.replaced):
                for author in self.people.authors(self._lessons[lesson]):
                    place = (author, area_key(self._lessons[lesson].area))
                    self._replaced[place] = self._replaced.get(place, 0) + 1
        return self._succession

    @property
    def sessions(self) -> int:
        """Sessions of the collective so far."""
        return len(self._clock)

    def export(self) -> dict[str, object]:
        """Everything, in a fixed order: equal memories export equal bytes."""
        return {
            "sessions": self.sessions,
            "lessons": {lesson: self._export(lesson) for lesson in sorted({*self._lessons, *self._folded.lessons})},
            "trust": [
                {"engineer": engineer, "area": area, "trust": value} for (engineer, area), value in self.trusts().items()
            ],
            "hidden": {old: list(successors) for old, successors in self.succession().successors.items()},
            "disputes": [list(pair) for pair in sorted(self.succession().disputes)],
        }

    # How it is kept.

    def _export(self, lesson: str) -> dict[str, object]:
        weight, use = self.weight(lesson), self.use(lesson)
        low, high = weight.belief.interval()
        return {
            "alpha": weight.belief.alpha,
            "beta": weight.belief.beta,
            "mean": weight.belief.mean,
            "low": low,
            "high": high,
            "activation": weight.activation,
            "dormant": weight.dormant,
            "consolidated": weight.consolidated,
            "trust": weight.trust,
            "results": self.results(lesson),
            "uses": {"sessions": use.sessions, "repositories": use.repositories, "engineers": use.engineers},
        }

    def _earned(self, lesson: Lesson) -> float:
        """Authors' mean trust from outcomes alone."""
        authors, area = self.people.authors(lesson), area_key(lesson.area)
        if not authors:
            return NEUTRAL
        counts = [self._standing.get((author, area), (0, 0)) for author in authors]
        return sum(trust(followed / CREDIT, refused / CREDIT, 0) for followed, refused in counts) / len(authors)

    def _count(self, number: int, before: int, now: int) -> None:
        """A session's result about a lesson grew from ``before`` (0: none) to ``now``."""
        tally = self._tallies.setdefault(number, beliefs.empty())
        for value, sign in ((before, -1), (now, 1)):
            if value:
                tally[rank_of(value)] += sign * units_of(value)

    def _settle(self) -> None:
        """Bring what results weigh, and whom they are to the credit of, up to date."""
        for number, was, now in self._weighed.settle():
            known = self._lessons.get(self._names[number])
            if known is not None:
                before = was or beliefs.empty()
                followed, refused = beliefs.followed(now), beliefs.refused(now)
                self._charge(known, followed - beliefs.followed(before), refused - beliefs.refused(before))
                if self._succession is None or self._succession.successors or self._succession.disputes:
                    self._succession = None

    def _charge(self, lesson: Lesson, followed: int, refused: int) -> None:
        area = area_key(lesson.area)
        for author in self.people.authors(lesson):
            place = self._standing.setdefault((author, area), [0, 0])
            place[0] += followed
            place[1] += refused

    def _use(self, lesson: int, pair: int, outcome: Outcome) -> None:
        self._forget_uses(outcome.lesson)
        if not self._folded.used(pair):
            self._uses.setdefault(lesson, set()).add(pair & Folded.SESSION_MASK)
        repos, engineers = self._places.setdefault(lesson, (set(), set()))
        if outcome.repo:
            repos.add(outcome.repo)
        if outcome.engineer.strip():
            engineers.add(self.people.canonical(outcome.engineer))

    def _forget_uses(self, lesson: str) -> None:
        self._times.pop(lesson, None)
        self._activations.pop(lesson, None)

    def _use_times(self, lesson: str) -> npt.NDArray[np.int64]:
        """When the lesson was created, and when each session began that it changed; rising."""
        times = self._times.get(lesson)
        if times is None:
            number = self._folded.lessons.get(lesson, -1)
            begun = self._folded.sessions.begun
            known = self._lessons.get(lesson)
            found = [begun[session] for session in self._folded.users(number)]
            found.extend(begun[session] for session in self._uses.get(number, ()))
            times = self._times[lesson] = np.array(sorted([created(known) if known else 0, *found]), dtype=np.int64)
        return times


def created(lesson: Lesson) -> int:
    """When the lesson's first version that we know of was written, ms."""
    earlier = [ms for entry in lesson.history if isinstance(ms := entry.get("ms"), int) and ms > 0]
    return held_ms(min([lesson.ms, *earlier]))
