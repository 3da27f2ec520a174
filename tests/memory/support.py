"""Outcomes and lessons for tests of memory."""

from __future__ import annotations

from typing import Any

from borgd.lessons.lesson import Lesson
from borgd.memory.records import Outcome


def outcome(lesson: str, kind: str, session: str = "s1", **fields: Any) -> Outcome:
    fields = {"ms": 1000, "agent": "claude-code", "evidence": "test", "id": f"{lesson}-{session}-{kind}"} | fields
    return Outcome(lesson=lesson, kind=kind, session=session, **fields)


def lesson(name: str, **fields: Any) -> Lesson:
    fields = {"question": f"Is {name} minded?", "consequence": f"Without {name} it breaks.", "ms": 100} | fields
    return Lesson(id=name, **fields)


def store(*lessons: Lesson) -> dict[str, Lesson]:
    return {lesson.id: lesson for lesson in lessons}
