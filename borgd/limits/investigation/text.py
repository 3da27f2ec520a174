"""What an agent is told when an investigation's budget is spent: short, what was spent, what to do now. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from borgd.limits.investigation.ledger import InvestigationStop, Node
from borgd.limits.investigation.runaway import Runaway

MAX_DENIAL_CHARS = 700
"""design: the agent reads it once per denied call."""


def _flag(budget: str) -> str:
    return "--" + budget.replace("_", "-")


def denial(stop: InvestigationStop, node: Node, session: str, subagent: str) -> str:
    """Why the call may not run and what the agent can do instead.

    :param node: the investigation that is spent; ``subagent``: who wanted the call.
    """
    whose = "this session's investigation" if subagent and not stop.owner else "this investigation"
    if subagent:
        now = "Conclude now: report what you found and what is still open."
    elif node.explicit:
        now = "Conclude now with what you know."
    else:
        now = "Conclude now with what you know, or make the change; changes are not stopped."
    amount = max(1, int(stop.exhausted.limit))
    extend = f"borg investigate extend --session {session} {_flag(stop.exhausted.budget)} {amount}"
    source = node.profile.source(stop.exhausted.budget)
    text = (
        f"Budget of {whose} spent: {stop.exhausted.text} (set by {source}). {now} "
        f"If that cannot work, ask the person to run: {extend}"
    )
    return text[:MAX_DENIAL_CHARS]


def runaway(found: Runaway, session: str, *, stops: bool) -> str:
    """What the agent is told of a loop: what repeats, and where it is stopped, by which setting and what lifts it."""
    if found.kind == "repeats":
        what = f"The same {found.tool} call was made {found.times} times without a change in between"
        now = "Use what it returned before, look somewhere else, make the change, or conclude."
    else:
        what = f"{found.times} calls only looked, without a change in between"
        now = "Conclude with what is known, or start on the change."
    if not stops:
        return f"{what}. {now}"
    lift = f"borg investigate extend --session {session} --max-retrieval-calls 100"
    text = (
        f"{what}: borgd stops it as a runaway (setting: runaway under [investigation] in config.toml). {now} "
        f"A change or the person's next prompt lifts this; so does: {lift}"
    )
    return text[:MAX_DENIAL_CHARS]


def warning(stops: Sequence[InvestigationStop]) -> str:
    """What is said where nothing is stopped."""
    spent = "; ".join(stop.exhausted.text for stop in stops)
    return (
        f"Investigation budget reached: {spent}. Nothing is stopped, but this has been reading for long: "
        "conclude with what is known, or start on the change."
    )
