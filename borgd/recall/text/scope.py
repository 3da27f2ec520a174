"""Which system names a text names. Pure.

A name is named only as a contiguous run of its parts: "Answer Guard" in ``answer guard``, ``AnswerGuard``,
``answer_guard/api.py``, ``answerguard``; not in "the output … guard", nor across the end of a sentence ("the answer.
Guard it"). No part is dropped for being short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from borgd.recall.text.words import segments

_BREAK = re.compile(r"[^\w\s]\s|\s[^\w\s]|\n\s*\n")
"""Punctuation beside a space, or an empty line: what stands on its two sides is not a run."""

KINDS = frozenset(
    {"android", "api", "app", "backend", "cli", "client", "core", "frontend", "infra", "ios", "lib", "main", "monorepo"}
    | {"repo", "server", "service", "services", "svc", "ui", "web", "worker"}
)
"""design: last parts of a directory's name that say what kind of part of a system it holds, not which system."""

MIN_DIRECTORY = 4
"""design: a directory shorter than this ("src", "api") is not taken for the beginning of a longer name."""


REMEMBERED_NAMES = 1 << 14
"""guard: names whose parts are remembered; a store names the same few at every event."""


@lru_cache(REMEMBERED_NAMES)
def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a system's name."""
    return tuple(segments(name))


class NameParts:
    """A text's parts, ready to be asked for many names."""

    def __init__(self, text: str) -> None:
        self._parts: list[str] = []
        self._starts: dict[str, list[int]] = {}
        for piece in _BREAK.split(text):
            self._parts += segments(piece)
            self._parts.append("")
        for position, part in enumerate(self._parts):
            self._starts.setdefault(part, []).append(position)
        self._pairs = set(pairwise(self._parts))

    def names(self, name: Sequence[str]) -> bool:
        """Whether the parts of ``name`` stand in the text side by side, or written together as one word."""
        if not name:
            return False
        if len(name) == 1:
            return name[0] in self._starts
        if (name[0], name[1]) in self._pairs and self._runs(list(name)):
            return True
        return "".join(name) in self._starts

    def _runs(self, name: list[str]) -> bool:
        length = len(name)
        return length == 2 or any(self._parts[start : start + length] == name for start in self._starts[name[0]])


def named_scopes(names: Iterable[str], text: str) -> list[str]:
    """Those of ``names`` that ``text`` names, in the order given, each once."""
    parts = NameParts(text)
    return [name for name in dict.fromkeys(names) if parts.names(parts_of(name))]


def places(names: Iterable[str], cwd: str, remote: str = "") -> list[str]:
    """Those of ``names`` that the working directory or the remote names, in the order given, each once.

    Here the last part of a path may also be the beginning of a longer name: ``~/src/helios`` and ``~/src/helios-api``
    are places of "Helios Scheduler", unless another of ``names`` begins so too.
    """
    known = {name: parts_of(name) for name in names}
    whole = NameParts(f"{cwd}\n\n{remote}")
    found = {name for name, parts in known.items() if whole.names(parts)}
    if not found:
        for place in (cwd, remote.removesuffix(".git")):
            last = parts_of(re.split(r"[/\\]", place.rstrip("/\\"))[-1])
            while len(last) > 1 and last[-1] in KINDS:
                last = last[:-1]
            if last and len("".join(last)) >= MIN_DIRECTORY:
                begun = [name for name, parts in known.items() if parts[: len(last)] == last]
                found.update(begun if len(begun) == 1 else ())
    return [name for name in known if name in found]
