"""opencode: what its plugin tells to an Event, a Reply to what its plugin does. The plugin: hooks/opencode/plugin.ts.

The plugin sends a hook's two arguments as ``input`` and ``output``, a bus event's properties as ``input``, and beside them
what it keeps itself: directory, root session, what the agent closed with. An answer names what the plugin does with the
hook's output: ``parts`` are pushed, ``output`` is appended, ``args`` replace, ``throw`` is opencode's way to refuse a tool
call, ``later`` waits for the next place that takes a text, ``toast`` is shown to the person. A Stop cannot be held: the
plugin submits ``prompt`` as the next prompt, which nobody typed. ``opencode run`` ends at its first idle: there it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from borgd.agents.capabilities import Capabilities
from borgd.agents.codex.patch import edit_of
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.payload import is_own_text, object_of, payload_of, text_of
from borgd.errors import ProtocolError

NAME = "opencode"

MOMENTS = {
    "session.created": Moment.SESSION_START,
    "session.compacted": Moment.SESSION_START,
    "chat.message": Moment.PROMPT,
    "command.execute.before": Moment.EXPANSION,
    "tool.execute.before": Moment.BEFORE_TOOL,
    "tool.execute.after": Moment.AFTER_TOOL,
    "message.part.updated": Moment.AFTER_TOOL,
    "permission.asked": Moment.PERMISSION,
    "question.asked": Moment.NOTIFICATION,
    "session.idle": Moment.STOP,
    "session.status": Moment.STOP,
    "session.deleted": Moment.SESSION_END,
}
"""``message.part.updated`` tells of a tool call that failed, for which no other hook is called. ``permission.ask`` is left
out: it is in opencode's types and never called."""
CAPABILITIES = Capabilities(
    questions=("question",),
    gaps=(
        "opencode run: no Stop is asked, since it ends at its first idle",
        "a Stop is not held back: what is asked comes as the next prompt",
        "nothing can be said before a tool call: it comes with its result",
        "questions exist in serve and in the terminal only",
    ),
)
BUS = "event."
"""host: how recorded bus events are named; the bus itself names them without it."""
EDIT = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}
"""host: fields of the edit and write tools, and what they are called here."""
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
FAILED = "error"
"""host: state of a tool call that failed."""


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for the hook or bus event ``event`` (opencode's own name).

    :raises ProtocolError: not one JSON object, or an event that we know without a session in it.
    """
    event = event.removeprefix(BUS)
    payload = payload_of(body, "opencode")
    given, output = object_of(payload, "input"), object_of(payload, "output")
    info = object_of(given, "info")
    own = text_of(given, "sessionID") or text_of(info, "id")
    parent = text_of(payload, "root", "parentID") or text_of(info, "parentID")
    if not own and event in MOMENTS:
        raise ProtocolError(f"opencode's {event} names no sessionID")
    message = object_of(output, "message")
    prompt = _prompt(event, given, output)
    tool = _tool(event, given, output)
    session, subagent = (parent, own) if parent and parent != own else (own, "")
    return Event(
        agent=NAME,
        name=event,
        moment=_moment(event, given, tool, subagent),
        session=session,
        subagent=subagent,
        subagent_type=_subagent_type(tool) or text_of(payload, "agent") or text_of(message, "agent"),
        prompt_id=text_of(payload, "promptID") or (text_of(message, "id") if not subagent else ""),
        cwd=text_of(payload, "directory") or text_of(info, "directory"),
        prompt=prompt,
        machine_made=is_own_text(prompt) or payload.get("machine") is True or bool(subagent),
        tool=tool,
        spawn=_spawn(event, tool),
        last_message=text_of(payload, "last_assistant_message"),
        stop_again=payload.get("stop_hook_active") is True or payload.get("headless") is True,
        source="compact" if event == "session.compacted" else "question" if event == "question.asked" else "",
        mode=text_of(message, "agent"),
        model=text_of(object_of(message, "model"), "modelID"),
    )


def _moment(event: str, given: dict[str, Any], tool: ToolCall | None, subagent: str) -> Moment:
    """When it happens: of a bus event that tells of several things, only what is one of ours."""
    if event == "session.status" and text_of(object_of(given, "status"), "type") != "idle":
        return Moment.OTHER
    if event == "message.part.updated" and tool is None:
        return Moment.OTHER
    moment = MOMENTS.get(event, Moment.OTHER)
    if not subagent:
        return moment
    return {Moment.PROMPT: Moment.SUBAGENT_START, Moment.STOP: Moment.SUBAGENT_STOP, Moment.SESSION_START: Moment.OTHER}.get(
        moment, moment
    )


def _prompt(event: str, given: dict[str, Any], output: dict[str, Any]) -> str:
    if event == "command.execute.before":
        return f"/{text_of(given, 'command')} {text_of(given, 'arguments')}".strip()
    parts = output.get("parts")
    if event != "chat.message" or not isinstance(parts, list):
        return ""
    typed = (
        one for one in parts if isinstance(one, dict) and one.get("type") == "text" and one.get("synthetic") is not True
    )
    return _unquoted("\n".join(text_of(one, "text") for one in typed))


def _unquoted(prompt: str) -> str:
    """``prompt`` without the quotes that ``opencode run`` puts around a prompt of several words."""
    found = _QUOTED.fullmatch(prompt)
    return found[1].replace('\\"', '"') if found else prompt


def _tool(event: str, given: dict[str, Any], output: dict[str, Any]) -> ToolCall | None:
    if event == "message.part.updated":
        return _failed(object_of(given, "part"))
    if event == "permission.asked":
        asked = object_of(given, "tool")
        name = text_of(payload := given, "permission")
        return ToolCall(name=name, id="", input=object_of(payload, "metadata")) if asked or name else None
    name = text_of(given, "tool")
    if not name or not event.startswith("tool.execute."):
        return None
    inner = object_of(output, "args") or object_of(given, "args")
    metadata = object_of(output, "metadata")
    code = metadata.get("exit")
    failed = isinstance(code, int) and code != 0
    text = text_of(output, "output")
    return ToolCall(
        name=name,
        id=text_of(given, "callID"),
        input=_input(name, inner),
        response=_response(name, inner, text, metadata) if event == "tool.execute.after" else None,
        failed=failed,
        error=text if failed else "",
    )


def _failed(part: dict[str, Any]) -> ToolCall | None:
    """The tool call that a part of a message tells the failure of; None: it tells of something else."""
    state = object_of(part, "state")
    if text_of(part, "type") != "tool" or text_of(state, "status") != FAILED:
        return None
    name = text_of(part, "tool")
    given = _input(name, object_of(state, "input"))
    return ToolCall(name=name, id=text_of(part, "callID"), input=given, failed=True, error=text_of(state, "error"))


def _input(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A tool's input under the names that the pipeline knows, opencode's own beside them."""
    patch = edit_of(text_of(given, "patchText")) if name in ("patch", "apply_patch") else {}
    named = {ours: given[theirs] for theirs, ours in EDIT.items() if isinstance(given.get(theirs), str)}
    return {**given, **named, **patch}


def _response(name: str, given: dict[str, Any], text: str, metadata: dict[str, Any]) -> dict[str, Any]:
    if name != "question":
        return {"stdout": text}
    questions, answers = given.get("questions"), metadata.get("answers")
    if not isinstance(questions, list) or not isinstance(answers, list):
        return {}
    found = {}
    for question, labels in zip(questions, answers, strict=False):
        if isinstance(question, dict) and isinstance(labels, list):
            found[text_of(question, "question")] = ", ".join(str(label) for label in labels)
    return {"answers": found}


def _spawn(event: str, tool: ToolCall | None) -> str:
    """What a subagent is called for by this call; empty where none is."""
    if event != "tool.execute.before" or tool is None or tool.name != "task":
        return ""
    return text_of(tool.input, "prompt")


def _subagent_type(tool: ToolCall | None) -> str:
    return text_of(tool.input, "subagent_type") if tool is not None and tool.name == "task" else ""


def render(event: Event, reply: Reply) -> Mapping[str, Any]:
    """``reply`` as the plugin does it at ``event``; what can be done nowhere there is left out. ``{}`` says nothing."""
    out: dict[str, Any] = {}
    if event.moment is Moment.OTHER:
        return out
    match event.name:
        case "session.idle" | "session.status":
            if event.moment is Moment.STOP and reply.block and not event.stop_again:
                out["prompt"] = reply.block
        case "tool.execute.before" if reply.deny:
            out["throw"] = reply.deny
        case "tool.execute.before" if reply.input is not None:
            out["args"] = reply.input
        case "permission.asked" if reply.deny:
            out["reject"] = reply.deny
    if reply.context:
        match event.name:
            case "chat.message" | "command.execute.before":
                out["parts"] = [{"type": "text", "text": reply.context, "synthetic": True}]
            case "tool.execute.after":
                out["output"] = reply.context
            case "tool.execute.before" if not reply.deny:
                out["later"] = reply.context
            case "session.created" | "session.compacted" | "message.part.updated":
                out["later"] = reply.context
    if reply.note and event.moment is not Moment.SESSION_END:
        out["toast"] = reply.note
    return out
