"""What comes when a system is first named."""

from __future__ import annotations

import math
from typing import Any

import pytest

from borgd.lessons.lesson import Lesson
from borgd.recall.choose import Choice, choose_early
from borgd.recall.early import ANY
from borgd.recall.policy import changed
from tests.memory.support import fold_memory
from tests.recall.choice_support import POLICY, SYSTEM, lesson, matches, outcome, scoped, store

QUIET = changed(POLICY, {"holdout": 0})


def early(lessons: dict[str, Lesson], evidence: dict[str, float], **settings: Any) -> Choice:
    known: dict[str, Any] = {
        "topics": [SYSTEM],
        "done": (),
        "session": "s",
        "decision_id": "d",
        "now_ms": 5,
        "policy": QUIET,
        "memory": None,
        **settings,
    }
    return choose_early(matches(lessons, evidence), lessons, **known)


def test_one_lesson() -> None:
    choice = early(store(scoped("A")), {"A": 0.6})
    assert choice.shown == ("A",)
    assert choice.text.startswith("[borg] ")
    assert "- A: Is A minded? Otherwise: Without A it breaks." in choice.text
    assert SYSTEM in choice.text
    assert choice.decision is not None
    assert (choice.decision.channel, choice.decision.ms, choice.decision.topics) == ("early", 5, (SYSTEM,))
    assert choice.decision.chars == len(choice.text)
    (entry,) = choice.decision.pool
    assert (entry.p, entry.share, entry.rank, entry.shown, entry.scoped) == (1, 1, 0, True, True)


@pytest.mark.parametrize("topics", [["AnswerGuard"], ["answer guard"], ["Orion", "Answer-Guard"]])
def test_a_topic_however_spelled(topics: list[str]) -> None:
    assert early(store(scoped("A")), {"A": 0.6}, topics=topics).shown == ("A",)


@pytest.mark.parametrize("topics", [[], ["Orion"], ["Answer"], ["Guard Answer"]])
def test_another_topic_or_none(topics: list[str]) -> None:
    choice = early(store(scoped("A")), {"A": 0.6}, topics=topics)
    assert (choice.text, choice.decision) == ("", None)


def test_nothing_matches_nothing_is_said_or_written() -> None:
    choice = early(store(scoped("A")), {"A": 0.05})
    assert (choice.text, choice.decision, choice.shown, choice.held) == ("", None, (), ())
    assert "floor" in choice.reasons["A"]


def test_unscoped_lessons_never_come_early() -> None:
    choice = early(store(lesson("U"), scoped("A")), {"U": 0.9, "A": 0.3})
    assert choice.shown == ("A",)
    assert "named" in choice.reasons["U"]
    assert early(store(lesson("U")), {"U": 0.9}, topics=[ANY]).decision is None


def test_consolidated_lessons_come_with_the_first_prompt() -> None:
    lessons = store(lesson("U"), scoped("A"), lesson("V"))
    used = [outcome(name, "changed", str(i), repo=f"r{i}", ms=50) for name in ("U", "A") for i in range(3)]
    memory = fold_memory(lessons, used)
    choice = early(lessons, {"U": 0.9, "A": 0.9, "V": 0.9}, topics=[ANY], memory=memory)
    assert set(choice.shown) == {"U", "A"}
    assert choice.decision is not None
    assert choice.decision.topics == ()


def test_relative_to_the_best_on_topic_done_or_not() -> None:
    lessons = store(scoped("A"), scoped("B"), scoped("C"), lesson("U"))
    evidence = {"U": 0.99, "A": 0.8, "B": 0.41, "C": 0.39}
    assert set(early(lessons, evidence).shown) == {"A", "B"}
    choice = early(lessons, evidence, done={"A"})
    assert choice.shown == ("B",)
    assert "already" in choice.reasons["A"]
    assert "scores" in choice.reasons["C"]


def test_at_most_the_cap_standing_ones_first() -> None:
    lessons = store(
        *(scoped(f"L{i}") for i in range(20)), scoped("K", source="constraint"), scoped("J", source="constraint")
    )
    choice = early(lessons, {f"L{i}": 0.8 for i in range(20)})
    assert len(choice.shown) == POLICY.early_cap
    assert choice.shown[:2] == ("J", "K")
    assert choice.decision is not None
    assert [entry.p for entry in choice.decision.pool[:2]] == [1, 1]
    assert all(entry.standing for entry in choice.decision.pool[:2])
    assert sum(entry.p for entry in choice.decision.pool) == pytest.approx(POLICY.early_cap, abs=0.01)


