"""May this ask interrupt a person now? One verdict from counters, a clock and a policy: pure, exact, linear in the depth.

Order: exclusion → usable numbers and scope → a ceiling of 0, a hard cap → stakes ≥ threshold → confidence ≥ bar → defer.

Kept: that order; spend only ever raises the bar; an admitted ask is charged to its scope and every ancestor; at confidence
below cap and without bypass no scope passes its ceiling; no excluded source is ever admitted; 0 is never passed.
Soft: high stakes and confidence at cap clear a spent budget (a bypass has its own account too), unless ``hard_cap``.
Not promised: a fair share among siblings, independence of the order of asks, a bound on what goes past these calls.
An ask is never dropped: what is not admitted waits in the inbox; an excluded source's is recorded with its fallback.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, Protocol

from borgd.errors import LimitError
from borgd.limits.audit import AuditEntry
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.ceilings import InterruptPolicy
from borgd.limits.interrupts.exclusions import Exclusion
from borgd.limits.interrupts.stakes import SourcedStakes, judge
from borgd.limits.interrupts.threshold import NOTHING, FullestAccount, fullest, threshold_at
from borgd.limits.interrupts.windows import Window, instant

EVALUATOR = "interrupts/1"
"""design: changes when these rules do, so that a trail says by which an ask was judged."""

Outcome = Literal["admit", "defer", "excluded"]
Rule = Literal["excluded", "invalid", "unknown scope", "never", "hard cap", "high stakes", "confidence", "joined"]


@dataclass(frozen=True)
class AskOption:
    """One way to decide, ``label`` as the person chooses it."""

    label: str
    description: str = ""


@dataclass(frozen=True)
class Ask:
    """One interruption that a program wants.

    ``confidence`` and ``stakes`` as stated: a number in [0, 1], or None to have them judged from the words. ``recommended``:
    0-based place of the option to go on with. ``key`` makes two asks the same whatever their words; ``wait_ms``: how long
    the asker waits, 0 for the inbox's expiry.
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

    @property
    def goes_on_with(self) -> str:
        """What the asker does without an answer: its fallback, else the recommended option, else the first one."""
        if self.fallback or not self.options:
            return self.fallback
        return self.options[self.recommended if self.recommended is not None else 0].label


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

    @property
    def admitted(self) -> bool:
        return self.outcome == "admit"

    @property
    def charged(self) -> bool:
        return self.outcome == "admit" and not self.joined

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
    flags: list[str] = field(default_factory=list)


def decide(state: InterruptState, ask: Ask, policy: InterruptPolicy, now_ms: int) -> InterruptVerdict:
    """The verdict on ``ask``; nothing is charged here. One look-up of spend and ceiling per path of the chain."""
    seen = _look(state, ask, policy, now_ms)
    exclusion = state.excluded(ask.source, now_ms)
    if exclusion is not None:
        return _verdict(seen, policy, "excluded", "excluded", _exclusion_reason(exclusion))
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


def _look(state: InterruptState, ask: Ask, policy: InterruptPolicy, now_ms: int) -> _Seen:
    bad_scope = ""
    try:
        scope = scopes.parse(ask.scope)
    except LimitError as error:
        scope, bad_scope = scopes.ROOT, str(error)
    chain = scopes.chain(scope)
    full = fullest([state.spent(path) for path in chain], policy.ceilings(chain))
    elapsed = Window(policy.window, policy.zone).elapsed(now_ms) if policy.threshold_kind == "timed" else NOTHING
    words = "\n".join([ask.question, *(f"{option.label} {option.description}" for option in ask.options)])
    confidence, stakes = judge(words, ask.confidence, ask.stakes)
    flags = [
        *(["scope"] if bad_scope else []),
        *(["confidence"] if confidence.value is None else []),
        *(["stakes"] if stakes.value is None else []),
    ]
    value = threshold_at(policy.threshold_kind, policy.base, policy.cap, full.ratio, elapsed)
    return _Seen(scope, bad_scope, confidence, stakes, chain, full, value, flags)


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
