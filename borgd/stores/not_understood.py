"""Events that came from an agent and were not understood, kept over restarts: what ``borg doctor`` says of a new version.

Names, counts and times only, never a word of what was said.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from borgd.files import replace_file
from borgd.lessons.redact import redact

FILE = "not-understood.json"
AGENTS = 16
"""guard: agents remembered."""
EVENTS = 32
"""guard: events remembered per agent."""
NAME_CHARS = 80
"""guard: characters kept of a name that somebody else chose."""


class Misunderstanding(msgspec.Struct):
    """One event of one agent: why it was not understood the last time, when that was, and how often so far."""

    reason: str
    ms: int
    times: int = 1


Misunderstood = dict[str, dict[str, Misunderstanding]]
"""Agent -> event, in the agent's own word -> what was wrong with it."""


def read_not_understood(state: Path) -> Misunderstood:
    """What the file in the state directory says; empty where it cannot be used."""
    try:
        return msgspec.json.decode((state / FILE).read_bytes(), type=Misunderstood)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return {}


class NotUnderstood:
    """The daemon's own view of that file."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self.found = read_not_understood(state)
        self._changed = False

    def note(self, agent: str, event: str, reason: str, now_ms: int) -> None:
        """An event came that was not understood for ``reason``."""
        agent, event = redact(agent[:NAME_CHARS]), redact(event[:NAME_CHARS])
        events = self.found.get(agent, {})
        if (agent not in self.found and len(self.found) >= AGENTS) or (event not in events and len(events) >= EVENTS):
            return
        times = events[event].times if event in events else 0
        self.found.setdefault(agent, {})[event] = Misunderstanding(reason, now_ms, times + 1)
        self._changed = True

    def save(self) -> None:
        """Write it down, where there is news.

        :raises OSError: the file cannot be written.
        """
        if self._changed:
            replace_file(self._state / FILE, msgspec.json.encode(self.found))
            self._changed = False
