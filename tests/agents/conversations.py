"""One short conversation as each agent keeps it: two prompts, an answer, an edit with its result, tokens.

Claude Code, Codex, Gemini CLI and oh-my-pi as their recorded session files are; Copilot CLI, Cursor and opencode from the
descriptions of theirs, since no run of them was recorded with its file.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

CWD = "/nowhere/shop"
TASK = "add the price to the order form"
SAID = "I will take a float for it."
FILE = "/nowhere/shop/src/form.py"
OLD, NEW = "price = None", "price = float(row['price'])"
CORRECTION = "no, prices are Decimal here, never float"
GAVE_IN = "You're right, it is a Decimal now."
PATCH = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-{OLD}\n+{NEW}\n*** End Patch\n"
DAY = "2026-11-30T08:00:0"

Row = dict[str, Any]


def claude_code(correction: str = CORRECTION) -> list[Row]:
    """Rows of Claude Code."""

    def row(number: int, kind: str, content: Any, **message: Any) -> Row:
        said = {"role": kind, "content": content} | message
        above = None if number == 1 else f"u{number - 1}"
        base = {"type": kind, "uuid": f"u{number}", "parentUuid": above, "sessionId": "s-claude-code", "cwd": CWD}
        return base | {"timestamp": f"{DAY}{number}.000Z", "isSidechain": False, "message": said}

    edit = {"file_path": FILE, "old_string": OLD, "new_string": NEW}
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 30}
    return [
        row(1, "user", TASK) | {"promptId": "p1"},
        row(2, "assistant", [{"type": "text", "text": SAID}], id="m1", model="m", usage=usage),
        row(3, "assistant", [{"type": "tool_use", "id": "c1", "name": "Edit", "input": edit}], id="m1", usage=usage),
        row(4, "user", [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]),
        row(5, "user", correction) | {"promptId": "p2"},
        row(6, "assistant", [{"type": "text", "text": GAVE_IN}], id="m2", model="m", usage=usage),
    ]


def codex(correction: str = CORRECTION) -> list[Row]:
    """Rows of Codex with paginated history."""
    thread = "s-codex"

    def row(number: int, kind: str, payload: Row) -> Row:
        return {"timestamp": f"{DAY}{number}.000Z", "ordinal": number, "type": kind, "payload": payload}

    def item(number: int, turn: str, kind: str, text: str) -> Row:
        made = {"type": kind, "id": f"i{number}", "content": [{"type": "text", "text": text}]}
        return row(number, "event_msg", {"type": "item_completed", "thread_id": thread, "turn_id": turn, "item": made})

    def used(number: int, whole: int) -> Row:
        last = {"input_tokens": 130, "cached_input_tokens": 30, "output_tokens": 20, "total_tokens": 150}
        total = {name: value * whole for name, value in last.items()}
        info = {"total_token_usage": total, "last_token_usage": last}
        return row(number, "event_msg", {"type": "token_count", "info": info})

    call = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": PATCH}
    environment = [{"type": "input_text", "text": f"<environment_context>\n  <cwd>{CWD}</cwd>\n</environment_context>"}]
    return [
        row(0, "session_meta", {"id": thread, "session_id": thread, "cwd": CWD, "source": "exec", "thread_source": "user"}),
        row(1, "response_item", {"type": "message", "role": "user", "content": environment}),
        item(1, "t1", "UserMessage", TASK),
        item(2, "t1", "AgentMessage", SAID),
        row(3, "response_item", call),
        used(3, 1),
        row(4, "response_item", {"type": "custom_tool_call_output", "call_id": "c1", "output": "Exit code: 0\ndone"}),
        item(5, "t2", "UserMessage", correction),
        item(6, "t2", "AgentMessage", GAVE_IN),
        used(6, 2),
    ]


def gemini(correction: str = CORRECTION) -> list[Row]:
    """Rows of Gemini CLI."""
    used = {"input": 130, "output": 20, "cached": 30, "thoughts": 0, "tool": 0, "total": 150}
    edit = {"file_path": FILE, "old_string": OLD, "new_string": NEW}
    done = [{"functionResponse": {"id": "c1", "name": "replace", "response": {"output": "done"}}}]
    call = {"id": "c1", "name": "replace", "args": edit, "result": done, "status": "success"}
    answer = {"id": "m2", "timestamp": f"{DAY}2.000Z", "type": "gemini", "content": SAID, "tokens": used, "model": "m"}
    context = f"<session_context>\n- **Workspace Directories:**\n  - {CWD}\n</session_context>"
    return [
        {"sessionId": "s-gemini", "projectHash": "h", "startTime": f"{DAY}0.000Z", "kind": "main"},
        {"$set": {"messages": [{"id": "m0", "type": "user", "content": [{"text": context}]}]}},
        {"id": "m1", "timestamp": f"{DAY}1.000Z", "type": "user", "content": [{"text": TASK}]},
        answer,
        answer | {"toolCalls": [call]},
        {"$set": {"lastUpdated": f"{DAY}2.000Z"}},
        {"id": "m3", "type": "user", "content": done},
        {"id": "m4", "timestamp": f"{DAY}5.000Z", "type": "user", "content": [{"text": correction}]},
        {"id": "m5", "timestamp": f"{DAY}6.000Z", "type": "gemini", "content": GAVE_IN, "tokens": used, "model": "m"},
    ]


def omp(correction: str = CORRECTION) -> list[Row]:
    """Entries of oh-my-pi."""
    used = {"input": 100, "output": 20, "cacheRead": 30, "cacheWrite": 0}
    call = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": {"path": FILE, "oldText": OLD, "newText": NEW}}

    def row(number: int, message: Row) -> Row:
        above = f"e{number - 1}" if number > 1 else None
        return {
            "type": "message",
            "id": f"e{number}",
            "parentId": above,
            "timestamp": f"{DAY}{number}.000Z",
            "message": message,
        }

    def said(*parts: Row, id: str) -> Row:
        return {"role": "assistant", "content": list(parts), "usage": used, "responseId": id, "model": "m"}

    return [
        {"type": "title", "v": 1, "title": "", "pad": " " * 100},
        {"type": "session", "version": 3, "id": "s-omp", "timestamp": f"{DAY}0.000Z", "cwd": CWD},
        row(1, {"role": "user", "content": [{"type": "text", "text": TASK}], "attribution": "user"}),
        row(2, said({"type": "text", "text": SAID}, call, id="r1")),
        row(3, {"role": "toolResult", "toolCallId": "c1", "toolName": "edit", "content": "done"}),
        row(4, {"role": "user", "content": [{"type": "text", "text": correction}], "attribution": "user"}),
        row(5, said({"type": "text", "text": GAVE_IN}, id="r2")),
    ]


def copilot(correction: str = CORRECTION) -> list[Row]:
    """Events of Copilot CLI."""
    edit = {"path": FILE, "old_str": OLD, "new_str": NEW}
    usage = {"inputTokens": 260, "outputTokens": 40, "cacheReadTokens": 60, "cacheWriteTokens": 0}
    rows: list[tuple[str, Row]] = [
        ("session.start", {"sessionId": "s-copilot", "context": {"cwd": CWD}, "selectedModel": "m"}),
        ("user.message", {"content": TASK}),
        ("assistant.message", {"content": SAID, "outputTokens": 20, "toolRequests": []}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "edit", "arguments": edit}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"content": "done"}}),
        ("user.message", {"content": correction}),
        ("assistant.message", {"content": GAVE_IN, "outputTokens": 20}),
        ("session.shutdown", {"modelMetrics": {"m": {"usage": usage}}}),
    ]
    return [
        {"type": kind, "data": data, "id": f"v{number}", "timestamp": f"{DAY}{number}.000Z", "parentId": None}
        for number, (kind, data) in enumerate(rows)
    ]


def cursor(correction: str = CORRECTION) -> list[Row]:
    """Rows of Cursor."""

    def user(text: str) -> Row:
        words = f"<open_files>\nx.py\n</open_files>\n<user_query>\n{text}\n</user_query>"
        return {"role": "user", "message": {"content": [{"type": "text", "text": words}]}}

    edit = {"path": FILE, "old_string": OLD, "new_string": NEW}
    call = {"type": "tool_use", "name": "StrReplace", "input": edit}
    return [
        user(TASK),
        {"role": "assistant", "message": {"content": [{"type": "text", "text": SAID}, call]}},
        user(correction),
        {"role": "assistant", "message": {"content": [{"type": "text", "text": GAVE_IN}]}},
        {"type": "turn_ended", "status": "success"},
    ]


def opencode(correction: str = CORRECTION) -> list[Row]:
    """Rows of opencode's database, as they are handed to its reader."""
    used = {"input": 100, "output": 20, "reasoning": 0, "cache": {"read": 30, "write": 0}}
    edit = {"filePath": FILE, "oldString": OLD, "newString": NEW}
    state = {"status": "completed", "input": edit, "output": "done", "title": "form.py", "metadata": {}}
    told: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
        ("m1", {"role": "user"}, [{"type": "text", "text": TASK}, {"type": "text", "text": "<file>", "synthetic": True}]),
        (
            "m2",
            {"role": "assistant", "tokens": used, "modelID": "m", "path": {"cwd": CWD, "root": CWD}},
            [{"type": "text", "text": SAID}, {"type": "tool", "callID": "c1", "tool": "edit", "state": state}],
        ),
        ("m3", {"role": "user"}, [{"type": "text", "text": correction}]),
        ("m4", {"role": "assistant", "tokens": used, "modelID": "m"}, [{"type": "text", "text": GAVE_IN}]),
    ]
    rows: list[Row] = [{"session": {"id": "ses_1", "directory": CWD}}]
    for number, (message, data, parts) in enumerate(told):
        rows.append({"message": message, "time": 1796025601000 + 1000 * number, "data": data})
        rows += [{"part": f"{message}-{place}", "message": message, "data": part} for place, part in enumerate(parts)]
    return rows


CONVERSATIONS: Mapping[str, Callable[[str], list[Row]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "omp": omp,
    "cursor": cursor,
    "copilot": copilot,
}


def written(rows: list[Row]) -> bytes:
    """``rows`` as lines."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def write_database(path: Path, rows: list[Row], *, parent: str | None = None) -> None:
    """opencode's ``rows`` of one session in a database of the shape that it keeps them in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        for table, columns in (
            ("session", "parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER"),
            ("message", "session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT"),
            ("part", "message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT"),
        ):
            database.execute(f"CREATE TABLE IF NOT EXISTS {table} (id TEXT PRIMARY KEY, {columns})")
        session, last = rows[0]["session"]["id"], 0
        for row in rows[1:]:
            data = json.dumps(row["data"])
            if "part" in row:
                one = (f"{session}-{row['part']}", f"{session}-{row['message']}", session, last, last, data)
                database.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", one)
            else:
                last = row["time"]
                message = (f"{session}-{row['message']}", session, last, last, data)
                database.execute("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", message)
        values = (session, parent, rows[0]["session"]["directory"], "a title", last, last + len(rows))
        database.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?)", values)
    database.close()
