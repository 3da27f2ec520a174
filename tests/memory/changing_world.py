"""One person, one system, lessons that cost attention, and a world that changes half-way: what each part of learning brings.

A lesson's situation arises now and then and leaves words in the session; recall knows some of them, and with relevance
feedback those of every session in which the lesson changed something. Its evidence is the exact probability, given the
words that are known, that the situation has arisen. A useful lesson keeps the agent out of its pitfall when it is told; a
useless one never does; a bad one is vetoed besides. Half-way useful and useless change places. The truth of a belief is the
share of good among the credit that the lesson's own outcomes give from then on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import numpy as np

from borgd.lessons.lesson import Lesson
from borgd.memory.belief import FRESH, HALF_LIFE, BeliefRule
from borgd.memory.memory import Memory, MemoryRule
from borgd.memory.records import Outcome, OutcomeKind
from borgd.recall.by_cost import choose_block, choose_line
from borgd.recall.choose import Choice, choose_early, choose_stop
from borgd.recall.policy import RecallPolicy
from tests.recall.choice_support import Found

Nature = Literal["useful", "useless", "bad"]
NATURES: Mapping[Nature, int] = {"useful": 3, "useless": 3, "bad": 1}
SYSTEM = "Tarn"
ARISES = 0.6
WORDS, KNOWN_WORDS = 8, 3
WORD_THERE, WORD_ELSEWHERE = 0.5, 0.12
ERRS, ERRS_TOLD = 0.8, 0.1
LINE, BLOCK, REPEAT = 0.03, 0.3, 1.0
"""What a line, a block and a repeated correction cost, in corrections."""
GOOD = ("changed", "tested")


@dataclass
class Learning:
    """Which parts of learning are on. ``half_life`` in results; 0: nothing fades and nothing is capped."""

    half_life: int = HALF_LIFE
    fresh: int = FRESH
    threshold: bool = True
    feedback: bool = True
    by_cost: bool = True
    """Lines and blocks by what they cost; else by the seed's rules, relative to the best match."""

    def policy(self) -> RecallPolicy:
        rule = BeliefRule(fresh=self.fresh, half_life=self.half_life or 10**9)
        if not self.half_life:
            rule = msgspec.structs.replace(rule, own_credits=1000.0, repository_credits=1000.0)
        memory = MemoryRule(belief=rule)
        share = 0.05 if self.threshold else 1.0
        return RecallPolicy(match_floor=0.15, early_cap=5, cap=5, holdout=0.0, doubted_share=share, memory=memory)


@dataclass
class Years:
    """What was seen; one entry a session."""

    lines: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)
    told_bad: list[int] = field(default_factory=list)
    beliefs: list[dict[str, float]] = field(default_factory=list)
    credit: dict[str, list[float]] = field(default_factory=dict)
    """Good and bad credit of each lesson's outcomes since the world changed."""
    natures: dict[str, Nature] = field(default_factory=dict)
    """Since the world changed."""

    def cost(self, first: int, last: int) -> float:
        """Per session, in corrections."""
        parts = ((self.lines, LINE), (self.blocks, BLOCK), (self.repeats, REPEAT))
        return sum(price * float(np.mean(counts[first:last])) for counts, price in parts)

    def error(self, session: int, nature: Nature) -> tuple[float, float]:
        """(mean belief after ``session``, truth) over the lessons of this nature now; truth is nan where none was told."""
        names = [name for name, now in self.natures.items() if now == nature]
        good, bad = (sum(self.credit.get(name, (0.0, 0.0))[side] for name in names) for side in (0, 1))
        truth = good / (good + bad) if good + bad else math.nan
        return float(np.mean([self.beliefs[session][name] for name in names])), truth


Choose = Callable[[Sequence[Found], dict[str, Lesson], Memory, dict[str, Any]], tuple[set[str], set[str]]]


