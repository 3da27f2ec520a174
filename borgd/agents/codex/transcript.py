"""Codex's session files (rollouts) as they grow: prompts, text, plans, calls, patches, tokens, rollbacks. Pure.

A rollout tells most things twice: what the model got (``response_item``) and what happened (``event_msg``). Prompts and
replies are taken from the events alone, which new threads write as ``item_completed`` and older ones as ``user_message`` and
``agent_message``; a machine's words (environment, hook reasons, notes of subagents) are in the other rows. Tokens are the
difference between two cumulative counts, which begin anew when a thread is resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from borgd.agents.codex.patch import edit_of
from borgd.agents.payload import is_own_text, object_of, text_of
from borgd.agents.transcript import ObjectRows, TokenUsage, TranscriptFact, ms_of, texts_of, tokens

PLAN_TOOL = "update_plan"
QUESTION_TOOL = "request_user_input"
PATCH_TOOL = "apply_patch"
ROW_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "token_usage_record"})
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
MACHINE_WORDS = ("<hook_prompt", "<environment_context", "<subagent_notification", "<user_instructions", "<turn_aborted")
"""host: how a message of the user starts that nobody typed."""
IDE_REQUEST = "## My request for Codex:"
"""host: what stands before a person's words where an editor says what is open in it."""
FAILED = ("Process exited with code ", "Exit code: ")
"""host: how a command's output names its exit code."""
TURNS = 1000
"""guard: turns whose first row is remembered for a rollback."""
PENDING = 1000
"""guard: calls whose output is awaited."""


