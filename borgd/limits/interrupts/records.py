"""The lines of interrupts.jsonl and inbox.jsonl, as values. Unknown keys are kept on the disk and ignored here.

interrupts.jsonl: what was decided and charged. inbox.jsonl: what waits for a person and what they said.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from borgd.lessons.redact import seal
from borgd.lessons.sanitize import clean
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.exact_fractions import written
from borgd.limits.interrupts.exclusions import Tier
from borgd.limits.interrupts.stakes import stated, without_tag
from borgd.limits.interrupts.verdict import Ask, InterruptVerdict, Outcome, Rule
from borgd.limits.interrupts.windows import Window

MAX_QUESTION = 2000
"""guard: characters of a question that are kept."""
MAX_OPTION = 200
"""guard: characters of an option, a fallback, a source or a name that are kept."""
MAX_ANSWER = 4000
"""guard: characters of an answer that are kept."""
NOT_SHOWN = "not shown"
"""design: in place of an ask's stated numbers once its delivery failed: no asker states that, so it counts as restated."""
MAX_OPTIONS = 4
"""host: an agent's question has 2 to 4 options."""


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="asked"):
    """One verdict: reserved where ``outcome`` is admit and ``joined`` is empty. ``window`` as it was then."""

    id: str
    number: int
    ms: int
    window: str
    outcome: Outcome
    rule: Rule
    reason: str
    scope: str
    policy: str
    bar: str
    key: str
    numbers: str = ""
    """The confidence and stakes that the asker stated, as written."""
    bypass: bool = False
    joined: str = ""
    flags: tuple[str, ...] = ()
    session: str = ""
    agent: str = ""
    source: str = ""
    tool_use_id: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    recommended: int | None = None
    fallback: str = ""
    confidence: str = ""
    stakes: str = ""
    expires_ms: int = 0

    @property
    def charged(self) -> bool:
        return self.outcome == "admit" and not self.joined


class Settled(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="settled"):
    """What became of a reservation: ``delivered`` and ``recovered`` keep the charge, ``failed`` gives it back."""

    id: str
    ms: int
    how: Literal["delivered", "failed", "recovered"]


class Observed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="observed"):
    """A prompt that the agent's own host showed; on an account of its own, counted once per tool call."""

    ms: int
    what: str
    window: str
    session: str = ""
    tool_use_id: str = ""


class Excluded(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="excluded"):
    """A source put on the exclusion lattice."""

    source: str
    tier: Tier
    cause: str
    ms: int
    expires_ms: int | None = None


class Retracted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="retracted"):
    """One transient cause lifted."""

    source: str
    cause: str
    ms: int


InterruptRecord = Asked | Settled | Observed | Excluded | Retracted


class Queued(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="queued"):
    """An ask on its way into the inbox: its number is the one of the verdict; the same number again restates it."""

    ask: Asked


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="answered"):
    """``by``: who, or empty. A late one comes after the expiry."""

    number: int
    ms: int
    text: str
    by: str = ""


class Dismissed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="dismissed"):
    number: int
    ms: int
    by: str = ""


class Expired(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="expired"):
    """Nobody answered in time; ``fallback`` is what the asker went on with."""

    number: int
    ms: int
    fallback: str


class InterruptClosed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="closed"):
    """Answered elsewhere: in the session itself."""

    number: int
    ms: int
    text: str = ""


class Worth(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="worth"):
    """Was it worth asking? The last word counts."""

    number: int
    ms: int
    yes: bool


class AnswerTold(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="told"):
    """The answer was handed to ``session``."""

    number: int
    ms: int
    session: str


class Digested(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="digested"):
    """A digest was shown, ``waiting`` asks in it."""

    ms: int
    waiting: int


InboxRecord = Queued | Answered | Dismissed | Expired | InterruptClosed | Worth | AnswerTold | Digested


def key_of(ask: Ask, scope: str) -> str:
    """What makes two asks the same: their key in their (parsed) scope; without one their session, source, words, options."""
    words = [without_tag(ask.question), *(option.label for option in ask.options)]
    parts = ["key", scope, ask.key] if ask.key else ["ask", scope, ask.session, ask.source, *words]
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def numbers_of(ask: Ask) -> str:
    """The confidence and stakes that the asker stated, as written: the same ask with other numbers is judged anew."""
    tags = stated(ask.question)

    given = {"confidence": ask.confidence, "stakes": ask.stakes}
    said = (tags.get(name, "") if value is None else written(value) for name, value in given.items())
    return " ".join(said)


def record(ask: Ask, verdict: InterruptVerdict, now_ms: int, window: Window, expires_ms: int) -> Asked:
    """The line for ``verdict`` on ``ask``; its texts cleaned and bounded."""
    return Asked(
        id=verdict.id,
        number=verdict.number,
        ms=now_ms,
        window=str(window),
        outcome=verdict.outcome,
        rule=verdict.rule,
        reason=clean(verdict.reason, MAX_QUESTION),
        scope=verdict.scope,
        policy=verdict.policy,
        bar=str(verdict.threshold),
        key=key_of(ask, verdict.scope),
        numbers=clean(numbers_of(ask), MAX_OPTION),
        bypass=verdict.bypass,
        joined=verdict.joined,
        flags=verdict.flags,
        session=name(ask.session),
        agent=name(ask.agent),
        source=name(ask.source),
        tool_use_id=name(ask.tool_use_id),
        question=seal(without_tag(ask.question), MAX_QUESTION),
        options=tuple(seal(option.label, MAX_OPTION) for option in ask.options[:MAX_OPTIONS]),
        recommended=ask.recommended if ask.recommended in range(min(len(ask.options), MAX_OPTIONS)) else None,
        fallback=seal(ask.goes_on_with, MAX_OPTION),
        confidence=_number(verdict.confidence.value),
        stakes=_number(verdict.stakes.value),
        expires_ms=expires_ms,
    )


def name(text: str) -> str:
    """A session, a source, a tool call as it is kept and compared: one clean line of at most MAX_OPTION characters."""
    return clean(text, MAX_OPTION)


def _number(value: object) -> str:
    return "" if value is None else str(value)


def chain_of(asked: Asked) -> tuple[str, ...]:
    """The paths that ``asked`` was charged to."""
    return scopes.chain(asked.scope)


def not_shown(asked: Asked) -> Asked:
    """``asked`` after its delivery failed: it waits, and is judged anew when it comes again."""
    return msgspec.structs.replace(asked, outcome="defer", numbers=NOT_SHOWN)
