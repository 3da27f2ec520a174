"""Regrets: a later commit repairs lines of a commit that a session made. Reads git's output as text; pure.

A repair says so itself (a revert, or a subject that speaks of fixing); a mere later change of the same lines is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

MIN_AGE_MS = 2 * 24 * 3600 * 1000
"""guard: what is repaired sooner is the same piece of work, not a regret."""
MAX_FILES = 40
"""guard: a commit over more files is a sweep, not a repair."""
MAX_LINES = 2000
"""guard: as MAX_FILES, for lines."""

_SUBJECT = re.compile(
    r"^\s*(?:\w+(?:\([^)]*\))?!?:\s*)?(?:hot)?"
    r"(?:fix|bug|revert|repair|correct|regress|undo|back out|rollback|roll back|oops)",
    re.I,
)
_CONVENTIONAL = re.compile(r"^\s*(?:fix|revert|hotfix)(?:\([^)]*\))?!?:", re.I)
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
_MADE = re.compile(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\] ", re.M)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_COMMITS = re.compile(r"\bgit\b[^;&|\n]*\bcommit\b")


class Removed(NamedTuple):
    """Lines of the parent that a commit replaced or removed: ``start`` is 1-based."""

    path: str
    start: int
    lines: int


def commit_made(command: str, output: str) -> str:
    """The abbreviated id of the commit that a shell ``command`` made, as git prints it; empty: it made none."""
    if not commits(command):
        return ""
    found = _MADE.findall(output[:20_000])
    return str(found[-1]) if found else ""


def commits(command: str) -> bool:
    """Whether a shell ``command`` has git commit."""
    return _COMMITS.search(command[:4000]) is not None


def is_repair(message: str) -> bool:
    """Whether a commit message says that it repairs something."""
    subject = message.split("\n", 1)[0]
    return bool(_CONVENTIONAL.match(subject) or _SUBJECT.match(subject) or _REVERTS.search(message))


def removed_lines(diff: str) -> list[Removed]:
    """The parent's lines that a diff without context (``-U0``) replaces or removes; empty for a sweep over the bounds."""
    found: list[Removed] = []
    files, path = set(), ""
    for line in diff.split("\n"):
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") else ""
            files.add(path)
        elif path and (hunk := _HUNK.match(line)):
            count = int(hunk[2]) if hunk[2] is not None else 1
            if count:
                found.append(Removed(path, int(hunk[1]), count))
    too_large = len(files) > MAX_FILES or sum(one.lines for one in found) > MAX_LINES
    return [] if too_large else found


def blamed(porcelain: str) -> list[str]:
    """The commit of each line, from ``git blame --line-porcelain``."""
    return re.findall(r"^([0-9a-f]{40}(?:[0-9a-f]{24})?) \d+ \d+", porcelain, re.M)


def shares(blames: Iterable[str], made: Mapping[str, int], repaired_ms: int) -> dict[str, float]:
    """Of the repaired lines, the share in (0, 1] that each commit of ``made`` (id -> ms) wrote; old enough ones only."""
    lines = list(blames)
    found: dict[str, float] = {}
    for commit, ms in made.items():
        count = sum(line.startswith(commit) for line in lines)
        if count and repaired_ms - ms >= MIN_AGE_MS:
            found[commit] = count / len(lines)
    return found
