"""A world whose truth is known: engineers, agents, systems, lessons and seasons, that writes the records a machine would.

Recall itself chooses (``borgd.recall.choose``), on beliefs that learn from the outcomes so far: Thompson logging as it is in
life, parallel sessions and late outcomes included. Promises the same world for the same seed. The truth, each lesson's
chances in each decision, is given beside the records and nothing else reads it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import numpy as np

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.memory.records import Decision, Outcome, OutcomeKind
from borgd.recall.choose import HORIZON_MS, Choice, choose_early, choose_stop
from borgd.recall.policy import RecallPolicy
from borgd.replay.estimate.betting import log_evidence
from borgd.replay.occasions import DAY_MS, Occasions, OccasionTable, Stratum
from borgd.replay.withholding import holdout

ENGINEERS = ("ada", "barbara", "edsger", "grace", "ken")
AGENTS = ("claude-code", "codex", "gemini")
SYSTEMS = ("Orion", "Ledger", "Answer Guard", "Harbor", "Quill", "Beacon")
SEASON = 0.5
"""design: how far work swings between systems over a season, as a share."""
SEASON_SESSIONS = 400
"""design: sessions in one season."""
SESSION_GAP_MS = 45 * 60 * 1000
"""design: mean time between the starts of two sessions of the collective."""
STOP_AFTER_MS = 20 * 60 * 1000
END_AFTER_MS = 60 * 60 * 1000
START_MS = 1_767_225_600_000
"""design: the world begins on 1 January 2026, UTC."""
STOPS = 0.6
"""design: share of sessions that come to a Stop which may ask."""
MACHINE = "simulated"
EVIDENCE = {"corrected": "a later prompt pushed back", "not_corrected": "the session ended"}
LEAST_EVIDENCE = 0.25
"""design: evidence of a lesson in its own scope is uniform from here to 1."""


@dataclass(frozen=True)
class Truth:
    """What is true of one lesson: chances that it applies, that it then changes something when shown, that its correction
    would be repeated without it, and the share of those that showing prevents."""

    applies: float
    changes: float
    repeats: float
    prevents: float


class KnownTruth(msgspec.Struct, frozen=True, kw_only=True):
    """The truth about one lesson in one decision: P(changed | shown), P(corrected | shown), P(corrected | withheld)."""

    decision: str
    lesson: str
    changed: float
    corrected_shown: float
    corrected_held: float


class SimulatedMatch(msgspec.Struct, frozen=True):
    """What recall is told about a lesson's evidence."""

    id: str
    evidence: float
    scoped: bool
    in_scope: bool


@dataclass
class World:
    """Lessons and what is true of them, drawn from a seed."""

    lessons: dict[str, Lesson]
    truth: dict[str, Truth]


@dataclass
class SimulatedRecords:
    """What one session wrote."""

    decisions: list[Decision] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    known: list[KnownTruth] = field(default_factory=list)


def world(seed: int, lessons: int = 60) -> World:
    """A world of ``lessons`` lessons, most of them about a system, some of them useless."""
    random = np.random.default_rng(seed)
    made: dict[str, Lesson] = {}
    truth: dict[str, Truth] = {}
    for number in range(lessons):
        name = f"sim-{number:03d}"
        scoped = number % 6 != 5
        system = SYSTEMS[int(random.integers(len(SYSTEMS)))]
        made[name] = Lesson(
            id=name,
            question=f"Does change {number} in {system} keep what depends on it?",
            consequence=f"dependants of {system} fail in a way that tests do not show ({number})",
            scope=(system,) if scoped else (),
            area=system.casefold(),
            source="correction",
            engineers=(ENGINEERS[int(random.integers(len(ENGINEERS)))],),
            ms=START_MS - int(random.integers(1, 90)) * 24 * 3600 * 1000,
        )
        useful = random.random() < 0.6
        truth[name] = Truth(
            applies=float(random.uniform(0.4, 1.0)),
            changes=float(random.beta(6, 4) if useful else random.beta(1, 9)),
            repeats=float(random.uniform(0.1, 0.5)),
            prevents=float(random.uniform(0.5, 0.9) if useful else random.uniform(0.0, 0.1)),
        )
    return World(made, truth)


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """How sessions go, beside what is true of lessons: what was found to mislead whoever counts. Shares are in [0, 1]."""

    again: float = 0.3
    """Sessions whose agent comes to Stop once more, for a further prompt."""
    tasks: int = 1
    """Systems that a session works on, one after the other."""
    subagents: float = 0.0
    """Sessions whose Stop is a subagent's."""
    open: float = 0.0
    """Sessions that never end: nobody says that there was no correction."""
    lost_shown: float = 0.0
    lost_held: float = 0.0
    """Ends that are lost, where the lesson was shown and where it was withheld."""
    drift: bool = False
    """Half-way, showing stops preventing anything."""
    flood: float = 0.0
    """Sessions of one engineer, who is corrected twice as often and whom nothing helps."""
    attention: float = 0.0
    """Each further lesson of a session takes this share of what the others prevent."""


USUAL = Course()


