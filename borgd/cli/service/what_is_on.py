"""What the settings switch on that a person notices in daily use, a line each, for ``borg install``. Pure."""

from __future__ import annotations

from borgd.config.schema import Config


def what_is_on(config: Config) -> list[str]:
    """One line for questions while somebody is there, one for when nobody is, one for plans and permissions."""
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
    return [first, f"questions while you are away: {budget}", "; ".join(parts)]
