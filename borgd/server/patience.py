"""For how long our client waits for an answer; what comes later is told to nobody."""

from __future__ import annotations

from borgd.agents.event import Moment

LONG_S = 1.0
"""host: our client has gone on without an answer after this, at a session's start, a prompt or a stop."""
SHORT_S = 0.25
"""host: as LONG_S, at any other event."""
LONG_MOMENTS = frozenset({Moment.SESSION_START, Moment.PROMPT, Moment.EXPANSION, Moment.STOP, Moment.SUBAGENT_STOP})


def patience_s(moment: Moment) -> float:
    """Seconds after which our client has given up on an answer."""
    return LONG_S if moment in LONG_MOMENTS else SHORT_S
