"""A lesson that is all but surely of little use asks nothing at Stop and comes in few sessions, whatever is beside it."""

from __future__ import annotations

import pytest

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.recall.choose import Choice, choose_early, choose_stop
from tests.recall.choice_support import POLICY, SYSTEM, believed, matches, scoped, store

SESSIONS = 400


def early(lessons: dict[str, Lesson], memory: Memory, session: str) -> Choice:
    found = matches(lessons, dict.fromkeys(lessons, 0.8))
    return choose_early(
        found, lessons, memory, topics=[SYSTEM], done=(), session=session, decision_id=session, now_ms=9, policy=QUIET
    )


def stop(lessons: dict[str, Lesson], memory: Memory, session: str, grades: dict[str, int] | None = None) -> Choice:
    found = matches(lessons, dict.fromkeys(lessons, 0.8))
    return choose_stop(
        found, lessons, memory, done=(), session=session, decision_id=session, now_ms=9, policy=QUIET, grades=grades
    )


QUIET = type(POLICY)(match_floor=0.1, holdout=0.0)


@pytest.mark.parametrize("kinds", [{"source": "written"}, {"source": "constraint"}])
@pytest.mark.parametrize("others", [[], ["B", "C"]])
def test_it_is_told_in_one_of_twenty_sessions(kinds: dict[str, str], others: list[str]) -> None:
    lessons = store(scoped("A", **kinds), *map(scoped, others))
    memory = believed(lessons, {}, {"A": 4})
    assert memory.belief("A").doubted
    came = [early(lessons, memory, f"s{n}") for n in range(SESSIONS)]
    told = [choice for choice in came if "A" in choice.shown]
    assert 5 <= len(told) <= 45
    for choice in told:
        assert choice.decision is not None
        [entry] = [one for one in choice.decision.pool if one.id == "A"]
        assert entry.p <= 0.05
    assert all("doubted" in choice.reasons["A"] for choice in came if choice not in told) or kinds["source"] == "constraint"
    again = [early(lessons, memory, f"s{n}").shown for n in range(20)]
    assert again == [choice.shown for choice in came[:20]]


@pytest.mark.parametrize("grades", [None, {"A": 3}])
def test_no_block_asks_about_it(grades: dict[str, int] | None) -> None:
    lessons = store(scoped("A"))
    assert stop(lessons, believed(lessons, {}, {"A": 2}), "s1", grades).shown == ("A",)
    doubted = believed(lessons, {}, {"A": 4})
    assert not any(stop(lessons, doubted, f"s{n}", grades).shown for n in range(60))
    beside = store(scoped("A"), scoped("B"))
    assert stop(beside, believed(beside, {}, {"A": 4}), "s1").shown == ("B",)


def test_some_vetoes_are_not_enough_and_good_work_brings_it_back() -> None:
    lessons = store(scoped("A"))
    assert not believed(lessons, {}, {"A": 3}).belief("A").doubted
    assert not believed(lessons, {"A": 8}, {"A": 4}).belief("A").doubted
