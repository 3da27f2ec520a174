"""Who hides whom."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from tests.memory.support import fold_memory, lesson, outcome, store


def test_a_successor_hides_and_inherits() -> None:
    found = Memory(store(lesson("A"), lesson("B", supersedes=("A",)), lesson("C", supersedes=("B",)))).succession()
    assert found.successors == {"A": ("C",), "B": ("C",)}
    assert not found.disputes


def test_several_heirs() -> None:
    lessons = store(lesson("A"), lesson("B", supersedes=("A",)), lesson("C", supersedes=("A", "A", "missing", "C")))
    assert Memory(lessons).succession().successors == {"A": ("B", "C")}


def test_a_ring_lives_as_a_disagreement() -> None:
    ring = [lesson("A", supersedes=("C",)), lesson("B", supersedes=("A",)), lesson("C", supersedes=("B",))]
    found = Memory(store(*ring, lesson("old"), lesson("D", supersedes=("old",)))).succession()
    assert found.successors == {"old": ("D",)}
    assert found.disputes == {("A", "B"), ("A", "C"), ("B", "C")}


def test_a_ring_can_be_replaced() -> None:
    lessons = store(lesson("A", supersedes=("B",)), lesson("B", supersedes=("A",)), lesson("Z", supersedes=("A", "B")))
    found = Memory(lessons).succession()
    assert found.successors == {"A": ("Z",), "B": ("Z",)}
    assert not found.disputes


def test_a_less_trusted_contradiction_hides_nothing() -> None:
    lessons = store(
        lesson("A", engineers=("ann",)),
        lesson("B", engineers=("bob",), supersedes=("A",)),
        lesson("other", engineers=("bob",)),
    )
    assert Memory(lessons).succession().successors == {"A": ("B",)}
    memory = fold_memory(lessons, [outcome("other", "corrected")])
    assert memory.succession().successors == {}
    assert memory.succession().disputes == {("A", "B")}
    memory.apply(outcome("other", "changed", "s2"))
    memory.apply(outcome("other", "changed", "s3"))
    memory.apply(outcome("A", "ignored", "s4"))
    assert memory.succession().successors == {"A": ("B",)}


def test_rewording_is_no_contradiction() -> None:
    lessons = store(
        lesson("A", engineers=("ann",), consequence="It breaks."),
        lesson("B", engineers=("bob",), supersedes=("A",), consequence="it  BREAKS."),
    )
    assert fold_memory(lessons, [outcome("B", "corrected")]).succession().successors == {"A": ("B",)}


def test_a_retired_successor_hides_nothing() -> None:
    assert Memory(store(lesson("A"), lesson("B", supersedes=("A",), retired=True))).succession().successors == {}


@st.composite
def webs(draw: st.DrawFn) -> list[Lesson]:
    names = [f"L{i}" for i in range(draw(st.integers(1, 8)))]
    return [
        lesson(name, supersedes=tuple(draw(st.lists(st.sampled_from(names), max_size=3))), engineers=(f"e{i % 3}",))
        for i, name in enumerate(names)
    ]


@given(webs(), st.randoms())
def test_any_web(lessons: list[Lesson], rand: random.Random) -> None:
    """Something always lives, successors are alive, order does not matter."""
    found = Memory(store(*lessons)).succession()
    living = {lesson.id for lesson in lessons} - found.successors.keys()
    assert living
    for successors in found.successors.values():
        assert successors
        assert set(successors) <= living
    assert all({*pair} <= living for pair in found.disputes)
    rand.shuffle(lessons)
    assert Memory(store(*lessons)).succession() == found


def test_long_chains_need_no_stack() -> None:
    chain = [lesson(f"L{i:05}", supersedes=(f"L{i - 1:05}",)) for i in range(3000)]
    ring = [lesson(f"R{i:05}", supersedes=(f"R{(i + 1) % 3000:05}",)) for i in range(3000)]
    found = Memory(store(*chain[:200], *ring)).succession()
    assert found.successors["L00000"] == ("L00199",)
    assert len(found.disputes) == 3000
