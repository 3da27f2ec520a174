"""Claude Code's session files as they grow: plan, assistant text, prompts, files touched, tokens, compaction, rewinds.

Pure. One API message spans several rows, so tokens are told once per message id.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import msgspec

from borgd.agents.json_repair import repaired
from borgd.agents.transcript import TEXT_CHARS, TokenUsage, TranscriptFact, TranscriptReader, ms_of, remember

QUEUED = b'"queued_command"'
COMMAND = re.compile(r"\s*<command-message>")
"""host: how the row of a slash command that a file defines starts; the built-in ones start with their name."""
COMMAND_PARTS = {
    "name": re.compile(r"<command-name>([^<]*)</command-name>"),
    "args": re.compile(r"<command-args>(.*?)</command-args>", re.S),
}
TOUCH_FIELDS = ("file_path", "notebook_path", "path")
CHANGING = {"Edit", "Write", "MultiEdit", "NotebookEdit"}


class _Message(msgspec.Struct):
    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"null")
    usage: TokenUsage | None = None


class _Attachment(msgspec.Struct, rename="camel"):
    type: str = ""
    prompt: Any = None
    command_mode: str | None = None


class _Row(msgspec.Struct, rename="camel"):
    type: str = ""
    uuid: str | None = None
    session_id: Any = None
    cwd: Any = None
    timestamp: Any = None
    parent_uuid: str | None = None
    is_sidechain: bool = False
    is_meta: bool = False
    is_compact_summary: bool = False
    is_visible_in_transcript_only: bool = False
    agent_id: str | None = None
    prompt_id: str | None = None
    turn_companion: bool = False
    subtype: str | None = None
    attachment: msgspec.Raw = msgspec.Raw(b"null")
    tool_use_result: msgspec.Raw = msgspec.Raw(b"null")
    message: _Message | None = None


_row = msgspec.json.Decoder(_Row)
_attachment = msgspec.json.Decoder(_Attachment)
_content = msgspec.json.Decoder()


class ClaudeTranscript(TranscriptReader):
    """Reads one session file of Claude Code."""

    INTERESTING = (b'"user"', b'"assistant"', b'"queued_command"', b'"compact_boundary"')

    def __init__(self) -> None:
        super().__init__()
        self._order: OrderedDict[str, int] = OrderedDict()
        self._last = 0
        self._command = ""
        self._seen: OrderedDict[str, TokenUsage] = OrderedDict()

    @classmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row`` can only be of Claude Code."""
        return "sessionId" in row and "type" in row

    def _line(self, line: bytes, facts: list[TranscriptFact]) -> None:
        try:
            try:
                row = _row.decode(line)
                content = _content.decode(row.message.content) if row.message else None
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError:
                row = _row.decode(repaired(line))
                content = _content.decode(row.message.content) if row.message else None
        except (msgspec.DecodeError, RecursionError):
            self.damaged += 1
            return
        self.session = row.session_id if isinstance(row.session_id, str) and row.session_id else self.session
        self.cwd = row.cwd if isinstance(row.cwd, str) and row.cwd else self.cwd
        self.ms, self.of_subagent = ms_of(row.timestamp) or self.ms, row.is_sidechain
        if row.type == "system" and row.subtype == "compact_boundary":
            facts.append(TranscriptFact(kind="compaction", row=self.rows))
        if row.type == "user":
            self._user(row, content, facts)
            self._answers(row, facts)
        elif row.type == "attachment" and QUEUED in bytes(row.attachment):
            self._queued(row, facts)
        elif row.type == "assistant" and row.message:
            self._assistant(row, row.message, content, facts)
        if row.uuid:
            remember(self._order, row.uuid, self.rows)
            if not row.is_sidechain:
                self._last = self.rows

    def _user(self, row: _Row, content: Any, facts: list[TranscriptFact]) -> None:
        subagent = row.agent_id or ""
        texts: list[str] = [content] if isinstance(content, str) else []
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_result":
                text, failed = _text(block.get("content")), block.get("is_error") is True
                use = str(block.get("tool_use_id") or "")
                facts.append(
                    TranscriptFact(kind="result", row=self.rows, text=text, id=use, subagent=subagent, failed=failed)
                )
            elif block.get("type") == "text":
                texts.append(str(block.get("text") or ""))
        if row.is_compact_summary:
            facts.append(
                TranscriptFact(kind="compaction", row=self.rows, text="\n".join(texts)[:TEXT_CHARS], subagent=subagent)
            )
        elif texts and not (row.is_meta or row.is_visible_in_transcript_only):
            parent = self._order.get(row.parent_uuid or "")
            if not row.is_sidechain and parent is not None and parent < self._last:
                facts.append(TranscriptFact(kind="rewind", row=parent))
            text = "\n".join(texts)[:TEXT_CHARS]
            command = COMMAND.match(text)
            self._command = row.prompt_id or "" if command else ""
            text = command_line(text) if command else text
            facts.append(TranscriptFact(kind="prompt", row=self.rows, text=text, id=row.prompt_id or "", subagent=subagent))
        elif texts and row.is_meta and row.prompt_id and (row.turn_companion or row.prompt_id == self._command):
            text = "\n".join(texts)[:TEXT_CHARS]
            facts.append(TranscriptFact(kind="expansion", row=self.rows, text=text, id=row.prompt_id, subagent=subagent))

    def _answers(self, row: _Row, facts: list[TranscriptFact]) -> None:
        """What a person answered to a questionnaire."""
        if b'"answers"' in bytes(row.tool_use_result):
            result = _content.decode(row.tool_use_result)
            if isinstance(result, dict):
                facts.append(TranscriptFact(kind="answers", row=self.rows, subagent=row.agent_id or "", input=result))

    def _queued(self, row: _Row, facts: list[TranscriptFact]) -> None:
        """What a person typed while the agent worked, as it was handed to the agent."""
        try:
            queued = _attachment.decode(row.attachment)
        except msgspec.DecodeError:
            return
        text = queued.prompt if isinstance(queued.prompt, str) else _text(queued.prompt)
        if queued.type == "queued_command" and queued.command_mode in (None, "prompt") and text:
            text = text[:TEXT_CHARS]
            facts.append(TranscriptFact(kind="queued", row=self.rows, text=text, subagent=row.agent_id or ""))

    def _assistant(self, row: _Row, message: _Message, content: Any, facts: list[TranscriptFact]) -> None:
        subagent = row.agent_id or ""
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text":
                text = str(block.get("text") or "")[:TEXT_CHARS]
                facts.append(TranscriptFact(kind="text", row=self.rows, text=text, id=message.id or "", subagent=subagent))
            elif block.get("type") == "tool_use":
                facts.extend(self._tool_use(block, subagent))
        if message.usage and message.id and message.model != "<synthetic>":
            new = message.usage.minus(self._seen.get(message.id, TokenUsage()))
            remember(self._seen, message.id, message.usage)
            if new != TokenUsage():
                facts.append(
                    TranscriptFact(
                        kind="usage",
                        row=self.rows,
                        id=message.id,
                        subagent=subagent,
                        usage=new,
                        total=message.usage,
                        model=message.model or "",
                    )
                )

    def _tool_use(self, block: dict[str, Any], subagent: str) -> list[TranscriptFact]:
        arguments = block.get("input")
        name, use = str(block.get("name") or ""), str(block.get("id") or "")
        if not isinstance(arguments, dict):
            return []
        changes = name in CHANGING
        facts = [
            TranscriptFact(
                kind="call", row=self.rows, id=use, subagent=subagent, tool=name, input=arguments, changes=changes
            )
        ]
        if name == "ExitPlanMode" and isinstance(arguments.get("plan"), str):
            plan = arguments["plan"][:TEXT_CHARS]
            facts.append(TranscriptFact(kind="plan", row=self.rows, text=plan, id=use, subagent=subagent))
        for field in TOUCH_FIELDS:
            if isinstance(arguments.get(field), str) and (field != "path" or name in CHANGING):
                path = arguments[field][:TEXT_CHARS]
                facts.append(
                    TranscriptFact(
                        kind="touch", row=self.rows, text=path, id=use, subagent=subagent, tool=name, changes=changes
                    )
                )
        return facts


def command_line(text: str) -> str:
    """The slash command in a row's ``text``, as it was typed: its name and its arguments."""
    found = {name: match[1].strip() for name in ("name", "args") if (match := COMMAND_PARTS[name].search(text))}
    return f"{found.get('name', '')} {found.get('args', '')}".strip() or text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content[:TEXT_CHARS]
    if isinstance(content, list):
        parts = [
            str(block.get("text") or "") for block in content if isinstance(block, dict) and block.get("type") == "text"
        ]
        return "\n".join(parts)[:TEXT_CHARS]
    return ""
