"""Gemini CLI: its hook JSON to an Event, a Reply to its hook JSON.

The reason of an AfterAgent block comes back as the prompt of the next BeforeAgent: nobody typed it. A context given at
SessionStart stands before the person's first prompt. There is no id of a prompt, so one is made of its time and text.
"""

from __future__ import annotations

import re
from typing import Any

from borgd.agents.capabilities import Capabilities
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.payload import is_own_text, object_of, payload_of, text_of
from borgd.errors import ProtocolError
from borgd.paths import fnv1a

NAME = "gemini"

MOMENTS = {
    "SessionStart": Moment.SESSION_START,
    "BeforeAgent": Moment.PROMPT,
    "BeforeTool": Moment.BEFORE_TOOL,
    "AfterTool": Moment.AFTER_TOOL,
    "AfterAgent": Moment.STOP,
    "Notification": Moment.NOTIFICATION,
    "SessionEnd": Moment.SESSION_END,
}
"""PreCompress is left out: it fires before every request, whether or not anything is compressed."""
CAPABILITIES = Capabilities(
    questions=("ask_user",),
    gaps=(
        "subagents tell nothing",
        "nothing can be said before a tool call: it comes with its result",
        "permissions are counted, not refused",
    ),
)
TAKES_CONTEXT = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})
"""host: events whose additionalContext reaches the model."""
_OWN_CONTEXT = re.compile(r"\A\s*<hook_context>.*?</hook_context>\s*", re.S)
_NOTIFICATIONS = {"ToolPermission": "permission_prompt"}


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for the hook ``event`` (Gemini CLI's own name).

    :raises ProtocolError: not one JSON object, or no session id.
    """
    payload = payload_of(body, "Gemini CLI")
    session = text_of(payload, "session_id")
    if not session:
        raise ProtocolError("Gemini CLI's hook JSON names no session_id")
    prompt = _OWN_CONTEXT.sub("", text_of(payload, "prompt")) if event == "BeforeAgent" else ""
    source = text_of(payload, "source", "reason", "trigger", "notification_type")
    return Event(
        agent=NAME,
        name=event,
        moment=MOMENTS.get(event, Moment.OTHER),
        session=session,
        prompt_id=f"{fnv1a((text_of(payload, 'timestamp') + prompt).encode('utf-8', 'replace')):016x}" if prompt else "",
        cwd=text_of(payload, "cwd"),
        transcript=text_of(payload, "transcript_path"),
        prompt=prompt,
        machine_made=event == "BeforeAgent" and "prompt" in payload and (not prompt.strip() or is_own_text(prompt)),
        tool=_tool(payload),
        last_message=text_of(payload, "prompt_response"),
        stop_again=payload.get("stop_hook_active") is True,
        source=_NOTIFICATIONS.get(source, source),
        stamp=text_of(payload, "timestamp"),
    )


def _tool(payload: dict[str, Any]) -> ToolCall | None:
    name = text_of(payload, "tool_name")
    if not name:
        return None
    response = payload.get("tool_response")
    error = response.get("error") if isinstance(response, dict) else None
    return ToolCall(
        name=name,
        input=object_of(payload, "tool_input"),
        response=response,
        failed=bool(error),
        error=error if isinstance(error, str) else text_of(error, "message") if isinstance(error, dict) else "",
    )


def render(event: Event, reply: Reply) -> dict[str, Any]:
    """``reply`` as Gemini CLI takes it for ``event``; what it would not take there is left out. ``{}`` says nothing."""
    out: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if event.name == "AfterAgent":
        if reply.block and not event.stop_again:
            out = {"decision": "block", "reason": reply.block}
    elif event.name == "BeforeTool" and reply.deny:
        out = {"decision": "deny", "reason": reply.deny}
    elif event.name == "BeforeTool" and reply.input is not None:
        specific["tool_input"] = reply.input
    if reply.context and event.name in TAKES_CONTEXT:
        specific["additionalContext"] = reply.context
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if reply.note and event.name in MOMENTS and event.name != "SessionEnd":
        out["systemMessage"] = reply.note
    return out
