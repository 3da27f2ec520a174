"""``borg memory export``: everything that is remembered, recomputed from the journals. Equal memories print equal bytes."""

from __future__ import annotations

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import load, print_json
from borgd.cli.lesson.lesson_memory import remember


def run(argv: list[str]) -> int:
    """Print the export."""
    parser = CommandParser(prog="borg memory", description="What is remembered of every lesson.")
    parser.add_argument("action", choices=("export",))
    parser.add_argument("--json", action="store_true", help="as JSON (also without the flag)")
    parser.parse_args(argv)
    print_json(remember(load()).export())
    return 0
