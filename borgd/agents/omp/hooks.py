"""oh-my-pi: what its extension tells to an Event, a Reply to what its extension returns. It: hooks/omp/extension.ts.

The extension sends an event as ``input`` and, as ``ctx``, the session's id, file and directory. What an answer holds under
oh-my-pi's own keys is returned as it stands; ``append`` is put behind a tool's result, which oh-my-pi wants whole; ``later``
waits for the next place that takes a text; ``notify`` is shown to the person. At ``tool_call`` alone oh-my-pi takes an error
for a refusal, so the extension never lets one out. ``decision: block`` has no limit of oh-my-pi's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from borgd.agents.capabilities import Capabilities
from borgd.agents.codex.patch import edit_of
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.payload import is_own_text, object_of, payload_of, text_of
from borgd.errors import ProtocolError

NAME = "omp"
CUSTOM_TYPE = "borgd"
"""design: the type of the messages that carry borgd's text, so that a session file shows whose they are."""

MOMENTS = {
    "session_start": Moment.SESSION_START,
    "session_switch": Moment.SESSION_START,
    "session_branch": Moment.SESSION_START,
    "session_compact": Moment.SESSION_START,
    "before_agent_start": Moment.PROMPT,
    "tool_call": Moment.BEFORE_TOOL,
    "tool_result": Moment.AFTER_TOOL,
    "tool_approval_requested": Moment.NOTIFICATION,
    "session_stop": Moment.STOP,
    "agent_end": Moment.SUBAGENT_STOP,
    "session_shutdown": Moment.SESSION_END,
}
"""``agent_end`` is looked at for subagents alone, which have no ``session_stop``."""
CAPABILITIES = Capabilities(
    questions=("ask",),
    gaps=(
        "nothing can be said before a tool call: it comes with its result",
        "questions exist in the terminal only",
        "permissions are counted, not refused",
        "a subagent that is killed tells nothing",
    ),
)
SYSTEM = ("<system-notice>", "<system-directive>", "<system-reminder>")
"""host: how a text begins that oh-my-pi itself puts where a person's would be."""
ABANDONED = frozenset({"aborted", "error"})
"""host: why a message ended after which nobody goes on."""


def parse(event: str, body: bytes) -> Event:
    """The Event in ``body`` for ``event`` (oh-my-pi's own name).

    :raises ProtocolError: not one JSON object, or an event that we know without a session in it.
    """
    payload = payload_of(body, "oh-my-pi")
    given, context = object_of(payload, "input"), object_of(payload, "ctx")
    agent = object_of(context, "agent")
    own = text_of(context, "id") or text_of(given, "session_id", "sessionId")
    if not own and event in MOMENTS:
        raise ProtocolError(f"oh-my-pi's {event} names no session")
    parent = text_of(context, "parent")
    subagent = own if parent and parent != own else text_of(agent, "id") if text_of(agent, "kind") == "sub" else ""
    last = object_of(given, "last_assistant_message")
    prompt = text_of(given, "prompt")
    tool = _tool(event, given)
    return Event(
        agent=NAME,
        name=event,
        moment=_moment(event, given, last, subagent),
        session=parent if parent and subagent else own,
        subagent=subagent,
        subagent_type=text_of(agent, "name"),
        prompt_id=text_of(payload, "promptID"),
        cwd=text_of(context, "cwd"),
        transcript=text_of(context, "file"),
        prompt=prompt,
        machine_made=is_own_text(prompt) or prompt.lstrip().startswith(SYSTEM) or bool(subagent),
        tool=tool,
        spawn=_spawn(event, tool),
        last_message=_text(last.get("content")),
        stop_again=given.get("stop_hook_active") is True,
        source=_source(event, given),
        model=text_of(last, "model"),
    )


def _moment(event: str, given: dict[str, Any], last: dict[str, Any], subagent: str) -> Moment:
    if event == "session_stop" and text_of(last, "stopReason") in ABANDONED:
        return Moment.OTHER
    if subagent and text_of(given, "prompt").lstrip().startswith(SYSTEM):
        return Moment.OTHER
    if event == "agent_end" and (not subagent or given.get("willContinue") is True):
        return Moment.OTHER
    moment = MOMENTS.get(event, Moment.OTHER)
    if not subagent:
        return moment
    return {
        Moment.PROMPT: Moment.SUBAGENT_START,
        Moment.STOP: Moment.SUBAGENT_STOP,
        Moment.SESSION_START: Moment.OTHER,
        Moment.SESSION_END: Moment.OTHER,
    }.get(moment, moment)


