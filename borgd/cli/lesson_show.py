"""``borg lesson show``: everything about one lesson."""

from __future__ import annotations

import argparse

import msgspec

from borgd.cli.lesson_files import details, load, print_json


def run(argv: list[str]) -> int:
    """Print the lesson."""
    parser = argparse.ArgumentParser(prog="borg lesson show", description="Everything about one lesson.")
    parser.add_argument("id", help="the lesson's id or the start of it")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_args(argv)
    lesson = load().find(arguments.id)
    if arguments.json:
        print_json(msgspec.to_builtins(lesson))
    else:
        print(details(lesson))
    return 0
