"""What every agent's hook call is turned into, and what every answer is made of. No agent's own names here."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from borgd.errors import ProtocolError

ID_CHARS = 200
"""guard: longest id of a session, subagent, prompt or tool call, longest name of a tool; all are remembered for a while."""

PATH_CHARS = 4096
"""host: no system opens a longer path, so a longer one is none."""


class Moment(StrEnum):
    """When in a session an event happens, the same word for every agent."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before_tool"
    AFTER_TOOL = "after_tool"
    PERMISSION = "permission"
    NOTIFICATION = "notification"
    STOP = "stop"
    EXPANSION = "expansion"
    SUBAGENT_START = "subagent_start"
    SUBAGENT_STOP = "subagent_stop"
    COMPACTION = "compaction"
    MODEL_SWITCH = "model_switch"
    SESSION_END = "session_end"
    OTHER = "other"


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of one tool, in the agent's own names."""

    name: str
    id: str = ""
    input: dict[str, Any] = {}
    response: Any = None
    failed: bool = False
    error: str = ""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One hook call.

    ``session`` is the agent's id of the whole session, ``subagent`` the id inside it (empty: the main thread).
    ``prompt_id`` names the user prompt the event belongs to, empty where the agent gives none.
    ``spawn`` is what a subagent is called for, at the call that calls it. An EXPANSION's ``prompt`` is as typed.
    ``source`` is the start source, end reason, compaction trigger or notification type.
    """

    agent: str
    name: str
    moment: Moment
    session: str
    subagent: str = ""
    subagent_type: str = ""
    prompt_id: str = ""
    cwd: str = ""
    transcript: str = ""
    prompt: str = ""
    machine_made: bool = False
    tool: ToolCall | None = None
    spawn: str = ""
    last_message: str = ""
    stop_again: bool = False
    running: tuple[str, ...] = ()
    """Ids of the agents that work in the background, of which a Stop tells: the turn goes on when they are done."""
    source: str = ""
    stamp: str = ""
    """The host's time of the event, of hosts that give calls no ids: hooks that run twice for one event have the same."""
    mode: str = ""
    model: str = ""
    attended: bool | None = None
    """Whether the agent's host says that a person is there; None: it says nothing."""
    entry: str = ""
    """How the host says that the session was started (``cli``, ``sdk-cli``, an editor's name); empty: it says nothing."""


def checked(event: Event) -> Event:
    """``event`` without paths that cannot be.

    :raises ProtocolError: an id in it is longer than any id is.
    """
    tool = event.tool or ToolCall(name="")
    for what, value in (
        ("session id", event.session),
        ("subagent id", event.subagent),
        ("prompt id", event.prompt_id),
        ("tool call id", tool.id),
        ("tool name", tool.name),
    ):
        if len(value) > ID_CHARS:
            raise ProtocolError(f"the hook's JSON has a {what} of more than {ID_CHARS} characters")
    cwd = event.cwd if _is_path(event.cwd) else ""
    transcript = event.transcript if _is_path(event.transcript) else ""
    if (cwd, transcript) == (event.cwd, event.transcript):
        return event
    return msgspec.structs.replace(event, cwd=cwd, transcript=transcript)


def with_host(event: Event, words: Iterable[str]) -> Event:
    """``event`` with what the client said of the agent's host: ``attended.0``, ``attended.1``, ``entry.<name>``.

    Words that are not known, and values that are none, say nothing.
    """
    said = dict(word.split(".", 1) for word in words if "." in word)
    attended = {"1": True, "0": False}.get(said.get("attended", ""))
    entry = said.get("entry", "")
    return msgspec.structs.replace(event, attended=attended, entry=entry) if said else event


def _is_path(text: str) -> bool:
    return len(text) <= PATH_CHARS and "\0" not in text


class Reply(msgspec.Struct, kw_only=True):
    """What the agent is to be told. All empty: not one character.

    ``context`` text for the model; ``block`` the reason to go on instead of stopping; ``deny`` the reason why a tool
    call may not run; ``input`` the tool input to use instead; ``note`` a line for the person. ``told``: the ids of the
    lessons in it, which no agent sees.
    """

    context: str = ""
    block: str = ""
    deny: str = ""
    input: dict[str, Any] | None = None
    note: str = ""
    told: tuple[str, ...] = ()
