"""What changed between an ask and the next Stop, as evidence that a lesson changed something.

A change speaks for a lesson only through a name that the lesson spells as code does (a path, a file, an identifier, a
flag) and that stands in a touched path or a changed line as a whole. Common words in common never count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from borgd.lessons.lesson import Lesson

SHORTEST = 4
"""guard: characters of the shortest name that counts; ``id`` and ``x.y`` are everywhere."""

_CODE = re.compile(
    r"`([^`\n]{2,80})`"  # quoted as code
    r"|(?<![\w/.-])((?:[\w.-]+/)+[\w.-]*\w|[\w-]+\.[A-Za-z]{1,5}(?![\w.]))"  # a path or a file
    r"|\b([A-Za-z]+(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b"  # snake, camel, Pascal
    r"|(?<!\S)(--[a-z][a-z0-9-]+)"  # a flag
)


def code_names(lesson: Lesson) -> set[str]:
    """The names that the lesson's question, situations and facets spell as code."""
    text = "\n".join([lesson.question, *lesson.situations, *lesson.facets])
    names = {next(group for group in match.groups() if group).strip() for match in _CODE.finditer(text)}
    return {name for name in names if len(name) >= SHORTEST}


def change_evidence(lesson: Lesson, paths: Iterable[str], lines: Iterable[str]) -> str:
    """Which touched path or changed line holds one of the lesson's own names; empty where none does."""
    names = sorted(code_names(lesson))
    for name in names:
        whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        for path in paths:
            if whole.search(path):
                return f"{name} is in the touched path {path}"[:200]
        for line in lines:
            if whole.search(line):
                return f"{name} is in a changed line"
    return ""
