"""``borg lesson list [WORD…]``: the lessons that hold all these words, a line each, those that are used most first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import load, one_line, print_json, team
from borgd.cli.terminal_text import fitted, width
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore
from borgd.paths import user_paths

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
    parser = CommandParser(prog="borg lesson list", description="The lessons, a line each, cut to the terminal.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only lessons that hold all of these, in any field")
    parser.add_argument("--sort", choices=(*SORTS, *MEMORY_SORTS), help="the order (uses, most first)")
    parser.add_argument("--scope", metavar="NAME", help="only lessons of this system")
    parser.add_argument("--all", action="store_true", help="retired ones too, and the ids that were forgotten")
    parser.add_argument("--json", action="store_true", help="print the lessons as JSON")
    arguments = parser.parse_args(argv)
    store = load()
    shown = [lesson for lesson in store if arguments.all or not lesson.retired]
    if arguments.scope:
        name = arguments.scope.casefold()
        shown = [lesson for lesson in shown if name in (scope.casefold() for scope in lesson.scope)]
    shown = [lesson for lesson in shown if holds(lesson, arguments.words)]
    values: dict[str, float] = {}
    if arguments.sort is None:
        uses = _uses(store)
        shown.sort(key=lambda lesson: (-uses.get(lesson.id, 0.0), lesson.id))
    elif arguments.sort in MEMORY_SORTS:
        values = _values(store, arguments.sort)
        shown.sort(key=lambda lesson: (-values.get(lesson.id, 0.0), lesson.id))
    else:
        shown.sort(key=SORTS[arguments.sort])
    if arguments.json:
        print_json({"lessons": [msgspec.to_builtins(one) for one in shown], "forgotten": sorted(store.forgotten)})
    elif shown:
        columns = width()
        for lesson in shown:
            number = f"{values.get(lesson.id, 0.0):6.2f}  " if values else ""
            print(fitted(f"{number}{one_line(lesson)}", columns))
    else:
        print("No lesson matches; borg lesson list --all shows the retired ones too." if len(store) else NONE_YET)
    if arguments.all and store.forgotten and not arguments.json:
        print(f"forgotten here or by a teammate: {', '.join(sorted(store.forgotten))}")
    return 0


def holds(lesson: Lesson, words: Sequence[str]) -> bool:
    """Whether each of ``words`` is in some field of ``lesson``, however it is written."""
    texts = (
        lesson.id, lesson.question, lesson.consequence, lesson.area, lesson.overrides, *lesson.scope, *lesson.situations,
        *lesson.facets, *lesson.signs, *lesson.handled, *lesson.engineers,
    )  # fmt: skip
    text = "\n".join(texts).casefold()
    return all(word.casefold() in text for word in words)


def _uses(store: LessonStore) -> dict[str, float]:
    """In how many sessions each lesson was of use; nothing is folded where nothing came of any yet."""
    others = team()
    told = [user_paths().journal("outcomes"), *(others.files("outcomes") if others else [])]
    return _values(store, "uses") if len(store) > 1 and any(path.exists() for path in told) else {}


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
