"""``borg lesson edit``: the next version of a lesson, with the fields that are given or were changed in an editor."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.editor import edited, editor_named
from borgd.cli.lesson.lesson_files import add_fields, change, details, edit, given, here, load, print_json, with_dashes
from borgd.cli.lesson.terminal import at_terminal
from borgd.errors import UsageError
from borgd.lessons.store import LessonStore


def run(argv: list[str]) -> int:
    """Store the new version and print it."""
    parser = CommandParser(
        prog="borg lesson edit",
        description="Change the fields that are given (a list is replaced); where none is, in $VISUAL or $EDITOR.",
    )
    parser.add_argument("id", help="the lesson's id or the start of it")
    add_fields(parser, required=False)
    parser.add_argument("--revive", action="store_true", help="bring a retired lesson back")
    parser.add_argument("--json", action="store_true", help="print the lesson as JSON")
    arguments = parser.parse_args(with_dashes(argv))
    changes = given(arguments) | ({"retired": False} if arguments.revive else {})
    if not changes:
        changes = _in_editor(arguments.id)
        if not changes:
            print("nothing was changed")
            return 0
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


def _in_editor(key: str) -> dict[str, Any]:
    """What the person changes in their editor.

    :raises UsageError: nobody said which editor, and there is no terminal to open one in.
    """
    if not (editor_named(os.environ) or at_terminal()):
        raise UsageError("nothing to change; set EDITOR, or see borg lesson edit --help for what can be changed")
    return edited(load().find(key), os.environ)


def _linked(store: LessonStore, changes: dict[str, Any]) -> dict[str, Any]:
    """``changes`` with the full ids of what the lesson supersedes."""
    if "supersedes" not in changes:
        return changes
    return {**changes, "supersedes": [store.find(key).id for key in changes["supersedes"]]}
