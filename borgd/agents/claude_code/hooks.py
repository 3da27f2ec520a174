"""Claude Code: its hook JSON to an Event, a Reply to its hook JSON.

Only keys that Claude Code accepts for the event leave here: a wrong ``hookEventName`` or an invalid value makes it
drop the whole answer. Never ``permissionDecision`` ask or defer, never ``additionalContext`` at Stop (the turn would
go on), never ``continue``.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from borgd.agents.capabilities import Capabilities
from borgd.agents.event import ID_CHARS, Event, Moment, Reply, ToolCall
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

CAPABILITIES = Capabilities(questions=("AskUserQuestion", "ExitPlanMode"))

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

AGENT_TASKS = frozenset(
    {"subagent", "agent", "workflow", "teammate", "local_agent", "remote_agent", "in_process_teammate", "local_workflow"}
)
"""host: kinds of background tasks that are agents at work; the others are shells, monitors and the like."""
RUNNING = ("running", "pending")
"""host: states of a background task that is under way."""
RUNNING_TASKS = 100
"""guard: running agents of one Stop that are looked at."""

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
            return _usable(text)
        except msgspec.DecodeError:  # half a character somewhere, or truly damaged
            return _usable(repaired(text))
    except msgspec.ValidationError as error:
        raise ProtocolError(f"Claude Code's hook JSON is not as expected: {error}") from None
    except msgspec.DecodeError as error:
        raise ProtocolError(f"Claude Code's hook JSON is damaged: {error}") from None
    except RecursionError:
        raise ProtocolError("Claude Code's hook JSON is nested too deeply") from None


def _usable(text: bytes) -> _Payload:
    """What can be used of a payload: a field of a type that we do not know counts as absent, the session's id must be one.

    A host's next release may change any field; it must not silence all others.
    """
    fields = msgspec.json.decode(text, type=dict[str, Any])
    kept = {"session_id": fields.get("session_id", "")}
    for name in _Payload.__struct_fields__:
        if name not in fields:
            continue
        try:
            msgspec.convert({name: fields[name]}, _Payload)
        except msgspec.ValidationError:
            if name == "stop_hook_active":  # never to be taken for "not yet": the turn would not end
                kept[name] = bool(fields[name])
            continue
        kept[name] = fields[name]
    return msgspec.convert(kept, _Payload)


def _is_agent(task: dict[str, Any]) -> bool:
    """Whether a background task is an agent; one that says nothing of its kind is, unless it names a command."""
    if task.get("agent_type") or task.get("type") in AGENT_TASKS:
        return True
    return not (task.get("type") or task.get("command") or task.get("server"))


def _running(tasks: object) -> tuple[str, ...]:
    """The ids of background tasks that are agents and under way: a shell or a monitor may run for ever."""
    found = [task for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return tuple(
        str(task.get("id") or "")[:ID_CHARS] for task in found if task.get("status") in RUNNING and _is_agent(task)
    )[:RUNNING_TASKS]


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
        running=_running(payload.background_tasks),
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
