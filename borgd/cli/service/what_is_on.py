"""What the settings switch on that a person notices in daily use, a line each, for ``borg install``. Pure."""

from __future__ import annotations

from borgd.config.schema import Config
from borgd.limits.investigation.runaway import READS_STOPPED, REPEATS_STOPPED


def what_is_on(config: Config) -> list[str]:
    """One line for questions while somebody is there, one for when nobody is, for plans and permissions, for reading."""
    asks, minutes = config.interrupts, config.interrupts.attended_s / 60
    day = "in 24 hours" if asks.window == "rolling" else "a day"
    budget = f"{asks.daily_interrupt_budget} {day} reach you, the others wait in borg inbox"
    there = f"you wrote in the last {minutes:g} minutes, or the agent's terminal is open"
    if asks.attended == "count":
        first = f"questions while you are there ({there}): all reach you, they are only counted"
    else:
        first = f"questions while you are there: as when you are away (interrupts.attended = {asks.attended})"
    kinds = {"plans": asks.plan, "permissions": asks.permission}
    counted = [name for name, setting in kinds.items() if setting == "count"]
    metered = [name for name, setting in kinds.items() if setting == "meter"]
    parts = [f"{' and '.join(counted)} to approve: counted, never held back"] if counted else []
    parts += [f"{' and '.join(metered)}: within the budget"] if metered else []
    return [first, f"questions while you are away: {budget}", "; ".join(parts), _reading(config)]


def _reading(config: Config) -> str:
    reading = config.investigation
    loop = f"the same call {REPEATS_STOPPED} times, or {READS_STOPPED} reads, without a change"
    said = {"stop": f"a runaway ({loop}) is stopped", "warn": f"a runaway ({loop}) is only told", "off": "no runaway guard"}
    kinds = {"sessions": reading.main.mode, "subagents": reading.subagent.mode}
    firm = [name for name, mode in kinds.items() if mode == "enforce"]
    budgets = f"budgets of {' and '.join(firm)} are enforced" if firm else "budgets only warn"
    return f"agents' reading: {said[reading.runaway]}; {budgets}"
