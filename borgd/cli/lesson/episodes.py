"""``borg lesson episodes``: corrections that nobody made a lesson of yet."""

from __future__ import annotations

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import print_json, records
from borgd.cli.lesson.verdicts import episodes, story
from borgd.lessons.proposals import table, unheard


def run(argv: list[str]) -> int:
    """Print them."""
    parser = CommandParser(prog="borg lesson episodes", description="Corrections that have not become a lesson yet.")
    parser.add_argument("--json", action="store_true", help="print them as JSON")
    arguments = parser.parse_args(argv)
    proposals = records("proposals")
    waiting = unheard(episodes().values(), proposals, table(proposals).verdicts)
    if arguments.json:
        print_json({"episodes": [msgspec.to_builtins(one) for one in waiting]})
    elif waiting:
        print("\n\n".join(story(one) for one in waiting))
    else:
        print("No correction waits. They come from sessions as you work, or from past ones: borg assimilate")
    return 0
