"""oh-my-pi's session files as they grow. Pure.

The entries are a tree: one whose parent is not the entry before it goes back to that parent; what came between is undone.
``/clear`` keeps the file and writes a boundary, after which the agent knows nothing of what came before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from borgd.agents.omp.hooks import edit_input
from borgd.agents.payload import is_own_text, object_of, text_of
from borgd.agents.transcript import ObjectRows, TokenUsage, TranscriptFact, ms_of, remember, texts_of, tokens, with_edit

CHANGING = frozenset({"edit", "write", "ast_edit"})
PLAN_TOOLS = frozenset({"todo", "todo_write"})
QUESTION_TOOL = "ask"
HEADERS = frozenset({"title", "session"})


class OmpTranscript(ObjectRows):
    """Reads one session file."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: OrderedDict[str, int] = OrderedDict()
        self._last: str | None = None
        self._used_by: OrderedDict[str, TokenUsage] = OrderedDict()

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of oh-my-pi."""
        return (row.get("type") == "session" and "cwd" in row) or (row.get("type") == "title" and "pad" in row)

    def _row(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        kind = text_of(row, "type")
        if kind == "session":
            self.session, self.cwd = text_of(row, "id"), text_of(row, "cwd")
        self.ms = ms_of(row.get("timestamp")) or self.ms
        if kind in HEADERS:
            return
        yield from self._moved(row)
        if kind == "message":
            yield from self._message(text_of(row, "id"), object_of(row, "message"))
        elif kind == "compaction":
            yield self._fact("compaction", text_of(row, "summary"))
        elif kind == "reset_boundary":
            yield TranscriptFact(kind="rewind", row=0, subagent=self.subagent)

    def _moved(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        """A rewind where the entry's parent is another than the last entry; a parent that is not known says nothing."""
        id, parent = text_of(row, "id"), row.get("parentId")
        if self._last is not None and parent != self._last:
            to = 0 if parent is None and "parentId" in row else self._entries.get(str(parent))
            if to is not None:
                yield TranscriptFact(kind="rewind", row=to, subagent=self.subagent)
        if id:
            self._last = id
            remember(self._entries, id, self.rows)

    def _message(self, entry: str, message: dict[str, Any]) -> Iterator[TranscriptFact]:
        text = texts_of(message.get("content"), "text")
        match text_of(message, "role"):
            case "user":
                if text.strip() and text_of(message, "attribution") in ("", "user") and not is_own_text(text):
                    yield self._fact("prompt", text)
            case "assistant":
                yield from self._assistant(entry, message, text)
            case "toolResult":
                yield from self._result(message, text)

    def _assistant(self, entry: str, message: dict[str, Any], text: str) -> Iterator[TranscriptFact]:
        id = text_of(message, "responseId") or entry
        if text:
            yield self._fact("text", text, id=id)
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "toolCall":
                yield from self._tool(part)
        used = object_of(message, "usage")
        counts = (tokens(used.get(name)) for name in ("input", "output", "cacheRead", "cacheWrite"))
        total = TokenUsage(*counts)
        more = total.minus(self._used_by.get(id, TokenUsage()))
        remember(self._used_by, id, total)
        yield from self._used(id, total, more, text_of(message, "model"))

    def _tool(self, part: dict[str, Any]) -> Iterator[TranscriptFact]:
        id, name, given = text_of(part, "id"), text_of(part, "name"), object_of(part, "arguments")
        given = edit_input(name, given)
        if not text_of(given, "new_string", "old_string"):
            given = with_edit(given, text_of(given, "file_path", "path"), *edit_texts(given))
        yield from self._call(name, id, given, changes=name in CHANGING)
        if name in PLAN_TOOLS and (plan := "\n".join(_steps(given))):
            yield self._fact("plan", plan, id=id)

    def _result(self, message: dict[str, Any], text: str) -> Iterator[TranscriptFact]:
        id = text_of(message, "toolCallId")
        yield self._fact("result", text, id=id, failed=message.get("isError") is True)
        if text_of(message, "toolName") == QUESTION_TOOL and (found := answers_of(object_of(message, "details"))):
            yield self._fact("answers", id=id, input=found)


def edit_texts(given: Mapping[str, Any]) -> tuple[str, str]:
    """What an edit takes out and what it puts in: of one edit, or of all in ``edits``."""
    edits = given.get("edits")
    parts = [given, *(one for one in (edits if isinstance(edits, list) else []) if isinstance(one, dict))]
    old = [text for part in parts if (text := text_of(dict(part), "old_string", "oldText", "old_text"))]
    new = [text for part in parts if (text := text_of(dict(part), "new_string", "newText", "new_text", "content"))]
    return "\n".join(old), "\n".join(new)


def answers_of(details: Mapping[str, Any]) -> dict[str, Any]:
    """The questions and a person's answers in what the tool for questions says of itself."""
    results = details.get("results")
    one = [details] if "question" in details else []
    found = [result for result in (results if isinstance(results, list) else one) if isinstance(result, dict)]
    questions, answers = [], {}
    for result in found:
        chosen = result.get("selectedOptions")
        said = [str(option) for option in chosen] if isinstance(chosen, list) else []
        said += [text] if (text := text_of(result, "customInput")) else []
        question = text_of(result, "question")
        if question and said:
            options = result.get("options")
            labels = [{"label": str(option)} for option in options] if isinstance(options, list) else []
            questions.append({"question": question, "options": labels})
            answers[question] = ", ".join(said)
    return {"questions": questions, "answers": answers} if answers else {}


def _steps(value: Any) -> Iterable[str]:
    """The words of a to-do list, however deep they lie."""
    if isinstance(value, dict):
        text = text_of(value, "content", "task")
        if text:
            yield text
        for name in ("ops", "phases", "tasks", "todos", "items"):
            yield from _steps(value.get(name))
    elif isinstance(value, list):
        for one in value:
            yield from [one] if isinstance(one, str) else _steps(one)
