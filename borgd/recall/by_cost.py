"""Whether a lesson is told, by what telling it costs: the choice of ``policy = "cost"``, from judged matches on.

A lesson is eligible where probability × (0.5 + mean belief) × trust / 0.5 exceeds the channel's cost, in units of one
repeated correction: a line costs the agent a glance, a block costs the person a turn, so a line comes far sooner. The
Thompson draw orders the eligible for the slots, so propensities are those of a top k over them. Promises: nothing is
relative to another lesson's score; a session's lines are capped in number and characters. Pure, as ``choose``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.memory.trust import NEUTRAL
from borgd.recall import render
from borgd.recall.choose import POLICY, Choice, ChoiceMoment, Holdout, choose_slots
from borgd.recall.early import Topics, standing_pool
from borgd.recall.policy import RecallPolicy
from borgd.recall.rank import HALF, Matched, Ranked, rank
from borgd.recall.stop import stop_cap

RULE = "cost"
"""What decisions made here are logged under."""
UNHEEDED = 0.65
"""tuned: borg debug loop --later rich --cross-fit; what a lesson counts at Stop that was handed over in this session and not
acted on: it was read, and passed by. From .6 to .75 the same repeats are prevented; from .75 on over .08 of the quiet
sessions are asked."""


def worth(ranked: Ranked) -> float:
    """What telling this lesson is expected to spare, in repeated corrections."""
    return ranked.evidence * (HALF + ranked.mean) * ranked.trust / NEUTRAL


def choose_line(
    matches: Iterable[Matched],
    lessons: Mapping[str, Lesson],
    memory: Memory,
    *,
    topics: Iterable[str] = (),
    done: Collection[str],
    session: str,
    decision_id: str,
    now_ms: int,
    edit: bool = False,
    lines_left: int,
    policy: RecallPolicy = POLICY,
    withhold: Holdout | None = None,
) -> Choice:
    """What is handed over with a prompt or an edit.

    :param matches: judged, best first; their evidence is the probability that a lesson applies and is open.
    :param topics: scope names that are named for the first time: their standing lessons come, matched or not.
    :param edit: code was just written: what matches now will not look better later, so the cost of a line alone counts.
    :param lines_left: lines that this session may still have.
    """
    policy = msgspec.structs.replace(policy, match_floor=0.0, early_cap=max(0, min(policy.line_cap, lines_left)))
    ranking = rank(matches, lessons, memory, policy, session=session)
    cost = policy.cost(policy.line_cost if edit else policy.prompt_cost)
    subject = Topics(topics)
    likely = {one.id: one.evidence for one in ranking.ranked if worth(one) >= cost}
    standing = standing_pool(lessons, memory, subject, done, likely, session=session, policy=policy)
    reasons = dict(ranking.excluded)
    plain = []
    for one in ranking.ranked:
        if one.id in done:
            reasons[one.id] = "already delivered, asked or held out in this session"
        elif worth(one) < cost:
            reasons[one.id] = f"worth {worth(one):.3f}, a line costs {cost:.3f}"
        elif not one.standing:
            plain.append(one)
    moment = ChoiceMoment(
        memory, session, decision_id, now_ms, policy, "early", subject.names, RULE, withhold=withhold, top=ranking.top
    )
    if not policy.early_cap:
        return Choice(reasons=reasons)
    return choose_slots(moment, standing, plain, reasons, render.early_head(_head_scopes(subject, standing, plain)))


def _head_scopes(subject: Topics, standing: Collection[Ranked], plain: Collection[Ranked]) -> list[str]:
    """The systems that the lines are about: those just named, where the lines are theirs."""
    theirs = {name for one in (*standing, *plain) for name in one.lesson.scope}
    return [name for name in subject.names if name in theirs]


def choose_block(
    matches: Iterable[Matched],
    lessons: Mapping[str, Lesson],
    memory: Memory,
    *,
    done: Collection[str],
    delivered: Collection[str] = (),
    handled: Collection[str] = (),
    session: str,
    decision_id: str,
    now_ms: int,
    policy: RecallPolicy = POLICY,
    withhold: Holdout | None = None,
) -> Choice:
    """What a Stop asks: only lessons whose point is likely open.

    :param handled: ids whose point the work shows dealt with; they are not asked, however much else speaks for them.
    :param delivered: ids that were handed over in this session and not acted on; they count less.
    """
    policy = msgspec.structs.replace(policy, match_floor=0.0)
    ranking = rank(matches, lessons, memory, policy, session=session, asks=True)
    cost = policy.cost(policy.block_cost)
    reasons = dict(ranking.excluded)
    pool = []
    for one in ranking.ranked:
        value = worth(one) * (UNHEEDED if one.id in delivered else 1.0)
        if one.id in done:
            reasons[one.id] = "already asked, acted on or held out in this session"
        elif one.id in handled:
            reasons[one.id] = "the work shows its point dealt with"
        elif value < cost:
            reasons[one.id] = f"worth {value:.3f}, a block costs {cost:.3f}"
        else:
            pool.append(one)
    moment = ChoiceMoment(memory, session, decision_id, now_ms, policy, "stop", (), RULE, withhold=withhold, top=ranking.top)
    return choose_slots(moment, [], pool, reasons, render.stop_head(stop_cap(policy)))