def test_standing_lessons_need_no_match_and_are_never_held_out() -> None:
    lessons = store(scoped("K", source="constraint"), lesson("G", source="constraint"), scoped("A"))
    choice = early(lessons, {}, policy=changed(POLICY, {"holdout": 1}))
    assert choice.shown == ("K",)
    assert choice.decision is not None
    assert choice.decision.pool[0].p == 1
    assert early(lessons, {}, topics=[ANY]).decision is None
    assert early(lessons, {"G": 0.5}, topics=[ANY]).shown == ("G",)
    assert early(lessons, {}, done={"K"}).decision is None
    gone = store(scoped("K", source="constraint", retired=True), scoped("M", source="constraint", scope=("Orion",)))
    assert early(gone, {}).decision is None


def test_more_standing_lessons_than_slots() -> None:
    lessons = store(*(scoped(f"K{i}", source="constraint", ms=i) for i in range(8)), scoped("A"))
    choice = early(lessons, {"A": 0.9})
    assert choice.shown == ("K0", "K1", "K2", "K3", "K4")
    assert choice.decision is not None
    assert all(0 < entry.p < 0.001 for entry in choice.decision.pool if not entry.shown)


def test_what_has_no_room_is_cut_and_logged() -> None:
    lessons = store(*(scoped(f"L{i}", question="why " * 90, consequence="so " * 90, overrides="as " * 50) for i in range(5)))
    choice = early(lessons, {f"L{i}": 0.8 for i in range(5)})
    assert choice.decision is not None
    cut = [entry for entry in choice.decision.pool if entry.cut]
    assert len(choice.shown) == 3
    assert len(cut) == 2
    assert all("cut" in choice.reasons[entry.id] for entry in cut)
    assert len(choice.text) <= POLICY.early_chars
    assert all(0 < entry.p <= 1 for entry in choice.decision.pool)


def test_not_even_one_line_fits() -> None:
    choice = early(store(scoped("A")), {"A": 0.8}, policy=changed(QUIET, {"early_chars": 100}))
    assert (choice.text, choice.shown) == ("", ())
    assert choice.decision is not None
    assert choice.decision.pool[0].cut


def test_held_out() -> None:
    choice = early(store(scoped("A")), {"A": 0.6}, policy=changed(POLICY, {"holdout": 1}))
    assert (choice.text, choice.shown, choice.held) == ("", (), ("A",))
    assert choice.decision is not None
    assert choice.decision.pool[0].held
    assert choice.decision.chars == 0
    assert "held out" in choice.reasons["A"]


def test_without_a_session_the_mean_decides() -> None:
    lessons = store(*(scoped(f"L{i}") for i in range(9)))
    choice = early(lessons, {f"L{i}": 0.9 - i / 100 for i in range(9)}, session="")
    assert choice.shown == ("L0", "L1", "L2", "L3", "L4")
    assert choice.decision is not None
    assert {entry.draw for entry in choice.decision.pool} == {0.5}


def test_same_values_same_choice() -> None:
    lessons = store(*(scoped(f"L{i}") for i in range(9)))
    evidence = {f"L{i}": 0.8 for i in range(9)}
    assert early(lessons, evidence) == early(lessons, evidence)
    other = {early(lessons, evidence, session=f"s{i}").shown for i in range(20)}
    assert len(other) > 5


def test_a_draw_is_stable_in_a_session() -> None:
    lessons = store(*(scoped(f"L{i}") for i in range(3)))
    first = early(lessons, {"L0": 0.8, "L1": 0.8, "L2": 0.8}, decision_id="d1")
    second = early(lessons, {"L0": 0.3, "L2": 0.3}, decision_id="d2")
    assert first.decision is not None
    assert second.decision is not None
    draws = {entry.id: entry.draw for entry in first.decision.pool}
    assert all(entry.draw == draws[entry.id] for entry in second.decision.pool)


def test_nothing_infinite_is_logged() -> None:
    lessons = store(scoped("K", source="constraint"), scoped("A"))
    choice = early(lessons, {"A": 0.4})
    assert choice.decision is not None
    for entry in choice.decision.pool:
        assert all(math.isfinite(x) for x in (entry.score, entry.base, entry.share, entry.draw, entry.p))
