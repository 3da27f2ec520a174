"""One module per coding agent: its JSON to an Event, a Reply to its JSON. Adding one touches one new file and this table.

Pure. Payloads are untrusted: a parser takes what it knows, ignores the rest, and raises ProtocolError on no JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from borgd.agents.capabilities import Capabilities
from borgd.agents.event import Event, Moment, Reply, ToolCall, checked
from borgd.errors import ProtocolError

__all__ = [
    "AGENTS",
    "Agent",
    "Event",
    "Moment",
    "Reply",
    "ToolCall",
    "agent",
    "gaps_of",
    "kind_of",
    "sender",
    "takes_context",
    "understood",
]


class Agent(Protocol):
    """What one agent's module provides. ``MOMENTS``: the hook events it knows."""

    MOMENTS: Mapping[str, Moment]
    CAPABILITIES: Capabilities

    def parse(self, event: str, body: bytes) -> Event:
        """The Event in ``body``, the agent's JSON for the hook ``event``.

        :raises ProtocolError: not one JSON object, or no session in it.
        """
        ...

    def render(self, event: Event, reply: Reply) -> Mapping[str, Any]:
        """``reply`` in the agent's own words: only keys that it accepts for this event; ``{}`` says nothing."""
        ...


AGENTS: Mapping[str, str] = {
    "claude-code": "borgd.agents.claude_code.hooks",
    "codex": "borgd.agents.codex.hooks",
    "gemini": "borgd.agents.gemini.hooks",
    "cursor": "borgd.agents.cursor.hooks",
    "copilot": "borgd.agents.copilot.hooks",
    "opencode": "borgd.agents.opencode.hooks",
    "omp": "borgd.agents.omp.hooks",
}


def agent(name: str) -> Agent:
    """The module for the agent ``name``.

    :raises ProtocolError: no such agent.
    """
    if name not in AGENTS:
        raise ProtocolError(f"unknown agent {name!r}; known: {', '.join(sorted(AGENTS))}")
    module: Agent = import_module(AGENTS[name])
    return module


def gaps_of(name: str) -> tuple[str, ...]:
    """What cannot be done in the agent ``name``, in words; nothing where there is no such agent."""
    return agent(name).CAPABILITIES.gaps if name in AGENTS else ()


_FROM_CURSOR = b'"cursor_version":'
_CURSOR_NAMES = {"UserPromptSubmit": "beforeSubmitPrompt"}
"""host: what Cursor calls an event of Claude Code's, where it is not the same with a small first letter."""


def sender(name: str, event: str, body: bytes) -> tuple[str, str]:
    """The agent that really sent ``body``, and its name of the event.

    Cursor runs the hooks of Claude Code's settings too; its payloads name its version, which no text inside a payload can
    (a quoted one has backslashes). Everything else is from whom the entry says.
    """
    if name == "claude-code" and _FROM_CURSOR in body.replace(b'" :', b'":'):
        return "cursor", _CURSOR_NAMES.get(event, event[:1].lower() + event[1:])
    return name, event


def understood(name: str, event: str, body: bytes) -> tuple[Agent, Event]:
    """The module of the agent that sent ``body``, and its Event, with ids that are bounded.

    :raises ProtocolError: no such agent, or not a payload of its.
    """
    name, event = sender(name, event, body)
    module = agent(name)
    return module, checked(module.parse(event, body))


def takes_context(event: Event) -> bool:
    """Whether a text for the model reaches it with the answer to ``event``: what the agent would drop is not to be told."""
    return event.agent not in AGENTS or bool(agent(event.agent).render(event, Reply(context="?")))


def kind_of(name: str, event: str) -> str:
    """The hook event ``event`` of the agent ``name`` as it may be counted, logged and shown: only words that we know."""
    if name not in AGENTS:
        return "other"
    return f"{name} {event if event in agent(name).MOMENTS else 'other'}"
