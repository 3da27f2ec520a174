"""opencode's sessions. Pure: rows of its database, written as JSON lines by who opens it, become facts.

Three kinds of rows: ``{"session": …}`` the session's own, ``{"message": id, "time": ms, "data": …}`` and
``{"part": id, "message": id, "data": …}``, a message's parts after it. What a person did not type is marked synthetic.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from borgd.agents.codex.patch import edit_of
from borgd.agents.payload import is_own_text, object_of, text_of
from borgd.agents.transcript import ObjectRows, TokenUsage, TranscriptFact, ms_of, remember, tokens, with_edit

CHANGING = frozenset({"edit", "write", "patch", "multiedit", "apply_patch"})
PLAN_TOOL = "todowrite"
QUESTION_TOOL = "question"
DONE = frozenset({"completed", "error"})


class OpencodeTranscript(ObjectRows):
    """Reads the rows of one session. A part that was read may come again when it has more to say."""

    def __init__(self) -> None:
        super().__init__()
        self._roles: OrderedDict[str, str] = OrderedDict()
        self._told: OrderedDict[str, str] = OrderedDict()
        self._used_by: OrderedDict[str, TokenUsage] = OrderedDict()

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of opencode."""
        return isinstance(row.get("session"), dict) and "data" not in row

    def _row(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        if isinstance(row.get("session"), dict):
            session = object_of(row, "session")
            self.session, self.cwd = text_of(session, "id"), text_of(session, "directory")
            self.of_subagent = bool(text_of(session, "parent_id"))
        elif "part" in row:
            yield from self._part(text_of(row, "part"), text_of(row, "message"), object_of(row, "data"))
        elif "message" in row:
            self.ms = ms_of(row.get("time")) or self.ms
            yield from self._message(text_of(row, "message"), object_of(row, "data"))

    def _message(self, id: str, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        remember(self._roles, id, text_of(data, "role"))
        self.cwd = text_of(object_of(data, "path"), "cwd") or self.cwd
        used = object_of(data, "tokens")
        cache = object_of(used, "cache")
        total = TokenUsage(
            tokens(used.get("input")),
            tokens(used.get("output")) + tokens(used.get("reasoning")),
            tokens(cache.get("read")),
            tokens(cache.get("write")),
        )
        more = total.minus(self._used_by.get(id, TokenUsage()))
        remember(self._used_by, id, total)
        yield from self._used(id, total, more, text_of(data, "modelID"))

    def _part(self, id: str, message: str, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        kind, text = text_of(data, "type"), text_of(data, "text")
        if kind == "compaction":
            yield self._fact("compaction")
        elif kind == "tool":
            yield from self._tool(id, data)
        elif kind == "text" and text.strip() and self._told.get(id) != text:
            remember(self._told, id, text)
            person = data.get("synthetic") is not True and data.get("ignored") is not True and not is_own_text(text)
            if self._roles.get(message) == "assistant":
                yield self._fact("text", text, id=message)
            elif self._roles.get(message) == "user" and person:
                yield self._fact("prompt", as_typed(text), id=message)

    def _tool(self, id: str, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        name, call, state = text_of(data, "tool"), text_of(data, "callID"), object_of(data, "state")
        status = text_of(state, "status")
        if status not in DONE or self._told.get(id) == status:
            return
        remember(self._told, id, status)
        given = tool_input(name, object_of(state, "input"))
        yield from self._call(name, call, given, changes=name in CHANGING)
        todos = given.get("todos")
        steps = [text_of(todo, "content") for todo in todos if isinstance(todo, dict)] if isinstance(todos, list) else []
        if name == PLAN_TOOL and steps:
            yield self._fact("plan", "\n".join(step for step in steps if step), id=call)
        yield self._fact("result", text_of(state, "output", "error"), id=call, failed=status == "error")
        if name == QUESTION_TOOL and (found := answers_of(given, object_of(state, "metadata"))):
            yield self._fact("answers", id=call, input=found)


def as_typed(prompt: str) -> str:
    """A prompt without the quotes that ``opencode run`` puts around it."""
    inner = prompt.strip()[1:-1]
    return inner if len(inner) > 0 and prompt.strip() == f'"{inner}"' and '"' not in inner else prompt


def tool_input(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A tool's input with the file it is about and what it changes there, in the names that the rules know."""
    if patch := text_of(given, "patchText", "patch"):
        return {**given, **edit_of(patch)}
    new = text_of(given, "newString", "content") if name in CHANGING else ""
    return with_edit(given, text_of(given, "filePath", "file_path"), text_of(given, "oldString"), new)


def answers_of(given: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The questions of a call and a person's answers, which are lists of labels in the order of the questions."""
    questions, said = given.get("questions"), metadata.get("answers")
    if not isinstance(questions, list) or not isinstance(said, list):
        return {}
    pairs = [(one, labels) for one, labels in zip(questions, said, strict=False) if isinstance(one, dict)]
    answers = {
        text_of(one, "question"): ", ".join(str(label) for label in labels)
        for one, labels in pairs
        if isinstance(labels, list)
    }
    return {"questions": questions, "answers": answers} if answers else {}
