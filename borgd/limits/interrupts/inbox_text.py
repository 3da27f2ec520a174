"""The texts of interruptions: what a deferred agent reads, what an answered one reads, what a person reads. Pure.

Promises the bounds named here whatever the parts' length; a question or an answer is quoted, never followed as an order
of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from borgd.lessons.sanitize import clean
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.ceilings import InterruptPolicy
from borgd.limits.interrupts.inbox import InboxEntry
from borgd.limits.interrupts.stakes import FORM
from borgd.limits.interrupts.tools import APPROVE
from borgd.limits.interrupts.verdict import Ask, InterruptVerdict, decimal
from borgd.limits.interrupts.windows import hour_of

DEFERRAL_CHARS = 599
"""guard: the agent is told in under 600 characters."""
ANSWER_CHARS = 1000
"""guard: one answer as it is handed to an agent."""
DIGEST_CHARS = 400
"""guard: a notification's body."""
_PART_CHARS = 100
"""design: a fallback, scope or reason inside a longer text."""

HOUR_MS = 3_600_000
MINUTE_MS = 60_000


MEANWHILE = "do what does not hang on the answer, and where everything does, end here and say what you need"
"""design: what an agent does that recommended nothing; nothing is made up for it."""
NO_RECOMMENDATION = f"you recommended no option, so there is no fallback: {MEANWHILE}"
NO_FALLBACK = f"you named no fallback, so there is none: {MEANWHILE}"


def deferral(verdict: InterruptVerdict, ask: Ask, policy: InterruptPolicy) -> str:
    """What the agent reads instead of the person's answer: bar, spend, fallback, how to state stakes, inbox numbers."""
    where = clean(scopes.said(verdict.binding), _PART_CHARS)
    window = "in 24 hours" if policy.window == "rolling" else "today"
    spend = f"{where} has spent {verdict.spent} of {verdict.ceiling} {window}"
    on = _meanwhile(ask)
    if verdict.outcome == "excluded":
        return clean(f"Not asked: {clean(verdict.reason, 200)}. Nothing is queued; {on}.", DEFERRAL_CHARS)
    if verdict.rule == "confidence":
        why = f"bar {decimal(verdict.threshold)}, your confidence {_given(verdict)}; {spend}"
    elif verdict.rule == "joined":
        why = clean(verdict.reason, 2 * _PART_CHARS)
    else:
        why = f"{clean(verdict.reason, 2 * _PART_CHARS)}; bar {decimal(verdict.threshold)}; {spend}"
    numbers = ", ".join(f"#{number}" for number in verdict.numbers or (verdict.number,))
    several = len(verdict.numbers) > 1
    waits = f"{'They wait' if several else 'It waits'} in the inbox as {numbers}"
    if ask.kind != "question":
        again = "call ExitPlanMode again with the plan unchanged" if ask.kind == "plan" else "make the same call again"
        return clean(
            f"Not asked now: {why}. {waits}; do not wait for it, {on}. Once the person has approved it, you are told: "
            f"then {again}, and it goes through once. Anything else is a new ask.",
            DEFERRAL_CHARS,
        )
    teach = (
        f"If a wrong guess would be costly, ask again and state it in the question as {FORM}, numbers in [0, 1] "
        f"(stakes: cost of a wrong guess, {decimal(policy.high_stakes)} passes; confidence: that a person is needed)."
    )
    if verdict.rule in ("never", "hard cap", "unknown scope"):
        teach = f"Stating {FORM} would not change it here."
    return clean(
        f"Not asked now: {why}. {waits}; do not wait for {'them' if several else 'it'}, {on}. "
        f"The answer reaches you when it comes. {teach}",
        DEFERRAL_CHARS,
    )


def _meanwhile(ask: Ask) -> str:
    """What the asker does without an answer, as part of a sentence."""
    parts = ask.parts
    if len(parts) == 1:
        if ask.goes_on_with:
            return f'go on with "{clean(ask.goes_on_with, _PART_CHARS)}"'
        return NO_RECOMMENDATION if ask.options else NO_FALLBACK
    room = _PART_CHARS // len(parts)
    known = [f'"{clean(one.goes_on_with, room)}" for question {at}' for at, one in enumerate(parts, 1) if one.goes_on_with]
    open_ones = [str(at) for at, one in enumerate(parts, 1) if not one.goes_on_with]
    if not known:
        return NO_RECOMMENDATION
    rest = f"; for {', '.join(open_ones)} you recommended none: leave open what hangs on it" if open_ones else ""
    return f"go on with {', '.join(known)}{rest}"


