"""The lines of interrupts.jsonl and inbox.jsonl, as values. Unknown keys are kept on the disk and ignored here.

interrupts.jsonl: what was decided and charged. inbox.jsonl: what waits for a person and what they said.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from borgd.lessons.redact import redact, redact_head, seal
from borgd.lessons.sanitize import clean
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.exact_fractions import written
from borgd.limits.interrupts.exclusions import Tier
from borgd.limits.interrupts.stakes import stated, without_tag
from borgd.limits.interrupts.verdict import COUNTED, Ask, AskKind, InterruptVerdict, Outcome, Rule
from borgd.limits.interrupts.ways_of_working import about_ways_of_working
from borgd.limits.interrupts.windows import Window

MAX_QUESTION = 2000
"""guard: characters of a question that are kept."""
MAX_OPTION = 200
"""guard: characters of an option, a fallback, a source or a name that are kept."""
MAX_ANSWER = 4000
"""guard: characters of an answer that are kept."""
NOT_SHOWN = "not shown"
"""design: in place of an ask's stated numbers once its delivery failed: no asker states that, so it counts as restated."""
MAX_BODY = 20_000
"""guard: characters of a plan, or of a call that needs a permission, that are kept."""
MAX_LINE = 1000
"""guard: characters of one line of it."""
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
    what: AskKind = "question"
    lead: str = ""
    """Id of the verdict on the call's first question, where this is a further one: one call is charged once."""
    multiple: bool = False
    body: str = ""
    content: str = ""
    """Hash of the plan, or of the call that needs a permission, as it came: an approval is of exactly this."""
    standing: bool = False
    """It is about a way of working: its answer may be quoted to a later session of the same scope."""
    repository: str = ""
    confidence_from: str = ""
    stakes_from: str = ""
    binding: str = ""
    spent: int = 0
    ceiling: int = 0
    sum: str = ""

    @property
    def charged(self) -> bool:
        return self.outcome == "admit" and not (self.joined or self.lead or self.counted) and self.rule != "approved"

    @property
    def counted(self) -> bool:
        """Whether it was shown without asking the budget; of one call the first question is counted."""
        return self.rule in COUNTED and not self.joined and not self.lead

    @property
    def approval(self) -> bool:
        """Whether its answer is an approval or none: that of one plan or permission, in one session."""
        return self.what != "question"


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
    possible: bool = False
    """A host asks for a permission before it knows whether a dialog comes up; a notification says that one did."""


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


class GaveUp(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="gave up"):
    """The asker stopped waiting and goes on with its fallback; the ask waits on in the inbox."""

    number: int
    ms: int


class SessionOver(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="session over"):
    """The session that asked is gone, and its ask with it; an approval of it that was not used is void."""

    number: int
    ms: int


class ApprovalUsed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="used"):
    """What was approved went through, once."""

    number: int
    ms: int


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


InboxRecord = (
    Queued
    | Answered
    | Dismissed
    | Expired
    | GaveUp
    | InterruptClosed
    | SessionOver
    | ApprovalUsed
    | Worth
    | AnswerTold
    | Digested
)


def key_of(ask: Ask, scope: str) -> str:
    """What makes two asks the same: their key in their (parsed) scope; without one their session, source, words, options."""
    words = [without_tag(ask.question), *(option.label for option in ask.options)]
    if ask.kind != "question":
        words = [ask.kind, content_of(ask)]
    parts = ["key", scope, ask.key] if ask.key else ["ask", scope, ask.session, ask.source, *words]
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def content_of(ask: Ask) -> str:
    """What an approval is of: the hash of the plan, or of the call that needs a permission, to the letter."""
    return "" if ask.kind == "question" else hashlib.sha256(ask.body.encode("utf-8", "surrogatepass")).hexdigest()


def numbers_of(ask: Ask) -> str:
    """The confidence and stakes that the asker stated, as written: the same ask with other numbers is judged anew."""
    tags = stated(ask.question)

    given = {"confidence": ask.confidence, "stakes": ask.stakes}
    said = (tags.get(name, "") if value is None else written(value) for name, value in given.items())
    return " ".join(said)


def record(
    ask: Ask, verdict: InterruptVerdict, now_ms: int, window: Window, expires_ms: int, *, id: str = "", lead: str = ""
) -> Asked:
    """The line for ``verdict`` on ``ask``; its texts cleaned and bounded.

    :param id: its own, where ``ask`` is a further question of the call whose first one has the id ``lead``.
    """
    question = seal(without_tag(ask.question), MAX_QUESTION)
    options = tuple(seal(option.label, MAX_OPTION) for option in ask.options[:MAX_OPTIONS])
    return Asked(
        id=id or verdict.id,
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
        question=question,
        options=options,
        recommended=ask.recommended if ask.recommended in range(min(len(ask.options), MAX_OPTIONS)) else None,
        fallback=seal(ask.goes_on_with, MAX_OPTION),
        confidence=_number(verdict.confidence.value),
        stakes=_number(verdict.stakes.value),
        expires_ms=expires_ms,
        what=ask.kind,
        lead=lead,
        multiple=ask.multiple,
        body=_sealed(ask.body),
        content=content_of(ask),
        standing=ask.kind == "question" and about_ways_of_working(question, options),
        repository=name(ask.repository),
        confidence_from=verdict.confidence.origin,
        stakes_from=verdict.stakes.origin,
        binding=verdict.binding,
        spent=verdict.spent,
        ceiling=verdict.ceiling,
        sum=verdict.sum,
    )


def _sealed(text: str) -> str:
    """A plan as it is kept: its lines with what they are indented by, cleaned, scrubbed of secrets, MAX_BODY characters."""
    lines = redact_head(text, MAX_BODY).replace("\t", "    ").split("\n")
    kept = [" " * min(40, len(line) - len(line.lstrip(" "))) + clean(line, MAX_LINE) for line in lines]
    return redact("\n".join(line.rstrip() for line in kept).strip("\n"))


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
