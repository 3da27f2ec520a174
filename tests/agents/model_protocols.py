"""What a model's server answers in the protocols of other agents than Claude Code: a turn as the text of an event stream.

OpenAI's Responses (Codex), OpenAI's chat completions (opencode, oh-my-pi), Gemini's streamGenerateContent. A turn is
``scripted_model.Turn``; a tool with ``"kind": "custom"`` takes a text instead of an object (Codex's apply_patch).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Answer = Callable[[dict[str, Any], dict[str, Any], str], str]
"""(request, turn, a tag that is unique in the run) -> the whole stream."""


def spoken_at(path: str) -> Answer | None:
    """What answers a request at ``path``; None: none of these protocols."""
    last = path.rpartition("/")[2]
    if last.endswith((":streamGenerateContent", ":generateContent")):
        return gemini
    return {"responses": responses, "completions": chat}.get(last)


def _data(value: Any, event: str = "") -> str:
    return (f"event: {event}\n" if event else "") + f"data: {json.dumps(value)}\n\n"


def _item(tool: dict[str, Any], tag: str, number: int) -> dict[str, Any]:
    """A tool call as an item of the Responses protocol."""
    base = {"call_id": f"call_{tag}_{number}", "name": tool["name"], "status": "completed"}
    if tool.get("kind") == "custom":
        return {"type": "custom_tool_call", "id": f"ctc_{tag}_{number}", "input": tool["input"], **base}
    return {"type": "function_call", "id": f"fc_{tag}_{number}", "arguments": json.dumps(tool["input"]), **base}


def responses(body: dict[str, Any], turn: dict[str, Any], tag: str) -> str:
    """A turn in OpenAI's Responses protocol: each item added and done, then the whole response."""
    items: list[dict[str, Any]] = []
    if turn.get("text"):
        content = [{"type": "output_text", "text": turn["text"], "annotations": []}]
        items.append({"type": "message", "id": f"msg_{tag}", "role": "assistant", "status": "completed", "content": content})
    items += [_item(tool, tag, number) for number, tool in enumerate(turn.get("tools", ()))]
    response = {"id": f"resp_{tag}", "object": "response", "created_at": 0, "model": body.get("model", "scripted")}
    usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    ]
    for index, item in enumerate(items):
        begun = {**item, "status": "in_progress"} | ({"content": []} if item["type"] == "message" else {})
        events.append({"type": "response.output_item.added", "output_index": index, "item": begun})
        if item["type"] == "message":
            delta = {"item_id": item["id"], "output_index": index, "content_index": 0, "delta": turn["text"]}
            events.append({"type": "response.output_text.delta", **delta})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    done = {**response, "status": "completed", "output": items, "usage": usage | details}
    events.append({"type": "response.completed", "response": done})
    return "".join(_data({**event, "sequence_number": number}, event["type"]) for number, event in enumerate(events))


def chat(body: dict[str, Any], turn: dict[str, Any], tag: str) -> str:
    """A turn in OpenAI's chat completions protocol."""
    base = {"id": f"chatcmpl-{tag}", "object": "chat.completion.chunk", "created": 0, "model": body.get("model", "scripted")}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if turn.get("text"):
        deltas.append({"content": turn["text"]})
    for number, tool in enumerate(turn.get("tools", ())):
        function = {"name": tool["name"], "arguments": json.dumps(tool["input"])}
        call = {"index": number, "id": f"call_{tag}_{number}", "type": "function", "function": function}
        deltas.append({"tool_calls": [call]})
    chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    reason = "tool_calls" if turn.get("tools") else "stop"
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    chunks.append({**base, "choices": [], "usage": usage})
    return "".join(map(_data, chunks)) + "data: [DONE]\n\n"


def gemini(body: dict[str, Any], turn: dict[str, Any], tag: str) -> str:
    """A turn in Gemini's streamGenerateContent protocol: one piece holds it all."""
    parts: list[dict[str, Any]] = [{"text": turn["text"]}] if turn.get("text") else []
    for number, tool in enumerate(turn.get("tools", ())):
        call = {"id": f"fc_{tag}_{number}", "name": tool["name"], "args": tool["input"]}
        parts.append({"functionCall": call})
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return _data({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted", "responseId": tag})
