"""One module per coding agent: its JSON to an Event, a Reply to its JSON. Adding one touches one new file and this table.

Pure. Payloads are untrusted: a parser takes what it knows, ignores the rest, and raises ProtocolError on no JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from borgd.agents.capabilities import Capabilities
from borgd.agents.event import Event, Moment, Reply, ToolCall, checked
from borgd.agents.sender import sender
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
    "oddity",
    "prompts_in_file",
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


def prompts_in_file(name: str) -> bool:
    """Whether a prompt may come to the agent ``name`` without a hook that tells of it."""
    return name in AGENTS and agent(name).CAPABILITIES.prompts_in_file


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


def oddity(module: Agent, event: Event) -> str:
    """What of an event that was parsed is not as it should be, as a sentence's end; empty where nothing is.

    An event may be new, or a field that its moment lives on may have another name in the agent's next version.
    """
    if event.name not in module.MOMENTS:
        return "borgd does not know it"
    if event.moment in (Moment.BEFORE_TOOL, Moment.AFTER_TOOL) and event.tool is None:
        return "it names no tool"
    if event.moment is Moment.PROMPT and not event.prompt and not event.machine_made:
        return "it has no prompt"
    return ""


def kind_of(name: str, event: str) -> str:
    """The hook event ``event`` of the agent ``name`` as it may be counted, logged and shown: only words that we know."""
    if name not in AGENTS:
        return "other"
    return f"{name} {event if event in agent(name).MOMENTS else 'other'}"
