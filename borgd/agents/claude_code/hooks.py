"""Claude Code: its hook JSON to an Event, a Reply to its hook JSON.

Only keys that Claude Code accepts for the event leave here: a wrong ``hookEventName`` or an invalid value makes it
drop the whole answer. Never ``permissionDecision`` ask or defer, never ``additionalContext`` at Stop (the turn would
go on), never ``continue``.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.json_repair import repaired
from borgd.errors import ProtocolError

NAME = "claude-code"

CONTEXT_CHARS = 9500
"""host: above 10,000 UTF-16 units Claude Code replaces a context by a 2,000-character preview and a file path."""

MOMENTS = {
    "SessionStart": Moment.SESSION_START,
    "UserPromptSubmit": Moment.PROMPT,
    "UserPromptExpansion": Moment.EXPANSION,
    "PreToolUse": Moment.BEFORE_TOOL,
    "PostToolUse": Moment.AFTER_TOOL,
    "PostToolUseFailure": Moment.AFTER_TOOL,
    "PermissionRequest": Moment.PERMISSION,
    "Notification": Moment.NOTIFICATION,
    "Stop": Moment.STOP,
    "SubagentStart": Moment.SUBAGENT_START,
    "SubagentStop": Moment.SUBAGENT_STOP,
    "PreModelSwitch": Moment.MODEL_SWITCH,
    "PreCompact": Moment.COMPACTION,
    "PostCompact": Moment.COMPACTION,
    "SessionEnd": Moment.SESSION_END,
}

TAKES_CONTEXT = {
    "SessionStart",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
}
"""Events whose additionalContext reaches the model without prolonging the turn."""

SPAWNING_TOOLS = {"Agent", "Task"}
"""host: tools that call a subagent with a ``prompt``."""

MACHINE_PREFIXES = ("<task-notification>", "<system-reminder>", "Stop hook feedback:", "<local-command-", "<command-name>")
"""How a prompt starts that no person typed: a background task's report, a hook's own reason coming back."""
INTERRUPTED = "[Request interrupted by user"
"""host: how a row of the session file starts that says so; never told by a hook."""


class _Payload(msgspec.Struct):
    """The fields we read. All optional: what is missing or null is taken as absent, what is unknown is ignored."""

    session_id: str = ""
    transcript_path: str | None = None
    agent_transcript_path: str | None = None
    cwd: str | None = None
    prompt_id: str | None = None
    permission_mode: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    source: str | None = None
    reason: str | None = None
    trigger: str | None = None
    notification_type: str | None = None
    message: str | None = None
    prompt: str | None = None
    command_name: str | None = None
    command_args: str | None = None
    model: Any = None
    to_model: str | None = None
    tool_name: str | None = None
    tool_input: Any = None
    tool_use_id: str | None = None
    tool_response: Any = None
    error: Any = None
    stop_hook_active: bool | None = None
    last_assistant_message: str | None = None
    background_tasks: Any = None
    cursor_version: Any = None


_decoder = msgspec.json.Decoder(_Payload)
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]+")


def is_machine_made(prompt: str) -> bool:
    """Whether no person typed ``prompt``."""
    return prompt.lstrip().startswith((*MACHINE_PREFIXES, INTERRUPTED))


def _decode(body: bytes) -> _Payload:
    text = body.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        try:
            return _decoder.decode(text)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:  # half a character somewhere, or truly damaged
            return _decoder.decode(repaired(text))
    except msgspec.ValidationError as error:
        raise ProtocolError(f"Claude Code's hook JSON is not as expected: {error}") from None
    except msgspec.DecodeError as error:
        raise ProtocolError(f"Claude Code's hook JSON is damaged: {error}") from None
    except RecursionError:
        raise ProtocolError("Claude Code's hook JSON is nested too deeply") from None


def _running(tasks: object) -> bool:
    return isinstance(tasks, list) and any(isinstance(task, dict) and task.get("status") == "running" for task in tasks)


def _transcript(payload: _Payload) -> str:
    """The session file that the event's thread writes; a subagent's lies in a directory named as the session's file."""
    main, subagent = payload.transcript_path or "", payload.agent_id or ""
    if not subagent:
        return main
    if payload.agent_transcript_path:
        return payload.agent_transcript_path
    plain = main.endswith(".jsonl") and _PLAIN_ID.fullmatch(subagent)
    return f"{main.removesuffix('.jsonl')}/subagents/agent-{subagent}.jsonl" if plain else ""


