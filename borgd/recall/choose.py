"""One choice of recall, from matches to what the agent is told and what is written down about it.

The only entry for daemon and CLI. Pure: the same values in, the same choice out. Every lesson that was looked at has a
reason, whether it was shown or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.memory.records import Channel, Decision, PoolEntry
from borgd.recall import draws, render, slots
from borgd.recall.disagreement import disagreement, disagreements
from borgd.recall.early import Topics, early_pool, standing_pool
from borgd.recall.policy import RANKING, RecallPolicy
from borgd.recall.rank import Matched, Ranked, Ranking, rank, weigh
from borgd.recall.stop import budget_pool, graded, stop_cap, widen_pool

POLICY = RecallPolicy()
"""design: the constants as chosen."""
HORIZON_MS = 24 * 3600 * 1000
"""design: an occasion is settled so long after its coin, by the corrections of its own session until then."""

Holdout = Callable[[str], float]
"""Of a lesson: with which probability it is withheld now; 0 at any but the first contact of a session with it."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What to tell the agent (``text``, empty: nothing) and what to log (``decision``, None: nothing was in question).

    ``blocks``: the text is a Stop block's reason. ``free``: ids handed over without a block, ``text`` being what to add
    to the next prompt or tool call. ``held``: withheld on purpose; they count as done for the session, or the control
    group is told after all. ``reasons``: one line for every lesson that was looked at.
    """

    decision: Decision | None = None
    text: str = ""
    blocks: bool = False
    shown: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    reasons: dict[str, str] = {}


class ChoiceMoment(NamedTuple):
    """What both moments need to know to turn a pool into a choice."""

    memory: Memory
    session: str
    decision_id: str
    now_ms: int
    policy: RecallPolicy
    channel: Channel
    topics: tuple[str, ...] = ()
    rule: str = "budget"
    withhold: Holdout | None = None
    top: float = 0.0
    """Score that the bars are relative to."""

    def holdout(self, ranked: Ranked) -> float:
        """The probability with which this lesson is withheld, should it win a slot."""
        if ranked.standing:
            return 0.0
        return self.policy.holdout if self.withhold is None else self.withhold(ranked.id)


def choose_early(
    matches: Iterable[Matched],
    lessons: Mapping[str, Lesson],
    memory: Memory | None = None,
    *,
    topics: Iterable[str],
    done: Collection[str],
    session: str,
    decision_id: str,
    now_ms: int,
    policy: RecallPolicy = POLICY,
    withhold: Holdout | None = None,
) -> Choice:
    """What comes with the first naming of ``topics`` (scope names; ANY at the session's first prompt).

    :param matches: best first.
    :param done: ids already delivered, asked or withheld in this session.
    :param session: the key that seeds draws; empty: none are drawn.
    :param withhold: each lesson's holdout; None: the policy's for all.
    """
    subject = Topics(topics)
    if not subject.any and not subject.names:
        return Choice()
    memory = memory or Memory(lessons, rule=policy.memory)
    ranking = rank(matches, lessons, memory, policy, session=session)
    evidence = {ranked.id: ranked.evidence for ranked in ranking.ranked}
    standing = standing_pool(lessons, memory, subject, done, evidence, session=session, policy=policy)
    plain = early_pool(ranking.ranked, subject, done, policy)
    reasons = {**ranking.excluded, **_early_reasons(ranking, subject, done, policy)}
    top = _on_topic_top(ranking, subject)
    moment = ChoiceMoment(memory, session, decision_id, now_ms, policy, "early", subject.names, withhold=withhold, top=top)
    return choose_slots(moment, standing, plain, reasons, render.early_head(subject.names))


def choose_stop(
    matches: Iterable[Matched],
    lessons: Mapping[str, Lesson],
    memory: Memory | None = None,
    *,
    done: Collection[str],
    delivered: Collection[str] = (),
    session: str,
    decision_id: str,
    now_ms: int,
    policy: RecallPolicy = POLICY,
    withhold: Holdout | None = None,
    grades: Mapping[str, int] | None = None,
) -> Choice:
    """What a Stop asks, or hands over free.

    :param matches: best first.
    :param done: ids already asked, or delivered and acted on, or withheld, in this session.
    :param delivered: ids already delivered: they may be asked, but are not handed over again.
    :param withhold: each lesson's holdout; None: the policy's for all.
    :param grades: a grader's answer, id → 3, 2 or 1 in its order; None: decided by scores alone.
    """
    memory = memory or Memory(lessons, rule=policy.memory)
    ranking = rank(matches, lessons, memory, policy, session=session, asks=True)
    moment = ChoiceMoment(memory, session, decision_id, now_ms, policy, "stop", withhold=withhold, top=ranking.top)
    reasons = dict(ranking.excluded)
    if grades is not None and policy.grader_rule == "graded":
        return _choose_graded(moment, ranking, lessons, grades, done=done, delivered=delivered, reasons=reasons)
    if grades is None:
        pool = budget_pool(ranking.ranked, done, policy)
    else:
        moment = moment._replace(rule="widen")
        pool = widen_pool(ranking.ranked, [name for name, grade in grades.items() if grade > 1], done, policy)
    reasons |= _stop_reasons(ranking, done, policy, blocks=bool(pool))
    return choose_slots(moment, [], pool, reasons, render.stop_head(stop_cap(policy)))


def _choose_graded(
    moment: ChoiceMoment,
    ranking: Ranking,
    lessons: Mapping[str, Lesson],
    grades: Mapping[str, int],
    *,
    done: Collection[str],
    delivered: Collection[str],
    reasons: dict[str, str],
) -> Choice:
    """By grades in the grader's order: nothing is drawn, the holdout alone is chance."""
    policy = moment.policy
    hidden = moment.memory.succession().successors
    open_grades = {
        name: grade
        for name, grade in grades.items()
        if name in lessons and not lessons[name].retired and name not in done and name not in hidden
        if not moment.memory.belief(name).doubted
    }
    ask, free = graded(open_grades, policy, ask_cap=policy.ask_cap, had=delivered)
    if not ask and not free:
        return Choice(reasons=reasons)
    ranked = {lesson.id: lesson for lesson in ranking.ranked}
    pool = [ranked.get(name) or weigh(lessons[name], 0.0, moment.memory) for name in [*ask, *free, *open_grades]]
    pool = list({lesson.id: lesson for lesson in pool}.values())
    for name, grade in grades.items():
        reasons[name] = f"graded {grade}"
    chosen = ask or free
    head = render.stop_head(len(ask)) if ask else render.free_head()
    moment = moment._replace(channel="stop" if ask else "free", rule="graded")
    room = _limit(moment) - render.overhead(head, peers=any(lesson.lesson.peer for lesson in pool))
    order, _ = _in_order(moment, pool, chosen, room)
    return _finish(moment, order, reasons, head)


class _Slot(NamedTuple):
    """One lesson of the pool after the slots were filled."""

    ranked: Ranked
    draw: float
    won: bool
    p: float
    cut: bool = False


def choose_slots(
    moment: ChoiceMoment, standing: Sequence[Ranked], plain: Sequence[Ranked], reasons: dict[str, str], head: str
) -> Choice:
    """Standing lessons first, then the slots for the rest by their draws."""
    if not standing and not plain:
        return Choice(reasons=reasons)
    policy, early = moment.policy, moment.channel == "early"
    cap = policy.early_cap if early else stop_cap(policy)
    room = _limit(moment) - render.overhead(head, peers=any(lesson.lesson.peer for lesson in [*standing, *plain]))
    first, room = _in_order(moment, standing, [lesson.id for lesson in standing[:cap]], room)
    rule = slots.SlotRule(slots=max(0, cap - len(standing)), generic=0 if early else policy.generic_cap, room=room)
    return _finish(moment, [*first, *_drawn(moment, plain, rule)], reasons, head)


def _in_order(
    moment: ChoiceMoment, lessons: Sequence[Ranked], winners: Collection[str], room: int
) -> tuple[list[_Slot], int]:
    """Lessons whose places are not drawn: ``winners`` are kept while there is room; and the room that is left."""
    placed = []
    for lesson in lessons:
        won = lesson.id in winners
        room -= _size(moment, lesson) if won else 0
        fits = won and room >= 0
        placed.append(_Slot(lesson, lesson.mean, won, 1.0 if fits else slots.P_LEAST, cut=won and not fits))
    return placed, max(0, room)


def _drawn(moment: ChoiceMoment, lessons: Sequence[Ranked], rule: slots.SlotRule) -> list[_Slot]:
    """Lessons that compete by their draws: kept, cut, then the rest by score."""
    policy = moment.policy
    first = np.array([moment.channel == "early" or lesson.scoped for lesson in lessons], dtype=bool)
    pool = slots.Pool(lessons, first, np.array([_size(moment, lesson) for lesson in lessons], dtype=np.int64))
    seed = moment.session if policy.explore else ""
    draw = draws.thompson(seed, lessons)
    filled = slots.fill(pool, draw, rule)
    chances = slots.propensity(pool, rule, filled, seed, policy.p_draws)
    winners, cut = {*filled.kept, *filled.cut}, set(filled.cut)
    losers = sorted(set(range(len(lessons))) - winners, key=lambda i: (-filled.scores[i], lessons[i].id))
    return [
        _Slot(lessons[i], float(draw[i]), i in winners, float(chances[i]), cut=i in cut)
        for i in [*filled.kept, *filled.cut, *losers]
    ]


def _finish(moment: ChoiceMoment, order: Sequence[_Slot], reasons: dict[str, str], head: str) -> Choice:
    """Withhold, write the text, write the record."""
    best = max(slot.ranked.evidence for slot in order)
    shown: list[Ranked] = []
    held: list[str] = []
    entries: list[PoolEntry] = []
    for place, slot in enumerate(order):
        ranked = slot.ranked
        kept = slot.won and not slot.cut
        chance = moment.holdout(ranked)
        drawn = moment.policy.doubted_share if ranked.doubted else 1.0
        away = kept and draws.withheld(moment.session or moment.decision_id, ranked.id, chance)
        if away:
            held.append(ranked.id)
        elif kept:
            shown.append(ranked)
        entries.append(_entry(slot, place, best, chance, shown=kept and not away, held=away, drawn=drawn))
        reasons[ranked.id] = _verdict(slot, away, entries[-1])
    text = _text(moment, shown, head)
    ids = tuple(lesson.id for lesson in shown)
    return Choice(
        decision=_decision(moment, entries, best, render.width(text), _scopes(order)),
        text=text,
        blocks=bool(text) and moment.channel == "stop",
        shown=ids,
        held=tuple(held),
        free=ids if moment.channel == "free" else (),
        reasons=reasons,
    )


def _scopes(order: Sequence[_Slot]) -> tuple[str, ...]:
    """The systems of the lessons that were shown or held out."""
    return tuple(sorted({name for slot in order if slot.won and not slot.cut for name in slot.ranked.lesson.scope}))


def _decision(
    moment: ChoiceMoment, entries: Sequence[PoolEntry], evidence: float, chars: int, scopes: tuple[str, ...]
) -> Decision:
    """The record; who and where are for the caller to add."""
    policy, early = moment.policy, moment.channel == "early"
    return Decision(
        id=moment.decision_id,
        ms=moment.now_ms,
        agent="",
        session=moment.session,
        channel=moment.channel,
        pool=tuple(entries),
        topics=moment.topics,
        scopes=scopes,
        seed=moment.session,
        policy=policy.name or moment.rule,
        version=policy.version,
        budget=_limit(moment),
        slots=policy.early_cap if early else stop_cap(policy),
        generic_slots=0 if early else policy.generic_cap,
        chars=chars,
        holdout=max((entry.holdout for entry in entries), default=0.0),
        horizon_ms=HORIZON_MS,
        ranking=RANKING,
        floor=policy.match_floor,
        best=moment.top,
        evidence=evidence,
    )


def _entry(slot: _Slot, place: int, best: float, chance: float, *, shown: bool, held: bool, drawn: float) -> PoolEntry:
    """:param drawn: probability that this lesson was among those that compete."""
    ranked = slot.ranked
    return PoolEntry(
        id=ranked.id,
        score=ranked.drawn(slot.draw),
        base=ranked.base,
        share=ranked.evidence / best if best > 0 else 0.0,
        rank=place,
        draw=slot.draw,
        mean=ranked.mean,
        p=max(slot.p * (1 - chance) * drawn, slots.P_LEAST),
        alpha=ranked.alpha,
        beta=ranked.beta,
        scoped=ranked.scoped,
        standing=ranked.standing,
        shown=shown,
        held=held,
        cut=slot.cut,
        holdout=chance,
    )


def _text(moment: ChoiceMoment, shown: Sequence[Ranked], head: str) -> str:
    if not shown:
        return ""
    if moment.channel == "stop":
        head = render.stop_head(len(shown))
    notes = [
        (disagreement(sides), any(side.lesson.peer for side in sides))
        for members in disagreements(shown, moment.memory.succession().disputes)
        for sides in [[shown[index] for index in members]]
    ]
    lines = [(lesson.lesson, render.line(lesson.lesson, _shape(moment))) for lesson in shown]
    return render.compose(head, lines, notes, _limit(moment), moment.decision_id)


def _shape(moment: ChoiceMoment) -> render.LineShape:
    return render.stop_shape(moment.policy) if moment.channel == "stop" else render.early_shape(moment.policy)


def _size(moment: ChoiceMoment, ranked: Ranked) -> int:
    return render.size(ranked.lesson, _shape(moment))


def _limit(moment: ChoiceMoment) -> int:
    return moment.policy.host_chars if moment.channel == "stop" else moment.policy.early_chars


def _verdict(slot: _Slot, away: bool, entry: PoolEntry) -> str:
    chance = f"score {entry.score:.3f} (draw {entry.draw:.2f}), p {entry.p:.3f}"
    if slot.ranked.successor_of:
        chance += f", by the evidence for {slot.ranked.successor_of}, which it supersedes"
    if slot.cut:
        return f"cut: no room for its text; {chance}"
    if away:
        return f"held out, to measure what it does; {chance}"
    if slot.won:
        return f"shown{' (standing)' if slot.ranked.standing else ''}; {chance}"
    return f"won no slot; {chance}"


def _on_topic_top(ranking: Ranking, topics: Topics) -> float:
    return max((lesson.score for lesson in ranking.ranked if topics.bring(lesson)), default=0.0)


def _early_reasons(ranking: Ranking, topics: Topics, done: Collection[str], policy: RecallPolicy) -> dict[str, str]:
    bar = policy.relative * _on_topic_top(ranking, topics)
    reasons = {}
    for lesson in ranking.ranked:
        if lesson.id in done:
            reasons[lesson.id] = "already delivered, asked or held out in this session"
        elif not topics.bring(lesson):
            reasons[lesson.id] = "its system was not named for the first time just now"
        elif lesson.score < bar:
            reasons[lesson.id] = f"scores {lesson.score:.3f}, early delivery takes {bar:.3f} and more"
    return reasons


def _stop_reasons(ranking: Ranking, done: Collection[str], policy: RecallPolicy, *, blocks: bool) -> dict[str, str]:
    block, low = policy.block * ranking.top, policy.low * ranking.top
    reasons = {}
    for lesson in ranking.ranked:
        if lesson.id in done:
            reasons[lesson.id] = "already asked, acted on or held out in this session"
        elif not blocks:
            reasons[lesson.id] = f"scores {lesson.score:.3f}, a block needs one open lesson at {block:.3f}"
        elif lesson.score <= low:
            reasons[lesson.id] = f"scores {lesson.score:.3f}, a block asks what is over {low:.3f}"
    return reasons
