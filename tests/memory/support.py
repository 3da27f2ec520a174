"""Outcomes and lessons for tests of memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from borgd.lessons.lesson import Lesson
from borgd.memory.columns import FoldColumns
from borgd.memory.memory import RULE, Memory, MemoryRule
from borgd.memory.records import Outcome


def outcome(lesson: str, kind: str, session: str = "s1", **fields: Any) -> Outcome:
    known = {"ms": 1000, "agent": "claude-code", "evidence": "test", "id": f"{lesson}-{session}-{kind}"}
    return msgspec.convert({"lesson": lesson, "kind": kind, "session": session, **known, **fields}, Outcome)


def lesson(name: str, **fields: Any) -> Lesson:
    known = {"question": f"Is {name} minded?", "consequence": f"Without {name} it breaks.", "ms": 100}
    return Lesson(id=name, **{**known, **fields})


def store(*lessons: Lesson) -> dict[str, Lesson]:
    return {lesson.id: lesson for lesson in lessons}


def fold_memory(
    lessons: Mapping[str, Lesson],
    outcomes: Iterable[Outcome] = (),
    *,
    sessions: Iterable[tuple[str, int]] = (),
    aliases: Mapping[str, str] | None = None,
    rule: MemoryRule = RULE,
    before_ms: int | None = None,
) -> Memory:
    """Memory of ``outcomes`` (or of those before ``before_ms``) and of ``sessions``, by the columns the daemon folds."""
    columns = FoldColumns()
    columns.extend(outcome for outcome in outcomes if before_ms is None or outcome.ms < before_ms)
    for session, ms in sessions:
        if before_ms is None or ms < before_ms:
            columns.saw(session, ms)
    return Memory.of_columns(lessons, columns, aliases=aliases, rule=rule)
