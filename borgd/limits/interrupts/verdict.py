"""May this ask interrupt a person now? One verdict from counters, a clock and a policy: pure, exact, linear in the depth.

Order: exclusion → what is only counted (a person is there, a plan, a permission) → usable numbers and scope → a ceiling
of 0, a hard cap → stakes ≥ threshold → confidence ≥ bar → defer.

Kept: that order; spend only ever raises the bar; an admitted ask is charged to its scope and every ancestor; at confidence
below cap and without bypass no scope passes its ceiling; no excluded source is ever admitted; a metered ask never passes 0.
Soft: high stakes and confidence at cap clear a spent budget (a bypass has its own account too), unless ``hard_cap``.
Not promised: a fair share among siblings, independence of the order of asks, a bound on what goes past these calls.
An ask is never dropped: what is not admitted waits in the inbox; an excluded source's is recorded with its fallback.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, Protocol

from borgd.errors import LimitError
from borgd.limits.audit import AuditEntry
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.ceilings import InterruptPolicy
from borgd.limits.interrupts.exclusions import Exclusion
from borgd.limits.interrupts.stakes import SourcedStakes, judge
from borgd.limits.interrupts.threshold import NOTHING, FullestAccount, fullest, threshold_at, unspent
from borgd.limits.interrupts.windows import Window, instant

EVALUATOR = "interrupts/1"
"""design: changes when these rules do, so that a trail says by which an ask was judged."""

Outcome = Literal["admit", "defer", "excluded"]
Rule = Literal[
    "excluded", "invalid", "unknown scope", "never", "hard cap", "high stakes", "confidence", "joined",
    "attended", "invited", "counted", "approved",
]  # fmt: skip
COUNTED: tuple[Rule, ...] = ("attended", "invited", "counted")
"""Rules by which an ask is shown and counted, on an account of its own; the budget is not asked."""
AskKind = Literal["question", "plan", "permission"]


@dataclass(frozen=True)
class AskOption:
    """One way to decide, ``label`` as the person chooses it."""

    label: str
    description: str = ""


@dataclass(frozen=True)
class Ask:
    """One interruption that a program wants.

    ``confidence`` and ``stakes`` as stated: a number in [0, 1], or None to have them judged from the words. ``recommended``:
    0-based place of the option that the asker recommends, None where it recommends none. ``key`` makes two asks the same
    whatever their words; ``wait_ms``: how long the asker waits, 0 where it does not. ``multiple``: more than one option may
    be chosen. ``more``: the further questions of the same call, of which only words and options count. ``body``: the plan
    itself, or the call that needs a permission. ``attended``: why a person is taken to be there, empty where nobody is.
    ``invited``: the prompt of this turn asks to be asked.
    """

    scope: str = scopes.ROOT
    source: str = ""
    confidence: object = None
    stakes: object = None
    question: str = ""
    options: tuple[AskOption, ...] = ()
    recommended: int | None = None
    fallback: str = ""
    session: str = ""
    agent: str = ""
    tool_use_id: str = ""
    key: str = ""
    wait_ms: int = 0
    kind: AskKind = "question"
    body: str = ""
    multiple: bool = False
    more: tuple[Ask, ...] = ()
    repository: str = ""
    attended: str = ""
    invited: bool = False

    @property
    def goes_on_with(self) -> str:
        """What the asker does without an answer: its fallback, else the option it recommends; empty: nothing is known."""
        if self.fallback or self.recommended is None or not 0 <= self.recommended < len(self.options):
            return self.fallback
        return self.options[self.recommended].label

    @property
    def parts(self) -> tuple[Ask, ...]:
        """Every question of the call as an ask of its own."""
        shared = {"scope", "source", "session", "agent", "tool_use_id", "wait_ms", "repository", "attended", "invited"}
        of_this = {name: getattr(self, name) for name in shared}
        return (replace(self, more=()), *(replace(one, more=(), **of_this) for one in self.more))


class InterruptState(Protocol):
    """What has happened: charges in the current window, and exclusions."""

    def spent(self, scope: str) -> int: ...

    def excluded(self, source: str, now_ms: int) -> Exclusion | None: ...


@dataclass(frozen=True)
class InterruptVerdict:
    """What was decided, on what facts. ``id`` and ``number`` (in the inbox) are given when it is recorded.

    ``chain``: the paths that are charged (admit) or were looked at, root first. ``spent`` and ``ceiling`` are those of
    ``binding``, the fullest scope of the chain, before this ask. ``flags`` name what a person should look at.
    """

    outcome: Outcome
    rule: Rule
    reason: str
    threshold: Fraction
    scope: str
    chain: tuple[str, ...]
    binding: str
    spent: int
    ceiling: int
    confidence: SourcedStakes
    stakes: SourcedStakes
    policy: str
    flags: tuple[str, ...] = ()
    bypass: bool = False
    id: str = ""
    number: int = 0
    joined: str = ""
    text: str = ""
    note: str = ""
    """What the agent and what the person is told where it is not admitted."""
    numbers: tuple[int, ...] = ()
    """Those of every question of the call in the inbox; ``number`` is the first."""
    sum: str = ""
    """The bar as it was added up."""

    @property
    def admitted(self) -> bool:
        return self.outcome == "admit"

    @property
    def charged(self) -> bool:
        return self.outcome == "admit" and not self.joined and not self.counted and self.rule != "approved"

    @property
    def counted(self) -> bool:
        """Whether it was shown without asking the budget."""
        return self.rule in COUNTED

    def entry(self, ask: Ask) -> AuditEntry:
        """The line for the audit trail."""
        return AuditEntry(
            limit="interrupt",
            verdict=self.outcome,
            reason=self.reason,
            evaluator=EVALUATOR,
            facts={
                "rule": self.rule,
                "id": self.id,
                "number": self.number,
                "joined": self.joined,
                "scope": scopes.shown(self.scope),
                "source": ask.source,
                "bar": str(self.threshold),
                "binding": scopes.shown(self.binding),
                "spent": self.spent,
                "ceiling": self.ceiling,
                "confidence": _fact(self.confidence),
                "stakes": _fact(self.stakes),
                "bypass": self.bypass,
                "flags": list(self.flags),
                "kind": ask.kind,
            },
            policy=self.policy,
            agent=ask.agent,
            session=ask.session,
        )


def _fact(number: SourcedStakes) -> dict[str, object]:
    return {"value": None if number.value is None else str(number.value), "from": number.origin, "given": number.given}


@dataclass(frozen=True)
class _Seen:
    """The ask as the rules look at it."""

    scope: str
    bad_scope: str
    confidence: SourcedStakes
    stakes: SourcedStakes
    chain: tuple[str, ...]
    fullest: FullestAccount
    threshold: Fraction
    sum: str = ""
    flags: list[str] = field(default_factory=list)


def decide(state: InterruptState, ask: Ask, policy: InterruptPolicy, now_ms: int) -> InterruptVerdict:
    """The verdict on ``ask``; nothing is charged here. One look-up of spend and ceiling per path of the chain."""
    seen = _look(state, ask, policy, now_ms)
    exclusion = state.excluded(ask.source, now_ms)
    if exclusion is not None:
        return _verdict(seen, policy, "excluded", "excluded", _exclusion_reason(exclusion))
    counted = counting(ask, policy)
    if counted is not None:
        return _verdict(seen, policy, "admit", counted[0], counted[1])
    if seen.flags:
        return _verdict(seen, policy, "defer", "invalid", _invalid_reason(seen))
    if policy.strict_scopes and seen.scope != scopes.ROOT and seen.scope not in policy.local:
        seen.flags.append("unknown scope")
        reason = f"the scope {seen.scope} is not configured and scopes are strict"
        return _verdict(seen, policy, "defer", "unknown scope", reason)
    where = scopes.said(seen.chain[seen.fullest.at])
    if seen.fullest.ceiling == 0:
        return _verdict(seen, policy, "defer", "never", f"{where} has a ceiling of 0: it never interrupts")
    account = f"{where} has spent {seen.fullest.spent} of {seen.fullest.ceiling}"
    if policy.hard_cap and seen.fullest.full:
        return _verdict(seen, policy, "defer", "hard cap", f"{account} and its cap is hard")
    confidence, stakes = seen.confidence.value or NOTHING, seen.stakes.value or NOTHING
    if stakes >= policy.high_stakes:
        reason = f"stakes {decimal(stakes)} reach the threshold {decimal(policy.high_stakes)}; {account}"
        return _verdict(seen, policy, "admit", "high stakes", reason, bypass=True)
    sign, outcome = (">=", "admit") if confidence >= seen.threshold else ("<", "defer")
    reason = f"confidence {decimal(confidence)} {sign} bar {decimal(seen.threshold)}; {account}"
    return _verdict(seen, policy, "admit" if outcome == "admit" else "defer", "confidence", reason)


def counting(ask: Ask, policy: InterruptPolicy) -> tuple[Rule, str] | None:
    """By which rule ``ask`` is only counted, and why; None where the budget decides."""
    if ask.kind != "question":
        setting = policy.plan if ask.kind == "plan" else policy.permission
        return ("counted", f"a {ask.kind} is counted, not deferred") if setting == "count" else None
    if ask.invited:
        return "invited", "the prompt of this turn asks to be asked"
    if ask.attended and policy.attended == "count":
        return "attended", f"{ask.attended}: counted, not deferred"
    return None


def _look(state: InterruptState, ask: Ask, policy: InterruptPolicy, now_ms: int) -> _Seen:
    bad_scope = ""
    try:
        scope = scopes.parse(ask.scope)
    except LimitError as error:
        scope, bad_scope = scopes.ROOT, str(error)
    chain = scopes.chain(scope)
    full = fullest([state.spent(path) for path in chain], policy.ceilings(chain))
    elapsed = Window(policy.window, policy.zone).elapsed(now_ms) if policy.threshold_kind == "timed" else NOTHING
    words = "\n".join(
        [*(one.question for one in ask.parts), *(f"{o.label} {o.description}" for one in ask.parts for o in one.options)]
    )
    default = unspent(policy.threshold_kind, policy.base, policy.cap, full, elapsed)
    confidence, stakes = judge(words, ask.confidence, ask.stakes, default)
    flags = [
        *(["scope"] if bad_scope else []),
        *(["confidence"] if confidence.value is None else []),
        *(["stakes"] if stakes.value is None else []),
    ]
    value = threshold_at(policy.threshold_kind, policy.base, policy.cap, full.ratio, elapsed)
    return _Seen(scope, bad_scope, confidence, stakes, chain, full, value, _sum(policy, full, elapsed, value), flags)


def _sum(policy: InterruptPolicy, full: FullestAccount, elapsed: Fraction, value: Fraction) -> str:
    """The bar as a person can add it up again."""
    later = f" x (1 - {decimal(elapsed)} of the day)" if policy.threshold_kind == "timed" and not full.full else ""
    base, cap = decimal(policy.base), decimal(policy.cap)
    return f"{base} + ({cap} - {base}) x {min(full.spent, full.ceiling)}/{full.ceiling}{later} = {decimal(value)}"


def _verdict(
    seen: _Seen, policy: InterruptPolicy, outcome: Outcome, rule: Rule, reason: str, *, bypass: bool = False
) -> InterruptVerdict:
    return InterruptVerdict(
        outcome=outcome,
        rule=rule,
        reason=reason,
        threshold=seen.threshold,
        scope=seen.scope,
        chain=seen.chain,
        binding=seen.chain[seen.fullest.at],
        spent=seen.fullest.spent,
        ceiling=seen.fullest.ceiling,
        confidence=seen.confidence,
        stakes=seen.stakes,
        policy=policy.hash,
        flags=tuple(seen.flags),
        bypass=bypass,
        sum=seen.sum,
    )


def _exclusion_reason(exclusion: Exclusion) -> str:
    timed = exclusion.tier == "transient" and exclusion.expires_ms is not None
    until = f" until {instant(exclusion.expires_ms or 0)}" if timed else ""
    return f"the source {exclusion.source!r} is excluded ({exclusion.tier}: {exclusion.cause}){until}"


def _invalid_reason(seen: _Seen) -> str:
    wrong = [
        f"{name} {number.given!r} is not a number in [0, 1]"
        for name, number in (("confidence", seen.confidence), ("stakes", seen.stakes))
        if number.value is None
    ]
    return "; ".join([*([seen.bad_scope] if seen.bad_scope else []), *wrong])


def decimal(value: Fraction) -> str:
    """``value`` as people read it: at most 4 decimals."""
    return f"{float(value):.4f}".rstrip("0").rstrip(".")


def charge(spent: Mapping[str, int], verdict: InterruptVerdict) -> dict[str, int]:
    """``spent`` with ``verdict`` charged to every path of its chain; unchanged where it charges nothing."""
    charged = dict(spent)
    if verdict.charged:
        for path in verdict.chain:
            charged[path] = charged.get(path, 0) + 1
    return charged
