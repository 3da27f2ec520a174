"""The investigations of one session as a fold over its records: who has one open, what is left, what the next call may do.

A subagent's investigation is nested in its session's: what it uses is charged to both, and it can never have more left than
its parent. ``InvestigationLedger.apply`` takes records in the order of their journal; ``judge`` says what a call gets and
which records make it so. Pure: the same records give the same ledger, in any process.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import msgspec

from borgd.limits.investigation.budget import BUDGETS, BudgetPolicy, Exhausted, Limits, Units
from borgd.limits.investigation.profile import Mode, Profile
from borgd.limits.investigation.tools import ToolCount

MAX_OPEN = 256
"""guard: investigations open at once in a session; a host that never says a subagent ended would fill the memory."""

REMEMBERED_CALLS = 4_096
"""guard: tool calls remembered, so that a hook and the transcript do not count the same call twice."""

TURNLESS_CALLS = 3
"""design: calls after which silence about turns means that they are not told; a first turn may make several at once."""

TOLD_AGAIN_AFTER = 20
"""design: units used at least between two words about the same spent budget."""

REMEMBERED_MESSAGES = 20_000
"""guard: messages remembered, so that a transcript read again after a restart counts nothing twice."""


Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A count in a record: what is below 0 would be a refund, so such a line is damage."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    subagent: str = ""
    ms: int


class Opened(_Record, frozen=True, kw_only=True, tag="opened"):
    """An investigation begins; an open one of the same owner ends."""

    profile: Profile
    explicit: bool = False
    agent: str = ""
    type: str = ""


class InvestigationClosed(_Record, frozen=True, kw_only=True, tag="closed"):
    """It ends: ``changed``, ``stopped`` (by name), ``done`` (the subagent is over)."""

    why: str


class Extended(_Record, frozen=True, kw_only=True, tag="extended"):
    """A person allows more: units by budget, on top of the limit or of what is used, whichever is more."""

    more: dict[str, Annotated[float, msgspec.Meta(ge=0, le=1e12)]]
    everyone: bool = True
    by: str = ""


class Charged(_Record, frozen=True, kw_only=True, tag="charged"):
    """The call ``key`` may run, or has run."""

    key: str
    units: Units


class Released(_Record, frozen=True, kw_only=True, tag="released"):
    """The call ``key`` did not run after all."""

    key: str


class Denied(_Record, frozen=True, kw_only=True, tag="denied"):
    """The call ``key`` was stopped."""

    key: str
    budget: str


class Warned(_Record, frozen=True, kw_only=True, tag="warned"):
    """It was said that ``budget`` is spent."""

    budget: str


class Turned(_Record, frozen=True, kw_only=True, tag="turned"):
    """Assistant turns; ``specialist``: of a model that counts as one."""

    n: Number = 1
    specialist: bool = False


class Tokens(_Record, frozen=True, kw_only=True, tag="tokens"):
    """Usage that was reported; None: that part is not reported by this agent."""

    context: Number | None = None
    model: Number | None = None
    cached: Number = 0


class MessageUsage(_Record, frozen=True, kw_only=True, tag="message"):
    """An assistant message, by its id: one turn, and its usage so far. Told again, only what is new counts."""

    id: str
    context: Number = 0
    model: Number = 0
    cached: Number = 0
    specialist: bool = False


InvestigationRecord = (
    Opened | InvestigationClosed | Extended | Charged | Released | Denied | Warned | Turned | Tokens | MessageUsage
)


@dataclass(slots=True)
class Node:
    """One open investigation."""

    policy: BudgetPolicy
    profile: Profile
    explicit: bool
    agent: str
    type: str
    opened_ms: int
    warned: dict[str, float] = field(default_factory=dict)
    """By budget: what was used of it when that was last said."""
    denied: int = 0
    calls: int = 0
    turns: int = 0

    @property
    def mode(self) -> Mode:
        """What happens when a limit is spent."""
        return self.profile.mode


class InvestigationStop(NamedTuple):
    """What stops a call, and whose investigation it is (empty: the session's own)."""

    exhausted: Exhausted
    owner: str


class Judged(NamedTuple):
    """What a call gets. ``warnings`` are budgets that are spent and only told of."""

    records: list[InvestigationRecord]
    stop: InvestigationStop | None = None
    warnings: tuple[InvestigationStop, ...] = ()


class InvestigationLedger:
    """All of one session."""

    def __init__(self) -> None:
        self.nodes: OrderedDict[str, Node] = OrderedDict()
        self.seen_prompt = False
        self.spent_tokens = 0
        """Tokens of the whole session, subagents included, cached input apart."""
        self.cached_tokens = 0
        self.local_turns = 0
        """Turns of models that are not specialists."""
        self.turns = 0
        self.extensions = 0
        """How often a person allowed more."""
        self._reported: set[str] = set()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._calls: OrderedDict[str, str] = OrderedDict()
        self._messages: OrderedDict[str, MessageUsage] = OrderedDict()

    # the fold

    def apply(self, record: InvestigationRecord) -> None:
        """Take in one record."""
        match record:
            case Opened():
                self._open(record)
            case InvestigationClosed():
                self.nodes.pop(record.subagent, None)
                self._ended[record.subagent] = None
                self.seen_prompt = self.seen_prompt or not record.subagent
                while len(self._ended) > MAX_OPEN:
                    self._ended.popitem(last=False)
            case Extended():
                self._extend(record)
            case Warned() if record.subagent in self.nodes:
                node = self.nodes[record.subagent]
                node.warned[record.budget] = node.policy.used(record.budget)
            case Charged() | Released() | Denied():
                self._call(record)
            case Turned():
                self._turned(record)
            case Tokens():
                self._tokens(record)
            case MessageUsage():
                self._message(record)

    def _extend(self, record: Extended) -> None:
        self.extensions += 1
        for owner in list(self.nodes) if record.everyone else [record.subagent, ""]:
            if owner in self.nodes:
                self.nodes[owner].policy.extend(_more(self.nodes[owner].policy, record.more))
                self.nodes[owner].warned.clear()

    def _call(self, record: Charged | Released | Denied) -> None:
        self._remember(record.key, record.subagent)
        for place, node in enumerate(self.chain(record.subagent)):
            if isinstance(record, Charged):
                node.policy.hold(record.key, record.units, record.ms)
                node.calls += place == 0
            elif isinstance(record, Released):
                node.policy.release(record.key, record.ms)
            elif place == 0:
                node.denied += 1

    def _open(self, record: Opened) -> None:
        self.seen_prompt = True
        policy = BudgetPolicy.of(record.profile.limits)
        policy.start(record.ms)
        for part in self._reported:
            policy.debit_tokens(record.ms, **{part: 0})
        self.nodes.pop(record.subagent, None)
        self.nodes[record.subagent] = Node(policy, record.profile, record.explicit, record.agent, record.type, record.ms)
        while len(self.nodes) > MAX_OPEN:
            del self.nodes[next(owner for owner in self.nodes if owner)]

    def _turned(self, record: Turned) -> None:
        self.turns += record.n
        self.local_turns += 0 if record.specialist else record.n
        for node in self.chain(record.subagent):
            node.policy.debit_iteration(record.ms, record.n, happened=True)
            node.turns += record.n

    def _message(self, record: MessageUsage) -> None:
        before = self._messages.get(record.id)
        self._messages[record.id] = record
        while len(self._messages) > REMEMBERED_MESSAGES:
            self._messages.popitem(last=False)
        if before is None:
            self._turned(Turned(subagent=record.subagent, specialist=record.specialist, ms=record.ms))
        self._tokens(
            Tokens(
                subagent=record.subagent,
                context=max(0, record.context - (before.context if before else 0)),
                model=max(0, record.model - (before.model if before else 0)),
                cached=max(0, record.cached - (before.cached if before else 0)),
                ms=record.ms,
            )
        )

    def _tokens(self, record: Tokens) -> None:
        self._reported |= {part for part in ("context", "model") if getattr(record, part) is not None}
        self.spent_tokens += (record.context or 0) + (record.model or 0)
        self.cached_tokens += record.cached
        for node in self.chain(record.subagent):
            node.policy.debit_tokens(record.ms, context=record.context, model=record.model, cached=record.cached)

    def _remember(self, key: str, owner: str) -> None:
        self._calls[key] = owner
        while len(self._calls) > REMEMBERED_CALLS:
            self._calls.popitem(last=False)

    # questions

    def chain(self, subagent: str) -> list[Node]:
        """The investigations that a call of ``subagent`` is charged to: its own, then its session's; those that are open."""
        owners = [subagent, ""] if subagent else [""]
        return [self.nodes[owner] for owner in owners if owner in self.nodes]

    def knows(self, key: str) -> bool:
        """Whether the call ``key`` was counted or stopped."""
        return key in self._calls

    def needs_opening(self, subagent: str) -> bool:
        """Whether a call of ``subagent`` is the first that is heard of it; reading on opens nothing again that has ended."""
        known = subagent in self.nodes or subagent in self._ended
        return not known and (bool(subagent) or not self.seen_prompt)

    def judge(self, counted: ToolCount, key: str, subagent: str, now_ms: int) -> Judged:
        """What a call gets, before it runs. A call that was judged before gets the same again and costs nothing."""
        own = self.nodes.get(subagent)
        if counted.kind == "change":
            ends = own is not None and not own.explicit
            return Judged([InvestigationClosed(subagent=subagent, why="changed", ms=now_ms)] if ends else [])
        chain = [(owner, self.nodes[owner]) for owner in dict.fromkeys((subagent, "")) if owner in self.nodes]
        chain = [(owner, node) for owner, node in chain if node.mode != "off"]
        if counted.kind == "neutral" or not chain or self.knows(key):
            return Judged([])
        stops = [
            InvestigationStop(exhausted, owner)
            for owner, node in chain
            if (exhausted := node.policy.check(now_ms, counted.units)) is not None
        ]
        firm = next((stop for stop in stops if self.nodes[stop.owner].mode == "enforce"), None)
        if firm is not None and counted.stoppable:
            return Judged([Denied(key=key, subagent=subagent, budget=firm.exhausted.budget, ms=now_ms)], firm)
        records: list[InvestigationRecord] = [Charged(key=key, subagent=subagent, units=counted.units, ms=now_ms)]
        fresh = [stop for stop in stops if _is_to_be_told(self.nodes[stop.owner], stop.exhausted)]
        records += [Warned(subagent=stop.owner, budget=stop.exhausted.budget, ms=now_ms) for stop in fresh]
        return Judged(records, None, tuple(fresh))

    def settle(self, key: str, now_ms: int) -> None:
        """The call ``key`` is over; it was charged when it was allowed, so nothing is to be recorded."""
        for node in self.chain(self._calls.get(key, "")):
            node.policy.settle(key, now_ms)

    def unenforceable(self, subagent: str) -> list[str]:
        """Limits that are set for a call of ``subagent`` and that nothing counts for: of tokens where no usage is reported,
        of iterations where calls come and no turn was told of."""
        found = {budget for node in self.chain(subagent) for budget in node.policy.unenforceable()}
        for node in self.chain(subagent)[:1]:
            if node.policy.limits.max_iterations is not None and node.turns == 0 and node.calls >= TURNLESS_CALLS:
                found.add("max_iterations")
        return [budget for budget in BUDGETS if budget in found]

    def remaining(self, subagent: str, now_ms: int) -> dict[str, float | None]:
        """What is left for ``subagent``, by budget: the least of its own and its parent's."""
        left: dict[str, float | None] = {budget.removeprefix("max_"): None for budget in BUDGETS}
        for node in self.chain(subagent):
            for name, amount in node.policy.remaining(now_ms).items():
                before = left[name]
                left[name] = amount if before is None else before if amount is None else min(before, amount)
        return left

    def describe(self, subagent: str, now_ms: int) -> dict[str, Any]:
        """One open investigation as JSON values."""
        node = self.nodes[subagent]
        return {
            "subagent": subagent,
            "type": node.type,
            "agent": node.agent,
            "explicit": node.explicit,
            "mode": node.mode,
            "opened_ms": node.opened_ms,
            "denied": node.denied,
            "limits": {budget.removeprefix("max_"): node.policy.limits.of(budget) for budget in BUDGETS},
            "spent": node.policy.spent(now_ms),
            "remaining": self.remaining(subagent, now_ms),
            "unenforceable": self.unenforceable(subagent),
        }


def _is_to_be_told(node: Node, exhausted: Exhausted) -> bool:
    """Whether a spent budget is told: at first, and again each time as much was used once more."""
    said_at = node.warned.get(exhausted.budget)
    again = 0.0 if said_at is None else said_at + max(TOLD_AGAIN_AFTER, exhausted.limit)
    return node.mode == "warn" and exhausted.spent >= again


def _more(policy: BudgetPolicy, more: dict[str, float]) -> Limits:
    """Limits that leave room for ``more`` from here on."""
    changes: dict[str, Any] = {}
    for budget in BUDGETS:
        limit, amount = policy.limits.of(budget), more.get(budget, 0)
        if limit is not None and amount:
            raised = max(limit, policy.used(budget)) + amount
            changes[budget] = raised if budget == "max_wall_time_seconds" else int(raised)
    return msgspec.structs.replace(policy.limits, **changes)
