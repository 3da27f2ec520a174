"""A model server on loopback that answers from a script: turns of text and tool calls, one per main request.

Speaks Anthropic's Messages protocol as far as Claude Code uses it, and those of ``model_protocols``. ``threads`` routes
requests that match a pattern (a subagent's prompt) to a script of their own. Every request body is kept for the test.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.model_protocols import spoken_at

Turn = dict[str, Any]
PLAN_FILE = "$PLAN_FILE"
"""Stands in a turn for the file in which the agent's host wants the plan, as its instructions name it."""
_PLAN_PATH = re.compile(r'/[^\s"\\]*/plans/[^\s"\\]*?\.md')


@dataclass
class Script:
    """``turns`` for the main thread, ``threads``: pattern -> turns. A turn: text, tools [{name, input}], usage."""

    turns: list[Turn]
    threads: dict[str, list[Turn]] = field(default_factory=dict)
    after: Turn = field(default_factory=lambda: {"text": "Nothing more to do."})


class ScriptedModel:
    """``with ScriptedModel(script) as model``: ``model.url``; ``model.main`` holds the main thread's request bodies."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._taken: dict[str, int] = {}
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def do_GET(self) -> None:
                self._json({"data": [], "has_more": False})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                path = self.path.split("?")[0]
                if (answer := spoken_at(path)) is not None:
                    self._stream_text(answer(body, *outer._pick(body)))
                elif path.endswith(("/count_tokens", ":countTokens")):
                    self._json({"input_tokens": 10, "totalTokens": 10})
                elif path.endswith("/messages"):
                    turn, tag = outer._pick(body)
                    self._stream(body, turn, tag) if body.get("stream") else self._json(message(body, turn, tag))
                else:
                    self._json({"error": {"type": "not_found_error", "message": "no such path"}}, 404)

            def _json(self, value: Any, status: int = 200) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, body: dict[str, Any], turn: Turn, tag: str) -> None:
                told = events(message(body, turn, tag))
                self._stream_text("".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in told))

            def _stream_text(self, text: str) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                self.wfile.write(text.encode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def main(self) -> list[dict[str, Any]]:
        return [body for thread, body in self.requests if thread == "main"]

    def thread(self, pattern: str) -> list[dict[str, Any]]:
        return [body for thread, body in self.requests if thread == pattern]

    def _pick(self, body: dict[str, Any]) -> tuple[Turn, str]:
        said: list[Any] = next((body[key] for key in ("messages", "input", "contents") if key in body), [])
        raw = json.dumps(said, ensure_ascii=False)
        with self._lock:
            thread = next((pattern for pattern in self.script.threads if re.search(pattern, raw)), "main")
            if thread == "main" and not body.get("tools"):
                self.requests.append(("side", body))
                return {"text": "side"}, f"side{len(self.requests)}"
            turns = self.script.threads.get(thread, self.script.turns)
            number = self._taken.get(thread, 0)
            self._taken[thread] = number + 1
            self.requests.append((thread, body))
            turn = turns[number] if number < len(turns) else self.script.after
            if (named := _PLAN_PATH.search(raw)) is not None:
                turn = json.loads(json.dumps(turn).replace(PLAN_FILE, named[0]))
            return turn, f"{len(self.requests)}"

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def message(body: dict[str, Any], turn: Turn, tag: str) -> dict[str, Any]:
    """The whole answer of one turn."""
    content: list[dict[str, Any]] = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
    for number, tool in enumerate(turn.get("tools", ())):
        content.append({"type": "tool_use", "id": f"toolu_{tag}_{number}", "name": tool["name"], "input": tool["input"]})
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {
        "id": f"msg_{tag}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if turn.get("tools") else "end_turn",
        "stop_sequence": None,
        "usage": usage | turn.get("usage", {}),
    }


def events(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """``whole`` as the events of a stream."""
    found: list[dict[str, Any]] = [{"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        found.append({"type": "content_block_start", "index": index, "content_block": start})
        found.append({"type": "content_block_delta", "index": index, "delta": delta})
        found.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    found.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": whole["usage"]["output_tokens"]}})
    found.append({"type": "message_stop"})
    return found


def texts(request: dict[str, Any]) -> str:
    """Every text of a request that the model reads, joined: messages of all roles, tool results, the system prompt."""
    keys = ("text", "content", "messages", "parts", "output", "functionResponse", "response", "error")

    def walk(value: Any) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, list):
            return [text for one in value for text in walk(one)]
        if isinstance(value, dict):
            return [text for key, one in value.items() if key in keys for text in walk(one)]
        return []

    told = ("system", "instructions", "systemInstruction", "messages", "input", "contents")
    return "\n".join(text for key in told for text in walk(request.get(key)))
