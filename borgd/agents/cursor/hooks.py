"""Cursor: its hook JSON to an Event, a Reply to its hook JSON. From the vendor's documents; no run of it was recorded.

Answers are flat, in snake_case. ``stop`` cannot block: a follow-up message is submitted as the next prompt, which nobody
typed. What the model reads of a denial is the message for the user. ``cursor-agent -p`` has no prompt and no stop event.
"""

from __future__ import annotations

from typing import Any

from borgd.agents.capabilities import Capabilities
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.payload import is_own_text, object_of, payload_of, text_of
from borgd.errors import ProtocolError

NAME = "cursor"
TEXT_CHARS = 9500
"""host: a context of more than 10,000 characters goes to a file."""

MOMENTS = {
    "sessionStart": Moment.SESSION_START,
    "beforeSubmitPrompt": Moment.PROMPT,
    "preToolUse": Moment.BEFORE_TOOL,
    "postToolUse": Moment.AFTER_TOOL,
    "postToolUseFailure": Moment.AFTER_TOOL,
    "stop": Moment.STOP,
    "subagentStart": Moment.SUBAGENT_START,
    "subagentStop": Moment.SUBAGENT_STOP,
    "preCompact": Moment.COMPACTION,
    "sessionEnd": Moment.SESSION_END,
}
"""One layer of tool events: beforeShellExecution and its like fire for the same call."""
CAPABILITIES = Capabilities(
    gaps=(
        "cursor-agent -p: no prompt and no Stop event, early recall only",
        "questions and permissions cannot be seen",
        "a subagent is never asked at its end",
    ),
    prompts_in_file=True,
)
TAKES_CONTEXT = frozenset({"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse"})
"""host: events whose additional_context reaches the model (at beforeSubmitPrompt: of newer versions)."""
EDITS = {"Write": "content", "StrReplace": "new_string", "Edit": "new_string"}


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for the hook ``event`` (Cursor's own name).

    :raises ProtocolError: not one JSON object, or no conversation id.
    """
    payload = payload_of(body, "Cursor")
    session = text_of(payload, "parent_conversation_id", "conversation_id", "session_id")
    if not session:
        raise ProtocolError("Cursor's hook JSON names no conversation_id")
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    prompt = text_of(payload, "prompt")
    status = text_of(payload, "status")
    stopped = event == "stop" and status not in ("", "completed")  # aborted, error: nobody goes on
    return Event(
        agent=NAME,
        name=event,
        moment=Moment.OTHER if stopped else MOMENTS.get(event, Moment.OTHER),
        session=session,
        subagent=text_of(payload, "subagent_id"),
        subagent_type=text_of(payload, "subagent_type"),
        prompt_id=text_of(payload, "generation_id"),
        cwd=text_of(payload, "cwd") or root,
        transcript=text_of(payload, "agent_transcript_path", "transcript_path"),
        prompt=prompt,
        machine_made=is_own_text(prompt),
        tool=_tool(payload, event),
        last_message=text_of(payload, "text", "summary"),
        stop_again=isinstance(payload.get("loop_count"), int) and payload["loop_count"] > 0,
        source=text_of(payload, "reason", "trigger"),
        model=text_of(payload, "model"),
    )


def _tool(payload: dict[str, Any], event: str) -> ToolCall | None:
    name = text_of(payload, "tool_name")
    if not name:
        return None
    given = object_of(payload, "tool_input")
    path = text_of(given, "file_path", "path", "target_file")
    if path and name in (*EDITS, "Read", "Delete"):
        given = {**given, "file_path": path}
    return ToolCall(
        name=name.replace("MCP:", "mcp__", 1),
        id=text_of(payload, "tool_use_id"),
        input=given,
        response=payload.get("tool_output"),
        failed=event == "postToolUseFailure",
        error=text_of(payload, "error_message"),
    )


def render(event: Event, reply: Reply) -> dict[str, Any]:
    """``reply`` as Cursor takes it for ``event``; what it would not take there is left out. ``{}`` says nothing."""
    if event.name == "stop":
        return {"followup_message": reply.block} if reply.block and not event.stop_again else {}
    out: dict[str, Any] = {}
    if event.name == "preToolUse":
        if reply.deny:
            return {"permission": "deny", "user_message": reply.deny, "agent_message": reply.deny}
        if reply.input is not None:
            out["updated_input"] = reply.input
    if reply.context and event.name in TAKES_CONTEXT:
        out["additional_context"] = reply.context[:TEXT_CHARS]
    return out
