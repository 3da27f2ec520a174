"""What an agent's session file says, the same facts for every agent, and how bytes become rows. Pure: bytes in, facts out.

Rows of unknown kinds are ignored, a row that is not JSON is counted and skipped, a line that is cut short stays for the next
call. A field of another type than expected counts as absent. No row, however damaged or long, raises anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal, TypeVar

import msgspec

from borgd.agents.json_repair import repaired

Kind = Literal[
    "prompt", "text", "plan", "touch", "call", "result", "usage", "compaction", "rewind", "queued", "expansion", "answers"
]

TEXT_CHARS = 20_000
"""guard: characters kept of one text, plan, prompt or result."""
REMEMBERED = 20_000
"""guard: rows and message ids remembered, so that a session of weeks stays bounded."""
LINE_BYTES = 4 << 20
"""guard: a longer line is skipped and counted."""

V = TypeVar("V")


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
    ``id`` is the prompt id, tool use id or message id; empty where hooks have no such id to meet it.
    ``subagent`` is empty on the main thread. ``answers`` are a person's answers, by question, in ``input``.
    """

    kind: Kind
    row: int
    text: str = ""
    id: str = ""
    subagent: str = ""
    tool: str = ""
    failed: bool = False
    changes: bool = False
    """Whether the call (or the touch by it) changes a file."""
    usage: TokenUsage | None = None
    """What this row adds to the message's tokens; ``total`` is all of them so far."""
    total: TokenUsage | None = None
    model: str = ""
    input: dict[str, Any] = {}


class TranscriptReader(ABC):
    """Reads one session file piece by piece. ``feed`` returns what the new bytes say; ``damaged`` counts bad rows.

    ``session``, ``cwd`` and ``ms`` are what the rows so far say of the session's id, its directory and their time;
    ``of_subagent`` says that the last row's prompts are another agent's words.
    """

    INTERESTING: ClassVar[tuple[bytes, ...]] = ()
    """Words one of which is in every row that says something; none: every row may."""
    NAMED_FIRST: ClassVar[bool] = False
    """The first row says whose session it is, so that it is read even where reading begins in the middle."""

    def __init__(self) -> None:
        self.damaged = 0
        self.rows = 0
        self.session = ""
        self.cwd = ""
        self.ms = 0
        self.of_subagent = False
        self.subagent = ""
        self._rest = b""
        self._skipping = False

    def feed(self, chunk: bytes, *, limit: int = LINE_BYTES) -> list[TranscriptFact]:
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
                self.rows += 1
                self._line(line, facts)
        self._rest = data[start:]
        if len(self._rest) > limit:
            self._rest, self._skipping = b"", True
            self.damaged += 1
        return facts

    def skip_line(self) -> None:
        """Ignore everything up to the next line's start: reading begins in the middle of a file."""
        self._skipping = True

    @classmethod
    @abstractmethod
    def recognises(cls, row: Mapping[str, Any]) -> bool:
        """Whether ``row``, one of the first of a file, can only be of this agent."""

    @abstractmethod
    def _line(self, line: bytes, facts: list[TranscriptFact]) -> None:
        """Add what ``line`` says to ``facts``."""


class ObjectRows(TranscriptReader):
    """A reader whose rows are taken as dictionaries that may hold anything."""

    def _line(self, line: bytes, facts: list[TranscriptFact]) -> None:
        row = row_of(line)
        if row is None:
            self.damaged += 1
            return
        facts.extend(self._row(row))

    @abstractmethod
    def _row(self, row: dict[str, Any]) -> Iterable[TranscriptFact]:
        """The facts of one row."""

    def _fact(self, kind: Kind, text: str = "", **more: Any) -> TranscriptFact:
        return TranscriptFact(kind=kind, row=self.rows, text=text[:TEXT_CHARS], subagent=self.subagent, **more)

    def _call(self, name: str, id: str, given: dict[str, Any], *, changes: bool) -> Iterator[TranscriptFact]:
        """A call, and a touch of each file that it names in ``file_path`` or ``paths``."""
        yield self._fact("call", id=id, tool=name, input=given, changes=changes)
        for path in paths_of(given):
            yield self._fact("touch", path, id=id, tool=name, changes=changes)

    def _used(self, id: str, total: TokenUsage, more: TokenUsage, model: str) -> Iterator[TranscriptFact]:
        """Tokens of the message ``id``; ``more`` is what of ``total`` was not told before."""
        if more != TokenUsage():
            yield self._fact("usage", id=id, usage=more, total=total, model=model)


def row_of(line: bytes) -> dict[str, Any] | None:
    """The object in ``line``, half characters repaired; None: there is none."""
    try:
        try:
            row = msgspec.json.decode(line)
        except msgspec.DecodeError:
            row = msgspec.json.decode(repaired(line))
    except (msgspec.DecodeError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def paths_of(given: Mapping[str, Any]) -> list[str]:
    """The files that a call's input names in ``file_path``, ``notebook_path`` or ``paths``."""
    several = given.get("paths")
    found = [given.get("file_path"), given.get("notebook_path"), *(several if isinstance(several, list) else [])]
    return list(dict.fromkeys(path for path in found if isinstance(path, str) and path))


def with_edit(given: dict[str, Any], path: str, old: str = "", new: str = "") -> dict[str, Any]:
    """``given`` with the file it is about, and what it takes out and puts in, in the names that the rules know."""
    found: dict[str, Any] = {**given, "file_path": path} if path else dict(given)
    return {**found, "old_string": old, "new_string": new} if old or new else found


def texts_of(content: Any, *types: str) -> str:
    """The text of a message's content: itself, or its parts of the given types joined by newlines."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and (not types or part.get("type") in types)]
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str) and text)


def tokens(value: Any) -> int:
    """A count of tokens; 0 where there is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def ms_of(timestamp: Any) -> int:
    """Milliseconds since the epoch of an ISO time or of a number of them; 0: it is none."""
    if isinstance(timestamp, int):
        return tokens(timestamp)
    if not isinstance(timestamp, str):
        return 0
    try:
        return max(0, int(datetime.fromisoformat(timestamp).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0


def remember(kept: OrderedDict[str, V], name: str, value: V) -> None:
    """Keep ``value`` as the newest of at most REMEMBERED."""
    kept.pop(name, None)
    kept[name] = value
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
