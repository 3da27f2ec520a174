"""GitHub Copilot CLI: its hook JSON to an Event, a Reply to its hook JSON. From the vendor's documents; no run was recorded.

The casing of the event's name chooses the payload: camelCase names come with ``sessionId`` and ``toolArgs``, PascalCase ones
with ``session_id`` and ``tool_input``. Both are read; the installed entries use camelCase.
"""

from __future__ import annotations

from typing import Any

from borgd.agents.capabilities import Capabilities
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.payload import is_own_text, object_of, payload_of, text_of
from borgd.errors import ProtocolError

NAME = "copilot"

MOMENTS = {
    "sessionStart": Moment.SESSION_START,
    "userPromptSubmitted": Moment.PROMPT,
    "preToolUse": Moment.BEFORE_TOOL,
    "postToolUse": Moment.AFTER_TOOL,
    "postToolUseFailure": Moment.AFTER_TOOL,
    "agentStop": Moment.STOP,
    "subagentStart": Moment.SUBAGENT_START,
    "subagentStop": Moment.SUBAGENT_STOP,
    "preCompact": Moment.COMPACTION,
    "notification": Moment.NOTIFICATION,
    "sessionEnd": Moment.SESSION_END,
}
"""permissionRequest is left out: it fires whether or not anybody is asked."""
CAPABILITIES = Capabilities(
    questions=("ask_user",),
    gaps=(
        "before 1.0.65 a prompt brings nothing up",
        "permissions are counted, not refused",
    ),
)
TAKES_CONTEXT = frozenset({"sessionStart", "userPromptSubmitted", "postToolUse", "preToolUse", "subagentStart"})
"""host: events whose additionalContext reaches the model (at userPromptSubmitted since 1.0.65)."""


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for the hook ``event`` (Copilot's own name).

    :raises ProtocolError: not one JSON object, or no session id.
    """
    payload = payload_of(body, "Copilot CLI")
    session = text_of(payload, "sessionId", "session_id")
    if not session:
        raise ProtocolError("Copilot CLI's hook JSON names no sessionId")
    prompt = text_of(payload, "prompt")
    return Event(
        agent=NAME,
        name=event,
        moment=MOMENTS.get(event, Moment.OTHER),
        session=session,
        subagent=text_of(payload, "agentName", "agent_name") if event.startswith("subagent") else "",
        subagent_type=text_of(payload, "agentName", "agent_name"),
        cwd=text_of(payload, "cwd"),
        transcript=text_of(payload, "transcriptPath", "transcript_path"),
        prompt=prompt,
        machine_made=is_own_text(prompt),
        tool=_tool(payload, event),
        stamp=str(stamp) if isinstance(stamp := payload.get("timestamp"), (int, str)) else "",
        stop_again=(payload.get("stop_hook_active") or payload.get("stopHookActive")) is True,
        source=text_of(payload, "notification_type", "notificationType", "source", "reason", "trigger"),
    )


def _tool(payload: dict[str, Any], event: str) -> ToolCall | None:
    name = text_of(payload, "toolName", "tool_name")
    if not name:
        return None
    given = object_of(payload, "toolArgs") or object_of(payload, "tool_input")
    path = text_of(given, "file_path", "path")
    new, old = text_of(given, "new_string", "new_str", "file_text"), text_of(given, "old_string", "old_str")
    edit = {"file_path": path} if path else {}
    edit |= {"new_string": new, "old_string": old} if new or old else {}
    return ToolCall(
        name=name,
        id=text_of(payload, "toolCallId", "tool_use_id"),
        input={**given, **edit},
        response=payload.get("toolResult", payload.get("tool_result")),
        failed=event == "postToolUseFailure",
        error=text_of(payload, "error"),
    )


def render(event: Event, reply: Reply) -> dict[str, Any]:
    """``reply`` as Copilot CLI takes it for ``event``; what it would not take there is left out. ``{}`` says nothing."""
    if event.name in ("agentStop", "subagentStop"):
        return {"decision": "block", "reason": reply.block} if reply.block and not event.stop_again else {}
    out: dict[str, Any] = {}
    if event.name == "preToolUse":
        if reply.deny:
            return {"permissionDecision": "deny", "permissionDecisionReason": reply.deny}
        if reply.input is not None:
            out |= {"permissionDecision": "allow", "modifiedArgs": reply.input}
    if reply.context and event.name in TAKES_CONTEXT:
        out["additionalContext"] = reply.context
    return out
