"""Identical and near-identical questions come once in a message; what disagrees comes with both its sides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.recall.choose import choose_early, choose_stop
from borgd.recall.repeated_questions import repeated
from tests.recall.choice_support import POLICY, SYSTEM, matches, scoped, store

OWN = "When the lock-keeper opens the upper gate, is the water level of the basin compared first?"
SAME = [
    OWN,
    OWN.upper(),
    "When the lock keeper opens the upper gate, is the water level of the basin compared first",
    "Is the water level of the basin compared first when the lock-keeper opens the upper gate?",
    "When the lock-keeper opens the upper gate, is the water level of the basin compared at first?",
]
OTHER = [
    "When the lock-keeper closes the lower gate, is the pump of the basin stopped first?",
    "When the lock-keeper opens the upper gate, is the siren sounded for boats in the basin?",
]


def named(name: str, question: str, **fields: object) -> Lesson:
    return scoped(name, question=question, **fields)


@pytest.mark.parametrize("question", SAME)
@pytest.mark.parametrize("fields", [{}, {"peer": True, "engineers": ("bo",)}, {"consequence": "Imported text."}])
@pytest.mark.parametrize("better", ["A", "B"])
def test_the_same_question_comes_once(question: str, fields: dict[str, object], better: str) -> None:
    lessons = store(named("A", OWN), named("B", question, **fields), named("C", OTHER[0]))
    found = matches(lessons, {"A": 0.6, "B": 0.6, "C": 0.5} | {better: 0.7})
    told = {"session": "s", "decision_id": "d", "now_ms": 9, "policy": type(POLICY)(match_floor=0.1, holdout=0.0)}
    for choice in (
        choose_early(found, lessons, None, topics=[SYSTEM], done=(), **told),  # type: ignore[arg-type]
        choose_stop(found, lessons, None, done=(), **told),  # type: ignore[arg-type]
    ):
        assert len({"A", "B"} & set(choice.shown)) == 1
        assert "C" in choice.shown
        if fields.get("peer"):
            assert "A" in choice.shown, "one's own stands for a teammate's"
        [gone] = {"A", "B"} - set(choice.shown)
        assert "asks what" in choice.reasons[gone]


@pytest.mark.parametrize("question", OTHER)
def test_another_question_about_the_same_place_is_another(question: str) -> None:
    assert repeated([named("A", OWN), named("B", question)]) == {}
    assert repeated([named("A", OWN), named("B", OWN, scope=("Elsewhere",))]) == {}


def test_both_sides_of_a_disagreement_come() -> None:
    sides = [
        named(name, OWN, situations=("opening the upper gate",), consequence=f"{name} happens.", engineers=(name,))
        for name in ("ann", "bo")
    ]
    assert repeated(sides) == {}


@given(st.lists(st.sampled_from([*SAME, *OTHER, "?", "a", "短い問い"]), max_size=8))
def test_what_stands_for_others_stands_and_asks_the_same(questions: list[str]) -> None:
    lessons = [named(f"L{place}", question, peer=place % 2 == 1) for place, question in enumerate(questions)]
    found = repeated(lessons)
    assert not set(found.values()) & set(found)
    assert repeated([lesson for lesson in lessons if lesson.id not in found]) == {}
    for question in set(questions):
        assert question in SAME or any(lesson.id not in found for lesson in lessons if lesson.question == question)