def _source(event: str, given: dict[str, Any]) -> str:
    named = {"session_start": "startup", "session_compact": "compact", "session_branch": "fork"}
    if event == "tool_approval_requested":
        return "permission_prompt"
    return named.get(event) or text_of(given, "reason")


def _tool(event: str, given: dict[str, Any]) -> ToolCall | None:
    name = text_of(given, "toolName")
    if not name or event not in ("tool_call", "tool_result"):
        return None
    inner = object_of(given, "input")
    failed = given.get("isError") is True
    text = _text(given.get("content"))
    return ToolCall(
        name=name,
        id=text_of(given, "toolCallId"),
        input=edit_input(name, inner),
        response=_response(name, text, object_of(given, "details")) if event == "tool_result" else None,
        failed=failed,
        error=text if failed else "",
    )


def edit_input(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A tool's input under the names that the pipeline knows, oh-my-pi's own beside them."""
    if name not in ("edit", "write", "ast_edit"):
        return given
    path = text_of(given, "path")
    named: dict[str, Any] = {"file_path": path} if path else {}
    text = text_of(given, "input", "_input")
    if text:
        return {**given, **edit_of(text), **named, **_lines(text)}
    edits = given.get("edits")
    diffs = [text_of(one, "diff") for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
    return {**given, **named, **(_lines("\n".join(diffs)) if any(diffs) else {})}


def _lines(diff: str) -> dict[str, str]:
    """What the lines of ``diff`` put in and take out; a diff without such lines is the text of a new file."""
    rows = [row for row in diff.split("\n") if not row.startswith(("+++", "---", "***"))]
    new, old = ("\n".join(row[1:] for row in rows if row.startswith(mark)) for mark in "+-")
    return {"new_string": new or ("" if old else diff), "old_string": old}


def _response(name: str, text: str, details: dict[str, Any]) -> dict[str, Any]:
    if name != "ask":
        return {"stdout": text}
    results = details.get("results")
    asked = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else [details]
    found = {}
    for one in asked:
        chosen = one.get("selectedOptions")
        labels = [str(label) for label in chosen] if isinstance(chosen, list) else []
        said = ", ".join([*labels, *([own] if (own := text_of(one, "customInput")) else [])])
        if said and (question := text_of(one, "question")):
            found[question] = said
    return {"answers": found}


def _spawn(event: str, tool: ToolCall | None) -> str:
    """What subagents are called for by this call; empty where none is."""
    if event != "tool_call" or tool is None or tool.name != "task":
        return ""
    tasks = tool.input.get("tasks")
    listed = [one for one in tasks if isinstance(one, dict)] if isinstance(tasks, list) else []
    texts = [text_of(tool.input, "context"), text_of(tool.input, "task", "assignment")]
    return "\n".join(text for text in [*texts, *(text_of(one, "task", "assignment") for one in listed)] if text)


def _text(content: object) -> str:
    """The text in a message's content: a text, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(text_of(one, "text") for one in parts if isinstance(one, dict) and one.get("type") == "text")


def render(event: Event, reply: Reply) -> Mapping[str, Any]:
    """``reply`` as the extension returns it for ``event``; what oh-my-pi would not take there is left out."""
    out: dict[str, Any] = {}
    if event.moment is Moment.OTHER:
        return out
    match event.name:
        case "session_stop":
            if event.moment is Moment.STOP and reply.block and not event.stop_again:
                out |= {"decision": "block", "reason": reply.block}
        case "tool_call" if reply.deny:
            out |= {"block": True, "reason": reply.deny}
        case "tool_call" if reply.input is not None:
            out["input"] = reply.input
    if reply.context:
        match event.name:
            case "before_agent_start":
                out["message"] = {"customType": CUSTOM_TYPE, "content": reply.context, "display": False}
            case "tool_result":
                out["append"] = reply.context
            case "tool_call" if not reply.deny:
                out["later"] = reply.context
            case "session_start" | "session_switch" | "session_branch" | "session_compact":
                out["later"] = reply.context
    if reply.note and event.moment is not Moment.SESSION_END:
        out["notify"] = reply.note
    return out
