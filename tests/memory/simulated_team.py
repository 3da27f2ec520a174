"""A team with a known truth: lessons that help and lessons that do not, agents that err, engineers who correct.

Each session works on one system. Some of the system's pitfalls arise; a lesson that helps keeps the agent out of its
pitfall when it is shown, a lesson that does not help never does. Matching is noisy and cannot tell the two apart. What
the team would observe becomes outcomes; the truth itself is never shown to recall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome, OutcomeKind
from borgd.recall.choose import choose_early, choose_stop
from borgd.recall.policy import RecallPolicy, changed
from tests.recall.choice_support import Found

Arm = Literal["nothing recalled", "no memory", "memory without exploration", "memory"]
ARMS: tuple[Arm, ...] = ("nothing recalled", "no memory", "memory without exploration", "memory")

SYSTEMS = 6
HELPFUL, USELESS = 6, 12
"""Lessons per system."""
ARISES = 0.35
ERRS, ERRS_WARNED = 0.8, 0.1
CORRECTS = 0.9
POLICY = RecallPolicy(match_floor=0.2, early_cap=3, cap=4)
"""Few slots, so that the choice matters: eighteen lessons of a system match about equally well."""


@dataclass
class Season:
    """What a run saw. ``corrections`` and ``arisen`` per session, in order."""

    memory: Memory
    corrections: list[int] = field(default_factory=list)
    arisen: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    touched: int = 0
    """Sessions in which something was shown or held out."""
    truth: dict[str, bool] = field(default_factory=dict)

    def repeat_rate(self, first: int, last: int) -> float:
        """Corrections per arisen pitfall over these sessions; each pitfall has a lesson already, so each is a repeat."""
        return sum(self.corrections[first:last]) / max(1, sum(self.arisen[first:last]))

    def mean_beliefs(self) -> tuple[float, float]:
        """Mean belief of the lessons that help, and of those that do not."""
        means: dict[bool, list[float]] = {True: [], False: []}
        for name, helps in self.truth.items():
            means[helps].append(self.memory.belief(name).mean)
        return float(np.mean(means[True])), float(np.mean(means[False]))


def team_lessons(truth: dict[str, bool]) -> dict[str, Lesson]:
    lessons = {}
    for system in range(SYSTEMS):
        for number in range(HELPFUL + USELESS):
            name = f"S{system}L{number:02}"
            truth[name] = number < HELPFUL
            lessons[name] = Lesson(
                id=name,
                question=f"Is point {number} of system {system} minded?",
                consequence="It breaks.",
                scope=(f"System {system}",),
                engineers=(f"engineer{number % 4}",),
                ms=number,
            )
    return lessons


def run(arm: Arm, sessions: int, seed: int, settings: Mapping[str, object] | None = None) -> Season:
    """A season of ``sessions`` sessions. The world's chances are the same in every arm; only what is recalled differs."""
    policy = changed(POLICY, {"explore": arm == "memory", **(settings or {})})
    season = Season(Memory())
    lessons = team_lessons(season.truth)
    season.memory = Memory(lessons, rule=policy.memory)
    fresh = Memory(lessons, rule=policy.memory)
    for number in range(sessions):
        world = np.random.default_rng([seed, number])
        system = int(world.integers(SYSTEMS))
        names = [name for name in lessons if name.startswith(f"S{system}L")]
        arises = {name: season.truth[name] and world.random() < ARISES for name in names}
        chances = dict(zip(names, world.random((len(names), 3)).tolist(), strict=True))
        evidence = {name: float(np.clip(0.5 + 0.1 * arises[name] + 0.1 * world.normal(), 0.01, 0.99)) for name in names}
        matches = sorted((Found(name, share) for name, share in evidence.items()), key=lambda m: -m.evidence)
        shown: set[str] = set()
        held: set[str] = set()
        if arm != "nothing recalled":
            memory = fresh if arm == "no memory" else season.memory
            told: dict[str, Any] = {"session": f"s{number}", "now_ms": 1000 + number, "policy": policy}
            first = choose_early(
                matches, lessons, memory, topics=[f"System {system}"], done=(), decision_id=f"e{number}", **told
            )
            done = {*first.shown, *first.held}
            last = choose_stop(matches, lessons, memory, done=done, decision_id=f"t{number}", **told)
            shown, held = {*first.shown, *last.shown}, {*first.held, *last.held}
        season.touched += bool(shown or held)
        corrections = 0
        for name in names:
            error, corrects, reply = chances[name]
            errs = arises[name] and error < (ERRS_WARNED if name in shown else ERRS)
            corrected = errs and corrects < CORRECTS
            corrections += corrected
            kind = _outcome(name in shown, season.truth[name], arises[name], corrected, reply)
            if name in shown or name in held:
                outcome = Outcome(
                    id=f"{number}-{name}",
                    ms=1000 + number,
                    lesson=name,
                    kind=kind,
                    evidence="simulated",
                    agent="sim",
                    session=f"s{number}",
                    held=name in held,
                    repo=f"repo{number % 3}",
                    engineer=f"engineer{number % 4}",
                )
                season.memory.apply(outcome)
        season.corrections.append(corrections)
        season.arisen.append(sum(arises.values()))
        season.shown.append(len(shown))
    return season


def _outcome(shown: bool, helps: bool, arises: bool, corrected: bool, reply: float) -> OutcomeKind:
    """What a team would note down: agents flatter useless lessons now and then, and skip good ones for no reason."""
    if corrected:
        return "corrected"
    if not shown:
        return "not_corrected"
    if helps and arises:
        return "changed" if reply < 0.9 else "ignored"
    if helps:
        return "not_arisen" if reply < 0.7 else "ignored"
    if reply < 0.12:
        return "changed"
    if reply < 0.15:
        return "vetoed"
    return "ignored" if reply < 0.75 else "not_arisen"