def simulate(  # noqa: PLR0917
    sessions: int,
    seed: int,
    lessons: int = 60,
    policy: RecallPolicy | None = None,
    given: World | None = None,
    course: Course = USUAL,
) -> Iterator[SimulatedRecords]:
    """Session by session what the world wrote. Memory learns from outcomes once their time has come.

    :param policy: None: the usual one, and lessons are withheld by the rule; else with its ``holdout``.
    :param given: a world to use in place of the seed's own.
    """
    made = given or world(seed, lessons)
    random = np.random.default_rng([seed, 1])
    life = _Life(made, Memory(made.lessons, rule=(policy or RecallPolicy()).memory), policy, course, sessions)
    waiting: list[tuple[int, str, Outcome]] = []
    now = START_MS
    for number in range(sessions):
        now += int(random.exponential(SESSION_GAP_MS)) + 1
        while waiting and waiting[0][0] <= now:
            life.memory.apply(heapq.heappop(waiting)[2])
        session = _Session(number, now, life, np.random.default_rng([seed, 2, number]))
        records = session.run()
        for outcome in records.outcomes:
            heapq.heappush(waiting, (outcome.ms, outcome.id, outcome))
        life.settle(records, now)
        yield records


@dataclass
class _Life:
    """What all sessions share: the memory, and what a machine knows of its lessons' occasions."""

    made: World
    memory: Memory
    policy: RecallPolicy | None
    course: Course
    sessions: int
    met: set[str] = field(default_factory=set)
    occasions: Occasions = field(default_factory=Occasions)
    evidence: dict[str, float] = field(default_factory=dict)
    waiting: list[SimulatedRecords] = field(default_factory=list)
    looked_ms: int = 0

    def holdout(self, name: str) -> float:
        """The probability with which this lesson is withheld at a session's first contact with it."""
        if name not in self.met:
            return 0.0
        return self.policy.holdout if self.policy is not None else holdout(self.evidence.get(name, 0.0))

    def settle(self, records: SimulatedRecords, now_ms: int) -> None:
        """Once a day, count what is due, as a machine does; the rule looks at no more than that."""
        if self.policy is not None:
            return
        self.waiting.append(records)
        if now_ms - self.looked_ms < DAY_MS:
            return
        self.looked_ms = now_ms
        due = [one for one in self.waiting if not one.decisions or one.decisions[-1].ms + HORIZON_MS <= now_ms]
        self.waiting = [one for one in self.waiting if one.decisions and one.decisions[-1].ms + HORIZON_MS > now_ms]
        for session in due:
            self._count(session)
        by_lesson = OccasionTable(self.occasions.rows()).by(lambda row: row.lesson)
        self.evidence = {name: log_evidence(counts, 1) for name, counts in by_lesson.items()}

    def _count(self, session: SimulatedRecords) -> None:
        when = {(one.decision, one.lesson): one.ms for one in session.outcomes if one.kind == "corrected"}
        for decision in session.decisions:
            for entry in decision.pool:
                if (entry.shown or entry.held) and entry.holdout > 0.0:
                    ms = when.get((decision.id, entry.id), 0)
                    self.occasions.one(
                        decision.ms // DAY_MS, entry.id, Stratum(decision.agent, decision.ranking, "", True), entry.holdout,
                        held=entry.held, corrected=decision.ms <= ms <= decision.ms + HORIZON_MS,
                    )  # fmt: skip