def _tool(payload: _Payload, event: str) -> ToolCall | None:
    if not payload.tool_name:
        return None
    return ToolCall(
        name=payload.tool_name,
        id=payload.tool_use_id or "",
        input=payload.tool_input if isinstance(payload.tool_input, dict) else {},
        response=payload.tool_response,
        failed=event == "PostToolUseFailure",
        error=payload.error if isinstance(payload.error, str) else "",
    )


def _spawn(payload: _Payload, event: str) -> tuple[str, str]:
    """What a subagent is called for by this call, and its kind; both empty where none is."""
    given = payload.tool_input if isinstance(payload.tool_input, dict) else {}
    prompt = given.get("prompt")
    if event != "PreToolUse" or payload.tool_name not in SPAWNING_TOOLS or not isinstance(prompt, str):
        return "", ""
    return prompt, str(given.get("subagent_type") or "")


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for the hook ``event`` (Claude Code's own name).

    A payload that another agent sent through Claude Code's settings (it names a ``cursor_version``) becomes an Event of
    moment OTHER: nothing is done with it, nothing is answered.

    :raises ProtocolError: not one JSON object, a field of the wrong type, or no session id.
    """
    payload = _decode(body)
    if not payload.session_id:
        raise ProtocolError("Claude Code's hook JSON names no session_id")
    foreign = payload.cursor_version is not None
    prompt = payload.prompt or ""
    if event == "UserPromptExpansion":
        prompt = f"/{payload.command_name or ''} {payload.command_args or ''}".strip()
    spawn, kind = _spawn(payload, event)
    return Event(
        agent=NAME,
        name=event,
        moment=Moment.OTHER if foreign else MOMENTS.get(event, Moment.OTHER),
        session=payload.session_id,
        subagent=payload.agent_id or "",
        subagent_type=kind or payload.agent_type or "",
        spawn=spawn,
        prompt_id=payload.prompt_id or "",
        cwd=payload.cwd or "",
        transcript=_transcript(payload),
        prompt=prompt,
        machine_made=is_machine_made(prompt),
        tool=_tool(payload, event),
        last_message=payload.last_assistant_message or "",
        stop_again=bool(payload.stop_hook_active),
        background=_running(payload.background_tasks),
        source=payload.source or payload.reason or payload.trigger or payload.notification_type or "",
        mode=payload.permission_mode or "",
        model=payload.to_model or (payload.model if isinstance(payload.model, str) else ""),
    )


def _cut(text: str) -> str:
    """At most CONTEXT_CHARS UTF-16 units of ``text``, as Claude Code counts; no character is cut in half."""
    if len(text) <= CONTEXT_CHARS // 2 or (text.isascii() and len(text) <= CONTEXT_CHARS):
        return text
    return text.encode("utf-16-le", "replace")[: 2 * CONTEXT_CHARS].decode("utf-16-le", "ignore")


def render(event: Event, reply: Reply) -> dict[str, Any]:
    """``reply`` as Claude Code takes it for ``event``; what it would not take there is left out. ``{}`` says nothing."""
    out: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if event.name in ("Stop", "SubagentStop"):
        if reply.block and not event.stop_again:
            out = {"decision": "block", "reason": reply.block}
        return out
    if event.name == "PreModelSwitch" and reply.deny:
        return {"decision": "block", "reason": reply.deny}
    if event.name == "PermissionRequest" and reply.deny:
        specific = {"decision": {"behavior": "deny", "message": reply.deny}}
    if event.name == "PreToolUse":
        if reply.deny:
            specific = {"permissionDecision": "deny", "permissionDecisionReason": reply.deny}
        elif reply.input is not None:  # without a decision: the host's own permission check is still to come
            specific = {"updatedInput": reply.input}
    if reply.context and event.name in TAKES_CONTEXT:
        specific["additionalContext"] = _cut(reply.context)
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if reply.note and event.name in MOMENTS and event.name != "SessionEnd":
        out["systemMessage"] = _cut(reply.note)
    return out
