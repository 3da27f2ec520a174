"""The last thing that a person did to lessons and can take back: a veto, a retirement, an edit, a forgotten lesson.

Pure: records come in, what may be undone comes out. What was undone stays in the journals, marked, so that undoing again
goes one step further back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from borgd.lessons.store import TOMBSTONE

ActionKind = Literal["veto", "retire", "edit", "forget"]
UNDONE = "undone"
"""design: key of a history entry that names the version it takes back."""

Record = Mapping[str, Any]


class Action(NamedTuple):
    """``records``: of a veto its outcomes, of an edit or a retirement the lesson before and after, of ``forget`` the
    tombstone."""

    kind: ActionKind
    ms: int
    id: str
    records: tuple[Record, ...]

    def changes(self) -> dict[str, Any]:
        """The fields that an edit or a retirement changed, as they were before."""
        before, after = self.records
        history = _history(after)
        fields = history[-1].get("fields") if history else None
        names = [str(name) for name in fields] if isinstance(fields, list) else []
        return {name: before.get(name, []) for name in names if name in before or name in after}


def actions(lessons: Iterable[Record], outcomes: Iterable[Record], engineer: str) -> list[Action]:
    """What ``engineer`` did and did not take back, oldest first. Both come as the journals of this machine hold them."""
    return sorted([*_on_lessons(lessons, engineer), *_vetoes(outcomes, engineer)], key=lambda action: action.ms)


def _on_lessons(records: Iterable[Record], engineer: str) -> list[Action]:
    latest: dict[str, Record] = {}
    stack: list[Action] = []
    for record in records:
        key = str(record.get("id", ""))
        if record.get("kind") == TOMBSTONE:
            latest.pop(key, None)
            stack.append(Action("forget", _whole(record.get("ms")), key, (record,)))
            continue
        before, history = latest.get(key), _history(record)
        latest[key] = record
        if before is None or len(history) <= len(_history(before)) or history[-1].get("engineer", "") != engineer:
            continue
        undone = history[-1].get(UNDONE)
        if undone is not None:
            stack = [action for action in stack if action.id != key or _version(action) != undone]
        else:
            kind: ActionKind = "retire" if record.get("retired") and not before.get("retired") else "edit"
            stack.append(Action(kind, _whole(record.get("ms")), key, (before, record)))
    return stack


def _vetoes(outcomes: Iterable[Record], engineer: str) -> list[Action]:
    """Vetoes that were said at once are one action."""
    told: dict[tuple[int, str], list[Record]] = {}
    back: set[tuple[object, ...]] = set()
    for outcome in outcomes:
        if outcome.get("kind") == "withdrawn":
            back.add(occasion(outcome))
        elif outcome.get("kind") == "vetoed" and outcome.get("engineer", "") in ("", engineer):
            told.setdefault((_whole(outcome.get("ms")), str(outcome.get("session", ""))), []).append(outcome)
    found = []
    for (ms, _), group in told.items():
        standing = tuple(outcome for outcome in group if occasion(outcome) not in back)
        if standing:
            found.append(Action("veto", ms, str(standing[0].get("lesson", "")), standing))
    return found


def turns(outcomes: Iterable[Record]) -> dict[tuple[object, ...], int]:
    """Which turn the next veto of each occasion is, where it is not the first: one more than were taken back."""
    found: dict[tuple[object, ...], int] = {}
    for outcome in outcomes:
        if outcome.get("kind") == "withdrawn":
            place = occasion(outcome)[:-1]
            found[place] = max(found.get(place, 1), _whole(outcome.get("turn", 1)) + 1)
    return found


def occasion(outcome: Record) -> tuple[object, ...]:
    """What a veto and its being taken back have in common: the session, the lesson, the turn."""
    names = [outcome.get(name, "") for name in ("agent", "session", "lesson")]
    return (*names, "" if outcome.get("session") else outcome.get("decision", ""), outcome.get("turn", 1))


def _history(record: Record) -> Sequence[Mapping[str, Any]]:
    history = record.get("history")
    return [entry for entry in history if isinstance(entry, dict)] if isinstance(history, list | tuple) else []


def _version(action: Action) -> object:
    return action.records[-1].get("version") if action.kind != "forget" else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
