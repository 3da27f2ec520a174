"""The lessons we ship: well-formed, in our own rules' terms, and enough of them."""

from __future__ import annotations

import json
from pathlib import Path

from borgd.lessons.redact import redact
from borgd.lessons.sanitize import clean_lesson
from borgd.lessons.store import LessonStore, lesson_id

FILE = Path(__file__).parents[2] / "lessons.example.jsonl"


def test_every_line_is_a_lesson_that_a_person_could_have_added() -> None:
    lines = FILE.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    store = LessonStore()
    applied = store.apply([json.loads(line) for line in lines])
    assert applied.errors == ()
    assert len(store) == len(lines) >= 30
    for lesson in store:
        assert lesson.id == lesson_id(lesson.question, lesson.scope)
        assert lesson.question.endswith("?"), "a lesson is a question"
        assert lesson.consequence.endswith(".")
        assert lesson.situations
        assert lesson.area
        assert lesson.reach == "team"
        assert clean_lesson(lesson) == lesson
        assert redact(lesson.question + lesson.consequence) == lesson.question + lesson.consequence


def test_they_show_what_lessons_can_be() -> None:
    store = LessonStore()
    store.apply([json.loads(line) for line in FILE.read_text(encoding="utf-8").removesuffix("\n").split("\n")])
    assert sum(not lesson.scope for lesson in store) >= 20
    assert len({lesson.scope for lesson in store if lesson.scope}) >= 3
    assert any(lesson.standing for lesson in store)
    assert len({lesson.question for lesson in store}) == len(store)