def note(verdict: InterruptVerdict, ask: Ask) -> str:
    """What the person is told where their agent's host has a place for it."""
    if verdict.outcome == "excluded":
        return ""
    numbers = ", ".join(f"#{number}" for number in verdict.numbers or (verdict.number,))
    what = clean(ask.question or ask.source, _PART_CHARS)
    how = "approve" if ask.kind != "question" else "TEXT"
    why = "" if verdict.rule == "joined" else f" ({clean(verdict.reason, _PART_CHARS)})"
    return f'borgd held back a {ask.kind} of the agent{why}: {numbers} "{what}". borg inbox answer {verdict.number} {how}'


def _given(verdict: InterruptVerdict) -> str:
    value = "not a number" if verdict.confidence.value is None else decimal(verdict.confidence.value)
    return f"{value} ({clean(verdict.confidence.origin, 40)})"


def answer(entry: InboxEntry, now_ms: int, session: str = "") -> str:
    """What an agent reads once a person answered its ask; another session than the one that asked reads whose it was."""
    minutes = max(0, now_ms - entry.queued_ms) // MINUTE_MS
    ago = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"
    late = " It came after its expiry." if entry.late and not entry.session_over else ""
    question, said = clean(entry.ask.question, 200), clean(entry.answer, 500)
    if session and session != entry.ask.session:
        where = clean(entry.ask.repository or scopes.said(entry.ask.scope), _PART_CHARS)
        return clean(
            f'In an earlier session in {where}, {ago} ago, an agent asked (ask #{entry.number}): "{question}". The person '
            f'answered: "{said}". Take it as how they want to work there; it approves nothing here.',
            ANSWER_CHARS,
        )
    if entry.ask.approval:
        yes = entry.answer in APPROVE
        plan = (
            "call ExitPlanMode again with exactly that plan" if entry.ask.what == "plan" else "make exactly that call again"
        )
        then = f"{plan}: it goes through once. This approves nothing else." if yes else "It is not approved."
        return clean(
            f'The person answered ask #{entry.number} (asked {ago} ago), "{question}": {said}. {then}', ANSWER_CHARS
        )
    taken = entry.fallback_taken and entry.ask.fallback
    kept = f' Meanwhile you were to go on with "{clean(entry.ask.fallback, _PART_CHARS)}": ' if taken else ""
    same = kept and entry.ask.fallback == entry.answer
    follow = ("that is what the person wants too." if same else "change it if the answer differs.") if kept else ""
    return clean(
        f'The person answered ask #{entry.number} (asked {ago} ago), "{question}": {said}.{late}{kept}{follow}',
        ANSWER_CHARS,
    )


def digest(waiting: Sequence[InboxEntry]) -> str:
    """What a person reads at a digest hour; the most urgent first."""
    lines = [f"#{entry.number} {clean(entry.ask.question or entry.ask.source, 80)}" for entry in waiting[:3]]
    more = [f"and {len(waiting) - 3} more"] if len(waiting) > 3 else []
    return "\n".join([*lines, *more, "borg inbox"])[:DIGEST_CHARS]


def digest_due(hours: Sequence[int], zone: str, now_ms: int, last_ms: int | None) -> bool:
    """Whether a digest hour of the owner's day has come since the last digest (milliseconds; None: there was none)."""
    if not hours:
        return False
    slot = _slot(hours, zone, now_ms)
    return slot[1] >= 0 and (last_ms is None or slot > _slot(hours, zone, last_ms))


def _slot(hours: Sequence[int], zone: str, at_ms: int) -> tuple[date, int]:
    """The last digest hour at or before ``at_ms``; hour -1: none yet on that date."""
    day, hour = hour_of(at_ms, zone)
    return day, max((due for due in hours if due <= hour), default=-1)
