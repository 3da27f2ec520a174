"""``borg lesson list``: the lessons, a line each, in the order a person asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import msgspec

from borgd.cli.lesson.lesson_files import load, one_line, print_json
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore

SORTS: dict[str, Callable[[Lesson], Any]] = {
    "id": lambda lesson: lesson.id,
    "new": lambda lesson: (-lesson.ms, lesson.id),
    "scope": lambda lesson: (lesson.scope == (), lesson.scope, lesson.id),
    "question": lambda lesson: (lesson.question.casefold(), lesson.id),
}
"""design: the orders that need no memory."""
MEMORY_SORTS = ("belief", "activation", "uses", "trust")
"""design: the orders that memory gives, highest first."""

NONE_YET = """No lessons yet. Write one:
  borg lesson add --question "Is every timeout covered by a test?" --consequence "Hangs reach production."
or take over the rules you have: borg lesson import CLAUDE.md"""


def run(argv: list[str]) -> int:
    """Print the list."""
    parser = argparse.ArgumentParser(prog="borg lesson list", description="The lessons, a line each.")
    parser.add_argument("--sort", choices=(*SORTS, *MEMORY_SORTS), default="id")
    parser.add_argument("--scope", metavar="NAME", help="only lessons of this system")
    parser.add_argument("--all", action="store_true", help="retired ones too, and the ids that were forgotten")
    parser.add_argument("--json", action="store_true", help="print the lessons as JSON")
    arguments = parser.parse_args(argv)
    store = load()
    shown = [lesson for lesson in store if arguments.all or not lesson.retired]
    if arguments.scope:
        name = arguments.scope.casefold()
        shown = [lesson for lesson in shown if name in (scope.casefold() for scope in lesson.scope)]
    values: dict[str, float] = {}
    if arguments.sort in MEMORY_SORTS:
        values = _values(store, arguments.sort)
        shown.sort(key=lambda lesson: (-values.get(lesson.id, 0.0), lesson.id))
    else:
        shown.sort(key=SORTS[arguments.sort])
    if arguments.json:
        print_json({"lessons": [msgspec.to_builtins(one) for one in shown], "forgotten": sorted(store.forgotten)})
    elif shown:
        for lesson in shown:
            print(f"{values.get(lesson.id, 0.0):6.2f}  {one_line(lesson)}" if values else one_line(lesson))
    else:
        print("No lesson matches; borg lesson list --all shows the retired ones too." if len(store) else NONE_YET)
    if arguments.all and store.forgotten and not arguments.json:
        print(f"forgotten here or by a teammate: {', '.join(sorted(store.forgotten))}")
    return 0


def _values(store: LessonStore, sort: str) -> dict[str, float]:
    from borgd.cli.lesson.lesson_memory import remember

    memory = remember(store)
    of: dict[str, Callable[[str], float]] = {
        "belief": lambda key: memory.belief(key).mean,
        "activation": memory.activation,
        "uses": lambda key: memory.use(key).sessions,
        "trust": memory.trust_of,
    }
    return {lesson.id: of[sort](lesson.id) for lesson in store}
