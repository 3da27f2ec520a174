"""Matches into a ranking: evidence × squash(activation) × (0.5 + belief) × trust / 0.5.

Promises that a lesson which is hidden, retired, out of scope, below the floor or dormant is not ranked, and that each
of them is named with its reason. Must not know what the session was told before: that is ``early`` and ``stop``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, Protocol

from borgd.lessons.lesson import ID_PATTERN, Lesson
from borgd.memory import rng
from borgd.memory.belief import DOUBTED_BELOW
from borgd.memory.memory import Memory
from borgd.memory.trust import NEUTRAL
from borgd.recall.policy import RecallPolicy
from borgd.recall.repeated_questions import repeated
from borgd.recall.text.words import segments

HALF = 0.5
"""design: what a lesson of no use at all keeps of its score, beside its belief."""
EXPLAINED = 64
"""guard: matches below the floor that are named with their reason."""

_ID = re.compile(ID_PATTERN)


class Matched(Protocol):
    """What ranking reads of a match."""

    @property
    def id(self) -> str: ...
    @property
    def evidence(self) -> float: ...
    @property
    def scoped(self) -> bool: ...
    @property
    def in_scope(self) -> bool: ...


class Ranked(NamedTuple):
    """One lesson in the ranking. ``base`` is the score without the belief's factor, ``score`` has the belief's mean."""

    id: str
    lesson: Lesson
    evidence: float
    base: float
    score: float
    mean: float
    alpha: float
    beta: float
    trust: float
    activation: float
    dormant: bool
    consolidated: bool
    authors: tuple[str, ...] = ()
    """Canonical names."""
    doubted: bool = False
    """All but surely of little use: asked about by no block, and drawn in few sessions."""
    successor_of: str = ""
    """The hidden lesson whose evidence it goes by, where that was the stronger."""

    @property
    def scoped(self) -> bool:
        return bool(self.lesson.scope)

    @property
    def standing(self) -> bool:
        return self.lesson.standing

    def drawn(self, x: float) -> float:
        """The score if the belief were ``x``."""
        return self.base * (HALF + x)


class Ranking(NamedTuple):
    """Best first, ids breaking ties. ``excluded`` says why a match is not in it."""

    ranked: tuple[Ranked, ...]
    excluded: dict[str, str]

    @property
    def top(self) -> float:
        """The best score; 0 where nothing is ranked."""
        return self.ranked[0].score if self.ranked else 0.0


def rank(
    matches: Iterable[Matched],
    lessons: Mapping[str, Lesson],
    memory: Memory,
    policy: RecallPolicy,
    *,
    session: str = "",
    asks: bool = False,
) -> Ranking:
    """Rank what matched. ``matches`` come best first; those below ``policy.match_floor`` end the reading.

    :param session: seeds which doubted lessons are drawn; empty: none.
    :param asks: what is ranked may be asked in a block: no doubted lesson is.
    """
    excluded: dict[str, str] = {}
    evidence = _evidence(matches, lessons, memory, policy.match_floor, excluded)
    scored = [
        weigh(lessons[name], found, memory, successor_of=successor_of) for name, (found, successor_of) in evidence.items()
    ]
    resting = {ranked.id: why for ranked in scored if (why := rests(ranked, session, policy, asks=asks))}
    excluded |= resting
    scored = sorted((one for one in scored if one.id not in resting), key=lambda ranked: (-ranked.score, ranked.id))
    again = repeated([ranked.lesson for ranked in scored])
    excluded |= {name: f"asks what {other} asks" for name, other in again.items()}
    scored = [ranked for ranked in scored if ranked.id not in again]
    if not scored:
        return Ranking((), excluded)
    bar = policy.strong * scored[0].score
    awake = []
    for ranked in scored:
        if ranked.dormant and ranked.score < bar:
            excluded[ranked.id] = f"dormant (activation {ranked.activation:.2f}): needs {bar:.3f}, scores {ranked.score:.3f}"
        else:
            awake.append(ranked)
    return Ranking(tuple(awake), excluded)


def rests(ranked: Ranked, session: str, policy: RecallPolicy, *, asks: bool) -> str:
    """Why a doubted lesson stays away from this session; empty: it does not. Whether it is alone on its topic is nothing."""
    if not ranked.doubted:
        return ""
    so = f"doubted (belief {ranked.mean:.2f}, surely below {DOUBTED_BELOW})"
    if asks:
        return f"{so}: no block asks about it"
    drawn = bool(session) and rng.uniform("doubted", session, ranked.id) < policy.doubted_share
    return "" if drawn else f"{so}: drawn in {policy.doubted_share:.0%} of sessions"


def weigh(lesson: Lesson, evidence: float, memory: Memory, *, successor_of: str = "") -> Ranked:
    """``lesson`` with the evidence for it and all that memory knows of it."""
    weight = memory.weight(lesson.id)
    base = evidence * weight.squash * weight.trust / NEUTRAL
    mean = weight.belief.mean
    return Ranked(
        id=lesson.id,
        lesson=lesson,
        evidence=evidence,
        base=base,
        score=base * (HALF + mean),
        mean=mean,
        alpha=weight.belief.alpha,
        beta=weight.belief.beta,
        trust=weight.trust,
        activation=weight.activation,
        dormant=weight.dormant,
        consolidated=weight.consolidated,
        authors=memory.people.authors(lesson),
        doubted=weight.belief.doubted,
        successor_of=successor_of,
    )


def _evidence(
    matches: Iterable[Matched], lessons: Mapping[str, Lesson], memory: Memory, floor: float, excluded: dict[str, str]
) -> dict[str, tuple[float, str]]:
    """Evidence per live lesson, inherited evidence included, and whose it was."""
    successors = memory.succession().successors
    in_scope: dict[str, bool] = {}
    found: dict[str, tuple[float, str]] = {}
    weak = 0
    for match in matches:
        lesson = lessons.get(match.id)
        in_scope[match.id] = not match.scoped or match.in_scope
        if lesson is None or (reason := _unfit(lesson, in_scope[match.id])):
            excluded[match.id] = reason if lesson else "not in the store"
        elif not match.evidence >= floor or match.evidence <= 0:
            weak += 1
            if weak > EXPLAINED:
                break
            excluded[match.id] = f"evidence {match.evidence:.3f} is below the floor of {floor:.3f}"
        else:
            for name in successors.get(match.id, (match.id,)):
                if name not in found or found[name][0] < match.evidence:
                    found[name] = (match.evidence, "" if name == match.id else match.id)
            if match.id in successors:
                excluded[match.id] = f"superseded by {', '.join(successors[match.id])}"
    for name, (_, successor_of) in list(found.items()):
        if successor_of and (
            reason := _unfit(lessons[name], in_scope.get(name, _shared(lessons[name], lessons[successor_of])))
        ):
            excluded[name] = f"inherits from {successor_of}, but: {reason}"
            del found[name]
        else:
            excluded.pop(name, None)
    return found


def _unfit(lesson: Lesson, in_scope: bool) -> str:
    """Why this lesson may not be recalled at all, or nothing."""
    if not _ID.match(lesson.id):
        return "its id is not one that an answer line can carry"
    if lesson.retired:
        return "retired"
    return "" if in_scope else f"none of its systems is named ({', '.join(lesson.scope)})"


def _shared(successor: Lesson, hidden: Lesson) -> bool:
    """An successor that matched nothing itself is in scope where it shares a system with the lesson it inherits from."""
    return not successor.scope or shares_scope(successor.scope, hidden.scope)


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """A system name as names are compared: its parts, joined."""
    return "".join(segments(name))


def shares_scope(scopes: Iterable[str], topics: Iterable[str]) -> bool:
    """Whether one of ``topics`` names one of ``scopes``, however it is spelled."""
    return not {name_key(scope) for scope in scopes}.isdisjoint(name_key(topic) for topic in topics)
