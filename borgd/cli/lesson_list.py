"""``borg lesson list``: the lessons, a line each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import msgspec

from borgd.cli.lesson_files import load, one_line, print_json
from borgd.lessons.lesson import Lesson

SORTS: dict[str, Callable[[Lesson], Any]] = {
    "id": lambda lesson: lesson.id,
    "new": lambda lesson: (-lesson.ms, lesson.id),
    "scope": lambda lesson: (lesson.scope == (), lesson.scope, lesson.id),
    "question": lambda lesson: (lesson.question.casefold(), lesson.id),
}
"""design: the orders of the list that need no memory."""

NONE_YET = """No lessons yet. Write one:
  borg lesson add --question "Is every timeout covered by a test?" --consequence "Hangs reach production."
or take over the rules you have: borg lesson import CLAUDE.md"""


def run(argv: list[str]) -> int:
    """Print the list."""
    parser = argparse.ArgumentParser(prog="borg lesson list", description="The lessons, a line each.")
    parser.add_argument("--sort", choices=SORTS, default="id")
    parser.add_argument("--scope", metavar="NAME", help="only lessons of this system")
    parser.add_argument("--all", action="store_true", help="retired ones too")
    parser.add_argument("--json", action="store_true", help="print the lessons as JSON")
    arguments = parser.parse_args(argv)
    store = load()
    shown = [lesson for lesson in store if arguments.all or not lesson.retired]
    if arguments.scope:
        name = arguments.scope.casefold()
        shown = [lesson for lesson in shown if name in (scope.casefold() for scope in lesson.scope)]
    shown.sort(key=SORTS[arguments.sort])
    if arguments.json:
        print_json({"lessons": [msgspec.to_builtins(lesson) for lesson in shown]})
    elif shown:
        print("\n".join(one_line(lesson) for lesson in shown))
    else:
        print("No lesson matches; borg lesson list --all shows the retired ones too." if len(store) else NONE_YET)
    return 0
