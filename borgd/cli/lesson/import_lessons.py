"""``borg lesson import``: rules of a Markdown file as candidates, or lessons of a .jsonl file.

Both are shown before any of them is kept.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import build, change, complain, engineer, here, load, print_json, take
from borgd.cli.lesson.terminal import ask_text, key_press
from borgd.cli.terminal_text import count
from borgd.clock import now_ms
from borgd.errors import BorgError, InputError
from borgd.journal import Journal
from borgd.lessons.lesson import Lesson
from borgd.lessons.patterns import problems
from borgd.lessons.rules_file import candidates
from borgd.lessons.store import REACHES, LessonStore
from borgd.recall.near_duplicates import NearDuplicate, likeness, near_duplicates, words

FILE_BYTES = 4 << 20
"""guard: largest file that is taken for rules or lessons."""
SAME = 0.85
"""design: likeness of two rules of one file from which the second only adds its wording to the first."""
TAKEN_BY_ALL = frozenset({"description", "short", "table", "html"})
"""What --all takes too; code and headings are never rules."""
REASONS = {
    "description": ("description", "descriptions"),
    "short": ("too short", "too short"),
    "repeated": ("repetition", "repetitions"),
    "known": ("there already", "there already"),
    "table": ("row of a table", "rows of tables"),
    "html": ("piece of HTML", "pieces of HTML"),
    "code": ("block of code", "blocks of code"),
    "heading": ("heading", "headings"),
}
"""Why an item is left out: one, several."""
KEYS = "[k]eep  [e]dit  [d]rop  keep [a]ll that follow  [q]uit"


class FoundRules(NamedTuple):
    """A lesson that could be kept, and the words it comes from."""

    lesson: Lesson
    words: str
    near_duplicates: list[NearDuplicate]
    why_not: str = ""
    """Why it would not be taken for a rule, where --all takes it all the same."""


class ReadFile(NamedTuple):
    """What a file held: ``found`` and, by reason, how much was ``left_out``."""

    found: list[FoundRules]
    left_out: Counter[str]

    @property
    def read(self) -> int:
        """How many items the file holds, whatever became of them."""
        return len(self.found) + self.left_out.total()


def run(argv: list[str]) -> int:
    """Show what would be kept; keep what the person says."""
    parser = CommandParser(prog="borg lesson import", description="Rules or lessons of a file; shows before it keeps.")
    parser.add_argument("file", type=Path, help="CLAUDE.md, AGENTS.md or another Markdown file, or lessons as .jsonl")
    parser.add_argument("--yes", action="store_true", help="keep all without asking")
    parser.add_argument("--all", action="store_true", help="items that do not read like rules too")
    parser.add_argument("--scope", action="append", metavar="NAME", help="the system that the rules are for")
    parser.add_argument("--reach", choices=REACHES, help="who gets them (repo inside a repository, else personal)")
    parser.add_argument("--json", action="store_true", help="print the candidates, or what was kept, as JSON")
    arguments = parser.parse_args(argv)
    held = _lessons(arguments) if arguments.file.suffix == ".jsonl" else _rules(arguments)
    if arguments.yes:
        return _keep(held, as_json=arguments.json)
    if not held.found and not arguments.json:
        print(f"nothing new in {arguments.file}{'. ' if held.left_out else ''}{_counted(held)}")
        return 0
    if arguments.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _show(held, as_json=arguments.json)
    return _ask(held)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    if len(data) > FILE_BYTES:
        raise InputError(str(path), f"expected at most {FILE_BYTES} bytes")
    return data


def _rules(arguments: argparse.Namespace) -> ReadFile:
    try:
        text = _read(arguments.file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(str(arguments.file), f"expected UTF-8 text, byte {error.start} is not") from None
    repo, store, name = here(), load(), engineer()
    reach = arguments.reach or ("repo" if repo else "personal")
    known, found, left_out = store.current(), list[FoundRules](), Counter[str]()
    for one in candidates(text, arguments.file.name):
        if not one.is_rule and not (arguments.all and one.why_not in TAKEN_BY_ALL and one.question):
            left_out[one.why_not] += 1
            continue
        fields: dict[str, Any] = {
            "question": one.question,
            "consequence": one.consequence,
            "situations": list(one.situations),
            "facets": [one.rule],
            "reach": reach,
        }
        lesson = build(
            fields | {"scope": arguments.scope or []},
            repo=repo, engineers=[name], ms=now_ms(), origin=f"{arguments.file.name}:{one.line}",
        )  # fmt: skip
        if _there(store, lesson):
            left_out["known"] += 1
        elif _merged(found, one.rule):
            left_out["repeated"] += 1
        else:
            near = near_duplicates(one.question, one.rule, [*known, *(other.lesson for other in found)])
            found.append(FoundRules(lesson, one.rule, near, one.why_not))
    return ReadFile(found, left_out)


def _merged(found: list[FoundRules], rule: str) -> bool:
    """Whether ``rule`` says the same as one that was found before, which takes its wording in as a facet then."""
    asked = words(rule)
    for place, other in enumerate(found):
        if likeness(asked, words(other.words)) >= SAME and _polarity(rule) == _polarity(other.words):
            facets = tuple(dict.fromkeys([*other.lesson.facets, rule]))
            found[place] = other._replace(lesson=msgspec.structs.replace(other.lesson, facets=facets))
            return True
    return False


def _polarity(rule: str) -> bool:
    return re.search(r"(?i)\b(?:never|not|no|avoid|don'?t|don’t)\b", rule) is not None


def _lessons(arguments: argparse.Namespace) -> ReadFile:
    _read(arguments.file)
    read, store = LessonStore(), load()
    take(read, Journal(arguments.file).read(), arguments.file)
    known = store.current()
    found, left_out = [], Counter[str]()
    for lesson in read.current():
        for line in problems(lesson.signs, lesson.handled):
            complain([f"{arguments.file}: lesson {lesson.id}: {line}; it is kept and skipped"])
        have = store.get(lesson.id)
        if lesson.id not in store.forgotten and (have is None or have.version < lesson.version):
            scoped = msgspec.structs.replace(
                lesson, scope=tuple(arguments.scope or lesson.scope), reach=arguments.reach or lesson.reach
            )
            near = [
                near_duplicate
                for near_duplicate in near_duplicates(lesson.question, lesson.consequence, known)
                if near_duplicate.lesson.id != lesson.id
            ]
            found.append(FoundRules(scoped, "", near))
        else:
            left_out["known"] += 1
    return ReadFile(found, left_out)


def _there(store: LessonStore, lesson: Lesson) -> bool:
    try:
        store.add(lesson)
    except BorgError:
        return True
    return False


def _keep(held: ReadFile, *, as_json: bool) -> int:
    kept = change(lambda store: _records(store, [one.lesson for one in held.found]))
    if as_json:
        print_json({"kept": [msgspec.to_builtins(lesson) for lesson in kept], **_plain_counts(held)})
    else:
        for lesson in kept:
            print(f"{lesson.id}  {lesson.question}")
        print(f"{count(len(kept), 'lesson')} kept. {_counted(held)}".rstrip(". ") + ("." if held.left_out else ""))
    return 0


def _plain_counts(held: ReadFile) -> dict[str, Any]:
    left_out = sum(number for why, number in held.left_out.items() if why != "known")
    return {"read": held.read, "left_out": left_out, "left_out_why": dict(sorted(held.left_out.items()))}


def _counted(held: ReadFile) -> str:
    """How much was read, and what became of it; empty where nothing was left out."""
    if not held.left_out:
        return ""
    parts = [f"{number} {REASONS[why][number != 1]}" for why, number in sorted(held.left_out.items())]
    more = "; --all shows what may be rules among them" if held.left_out.keys() & TAKEN_BY_ALL else ""
    return f"{count(held.read, 'item')} read; left out: {', '.join(parts)}{more}."


def _records(store: LessonStore, lessons: list[Lesson]) -> list[dict[str, Any]]:
    made = []
    for lesson in lessons:
        try:
            record = store.record(lesson) if lesson.id else store.add(lesson)
        except BorgError:
            continue  # two rules that come to the same question
        store.apply([record])
        made.append(record)
    return made


def _show(held: ReadFile, *, as_json: bool) -> int:
    found = held.found
    if as_json:
        print_json(
            {
                "candidates": [
                    {
                        "lesson": msgspec.to_builtins(one.lesson),
                        "rule": one.words,
                        "why_not": one.why_not,
                        "twins": [near_duplicate.lesson.id for near_duplicate in one.near_duplicates],
                    }
                    for one in found
                ],
                **_plain_counts(held),
            }
        )
        return 0
    print("\n\n".join(_sheet(one) for one in found))
    print(f"\n{count(len(found), 'candidate')}, nothing kept yet: --yes keeps all, a terminal asks one by one.")
    if held.left_out:
        print(_counted(held))
    return 0


def _sheet(one: FoundRules) -> str:
    lesson = one.lesson
    text = f"{lesson.origin or lesson.id} ({lesson.reach}{': ' + ', '.join(lesson.scope) if lesson.scope else ''})"
    if one.words:
        text += f"\n  rule         {one.words}{f' ({REASONS[one.why_not][0]})' if one.why_not else ''}"
    text += f"\n  question     {lesson.question}\n  consequence  {lesson.consequence}"
    return text + "".join(
        f"\n  like {near_duplicate.lesson.id} ({near_duplicate.likeness:.0%}): {near_duplicate.lesson.question}"
        for near_duplicate in one.near_duplicates
    )


def _ask(held: ReadFile) -> int:
    kept: list[Lesson] = []
    for place, one in enumerate(held.found):
        print(f"\n{_sheet(one)}")
        key = key_press(KEYS, "kedaq")
        if key == "q":
            break
        if key == "a":
            kept += [rest.lesson for rest in held.found[place:]]
            break
        if key == "e":
            question, consequence = (
                ask_text("question", one.lesson.question),
                ask_text("consequence", one.lesson.consequence),
            )
            kept.append(msgspec.structs.replace(one.lesson, question=question, consequence=consequence))
        elif key == "k":
            kept.append(one.lesson)
    return _keep(ReadFile([FoundRules(lesson, "", []) for lesson in kept], held.left_out), as_json=False)