class CodexTranscript(ObjectRows):
    """Reads one rollout. A subagent's facts carry the id of its thread, as its hooks do."""

    NAMED_FIRST = True

    def __init__(self) -> None:
        super().__init__()
        self._turn = ""
        self._prompted = ("", "")
        self._turns: list[int] = []
        self._asked: dict[str, list[Any]] = {}
        self._counted: TokenUsage | None = None
        self._total = 0
        self._model = ""

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of Codex."""
        return row.get("type") in ROW_TYPES and isinstance(row.get("payload"), dict)

    def _row(self, row: dict[str, Any]) -> Iterable[TranscriptFact]:
        self.ms = ms_of(row.get("timestamp")) or self.ms
        payload = object_of(row, "payload")
        match text_of(row, "type"):
            case "session_meta":
                self._meta(payload)
            case "turn_context":
                self.cwd = text_of(payload, "cwd") or self.cwd
                self._model = text_of(payload, "model") or self._model
            case "compacted":
                return [self._fact("compaction", text_of(payload, "message"))]
            case "token_usage_record":
                used, whole = object_of(payload, "usage"), object_of(payload, "thread_token_usage")
                return self._tokens(text_of(payload, "response_id"), used, whole)
            case "response_item":
                return self._item(payload)
            case "event_msg":
                return self._event(payload)
        return []

    def _meta(self, payload: dict[str, Any]) -> None:
        if self.session:  # a fork repeats the rows of its parent: the first one is its own
            return
        self.session = text_of(payload, "id", "session_id")
        self.cwd = text_of(payload, "cwd")
        source = payload.get("source")
        spawned = isinstance(source, dict) and ("subagent" in source or "thread_spawn" in source)
        self.of_subagent = spawned or text_of(payload, "thread_source") not in ("", "user")
        self.subagent = self.session if self.of_subagent else ""

    def _event(self, payload: dict[str, Any]) -> Iterable[TranscriptFact]:
        match text_of(payload, "type"):
            case "task_started":
                self._turns = [*self._turns, self.rows - 1][-TURNS:]
            case "user_message":
                return self._prompt(text_of(payload, "message"), "")
            case "agent_message":
                return self._said(text_of(payload, "message"), "")
            case "item_completed":
                item = object_of(payload, "item")
                text = texts_of(item.get("content"))
                if text_of(item, "type") == "UserMessage":
                    return self._prompt(text, text_of(payload, "turn_id"))
                if text_of(item, "type") == "AgentMessage":
                    return self._said(text, text_of(item, "id"))
                if text_of(item, "type") == "Plan":
                    return [self._fact("plan", text_of(item, "text") or text)]
            case "token_count":
                info = object_of(payload, "info")
                return self._tokens("", object_of(info, "last_token_usage"), object_of(info, "total_token_usage"))
            case "thread_rolled_back":
                gone = tokens(payload.get("num_turns"))
                if 0 < gone <= len(self._turns):
                    row = self._turns[-gone]
                    del self._turns[-gone:]
                    return [TranscriptFact(kind="rewind", row=row, subagent=self.subagent)]
        return []

    def _prompt(self, text: str, turn: str) -> Iterable[TranscriptFact]:
        text = text.rpartition(IDE_REQUEST)[2].strip() if IDE_REQUEST in text else text
        if not text.strip() or text.lstrip().startswith(MACHINE_WORDS) or is_own_text(text):
            return []
        before, self._prompted = self._prompted, (text, turn)
        if before[0] == text and before[1] != turn and "" in (before[1], turn):  # told by an older kind of row too
            return []
        steered = turn != "" and turn == self._turn
        self._turn = turn
        return [self._fact("queued", text)] if steered else [self._fact("prompt", text, id=turn)]

    def _said(self, text: str, id: str) -> Iterable[TranscriptFact]:
        return [self._fact("text", text, id=id)] if text else []

    def _item(self, payload: dict[str, Any]) -> Iterable[TranscriptFact]:
        kind = text_of(payload, "type")
        if kind in CALLS:
            return self._called(payload)
        if kind in OUTPUTS:
            return self._output(payload)
        return []

    def _called(self, payload: dict[str, Any]) -> Iterator[TranscriptFact]:
        id, name = text_of(payload, "call_id", "id"), text_of(payload, "name") or "local_shell"
        given = object_of(payload, "arguments") or object_of(payload, "action")
        if name == PATCH_TOOL:
            given = {**given, **edit_of(text_of(payload, "input") or text_of(given, "input", "patch", "command"))}
        if name == QUESTION_TOOL and isinstance(questions := given.get("questions"), list):
            self._asked[id] = questions
            while len(self._asked) > PENDING:
                del self._asked[next(iter(self._asked))]
        yield from self._call(name, id, given, changes=name == PATCH_TOOL)
        if name == PLAN_TOOL and (plan := plan_text(given)):
            yield self._fact("plan", plan, id=id)

    def _output(self, payload: dict[str, Any]) -> Iterator[TranscriptFact]:
        id, output = text_of(payload, "call_id"), payload.get("output")
        text = (
            output if isinstance(output, str) else texts_of(output) or texts_of(object_of(payload, "output").get("content"))
        )
        yield self._fact("result", text, id=id, failed=_failed(text))
        if (questions := self._asked.pop(id, None)) is not None and (answers := answered(questions, text)):
            yield self._fact("answers", input={"questions": questions, "answers": answers})

    def _tokens(self, id: str, last: dict[str, Any], whole: dict[str, Any]) -> Iterator[TranscriptFact]:
        """What one response used: of two counts of the whole thread the difference, else what the row says of the last."""
        used, total = _usage(last), _usage(whole)
        size = tokens(whole.get("total_tokens"))
        before, self._counted = self._counted, total
        if before is not None and size == self._total:  # the same response, told by another kind of row
            return
        more = total.minus(before) if before is not None and size > self._total else used
        self._total = size
        yield from self._used(id or f"row-{self.rows}", used, more, self._model)


def _usage(count: dict[str, Any]) -> TokenUsage:
    cached, written = tokens(count.get("cached_input_tokens")), tokens(count.get("cache_write_input_tokens"))
    fresh = max(0, tokens(count.get("input_tokens")) - cached - written)
    return TokenUsage(fresh, tokens(count.get("output_tokens")), cached, written)


def _failed(output: str) -> bool:
    head = output[:400]
    for mark in FAILED:
        if mark in head:
            return head.partition(mark)[2][:1] not in ("0", "")
    return False


def plan_text(given: dict[str, Any]) -> str:
    """The plan in the input of Codex's tool for it, a step a line."""
    steps = given.get("plan")
    found = [text_of(step, "step") for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return "\n".join(line for line in (text_of(given, "explanation"), *found) if line)


def answered(questions: list[Any], output: str) -> dict[str, str]:
    """A person's answers by the text of their question, where Codex has them by the question's id."""
    try:
        said = msgspec.json.decode(output)
    except (msgspec.DecodeError, RecursionError):
        return {}
    answers = said.get("answers") if isinstance(said, dict) else None
    found = {}
    for question in questions if isinstance(answers, dict) else ():
        answer = answers.get(question.get("id")) if isinstance(question, dict) and answers else None
        labels = answer.get("answers") if isinstance(answer, dict) else None
        if isinstance(labels, list):
            found[text_of(question, "question")] = ", ".join(str(label) for label in labels)
    return found
