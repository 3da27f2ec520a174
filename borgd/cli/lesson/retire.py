"""``borg lesson retire``: out of recall, still in the store."""

from __future__ import annotations

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import change, engineer, load, one_line, print_json
from borgd.cli.lesson.terminal import agreed, at_terminal
from borgd.clock import now_ms


def run(argv: list[str]) -> int:
    """Store the retired version."""
    parser = CommandParser(prog="borg lesson retire", description="Take a lesson out of recall.")
    parser.add_argument("id", help="the lesson's id or the start of it")
    parser.add_argument("--reason", default="", metavar="TEXT", help="kept in the lesson's history")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print the lesson as JSON")
    arguments = parser.parse_args(argv)
    name = engineer()
    meant = load().find(arguments.id)
    if not (arguments.yes or meant.retired):
        if at_terminal():
            print(f"{one_line(meant)}\n  {meant.consequence}")
        if not agreed("retire it: no agent hears it any more?"):
            return 1
    (retired,) = change(lambda store: [store.retire(arguments.id, ms=now_ms(), engineer=name, reason=arguments.reason)])
    if arguments.json:
        print_json(msgspec.to_builtins(retired))
    else:
        print(f"lesson {retired.id} is retired; borg lesson edit {retired.id} --revive brings it back")
    return 0
