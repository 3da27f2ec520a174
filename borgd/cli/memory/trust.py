"""``borg trust``: how far each engineer's lessons were borne out, by area. 0.5 is neutral."""

from __future__ import annotations

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import load, print_json
from borgd.cli.lesson.lesson_memory import trusts


def run(argv: list[str]) -> int:
    """Print the table."""
    parser = CommandParser(prog="borg trust", description="Engineers' trust by area of work; 0.5 is neutral.")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_args(argv)
    rows = trusts(load())
    if arguments.json:
        print_json({"trust": rows})
    elif rows:
        width = max(len(row["engineer"]) for row in rows)
        for row in rows:
            print(f"{row['trust']:.2f}  {row['engineer']:<{width}}  {row['area'] or 'no area'}")
    else:
        print("No lesson names an author yet, so there is nothing to trust; borg lesson add writes one.")
    return 0
