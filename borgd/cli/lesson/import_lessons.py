"""``borg lesson import``: rules of a Markdown file as candidates, or lessons of a .jsonl file.

Both are shown before any of them is kept.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from borgd.cli.lesson.lesson_files import build, change, engineer, here, load, print_json, take
from borgd.cli.lesson.terminal import ask_text, key_press
from borgd.cli.terminal_text import count
from borgd.clock import now_ms
from borgd.errors import BorgError, InputError
from borgd.journal import Journal
from borgd.lessons.lesson import Lesson
from borgd.lessons.rules_file import candidates
from borgd.lessons.store import REACHES, LessonStore
from borgd.recall.near_duplicates import NearDuplicate, near_duplicates

FILE_BYTES = 4 << 20
"""guard: largest file that is taken for rules or lessons."""
KEYS = "[k]eep  [e]dit  [d]rop  keep [a]ll that follow  [q]uit"


class FoundRules(NamedTuple):
    """A lesson that could be kept, and the words it comes from."""

    lesson: Lesson
    words: str
    near_duplicates: list[NearDuplicate]


def run(argv: list[str]) -> int:
    """Show what would be kept; keep what the person says."""
    parser = argparse.ArgumentParser(
        prog="borg lesson import", description="Rules or lessons of a file; shows before it keeps."
    )
    parser.add_argument("file", type=Path, help="CLAUDE.md, AGENTS.md or another Markdown file, or lessons as .jsonl")
    parser.add_argument("--yes", action="store_true", help="keep all without asking")
    parser.add_argument("--all", action="store_true", help="items that do not read like rules too")
    parser.add_argument("--scope", action="append", metavar="NAME", help="the system that the rules are for")
    parser.add_argument("--reach", choices=REACHES, help="who gets them (repo inside a repository, else personal)")
    parser.add_argument("--json", action="store_true", help="print the candidates, or what was kept, as JSON")
    arguments = parser.parse_args(argv)
    found, left_out = _lessons(arguments) if arguments.file.suffix == ".jsonl" else _rules(arguments)
    if arguments.yes:
        return _keep([one.lesson for one in found], as_json=arguments.json)
    if not found and not arguments.json:
        print(f"nothing new in {arguments.file}{f'; --all takes {left_out} more' if left_out else ''}")
        return 0
    if arguments.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _show(found, left_out, as_json=arguments.json)
    return _ask(found)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    if len(data) > FILE_BYTES:
        raise InputError(str(path), f"expected at most {FILE_BYTES} bytes")
    return data


def _rules(arguments: argparse.Namespace) -> tuple[list[FoundRules], int]:
    try:
        text = _read(arguments.file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(str(arguments.file), f"expected UTF-8 text, byte {error.start} is not") from None
    repo, store, name = here(), load(), engineer()
    reach = arguments.reach or ("repo" if repo else "personal")
    known, found, left_out = store.current(), list[FoundRules](), 0
    for one in candidates(text, arguments.file.name):
        if not (one.is_rule or arguments.all):
            left_out += 1
            continue
        fields: dict[str, Any] = {
            "question": one.question,
            "consequence": one.consequence,
            "facets": [one.rule],
            "reach": reach,
        }
        lesson = build(
            fields | {"scope": arguments.scope or []},
            repo=repo, engineers=[name], ms=now_ms(), origin=f"{arguments.file.name}:{one.line}",
        )  # fmt: skip
        if not _there(store, lesson):
            found.append(FoundRules(lesson, one.rule, near_duplicates(one.question, one.rule, known)))
    return found, left_out


def _lessons(arguments: argparse.Namespace) -> tuple[list[FoundRules], int]:
    _read(arguments.file)
    read, store = LessonStore(), load()
    take(read, Journal(arguments.file).read(), arguments.file)
    known = store.current()
    found = []
    for lesson in read.current():
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
    return found, 0


def _there(store: LessonStore, lesson: Lesson) -> bool:
    try:
        store.add(lesson)
    except BorgError:
        return True
    return False


def _keep(lessons: list[Lesson], *, as_json: bool) -> int:
    kept = change(lambda store: _records(store, lessons))
    if as_json:
        print_json({"kept": [msgspec.to_builtins(lesson) for lesson in kept]})
    else:
        for lesson in kept:
            print(f"{lesson.id}  {lesson.question}")
        print(f"{count(len(kept), 'lesson')} kept")
    return 0


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


def _show(found: list[FoundRules], left_out: int, *, as_json: bool) -> int:
    if as_json:
        print_json(
            {
                "candidates": [
                    {
                        "lesson": msgspec.to_builtins(one.lesson),
                        "rule": one.words,
                        "twins": [near_duplicate.lesson.id for near_duplicate in one.near_duplicates],
                    }
                    for one in found
                ],
                "left_out": left_out,
            }
        )
        return 0
    print("\n\n".join(_sheet(one) for one in found))
    more = f" Left out as descriptions: {left_out}; --all shows them." if left_out else ""
    print(f"\n{count(len(found), 'candidate')}, nothing kept yet: --yes keeps all, a terminal asks one by one.{more}")
    return 0


def _sheet(one: FoundRules) -> str:
    lesson = one.lesson
    text = f"{lesson.origin or lesson.id} ({lesson.reach}{': ' + ', '.join(lesson.scope) if lesson.scope else ''})"
    if one.words:
        text += f"\n  rule         {one.words}"
    text += f"\n  question     {lesson.question}\n  consequence  {lesson.consequence}"
    return text + "".join(
        f"\n  like {near_duplicate.lesson.id} ({near_duplicate.likeness:.0%}): {near_duplicate.lesson.question}"
        for near_duplicate in one.near_duplicates
    )


def _ask(found: list[FoundRules]) -> int:
    kept: list[Lesson] = []
    for place, one in enumerate(found):
        print(f"\n{_sheet(one)}")
        key = key_press(KEYS, "kedaq")
        if key == "q":
            break
        if key == "a":
            kept += [rest.lesson for rest in found[place:]]
            break
        if key == "e":
            question, consequence = (
                ask_text("question", one.lesson.question),
                ask_text("consequence", one.lesson.consequence),
            )
            kept.append(msgspec.structs.replace(one.lesson, question=question, consequence=consequence))
        elif key == "k":
            kept.append(one.lesson)
    return _keep(kept, as_json=False)
