"""What came from the agents, by kind: when each event came last, which ones were not understood; for doctor and status."""

from __future__ import annotations

from typing import Any

import msgspec

from borgd import clock
from borgd.agents import Agent, oddity, understood
from borgd.agents.event import Event, with_host
from borgd.errors import ProtocolError
from borgd.paths import Paths
from borgd.stores.last_events import LastEvents
from borgd.stores.not_understood import NotUnderstood


class HeardEvents:
    """Parses events and keeps count of them; nothing is on disk before ``save``."""

    def __init__(self, where: Paths) -> None:
        self.last = LastEvents(where.state)
        self.not_understood = NotUnderstood(where.state)

    def parse(self, agent: str, event: str, body: bytes, words: tuple[str, ...]) -> tuple[Agent, Event]:
        """The module of the agent that sent ``body``, and its Event, with what the client says of the agent's host.

        :raises ProtocolError: no such agent, or not a payload of its.
        """
        try:
            module, parsed = understood(agent, event, body)
        except ProtocolError as error:
            self.not_understood.note(agent, event, str(error), clock.now_ms())
            raise
        return module, with_host(parsed, words)

    def note(self, module: Agent, event: Event) -> None:
        """An event of somebody at work came."""
        now_ms = clock.now_ms()
        self.last.note(event.agent, event.name, now_ms)
        if odd := oddity(module, event):
            self.not_understood.note(event.agent, event.name, odd, now_ms)

    def save(self) -> None:
        """Write down what is new.

        :raises OSError: a file cannot be written.
        """
        self.last.save()
        self.not_understood.save()

    def status(self) -> dict[str, Any]:
        """For ``borg status`` and ``borg doctor``."""
        return {**self.last.status(), "not_understood": msgspec.to_builtins(self.not_understood.found)}
