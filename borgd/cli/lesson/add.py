"""``borg lesson add``: a lesson written by a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import add_fields, build, change, details, engineer, given, here, print_json, with_dashes
from borgd.cli.lesson.terminal import ask_missing
from borgd.cli.lesson.trial import plain, told, try_lesson
from borgd.clock import now_ms
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore


def run(argv: list[str]) -> int:
    """Store the lesson and print it."""
    parser = CommandParser(prog="borg lesson add", description="Write a lesson: a question and what it prevents.")
    add_fields(parser, required=False)
    parser.add_argument("--json", action="store_true", help="print the lesson as JSON")
    arguments = parser.parse_args(with_dashes(argv))
    name = engineer()
    fields: Mapping[str, Any] = given(arguments)
    fields = ask_missing(fields, parser)
    lesson = build(fields, ms=now_ms(), engineers=(name,), repo=here(), source="written")
    (added,) = change(lambda store: [store.add(_linked(store, lesson))])
    trial = try_lesson(added, None)
    if arguments.json:
        print_json(msgspec.to_builtins(added) | {"trial": plain(trial)})
    else:
        print(details(added))
        print(told(trial))
    return 0


def _linked(store: LessonStore, lesson: Lesson) -> Lesson:
    """``lesson`` with the full ids of what it supersedes."""
    return msgspec.structs.replace(lesson, supersedes=tuple(store.find(key).id for key in lesson.supersedes))
