"""``borg lesson edit``: the next version of a lesson with some fields changed."""

from __future__ import annotations

import argparse
from typing import Any

import msgspec

from borgd.cli.lesson.lesson_files import add_fields, change, details, edit, given, here, print_json, with_dashes
from borgd.errors import UsageError
from borgd.lessons.store import LessonStore


def run(argv: list[str]) -> int:
    """Store the new version and print it."""
    parser = argparse.ArgumentParser(
        prog="borg lesson edit", description="Change the fields that are given; a list is replaced."
    )
    parser.add_argument("id", help="the lesson's id or the start of it")
    add_fields(parser, required=False)
    parser.add_argument("--revive", action="store_true", help="bring a retired lesson back")
    parser.add_argument("--json", action="store_true", help="print the lesson as JSON")
    arguments = parser.parse_args(with_dashes(argv))
    changes = given(arguments) | ({"retired": False} if arguments.revive else {})
    if not changes:
        raise UsageError("nothing to change; borg lesson edit --help lists what can be")
    if changes.get("reach") == "repo":
        changes["repo"] = here()
        if not changes["repo"]:
            raise UsageError("--reach repo is for the repository you are in, and you are in none")
    (edited,) = change(lambda store: [edit(store, arguments.id, _linked(store, changes))])
    if arguments.json:
        print_json(msgspec.to_builtins(edited))
    else:
        print(details(edited))
    return 0


def _linked(store: LessonStore, changes: dict[str, Any]) -> dict[str, Any]:
    """``changes`` with the full ids of what the lesson supersedes."""
    if "supersedes" not in changes:
        return changes
    return {**changes, "supersedes": [store.find(key).id for key in changes["supersedes"]]}
