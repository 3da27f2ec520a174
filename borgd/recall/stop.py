"""The Stop's rules: whether to block, and which lessons compete for being asked.

``budget_pool`` decides by scores alone; ``widen_pool`` starts from a grader's picks; ``graded`` goes by its grades
(3 certain, 2 likely, 1 worth a thought). Who of a pool gets a slot: ``slots.fill``. Must not know whether blocking is
allowed now: that is counted by the session.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from borgd.recall.policy import RecallPolicy
from borgd.recall.rank import Ranked

CERTAIN, LIKELY, WORTH_A_THOUGHT = 3, 2, 1


def budget_pool(ranked: Sequence[Ranked], done: Collection[str], policy: RecallPolicy) -> list[Ranked]:
    """Every lesson not done over LOW × the best (done or not); empty unless one of them has BLOCK × the best."""
    best = ranked[0].score if ranked else 0.0
    waiting = [lesson for lesson in ranked if lesson.id not in done]
    if not any(lesson.score >= policy.block * best for lesson in waiting):
        return []
    return [lesson for lesson in waiting if lesson.score > policy.low * best]


def widen_pool(
    ranked: Sequence[Ranked], picks: Collection[str], done: Collection[str], policy: RecallPolicy
) -> list[Ranked]:
    """A grader's picks, lifted to at least the best score, and every lesson not done over LOW × the best."""
    chosen = [lesson for lesson in ranked if lesson.id in picks and lesson.id not in done]
    if not chosen:
        return []
    best = ranked[0].score
    lifted = [_lift(lesson, best) for lesson in chosen]
    others = [
        lesson for lesson in ranked if lesson.score > policy.low * best and lesson.id not in done and lesson.id not in picks
    ]
    return sorted([*lifted, *others], key=lambda lesson: (-lesson.score, lesson.id))


def stop_cap(policy: RecallPolicy) -> int:
    """Lessons a block may ask: CAP, or the user's own cap where it is lower."""
    return policy.cap if policy.ask_cap is None else min(policy.cap, policy.ask_cap)


def graded(
    grades: Mapping[str, int], policy: RecallPolicy, *, ask_cap: int | None = None, had: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """What to ask in a block, and what to hand over free, from grades in the grader's order.

    With a 3: all 3s, then 2s, then 1s up to CAP are asked. Without: nothing is asked, 2s then 1s up to CAP go free.

    :param ask_cap: makes a block ask only 3s, at most so many.
    :param had: lessons that the session already had: they may be asked, but take no free slot.
    """
    certain, likely, thought = (
        [lesson for lesson, grade in grades.items() if grade == wanted] for wanted in (CERTAIN, LIKELY, WORTH_A_THOUGHT)
    )
    if not certain:
        return [], [lesson for lesson in [*likely, *thought] if lesson not in had][: policy.cap]
    if ask_cap is not None:
        return certain[: min(ask_cap, policy.cap)], []
    return [*certain, *likely, *thought][: policy.cap], []


def _lift(lesson: Ranked, score: float) -> Ranked:
    """``lesson`` scoring at least ``score``; base and score keep their ratio."""
    if lesson.score >= score or lesson.score <= 0:
        return lesson
    return lesson._replace(base=lesson.base * score / lesson.score, score=score)
