"""Gemini CLI's session files as they grow. Pure.

A message's row is written again, whole, whenever its calls or tokens change: what a row says anew is told. ``$set`` changes
what is known of the session; where it replaces the messages after the first of them, the conversation was compacted.
``$rewindTo`` takes a message back and all after it. Hooks of Gemini CLI have no ids of calls, so the calls here have none.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from borgd.agents.payload import is_own_text, object_of, text_of
from borgd.agents.transcript import ObjectRows, TokenUsage, TranscriptFact, ms_of, remember, texts_of, tokens, with_edit

CHANGING = frozenset({"write_file", "replace", "edit"})
PLAN_TOOLS = frozenset({"write_todos", "exit_plan_mode"})
DONE = frozenset({"success", "error", "cancelled"})
MACHINE_WORDS = ("<session_context>", "<state_snapshot>", "This is the Gemini CLI. We are setting up the context")
"""host: how a message of the user starts that nobody typed."""
OWN_CONTEXT = re.compile(r"\s*<hook_context>.*?</hook_context>\s*", re.S)
_DIRECTORY = re.compile(r"- \*\*Workspace Directories:\*\*\s*\n\s*- (\S[^\n]*)")
"""host: where the first message of a session names the directory it works in."""


class _Seen:
    """What was told of one message."""

    def __init__(self, row: int) -> None:
        self.row = row
        self.text = ""
        self.calls: set[str] = set()
        self.usage = TokenUsage()


class GeminiTranscript(ObjectRows):
    """Reads one session file, in today's form (a message a line) or in the older one (one object)."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: OrderedDict[str, _Seen] = OrderedDict()

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of Gemini CLI."""
        return "projectHash" in row or "$set" in row or "$rewindTo" in row

    def _row(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        if isinstance(target := row.get("$rewindTo"), str):
            yield from self._rewound(target)
        elif isinstance(row.get("$set"), dict):
            yield from self._known(object_of(row, "$set"))
        elif "sessionId" in row:
            yield from self._known(row)
        elif isinstance(row.get("id"), str):
            yield from self._message(row)

    def _known(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        self.session = text_of(row, "sessionId") or self.session
        self.of_subagent = self.of_subagent or text_of(row, "kind") == "subagent"
        directories = row.get("directories")
        if isinstance(directories, list) and directories and isinstance(directories[0], str):
            self.cwd = directories[0]
        messages = row.get("messages")
        if not isinstance(messages, list):
            return
        if self._seen:
            yield self._fact("compaction")
            return
        for message in messages:
            if isinstance(message, dict):
                yield from self._message(message)

    def _rewound(self, target: str) -> Iterator[TranscriptFact]:
        """A message that is not known takes all back."""
        found = self._seen.get(target)
        row = found.row - 1 if found is not None else 0
        self._seen = OrderedDict((id, seen) for id, seen in self._seen.items() if seen.row <= row)
        yield TranscriptFact(kind="rewind", row=row, subagent=self.subagent)

    def _message(self, message: dict[str, Any]) -> Iterator[TranscriptFact]:
        self.ms = ms_of(message.get("timestamp")) or self.ms
        id = text_of(message, "id")
        content = message.get("content")
        text = texts_of(content)
        if text.lstrip().startswith(MACHINE_WORDS):
            if found := _DIRECTORY.search(text):
                self.cwd = self.cwd or found[1].strip()
            return
        seen = self._seen.get(id) or _Seen(self.rows)
        remember(self._seen, id, seen)
        if text_of(message, "type") == "user":
            yield from self._prompt(content, seen)
        elif text_of(message, "type") == "gemini":
            yield from self._answer(id, message, text, seen)

    def _prompt(self, content: Any, seen: _Seen) -> Iterator[TranscriptFact]:
        """The first part that a person typed; what files they named say comes in parts after it."""
        parts = content if isinstance(content, list) else [{"text": content}]
        texts = (OWN_CONTEXT.sub("", text_of(part, "text")).strip() for part in parts if isinstance(part, dict))
        prompt = next((text for text in texts if text), "")
        if prompt and prompt != seen.text and not is_own_text(prompt):
            seen.text = prompt
            yield self._fact("prompt", prompt)

    def _answer(self, id: str, message: dict[str, Any], text: str, seen: _Seen) -> Iterator[TranscriptFact]:
        if text and text != seen.text:
            seen.text = text
            yield self._fact("text", text, id=id)
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield from self._tool(call, seen)
        used = object_of(message, "tokens")
        cached = tokens(used.get("cached"))
        total = TokenUsage(
            max(0, tokens(used.get("input")) - cached),
            tokens(used.get("output")) + tokens(used.get("thoughts")),
            cached,
        )
        more, seen.usage = total.minus(seen.usage), total
        yield from self._used(id, total, more, text_of(message, "model"))

    def _tool(self, call: dict[str, Any], seen: _Seen) -> Iterator[TranscriptFact]:
        id, status = text_of(call, "id"), text_of(call, "status")
        if status not in DONE or id in seen.calls:
            return
        seen.calls.add(id)
        name, given = text_of(call, "name"), object_of(call, "args")
        path = text_of(given, "file_path", "absolute_path")
        given = with_edit(given, path, text_of(given, "old_string"), text_of(given, "new_string", "content"))
        yield from self._call(name, "", given, changes=name in CHANGING)
        if name in PLAN_TOOLS and (plan := _plan(given)):
            yield self._fact("plan", plan)
        yield self._fact("result", _result(call), failed=status != "success")


def _result(call: dict[str, Any]) -> str:
    parts = call.get("result")
    for part in parts if isinstance(parts, list) else ():
        response = object_of(object_of(part, "functionResponse"), "response") if isinstance(part, dict) else {}
        if text := text_of(response, "output", "error"):
            return text
    return text_of(call, "resultDisplay")


def _plan(given: Mapping[str, Any]) -> str:
    todos: Iterable[Any] = found if isinstance(found := given.get("todos"), list) else ()
    return "\n".join(text for todo in todos if isinstance(todo, dict) and (text := text_of(todo, "description", "content")))
