"""``borg undo``: take back this person's last veto, retirement, edit or forgotten lesson; again: the one before it.

A forgotten lesson can be brought back while its text is kept, which is for a few minutes and only where a person
confirmed that it be forgotten. Nothing else is undone: what was learned about it is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import append, change, engineer, load, print_json, records
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore
from borgd.lessons.undoing import UNDONE, Action, actions
from borgd.memory.records import Outcome
from borgd.paths import user_paths
from borgd.stores import forgotten_lessons

AGAIN = "r"
"""design: added to the id of a lesson that came back: the old one stays forgotten on every machine."""


def run(argv: list[str]) -> int:
    """Take it back and say what it was."""
    parser = CommandParser(
        prog="borg undo",
        description="Take back your last veto, retirement, edit or forgotten lesson; again: the one before.",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what it would be")
    parser.add_argument("--json", action="store_true", help="print what was taken back as JSON")
    arguments = parser.parse_args(argv)
    kept, name = {str(record["id"]): record for record in forgotten_lessons.kept(user_paths().state, now_ms())}, engineer()
    found = actions(records("lessons"), records("outcomes"), name)
    possible = [action for action in found if action.kind != "forget" or action.id in kept]
    if not possible:
        late = f"; the text of {found[-1].id} is gone" if found else ""
        raise BorgError(f"nothing to undo: no veto, retirement, edit or forgotten lesson of yours{late}")
    action = possible[-1]
    said = _said(action)
    lessons = [] if arguments.dry_run else _take_back(action, kept, name)
    if arguments.json:
        print_json({"undone": action.kind, "lesson": action.id, "lessons": [lesson.id for lesson in lessons], "text": said})
    else:
        print(f"{'would take back' if arguments.dry_run else 'took back'}: {said}")
        for lesson in lessons:
            print(f"lesson {lesson.id}, version {lesson.version}: {lesson.question}")
    return 0


def _take_back(action: Action, kept: Mapping[str, Mapping[str, Any]], name: str) -> list[Lesson]:
    if action.kind == "veto":
        vetoes = [msgspec.convert(dict(record), Outcome) for record in action.records]
        append("outcomes", [_withdrawn(veto) for veto in vetoes])
        return []
    if action.kind == "forget":
        lessons = change(lambda _: [_revived(kept[action.id], name)])
        forgotten_lessons.drop(user_paths().state)
        return lessons
    return change(lambda store: [_reverted(store, action, name)])


def _withdrawn(veto: Outcome) -> Outcome:
    return msgspec.structs.replace(
        veto, id=f"{veto.id}.withdrawn", ms=now_ms(), kind="withdrawn", evidence="the person took the veto back"
    )


def _reverted(store: LessonStore, action: Action, name: str) -> dict[str, Any]:
    record = store.edit(action.id, action.changes(), ms=now_ms(), engineer=name)
    record["history"][-1][UNDONE] = action.records[-1].get("version")
    return record


def _revived(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    version = int(record.get("version", 1)) + 1
    entry = {"version": version - 1, "ms": now_ms(), "engineer": name, "fields": [], UNDONE: "forgotten"}
    history = [*(record.get("history") or []), entry]
    return {**record, "id": f"{record['id']}{AGAIN}", "version": version, "ms": now_ms(), "history": history}


def _said(action: Action) -> str:
    if action.kind == "veto":
        store = load()
        names = [str(record.get("lesson", "")) for record in action.records]
        told = [f"{name} ({lesson.question})" if (lesson := store.get(name)) else name for name in names]
        return f"the veto of {', '.join(told)}"
    if action.kind == "forget":
        return f"that lesson {action.id} was forgotten (what was learned about it stays gone)"
    if action.kind == "retire":
        return f"the retirement of lesson {action.id}"
    return f"the change of {', '.join(sorted(action.changes()))} in lesson {action.id}"
