"""Copilot CLI's session files (``events.jsonl``) as they grow. Pure; from the vendor's and others' descriptions of them.

Answers tell their output tokens only. Input and cache are told when a process ends, for what that process used: the ends of
a session are added up, less the output that was told already. Hooks have no ids of calls, so the calls here have none.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from borgd.agents.payload import is_own_text, object_of, text_of
from borgd.agents.transcript import ObjectRows, TokenUsage, TranscriptFact, ms_of, remember, texts_of, tokens, with_edit

CHANGING = frozenset({"edit", "create", "apply_patch", "str_replace_editor"})
PLAN_TOOLS = frozenset({"update_todo", "exit_plan_mode"})
QUESTION_TOOL = "ask_user"
PENDING = 1000
"""guard: calls whose end is awaited."""


class CopilotTranscript(ObjectRows):
    """Reads one session file."""

    def __init__(self) -> None:
        super().__init__()
        self._events: OrderedDict[str, int] = OrderedDict()
        self._open: OrderedDict[str, tuple[str, dict[str, Any]]] = OrderedDict()
        self._output = 0
        self._model = ""

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of Copilot CLI."""
        return isinstance(row.get("data"), dict) and str(row.get("type", "")).startswith(("session.", "user.message"))

    def _row(self, row: dict[str, Any]) -> Iterator[TranscriptFact]:
        id, data = text_of(row, "id"), object_of(row, "data")
        if id and id in self._events:  # told twice: a resumed session may repeat rows
            return
        if id:
            remember(self._events, id, self.rows)
        self.ms = ms_of(row.get("timestamp")) or self.ms
        foreign = bool(text_of(data, "parentToolCallId") or text_of(row, "agentId"))
        match text_of(row, "type"):
            case "user.message" if not foreign:
                yield from self._prompt(data)
            case "assistant.message":
                yield from self._said(id, data, foreign=foreign)
            case "tool.execution_start" if not foreign:
                remember(self._open, text_of(data, "toolCallId"), (text_of(data, "toolName"), object_of(data, "arguments")))
                while len(self._open) > PENDING:
                    self._open.popitem(last=False)
            case "tool.execution_complete" if not foreign:
                yield from self._ran(data)
            case _:
                yield from self._session(id, text_of(row, "type"), data)

    def _session(self, id: str, kind: str, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        match kind:
            case "session.start" | "session.resume" | "session.context_changed":
                self._began(data)
            case "session.model_change":
                self._model = text_of(data, "newModel") or self._model
            case "session.plan_changed":
                if plan := text_of(data, "plan", "content"):
                    yield self._fact("plan", plan)
            case "session.compaction_complete":
                yield self._fact("compaction", text_of(data, "summaryContent"))
            case "session.snapshot_rewind":
                row_of_event = self._events.get(text_of(data, "upToEventId"))
                if row_of_event is not None:
                    yield TranscriptFact(kind="rewind", row=row_of_event - 1)
            case "session.context_cleared":
                yield TranscriptFact(kind="rewind", row=0)
            case "session.shutdown":
                yield from self._ended(id, data)

    def _began(self, data: dict[str, Any]) -> None:
        self.session = text_of(data, "sessionId") or self.session
        self.cwd = text_of(object_of(data, "context"), "cwd") or text_of(data, "cwd") or self.cwd
        self._model = text_of(data, "selectedModel", "model") or self._model

    def _prompt(self, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        text = text_of(data, "content")
        if text.strip() and text_of(data, "source") in ("", "user") and not is_own_text(text):
            yield self._fact("prompt", text)

    def _said(self, id: str, data: dict[str, Any], *, foreign: bool) -> Iterator[TranscriptFact]:
        text = text_of(data, "content")
        if text and not foreign:
            yield self._fact("text", text, id=id)
        used = tokens(data.get("outputTokens"))
        self._output += used
        if used:
            yield from self._used(id, TokenUsage(0, used), TokenUsage(0, used), self._model)

    def _ran(self, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        name, given = self._open.pop(text_of(data, "toolCallId"), (text_of(data, "toolName"), {}))
        old, new = text_of(given, "old_string", "old_str"), text_of(given, "new_string", "new_str", "file_text")
        given = with_edit(given, text_of(given, "file_path", "path"), old, new)
        yield from self._call(name, "", given, changes=name in CHANGING)
        if name in PLAN_TOOLS and (plan := text_of(given, "todos", "plan", "summary")):
            yield self._fact("plan", plan)
        result = object_of(data, "result")
        text = text_of(result, "content", "detailedContent") or texts_of(data.get("result"))
        failed = data.get("success") is False
        yield self._fact("result", text or text_of(object_of(data, "error"), "message"), failed=failed)
        question = text_of(given, "question")
        if name == QUESTION_TOOL and question and text and not failed:
            choices = given.get("choices")
            options = [{"label": str(one)} for one in choices] if isinstance(choices, list) else []
            asked = [{"question": question, "options": options}]
            yield self._fact("answers", input={"questions": asked, "answers": {question: answer_in(text)}})

    def _ended(self, id: str, data: dict[str, Any]) -> Iterator[TranscriptFact]:
        """What one process used, all models together."""
        models = [object_of(one, "usage") for one in object_of(data, "modelMetrics").values() if isinstance(one, dict)]

        def added(name: str) -> int:
            return sum(tokens(usage.get(name)) for usage in models)

        read, written = added("cacheReadTokens"), added("cacheWriteTokens")
        more = TokenUsage(
            max(0, added("inputTokens") - read - written), max(0, added("outputTokens") - self._output), read, written
        )
        self._output = 0
        yield from self._used(id or f"row-{self.rows}", more, more, self._model)


def answer_in(text: str) -> str:
    """A person's answer in what the tool for questions gives back to the model."""
    head, said, rest = text.partition(": ")
    return rest.strip() if said and head.lower().startswith(("user selected", "user responded", "user answered")) else text
