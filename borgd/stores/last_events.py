"""When each kind of event came last from each agent, kept over restarts: what tells "installed" from "called".

Names and times only, never a word of what was said.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from borgd.agents import gaps_of
from borgd.files import replace_file
from borgd.lessons.redact import redact

FILE = "last-events.json"
AGENTS = 32
"""guard: agents remembered."""
EVENTS = 64
"""guard: kinds of events remembered per agent."""

Times = dict[str, dict[str, int]]
"""Agent -> event, in the agent's own word -> ms since the epoch."""


def read_last_events(state: Path) -> Times:
    """What the file in the state directory says; empty where it cannot be used."""
    try:
        return msgspec.json.decode((state / FILE).read_bytes(), type=Times)
    except (OSError, msgspec.MsgspecError):
        return {}


class LastEvents:
    """The daemon's own view of that file."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self.times = read_last_events(state)
        self._changed = False

    def note(self, agent: str, event: str, now_ms: int) -> None:
        """An event came; its name is the agent's own word, so a secret in it is taken out."""
        event = redact(event)
        events = self.times.get(agent)
        if events is None:
            if len(self.times) >= AGENTS:
                return
            events = self.times[agent] = {}
        if event in events or len(events) < EVENTS:
            events[event] = now_ms
            self._changed = True

    def status(self) -> dict[str, Any]:
        """For ``borg status``: the times, and what cannot be done in the agents that were heard."""
        gaps = {agent: list(found) for agent in self.times if (found := gaps_of(agent))}
        return {"last_events": self.times, "gaps": gaps}

    def save(self) -> None:
        """Write it down, where there is news.

        :raises OSError: the file cannot be written.
        """
        if self._changed:
            replace_file(self._state / FILE, msgspec.json.encode(self.times))
            self._changed = False
