"""Codex CLI: its hook JSON to an Event, a Reply to its hook JSON.

Codex drops a whole answer for one key that it does not know at that event, and lets the action go on. At Stop it takes
``decision`` and ``reason`` only, and has no limit of its own on blocks.
"""

from __future__ import annotations

from typing import Any

from borgd.agents.capabilities import Capabilities
from borgd.agents.codex.patch import edit_of
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.payload import cut_bytes, is_own_text, object_of, payload_of, text_of
from borgd.errors import ProtocolError

NAME = "codex"
TEXT_BYTES = 9500
"""host: Codex cuts a text at 2,500 tokens, which it counts as 10,000 bytes."""

MOMENTS = {
    "SessionStart": Moment.SESSION_START,
    "UserPromptSubmit": Moment.PROMPT,
    "PreToolUse": Moment.BEFORE_TOOL,
    "PostToolUse": Moment.AFTER_TOOL,
    "PermissionRequest": Moment.PERMISSION,
    "SubagentStart": Moment.SUBAGENT_START,
    "SubagentStop": Moment.SUBAGENT_STOP,
    "PreCompact": Moment.COMPACTION,
    "PostCompact": Moment.COMPACTION,
    "Stop": Moment.STOP,
    "Interrupt": Moment.OTHER,
    "SessionEnd": Moment.SESSION_END,
}
CAPABILITIES = Capabilities(
    questions=("request_user_input",),
    gaps=(
        "hooks run only once Codex trusts them: borg install codex --trust",
        "questions exist in Plan mode only",
        "permissions are counted, not refused",
    ),
)
TAKES_CONTEXT = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"})
"""host: events whose additionalContext reaches the model."""
TAKES_NOTE = TAKES_CONTEXT - {"SubagentStart"} | {"Stop", "SubagentStop", "Interrupt"}
"""host: events at which a systemMessage is shown to the person."""
HOOK_PROMPT = "<hook_prompt"
"""host: how a hook's reason comes back as a message of the user."""


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for the hook ``event`` (Codex's own name).

    :raises ProtocolError: not one JSON object, or no session id.
    """
    payload = payload_of(body, "Codex")
    session = text_of(payload, "session_id")
    if not session:
        raise ProtocolError("Codex's hook JSON names no session_id")
    prompt = text_of(payload, "prompt")
    return Event(
        agent=NAME,
        name=event,
        moment=MOMENTS.get(event, Moment.OTHER),
        session=session,
        subagent=text_of(payload, "agent_id"),
        subagent_type=text_of(payload, "agent_type"),
        prompt_id=text_of(payload, "turn_id"),
        cwd=text_of(payload, "cwd"),
        transcript=text_of(payload, "agent_transcript_path", "transcript_path"),
        prompt=prompt,
        machine_made=prompt.lstrip().startswith(HOOK_PROMPT) or is_own_text(prompt),
        tool=_tool(payload),
        last_message=text_of(payload, "last_assistant_message"),
        stop_again=payload.get("stop_hook_active") is True,
        source=text_of(payload, "source", "reason", "trigger"),
        mode=text_of(payload, "permission_mode"),
        model=text_of(payload, "model"),
    )


def _tool(payload: dict[str, Any]) -> ToolCall | None:
    name = text_of(payload, "tool_name")
    if not name:
        return None
    given = object_of(payload, "tool_input")
    response = payload.get("tool_response")
    if name == "apply_patch":
        given = {**given, **edit_of(text_of(given, "command", "input", "patch"))}
    elif name == "request_user_input":
        response = _answers(given, object_of(payload, "tool_response"))
    return ToolCall(name=name, id=text_of(payload, "tool_use_id"), input=given, response=response)


def _answers(given: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """The answers by question, where Codex has them by the question's id, each a list of labels."""
    questions = given.get("questions")
    answers = response.get("answers")
    if not isinstance(questions, list) or not isinstance(answers, dict):
        return response
    found = {}
    for question in questions:
        answer = answers.get(question.get("id")) if isinstance(question, dict) else None
        labels = answer.get("answers") if isinstance(answer, dict) else None
        if isinstance(labels, list):
            found[str(question.get("question", ""))] = ", ".join(str(label) for label in labels)
    return {"answers": found}


def render(event: Event, reply: Reply) -> dict[str, Any]:
    """``reply`` as Codex takes it for ``event``; what it would not take there is left out. ``{}`` says nothing."""
    out: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if event.name in ("Stop", "SubagentStop"):
        if reply.block and not event.stop_again:
            out = {"decision": "block", "reason": cut_bytes(reply.block, TEXT_BYTES)}
    elif event.name == "PreToolUse" and reply.deny:
        specific = {"permissionDecision": "deny", "permissionDecisionReason": cut_bytes(reply.deny, TEXT_BYTES)}
    elif event.name == "PreToolUse" and reply.input is not None:
        specific = {"permissionDecision": "allow", "updatedInput": reply.input}
    if reply.context and event.name in TAKES_CONTEXT:
        specific["additionalContext"] = cut_bytes(reply.context, TEXT_BYTES)
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if reply.note and event.name in TAKES_NOTE:
        out["systemMessage"] = cut_bytes(reply.note, TEXT_BYTES)
    return out
