"""The Stop's rules: whether to block, what to ask, what to hand over free.

``budget`` decides by scores alone; ``widen`` starts from a grader's picks; ``graded`` goes by its grades (3 certain,
2 likely, 1 worth a thought). Which lessons of a pool get the slots is ``in_scope_first`` over the drawn order.
Must not know whether blocking is allowed now: that is counted by the session.
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


def budget(
    ranked: Sequence[Ranked], done: Collection[str], policy: RecallPolicy, draws: Mapping[str, float] | None = None
) -> list[str]:
    """What a Stop asks by scores alone; empty: it does not block."""
    return in_scope_first(explored(budget_pool(ranked, done, policy), draws), policy)


def widen(
    ranked: Sequence[Ranked],
    picks: Collection[str],
    done: Collection[str],
    policy: RecallPolicy,
    draws: Mapping[str, float] | None = None,
) -> list[str]:
    """What a Stop asks around a grader's picks; empty: it picked none that is not done."""
    return in_scope_first(explored(widen_pool(ranked, picks, done, policy), draws), policy)


def explored(pool: Sequence[Ranked], draws: Mapping[str, float] | None) -> list[Ranked]:
    """The pool by base × (0.5 + draw), ids breaking ties; without draws by the beliefs' means."""
    drawn = draws or {}
    return sorted(pool, key=lambda lesson: (-lesson.drawn(drawn.get(lesson.id, lesson.mean)), lesson.id))


def in_scope_first(ordered: Sequence[Ranked], policy: RecallPolicy) -> list[str]:
    """Candidates in their order, scoped ones first, at most GENERIC_CAP unscoped, the cap in all."""
    scoped = [lesson.id for lesson in ordered if lesson.scoped][: stop_cap(policy)]
    generic = [lesson.id for lesson in ordered if not lesson.scoped][: policy.generic_cap]
    return [*scoped, *generic][: stop_cap(policy)]


def stop_cap(policy: RecallPolicy) -> int:
    """Lessons a block may ask: CAP, or the user's own cap where it is lower."""
    return policy.cap if policy.ask_cap is None else min(policy.cap, policy.ask_cap)


def graded(grades: Mapping[str, int], policy: RecallPolicy) -> tuple[list[str], list[str]]:
    """What to ask in a block, and what to hand over free, from grades in the grader's order.

    With a 3: all 3s, then 2s, then 1s up to CAP are asked. Without: nothing is asked, 2s then 1s up to CAP go free.
    """
    return graded_capped(grades, policy, None)


def graded_capped(grades: Mapping[str, int], policy: RecallPolicy, ask_cap: int | None) -> tuple[list[str], list[str]]:
    """``graded``, where a cap makes a block ask only 3s, the first ``ask_cap`` in the grader's order."""
    return graded_without(grades, policy, ask_cap, ())


def graded_without(
    grades: Mapping[str, int], policy: RecallPolicy, ask_cap: int | None, had: Collection[str]
) -> tuple[list[str], list[str]]:
    """``graded_capped`` for a session that already had the lessons ``had``: they may be asked, but take no free slot."""
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