class _Session:
    """One session: for each task an early recall when its system is named, then perhaps Stops, then its end."""

    def __init__(self, number: int, now: int, life: _Life, random: np.random.Generator) -> None:
        self.number, self.now, self.random, self.life = number, now, random, life
        self.made, self.memory, self.course = life.made, life.memory, life.course
        self.policy = life.policy or RecallPolicy()
        self.engineer = ENGINEERS[int(random.integers(len(ENGINEERS)))]
        if random.random() < self.course.flood:
            self.engineer = ENGINEERS[0]
        self.agent = AGENTS[int(random.integers(len(AGENTS)))]
        self.session = f"s{number:07d}"
        phase = 2 * np.pi * (number / SEASON_SESSIONS + np.arange(len(SYSTEMS)) / len(SYSTEMS))
        weight = 1.0 + SEASON * np.sin(phase)
        self.systems = random.choice(len(SYSTEMS), size=self.course.tasks, replace=False, p=weight / weight.sum()).tolist()
        self.system = SYSTEMS[self.systems[0]]
        self.season = float(1.0 + 0.3 * np.sin(2 * np.pi * number / SEASON_SESSIONS))
        self.subagent = "a1" if random.random() < self.course.subagents else ""
        self.is_open = bool(random.random() < self.course.open)
        self.told: set[str] = set()
        self.withheld: set[str] = set()
        self.asked: set[str] = set()
        self.acted: set[str] = set()
        self.corrected: dict[str, int] = {}
        """Lesson -> when it was corrected in this session; 0: it is not."""
        self.records = SimulatedRecords()

    def run(self) -> SimulatedRecords:
        for place, system in enumerate(self.systems):
            self.system = SYSTEMS[system]
            self._task(place)
            self.now += STOP_AFTER_MS
        return self.records

    def _task(self, place: int) -> None:
        matches = self._matches()
        early = choose_early(
            matches, self.made.lessons, self.memory, topics=(self.system,), done=self.told | self.withheld,
            session=self.session, decision_id=f"{self.session}-{place}e", now_ms=self.now, policy=self.policy,
            withhold=self._holdout,
        )  # fmt: skip
        self._record(early)
        for again in range(1 + (self.random.random() < self.course.again)):
            if self.random.random() >= STOPS:
                continue
            self.now += STOP_AFTER_MS
            stop = choose_stop(
                matches, self.made.lessons, self.memory, done=self.withheld | self.asked | self.acted, delivered=self.told,
                session=self.session, decision_id=f"{self.session}-{place}s{again}", now_ms=self.now, policy=self.policy,
                withhold=self._holdout,
            )  # fmt: skip
            self._record(stop)
            self.asked.update(stop.shown)

    def _holdout(self, name: str) -> float:
        """One coin a session and lesson, at their first contact."""
        return 0.0 if name in self.told or name in self.withheld else self.life.holdout(name)

    def _matches(self) -> list[SimulatedMatch]:
        found = []
        for lesson in self.made.lessons.values():
            inside = not lesson.scope or self.system in lesson.scope
            if inside and self.random.random() < (0.8 if lesson.scope else 0.2):
                evidence = float(self.random.uniform(LEAST_EVIDENCE, 1.0)) * (1.0 if lesson.scope else 0.6)
                found.append(SimulatedMatch(lesson.id, evidence, bool(lesson.scope), True))
        return sorted(found, key=lambda match: (-match.evidence, match.id))

    def _record(self, choice: Choice) -> None:
        if choice.decision is None:
            return
        decision = msgspec.structs.replace(
            choice.decision, agent=self.agent, engineer=self.engineer, machine=MACHINE, scopes=(self.system,),
            repo=self.system.casefold(), micros=int(self.random.lognormal(6.5, 0.5)),
            subagent=self.subagent if choice.decision.channel == "stop" else "",
        )  # fmt: skip
        self.records.decisions.append(decision)
        shown = sum(entry.shown for entry in decision.pool)
        for entry in decision.pool:
            chances = self._chances(decision.id, entry.id, shown)
            self.records.known.append(chances)
            if entry.shown or entry.held:
                self._outcomes(decision, chances, held=entry.held)
        for entry in decision.pool:
            (self.told if entry.shown else self.withheld if entry.held else set[str]()).add(entry.id)
        self.life.met.update(choice.shown, choice.held)

    def _chances(self, decision: str, lesson: str, shown: int) -> KnownTruth:
        truth = self.made.truth[lesson]
        applies = truth.applies
        repeats = min(1.0, applies * truth.repeats * self.season)
        prevents = truth.prevents * (1.0 - self.course.attention) ** max(0, shown - 1)
        if self.course.drift and self.number >= self.life.sessions // 2:
            prevents = 0.0
        if self.course.flood and self.engineer == ENGINEERS[0]:
            repeats, prevents = min(1.0, 2.0 * repeats), 0.0
        return KnownTruth(
            decision=decision,
            lesson=lesson,
            changed=applies * truth.changes,
            corrected_shown=repeats * (1.0 - prevents),
            corrected_held=repeats,
        )

    def _outcomes(self, decision: Decision, chances: KnownTruth, *, held: bool) -> None:
        """As in life: an answer soon where there is one, a correction later, and at the end what was not judged."""
        truth = self.made.truth[chances.lesson]
        if not held:
            luck = self.random.random()
            kind: OutcomeKind = "changed" if luck < chances.changed else "ignored" if luck < truth.applies else "not_arisen"
            self._outcome(decision, chances, kind, self.now + STOP_AFTER_MS // 2, held)
            if kind == "changed":
                self.acted.add(chances.lesson)
        ended = self.now + int(self.random.exponential(END_AFTER_MS)) + 1
        if chances.lesson not in self.corrected:
            happens = self.random.random() < (chances.corrected_held if held else chances.corrected_shown)
            self.corrected[chances.lesson] = ended if happens else 0
        lost = self.random.random() < (self.course.lost_held if held else self.course.lost_shown)
        if self.corrected[chances.lesson]:
            self._outcome(decision, chances, "corrected", max(decision.ms, self.corrected[chances.lesson]), held)
        elif held and not self.is_open and not lost:
            self._outcome(decision, chances, "not_corrected", ended, held)

    def _outcome(self, decision: Decision, chances: KnownTruth, kind: OutcomeKind, ms: int, held: bool) -> None:
        lesson = chances.lesson
        outcome = Outcome(
            id=f"{decision.id}-{lesson}-{kind}",
            ms=ms,
            lesson=lesson,
            kind=kind,
            evidence=EVIDENCE.get(kind, "the agent's answer line"),
            decision=decision.id,
            agent=self.agent,
            session=self.session,
            channel=decision.channel,
            held=held,
            repo=decision.repo,
            engineer=self.engineer,
            machine=MACHINE,
            area=self.made.lessons[lesson].area,
        )
        self.records.outcomes.append(outcome)
