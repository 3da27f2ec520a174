"""Transcripts: sessions at the terminal as text that a person can read and write. Parses and compares; runs nothing.

::

    == what the case shows
    Any words, up to the first line that starts with a mark.
    [needs mount]
    [file notes.md]
    what is in it
    [end]
    ## a remark
    $ borg lesson list | head -1
    > what follows on the command's next line
    No lessons yet. Write one:
    ! borg: what is written to standard error
    [exit 1]

Expected lines are literal but for ``{kind}`` (see KINDS), ``{kind:name}``, which remembers what it matched as ``{name}``
for the commands and lines that follow, and a line ``...``, which stands for any number of lines. Standard output and
standard error are compared separately; what is not expected must not be there. No ``[exit N]``: 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

KINDS = {
    "id": r"[A-Za-z0-9_-]+",
    "n": r"-?[0-9](?:[0-9,.]*[0-9])?(?:e-?[0-9]+)?",
    "date": r"\d{4}-\d\d-\d\d",
    "clock": r"\d\d:\d\d:\d\d",
    "time": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?",
    "hash": r"[0-9a-f]{8,64}",
    "path": r"\S+",
    "any": r".*",
}
NEEDS = ("mount", "time")
"""What the case needs: ``mount``, the right to mount a file system; ``time``, seconds:
the short test run leaves it out."""

_HOLE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_FILE = re.compile(r"\[file (\S+)\]")
_EXIT = re.compile(r"\[exit (\d+)\]")
_NEEDS = re.compile(r"\[needs (\w+)\]")


@dataclass
class Step:
    """A command with what it must print, or a file to write (``name``; ``text`` is then its content)."""

    line: int
    text: str
    name: str = ""
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    exit: int = 0


@dataclass
class Case:
    """One session in one home."""

    title: str
    line: int
    needs: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


class TranscriptError(Exception):
    """A transcript that cannot be read, or a session that went otherwise."""


def parse(text: str, source: str) -> list[Case]:
    """The cases of a file.

    :raises TranscriptError: a line that means nothing where it stands.
    """
    cases: list[Case] = []
    lines = iter(enumerate(text.split("\n"), 1))
    for number, line in lines:
        if line.startswith("== "):
            cases.append(Case(line[3:].strip(), number))
        elif cases:
            _take(cases[-1], number, line, lines, source)
    if not cases or not all(any(not step.name for step in case.steps) for case in cases):
        raise TranscriptError(f"{source}: expected cases with commands in them")
    return cases


def _take(case: Case, number: int, line: str, lines: Iterator[tuple[int, str]], source: str) -> None:
    step = case.steps[-1] if case.steps else None
    if line.startswith("## "):
        return
    if line.startswith("$ "):
        case.steps.append(Step(number, line[2:]))
    elif found := _FILE.fullmatch(line):
        case.steps.append(Step(number, _content(lines, f"{source}:{number}"), found[1]))
    elif found := _NEEDS.fullmatch(line):
        if found[1] not in NEEDS:
            raise TranscriptError(f"{source}:{number}: expected one of {', '.join(NEEDS)}")
        case.needs.append(found[1])
    elif step is None or step.name:
        if step is not None and line:
            raise TranscriptError(f"{source}:{number}: expected a command or a mark after a file")
    elif line.startswith("> ") and not step.out and not step.err:
        step.text += f"\n{line[2:]}"
    elif found := _EXIT.fullmatch(line):
        step.exit = int(found[1])
    elif line.startswith("! ") or line == "!":
        step.err.append(line[2:])
    else:
        step.out.append(line)


def _content(lines: Iterator[tuple[int, str]], where: str) -> str:
    held: list[str] = []
    for _, line in lines:
        if line == "[end]":
            return "".join(f"{one}\n" for one in held)
        held.append(line)
    raise TranscriptError(f"{where}: expected [end]")


def filled(command: str, known: dict[str, str]) -> str:
    """``command`` with what was remembered."""
    return _HOLE.sub(lambda found: known.get(found[1], found[0]) if not found[2] else found[0], command)


def matches(expected: list[str], actual: str, known: dict[str, str]) -> bool:
    """Whether ``actual`` is what the lines say; remembers into ``known`` what they name."""
    while expected and not expected[-1]:
        expected = expected[:-1]
    names: list[str] = []
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else f"{_pattern(line, known, names)}\n" for line in expected)
    found = re.fullmatch(pattern, f"{actual.rstrip()}\n" if actual.strip() else "")
    if found is None:
        return False
    known.update({name: found[name] for name in names})
    return True


def _pattern(line: str, known: dict[str, str], names: list[str]) -> str:
    parts, end = [], 0
    for hole in _HOLE.finditer(line):
        kind, name = hole[1], hole[2]
        if name and kind in KINDS:
            piece = f"(?P<{name}>{KINDS[kind]})"
            names.append(name)
        elif kind in known and not name:
            piece = re.escape(known[kind])
        elif kind in KINDS and not name:
            piece = KINDS[kind]
        else:
            continue
        parts += [re.escape(line[end : hole.start()]), piece]
        end = hole.end()
    return "".join(parts) + re.escape(line[end:])


def cases_of(directory: Path) -> Iterator[tuple[Path, Case]]:
    """Every case of the ``.txt`` files in ``directory``."""
    for path in sorted(directory.glob("*.txt")):
        for case in parse(path.read_text(encoding="utf-8"), path.name):
            yield path, case
