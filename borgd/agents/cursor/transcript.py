"""Cursor's session files as they grow. Pure; from others' descriptions of them.

Rows have no ids, no times and no tokens. What a person typed stands in ``<user_query>``, among what Cursor adds of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from borgd.agents.payload import is_own_text, object_of, text_of
from borgd.agents.transcript import ObjectRows, TranscriptFact, ms_of, texts_of, with_edit

CHANGING = frozenset({"Write", "StrReplace", "Edit", "MultiEdit", "Delete", "EditNotebook", "ApplyPatch"})
PLAN_TOOLS = frozenset({"CreatePlan", "TodoWrite"})
ROLES = frozenset({"user", "assistant"})
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)
_ADDED = re.compile(r"\A\s*<([a-z_]+)>.*</\1>\s*\Z", re.S)
"""A message that is nothing but what Cursor adds."""


class CursorTranscript(ObjectRows):
    """Reads one session file."""

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of Cursor."""
        return row.get("role") in ROLES and isinstance(row.get("message"), dict) and "type" not in row

    def _row(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        self.ms = ms_of(row.get("timestamp")) or self.ms
        content = object_of(row, "message").get("content")
        text = texts_of(content, "text")
        if text_of(row, "role") == "user":
            prompt = typed(text)
            if prompt.strip() and not is_own_text(prompt):
                yield self._fact("prompt", prompt)
        elif text_of(row, "role") == "assistant" and text:
            yield self._fact("text", text)
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_use":
                yield from self._tool(part)
            elif isinstance(part, dict) and part.get("type") == "tool_result":
                result, id = texts_of(part.get("content")), text_of(part, "tool_use_id")
                yield self._fact("result", result, id=id, failed=part.get("is_error") is True)

    def _tool(self, part: dict[str, Any]) -> Iterator[TranscriptFact]:
        id, name, given = text_of(part, "id"), text_of(part, "name"), object_of(part, "input")
        new = text_of(given, "new_string", "contents", "content") if name in CHANGING else ""
        path = text_of(given, "file_path", "path", "target_file") if name in (*CHANGING, "Read") else ""
        yield from self._call(name, id, with_edit(given, path, text_of(given, "old_string"), new), changes=name in CHANGING)
        todos = given.get("todos")
        steps = [text_of(todo, "content") for todo in todos if isinstance(todo, dict)] if isinstance(todos, list) else []
        plan = text_of(given, "plan") or "\n".join(step for step in steps if step)
        if name in PLAN_TOOLS and plan:
            yield self._fact("plan", plan, id=id)


def typed(text: str) -> str:
    """What a person typed of a message of theirs; empty where it is nothing but what Cursor adds."""
    found = _QUERY.findall(text)
    if found:
        return "\n".join(found)
    return "" if _ADDED.match(text) else text
