"""What a session has written and run so far, for recall: of the current prompt's work, and of the whole session.

Stems and pattern hits only, bounded; it ends with the session. Promises: each tool call is read once, whether it is told
before or after it ran. Must not match or decide.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from borgd.agents.event import ToolCall
from borgd.lessons.patterns import PatternHits
from borgd.recall.code_seen import SeenCode, added
from borgd.sessions.seen_keys import SeenKeys

READ_CALLS = 256
"""guard: tool calls remembered as read."""
TURN_TOUCHES = 200
"""guard: files that the current prompt's work touched."""

_WRITTEN = (
    ("new_string", "old_string"), ("content", ""), ("new_source", ""), ("new_str", "old_str"), ("file_text", ""),
    ("newString", "oldString"), ("newText", "oldText"),
)  # fmt: skip
"""host: fields of tools' inputs that hold what is written, each with the one that holds what it replaces."""
_PATCH = ("patch", "input", "diff", "patchText")
"""host: fields that hold a patch."""
_PATHS = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
_COMMANDS = ("command", "cmd", "script")


@dataclass
class WorkSoFar:
    """``whole`` and ``turn`` are kept up to date together; ``turn_*`` begin anew with each turn."""

    whole: SeenCode = field(default_factory=SeenCode)
    turn: SeenCode = field(default_factory=SeenCode)
    turns: int = 0
    turn_prompts: int = 0
    """How many of the session's last prompts are the turn's."""
    turn_touches: OrderedDict[str, None] = field(default_factory=OrderedDict)
    read: SeenKeys = field(default_factory=lambda: SeenKeys(READ_CALLS))

    def begin(self) -> None:
        """A new turn began."""
        self.turns += 1
        self.turn_prompts = 0
        self.turn.clear()
        self.turn_touches.clear()

    def touch(self, paths: Iterable[str]) -> None:
        """The current prompt's work touched these files."""
        for path in paths:
            self.turn_touches[path] = self.turn_touches.pop(path, None)
        while len(self.turn_touches) > TURN_TOUCHES:
            self.turn_touches.popitem(last=False)

    def add(self, stems: Iterable[str], hits: Mapping[str, PatternHits]) -> list[str]:
        """Take in what was written or run; returns the stems that the session had not seen."""
        listed = list(stems)
        self.turn.add(listed, hits)
        return self.whole.add(listed, hits)

    def ask(self, hits: Mapping[str, PatternHits]) -> None:
        """Take in which patterns a prompt matched."""
        self.turn.ask(hits)
        self.whole.ask(hits)

    def is_new(self, call: str) -> bool:
        """Whether this tool call was not read before; remembers it. A call without an id is always new."""
        return not call or self.read.first((call,))


@dataclass
class WrittenSince:
    """How much was written when each decision was told, so that what prompted a line is not taken for its effect."""

    paths: int = 0
    lines: int = 0
    at: OrderedDict[str, tuple[int, int]] = field(default_factory=OrderedDict)
    """By decision: how many paths and lines the session had written by then."""
    beside: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """By a tool call that has not run yet: the decision that was told beside it."""

    def told(self, decision: str, call: str) -> None:
        """A decision was told now, beside ``call`` (empty: beside none that is still to run)."""
        self.at[decision] = (self.paths, self.lines)
        if call:
            self.beside[call] = decision
        for kept in (self.at, self.beside):
            while len(kept) > READ_CALLS:
                kept.popitem(last=False)

    def wrote(self, paths: int, lines: int, call: str = "") -> None:
        """So many paths and lines were written, by ``call``; what was told beside it was not told because of them."""
        self.paths += paths
        self.lines += lines
        decision = self.beside.pop(call, "")
        if decision in self.at:
            self.at[decision] = (self.paths, self.lines)

    def since(
        self, decision: str, paths: tuple[str, ...], lines: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Those of the last ``paths`` and ``lines`` that were written after ``decision`` was told."""
        at_paths, at_lines = self.at.get(decision, (0, 0))
        return (
            paths[max(0, at_paths - (self.paths - len(paths))) :],
            lines[max(0, at_lines - (self.lines - len(lines))) :],
        )


def written(tool: ToolCall) -> tuple[str, str]:
    """What a tool call writes: the lines that are new, and the whole text with its path, for patterns. Empty: nothing."""
    given = tool.input
    edits = [one for one in given.get("edits", ()) if isinstance(one, dict)] if isinstance(given.get("edits"), list) else []
    new: list[str] = []
    whole: list[str] = []
    for one in (given, *edits):
        for field_name, old_name in _WRITTEN:
            text = one.get(field_name)
            if isinstance(text, str) and text:
                new.append(added(text, _text(one, old_name)))
                whole.append(text)
    for field_name in (*_PATCH, *_COMMANDS):
        text = given.get(field_name)
        if isinstance(text, str) and "*** Begin Patch" in text:
            lines = [line[1:] for line in text.split("\n") if line.startswith("+")]
            new.append("\n".join(lines))
            whole.append("\n".join(line[4:] if line.startswith("*** ") else line for line in lines))
    if not whole and "<<" in (command := command_text(tool)):
        new.append(command)  # a here-document writes a file
        whole.append(command)
    if not whole:
        return "", ""
    path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), "")
    return "\n".join(new), "\n".join((path, *whole))


def command_text(tool: ToolCall) -> str:
    """The command line that a tool call runs; empty: none."""
    return next((given for name in _COMMANDS if isinstance(given := tool.input.get(name), str)), "")


def _text(given: Mapping[str, Any], name: str) -> str:
    found = given.get(name)
    return found if isinstance(found, str) else ""
