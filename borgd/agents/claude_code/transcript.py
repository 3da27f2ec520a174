"""Claude Code's session files as they grow: plan, assistant text, prompts, files touched, tokens, compaction, rewinds.

Pure: bytes in, facts out. Rows of unknown kinds are ignored, a row that is not JSON is counted and skipped, a line that
is cut short stays for the next call. One API message spans several rows, so tokens are told once per message id.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any, Literal

import msgspec

from borgd.agents.json_repair import repaired

Kind = Literal["prompt", "text", "plan", "touch", "call", "result", "usage", "compaction", "rewind", "queued", "expansion"]

TEXT_CHARS = 20_000
"""guard: characters kept of one text, plan, prompt or result."""

REMEMBERED = 20_000
"""guard: rows and message ids remembered, so that a session of weeks stays bounded."""

QUEUED = b'"queued_command"'
COMMAND = re.compile(r"\s*<command-message>")
"""host: how the row of a slash command that a file defines starts; the built-in ones start with their name."""
COMMAND_PARTS = {
    "name": re.compile(r"<command-name>([^<]*)</command-name>"),
    "args": re.compile(r"<command-args>(.*?)</command-args>", re.S),
}
TOUCH_FIELDS = ("file_path", "notebook_path", "path")
CHANGING = {"Edit", "Write", "MultiEdit", "NotebookEdit"}


class TokenUsage(msgspec.Struct, frozen=True):
    """Tokens of one API message, cached input counted apart."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0

    def minus(self, other: TokenUsage) -> TokenUsage:
        """What this reading adds to an earlier one of the same message; never negative."""
        return TokenUsage(
            max(0, self.input_tokens - other.input_tokens),
            max(0, self.output_tokens - other.output_tokens),
            max(0, self.cache_read_input_tokens - other.cache_read_input_tokens),
            max(0, self.cache_creation_input_tokens - other.cache_creation_input_tokens),
        )


class TranscriptFact(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a row says. ``row`` counts rows of the file, so that a rewind can name what it undoes.

    ``queued`` is a prompt typed while the agent worked, ``expansion`` the text that a slash command stands for.
    ``text`` is the prompt, the assistant's text, the plan, the touched path, the tool's result or the summary.
    ``id`` is the prompt id, tool use id or message id. ``subagent`` is empty on the main thread.
    """

    kind: Kind
    row: int
    text: str = ""
    id: str = ""
    subagent: str = ""
    tool: str = ""
    failed: bool = False
    usage: TokenUsage | None = None
    """What this row adds to the message's tokens; ``total`` is all of them so far."""
    total: TokenUsage | None = None
    model: str = ""
    input: dict[str, Any] = {}


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
    message: _Message | None = None


_row = msgspec.json.Decoder(_Row)
_attachment = msgspec.json.Decoder(_Attachment)
_content = msgspec.json.Decoder()


class TranscriptReader:
    """Reads one session file piece by piece. ``feed`` returns what the new bytes say; ``damaged`` counts bad rows."""

    def __init__(self) -> None:
        self.damaged = 0
        self.rows = 0
        self._rest = b""
        self._skipping = False
        self._order: OrderedDict[str, int] = OrderedDict()
        self._last = 0
        self._command = ""
        self._seen: OrderedDict[str, TokenUsage] = OrderedDict()

    def feed(self, chunk: bytes, *, limit: int = 4 << 20) -> list[TranscriptFact]:
        """Facts of the whole lines so far unread, ``chunk`` included. A line over ``limit`` bytes is skipped and counted."""
        facts: list[TranscriptFact] = []
        data = self._rest + chunk
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = data[start:end]
            start = end + 1
            if self._skipping:
                self._skipping = False
                continue
            if line.strip():
                self._line(line, facts)
        self._rest = data[start:]
        if len(self._rest) > limit:
            self._rest, self._skipping = b"", True
            self.damaged += 1
        return facts

    def skip_line(self) -> None:
        """Ignore everything up to the next line's start: reading begins in the middle of a file."""
        self._skipping = True

    def _line(self, line: bytes, facts: list[TranscriptFact]) -> None:
        self.rows += 1
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
        if row.type == "system" and row.subtype == "compact_boundary":
            facts.append(TranscriptFact(kind="compaction", row=self.rows))
        if row.type == "user":
            self._user(row, content, facts)
        elif row.type == "attachment" and QUEUED in bytes(row.attachment):
            self._queued(row, facts)
        elif row.type == "assistant" and row.message:
            self._assistant(row, row.message, content, facts)
        if row.uuid:
            self._order[row.uuid] = self.rows
            if not row.is_sidechain:
                self._last = self.rows
            while len(self._order) > REMEMBERED:
                self._order.popitem(last=False)

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
            known = self._seen.pop(message.id, TokenUsage())
            self._seen[message.id] = message.usage
            new = message.usage.minus(known)
            while len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
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
        facts = [TranscriptFact(kind="call", row=self.rows, id=use, subagent=subagent, tool=name, input=arguments)]
        if name == "ExitPlanMode" and isinstance(arguments.get("plan"), str):
            plan = arguments["plan"][:TEXT_CHARS]
            facts.append(TranscriptFact(kind="plan", row=self.rows, text=plan, id=use, subagent=subagent))
        for field in TOUCH_FIELDS:
            if isinstance(arguments.get(field), str) and (field != "path" or name in CHANGING):
                path = arguments[field][:TEXT_CHARS]
                facts.append(TranscriptFact(kind="touch", row=self.rows, text=path, id=use, subagent=subagent, tool=name))
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
