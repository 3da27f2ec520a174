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
from borgd.recall.choose import Choice, choose_early, choose_stop
from borgd.recall.policy import RecallPolicy

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


def simulate(
    sessions: int, seed: int, lessons: int = 60, policy: RecallPolicy | None = None, given: World | None = None
) -> Iterator[SimulatedRecords]:
    """Session by session what the world wrote. Memory learns from outcomes once their time has come.

    :param given: a world to use in place of the seed's own.
    """
    policy = policy or RecallPolicy()
    made = given or world(seed, lessons)
    random = np.random.default_rng([seed, 1])
    life = _Life(made, Memory(made.lessons, rule=policy.memory), policy)
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
        yield records


@dataclass(frozen=True)
class _Life:
    """What all sessions share."""

    made: World
    memory: Memory
    policy: RecallPolicy


class _Session:
    """One session: an early recall when its system is named, then perhaps a Stop, then its end."""

    def __init__(self, number: int, now: int, life: _Life, random: np.random.Generator) -> None:
        self.number, self.now, self.random = number, now, random
        self.made, self.memory, self.policy = life.made, life.memory, life.policy
        self.engineer = ENGINEERS[int(random.integers(len(ENGINEERS)))]
        self.agent = AGENTS[int(random.integers(len(AGENTS)))]
        self.session = f"s{number:07d}"
        phase = 2 * np.pi * (number / SEASON_SESSIONS + np.arange(len(SYSTEMS)) / len(SYSTEMS))
        weight = 1.0 + SEASON * np.sin(phase)
        self.system = SYSTEMS[int(random.choice(len(SYSTEMS), p=weight / weight.sum()))]
        self.season = float(1.0 + 0.3 * np.sin(2 * np.pi * number / SEASON_SESSIONS))
        self.records = SimulatedRecords()

    def run(self) -> SimulatedRecords:
        matches = self._matches()
        early = choose_early(
            matches, self.made.lessons, self.memory, topics=(self.system,), done=(), session=self.session,
            decision_id=f"{self.session}-e", now_ms=self.now, policy=self.policy,
        )  # fmt: skip
        self._record(early)
        if self.random.random() < STOPS:
            self.now += STOP_AFTER_MS
            stop = choose_stop(
                matches, self.made.lessons, self.memory, done={*early.shown, *early.held}, delivered=early.shown,
                session=self.session, decision_id=f"{self.session}-s", now_ms=self.now, policy=self.policy,
            )  # fmt: skip
            self._record(stop)
        return self.records

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
        )  # fmt: skip
        self.records.decisions.append(decision)
        for entry in decision.pool:
            chances = self._chances(decision.id, entry.id)
            self.records.known.append(chances)
            if entry.shown or entry.held:
                self._outcomes(decision, chances, held=entry.held)

    def _chances(self, decision: str, lesson: str) -> KnownTruth:
        truth = self.made.truth[lesson]
        applies = truth.applies
        repeats = min(1.0, applies * truth.repeats * self.season)
        return KnownTruth(
            decision=decision,
            lesson=lesson,
            changed=applies * truth.changes,
            corrected_shown=repeats * (1.0 - truth.prevents),
            corrected_held=repeats,
        )

    def _outcomes(self, decision: Decision, chances: KnownTruth, *, held: bool) -> None:
        """As in life: an answer soon where there is one, a correction later, and at the end what was not judged."""
        truth = self.made.truth[chances.lesson]
        if not held:
            luck = self.random.random()
            kind: OutcomeKind = "changed" if luck < chances.changed else "ignored" if luck < truth.applies else "not_arisen"
            self._outcome(decision, chances, kind, self.now + STOP_AFTER_MS // 2, held)
        corrected = self.random.random() < (chances.corrected_held if held else chances.corrected_shown)
        ended = self.now + int(self.random.exponential(END_AFTER_MS)) + 1
        if corrected:
            self._outcome(decision, chances, "corrected", ended, held)
        elif held:
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
