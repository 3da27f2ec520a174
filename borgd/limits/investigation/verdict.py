"""What a judged tool call means: whether it may run, what the agent is told, and its line for the audit trail. Pure."""

from __future__ import annotations

from typing import Any, NamedTuple

from borgd.agents.event import Event
from borgd.limits.audit import AuditEntry
from borgd.limits.investigation.budget import BUDGETS
from borgd.limits.investigation.ledger import InvestigationLedger, Judged
from borgd.limits.investigation.runaway import Runaway
from borgd.limits.investigation.text import denial, runaway, warning
from borgd.limits.investigation.tools import ToolCount

EVALUATOR = "borgd-investigation/1"
"""method: name and version of what decides, in every verdict's line of the trail."""


class InvestigationVerdict(NamedTuple):
    """What a tool call gets. ``deny_reason`` and ``context`` are for the agent; ``audit`` is the line for the trail."""

    allow: bool = True
    deny_reason: str = ""
    context: str = ""
    audit: AuditEntry | None = None
    note: str = ""
    """A line for the person."""
    budget: str = ""
    """What was spent, of a denial."""


def verdict_of(
    ledger: InvestigationLedger, event: Event, counted: ToolCount, judged: Judged, now_ms: int
) -> InvestigationVerdict:
    """What the agent is told of a judgement, and its line for the trail; nothing where nothing is open or counted."""
    assert event.tool is not None
    chain = ledger.chain(event.subagent)
    if not chain or counted.kind in ("neutral", "change") or not judged.records:
        return InvestigationVerdict()
    unenforceable = ledger.unenforceable(event.subagent)
    facts: dict[str, Any] = {
        "tool": event.tool.name,
        "tool_use_id": event.tool.id,
        "counts_as": counted.kind,
        "spent": chain[0].policy.spent(now_ms),
        "limits": {budget: chain[0].policy.limits.of(budget) for budget in BUDGETS},
        "unenforceable": unenforceable,
    }
    stop = judged.stop
    if stop is not None:
        facts |= {"budget": stop.exhausted.budget, "limit": stop.exhausted.limit, "stage": stop.exhausted.stage}
    reason = stop.exhausted.text if stop else f"within budget as {counted.kind}"
    deny = denial(stop, ledger.nodes[stop.owner], event.session, event.subagent) if stop else ""
    if unenforceable and deny:
        deny += f" (not enforceable here, no usage is reported: {', '.join(unenforceable)})"
    entry = AuditEntry(
        limit="investigation",
        verdict="deny" if stop else "warn" if judged.warnings else "allow",
        reason="; ".join(told.exhausted.text for told in judged.warnings) or reason,
        facts=facts,
        policy=chain[0].profile.hash,
        evaluator=EVALUATOR,
        agent=event.agent,
        session=event.session,
        subagent=event.subagent,
    )
    return InvestigationVerdict(
        stop is None,
        deny,
        warning(judged.warnings) if judged.warnings else "",
        entry,
        deny,
        stop.exhausted.budget if stop else "",
    )


def runaway_verdict(event: Event, counted: ToolCount, found: Runaway, *, stops: bool) -> InvestigationVerdict:
    """What a call gets that runs away: a denial, or a word in passing."""
    assert event.tool is not None
    text = runaway(found, event.session, stops=stops)
    entry = AuditEntry(
        limit="investigation",
        verdict="deny" if stops else "warn",
        reason=text,
        facts={
            "tool": event.tool.name,
            "tool_use_id": event.tool.id,
            "counts_as": counted.kind,
            "budget": "runaway",
            "runaway": found.kind,
            "times": found.times,
        },
        evaluator=EVALUATOR,
        agent=event.agent,
        session=event.session,
        subagent=event.subagent,
    )
    return InvestigationVerdict(
        not stops, text if stops else "", "" if stops else text, entry, text if stops else "", "runaway"
    )