def live(learning: Learning, sessions: int, seed: int) -> Years:
    """``sessions`` sessions, of which the world changes before the middle one. The same chances whatever is learned."""
    years, lessons, natures, policy = Years(), *_lessons(), learning.policy()
    memory = Memory(lessons, rule=policy.memory, own="ann")
    known = {name: set(range(KNOWN_WORDS)) for name in lessons}
    decide: Choose = by_cost if learning.by_cost else by_budget
    for number in range(sessions):
        if number == sessions // 2:
            swapped: dict[Nature, Nature] = {"useful": "useless", "useless": "useful", "bad": "bad"}
            natures = years.natures = {name: swapped[nature] for name, nature in natures.items()}
        world = np.random.default_rng([seed, number])
        arises = {name: bool(world.random() < ARISES) for name in lessons}
        words = {name: world.random(WORDS) < (WORD_THERE if arises[name] else WORD_ELSEWHERE) for name in lessons}
        chances = dict(zip(lessons, world.random((len(lessons), 3)).tolist(), strict=True))
        found = [Found(name, _probability(words[name], known[name])) for name in lessons]
        found.sort(key=lambda match: -match.evidence)
        told = {"session": f"s{number}", "now_ms": 1000 + number, "policy": policy}
        lines, asked = decide(found, lessons, memory, told)
        repeats = 0
        for name in lessons:
            error, corrects, reply = chances[name]
            seen = name in lines or name in asked
            useful = natures[name] == "useful"
            errs = useful and arises[name] and error < (ERRS_TOLD if seen else ERRS)
            repeats += errs
            if seen:
                kind = _outcome(natures[name], arises[name], errs and corrects < 0.9, reply)
                memory.apply(_record(name, kind, number))
                if kind == "changed" and learning.feedback:
                    known[name] |= set(np.flatnonzero(words[name]).tolist())
                if number >= sessions // 2:
                    _count(years.credit.setdefault(name, [0.0, 0.0]), kind, policy.memory.belief)
        years.lines.append(len(lines))
        years.blocks.append(bool(asked))
        years.repeats.append(repeats)
        years.told_bad.append(sum(natures[name] == "bad" for name in lines | asked))
        years.beliefs.append({name: memory.belief(name).mean for name in lessons})
    return years


def by_cost(
    found: Sequence[Found], lessons: dict[str, Lesson], memory: Memory, told: dict[str, Any]
) -> tuple[set[str], set[str]]:
    """Lines and asked questions that are worth more than they cost."""
    left = told["policy"].session_lines
    first = choose_line(found, lessons, memory, done=(), lines_left=left, decision_id="e", **told)
    last = choose_block(_open(found, first), lessons, memory, done=(), delivered=first.shown, decision_id="t", **told)
    return set(first.shown), set(last.shown)


def _open(found: Sequence[Found], first: Choice) -> list[Found]:
    """At Stop: that the situation has arisen and is not dealt with, as it mostly is by who was told."""
    errs = {match.id: ERRS_TOLD if match.id in first.shown else ERRS for match in found}
    return sorted((Found(match.id, match.evidence * errs[match.id]) for match in found), key=lambda match: -match.evidence)


def by_budget(
    found: Sequence[Found], lessons: dict[str, Lesson], memory: Memory, told: dict[str, Any]
) -> tuple[set[str], set[str]]:
    """Lines and asked questions by the seed's rules, relative to the best match."""
    first: Choice = choose_early(found, lessons, memory, topics=[SYSTEM], done=(), decision_id="e", **told)
    last: Choice = choose_stop(_open(found, first), lessons, memory, done=set(first.shown), decision_id="t", **told)
    return set(first.shown), set(last.shown)


def _lessons() -> tuple[dict[str, Lesson], dict[str, Nature]]:
    natures = {f"{nature[:3].upper()}{nature[3:4]}{n}": nature for nature, count in NATURES.items() for n in range(count)}
    lessons = {
        name: Lesson(id=name, question=f"Is {name} minded?", consequence="It breaks.", scope=(SYSTEM,), ms=1)
        for name in natures
    }
    return lessons, natures


def _probability(words: np.ndarray[Any, Any], known: set[int]) -> float:
    """That the situation has arisen, given which of the known words are there."""
    odds = math.log(ARISES / (1 - ARISES))
    for word in known:
        there = bool(words[word])
        here, elsewhere = (WORD_THERE, WORD_ELSEWHERE) if there else (1 - WORD_THERE, 1 - WORD_ELSEWHERE)
        odds += math.log(here / elsewhere)
    return 1 / (1 + math.exp(-odds))


def _outcome(nature: Nature, arises: bool, corrected: bool, reply: float) -> OutcomeKind:
    """What becomes of a lesson that was told."""
    if nature == "bad":
        return "vetoed" if reply < 0.3 else "ignored" if reply < 0.9 else "not_arisen"
    if nature == "useful" and corrected:
        return "corrected"
    if nature == "useful" and arises:
        return "changed" if reply < 0.9 else "ignored"
    if nature == "useful":
        return "not_arisen" if reply < 0.8 else "ignored"
    return "changed" if reply < 0.1 else "ignored" if reply < 0.7 else "not_arisen"


def _record(name: str, kind: OutcomeKind, number: int) -> Outcome:
    return Outcome(
        id=f"{number}-{name}", ms=1000 + number, lesson=name, kind=kind, evidence="simulated", agent="sim",
        session=f"s{number}", repo="acme/tarn", engineer="ann",
    )  # fmt: skip


def _count(credit: list[float], kind: OutcomeKind, rule: BeliefRule) -> None:
    step = float(getattr(rule, kind, 0.0))
    credit[0 if kind in GOOD else 1] += step if kind not in ("not_arisen", "not_corrected") else 0.0
