"""What a Stop asks, and when it stays quiet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.recall.choose import Choice, choose_stop
from borgd.recall.policy import changed
from borgd.recall.stop import budget_pool, graded, widen_pool
from tests.recall.choice_support import POLICY, lesson, matches, ranking, scoped, store

QUIET = changed(POLICY, {"holdout": 0})
BY_MEANS = changed(QUIET, {"explore": False})
LESSONS = store(*(scoped(f"S{i}") for i in range(12)), *(lesson(f"G{i}") for i in range(6)))


def stop(evidence: dict[str, float], lessons: dict[str, Lesson] = LESSONS, **settings: Any) -> Choice:
    known: dict[str, Any] = {"done": (), "session": "s", "decision_id": "d", "now_ms": 5, "policy": QUIET, **settings}
    return choose_stop(matches(lessons, evidence), lessons, **known)


def ids(pool: list[Any]) -> list[str]:
    return [ranked.id for ranked in pool]


def test_budget_pool() -> None:
    ranked = ranking(LESSONS, {"S0": 0.9, "S1": 0.73, "S2": 0.5, "S3": 0.2}).ranked
    assert ids(budget_pool(ranked, (), POLICY)) == ["S0", "S1", "S2"]
    assert ids(budget_pool(ranked, {"S0"}, POLICY)) == ["S1", "S2"]
    assert budget_pool(ranked, {"S0", "S1"}, POLICY) == []
    assert budget_pool((), (), POLICY) == []


def test_budget_puts_scoped_ones_first() -> None:
    evidence = {f"G{i}": 0.9 for i in range(6)} | {"S0": 0.5}
    assert stop(evidence, policy=BY_MEANS).shown == ("S0", "G0", "G1", "G2")
    sessions = {stop(evidence, session=str(number)).shown for number in range(20)}
    assert len(sessions) > 1, "each session has its own draws"
    assert {shown[0] for shown in sessions} == {"S0"}
    assert {len(shown) for shown in sessions} == {4}


def test_budget_caps() -> None:
    everything = dict.fromkeys(LESSONS, 0.9)
    shown = stop(everything).shown
    assert len(shown) == POLICY.cap
    assert all(name.startswith("S") for name in shown)
    assert len(stop(everything, policy=changed(QUIET, {"ask_cap": 2})).shown) == 2
    assert stop(everything, policy=changed(QUIET, {"ask_cap": 0})).shown == ()


def test_widen() -> None:
    ranked = ranking(LESSONS, {"S0": 0.9, "S1": 0.4, "S2": 0.2, "G0": 0.5}).ranked
    assert widen_pool(ranked, [], (), POLICY) == []
    assert widen_pool(ranked, ["S2"], {"S2"}, POLICY) == []
    pool = widen_pool(ranked, ["S2"], {"S1"}, POLICY)
    assert ids(pool) == ["S0", "S2", "G0"]
    assert pool[1].score == pool[0].score
    by_picks = changed(BY_MEANS, {"grader_rule": "widen"})
    shown = stop({"S0": 0.9, "S1": 0.4, "S2": 0.2, "G0": 0.5}, grades={"S2": 2}, policy=by_picks).shown
    assert shown == ("S0", "S2", "S1", "G0")


GRADES = {"a": 2, "b": 3, "c": 1, "d": 3, "e": 2, "f": 0, "g": 7}


def test_graded() -> None:
    assert graded(GRADES, POLICY) == (["b", "d", "a", "e", "c"], [])
    assert graded({name: grade for name, grade in GRADES.items() if grade != 3}, POLICY) == ([], ["a", "e", "c"])
    many = {f"x{i}": 3 for i in range(15)}
    assert graded(many, POLICY) == ([f"x{i}" for i in range(10)], [])
    assert graded({}, POLICY) == ([], [])


def test_graded_with_a_cap_and_what_was_had() -> None:
    assert graded(GRADES, POLICY, ask_cap=1) == (["b"], [])
    assert graded({"a": 2}, POLICY, ask_cap=1) == ([], ["a"])
    assert graded({"a": 2, "c": 1, "e": 2}, POLICY, had={"e"}) == ([], ["a", "c"])
    assert graded(GRADES, POLICY, had={"b"})[0][0] == "b"


def test_a_block_asks_for_a_line_each() -> None:
    choice = stop({"S0": 0.9, "S1": 0.5})
    assert choice.blocks
    assert set(choice.shown) == {"S0", "S1"}
    assert "2 questions" in choice.text
    assert "<id>: applies - " in choice.text
    assert "<id>: skip - " in choice.text
    assert "- S0: Is S0 minded?\n  Otherwise: Without S0 it breaks." in choice.text
    assert choice.decision is not None
    assert [entry.p for entry in choice.decision.pool] == [1, 1]


def test_one_question_is_one() -> None:
    assert "1 question " in stop({"S0": 0.9}).text


def test_quiet() -> None:
    for choice in (stop({}), stop({"S0": 0.05}), stop({"S0": 0.9, "S1": 0.6}, done={"S0"}), stop({"S0": 0.9}, lessons={})):
        assert (choice.decision, choice.text, choice.blocks) == (None, "", False)
    assert "block needs" in stop({"S0": 0.9, "S1": 0.6}, done={"S0"}).reasons["S1"]


def test_graded_block() -> None:
    choice = stop({"S0": 0.9, "S1": 0.5}, grades={"S1": 3, "G1": 2, "gone": 3, "S0": 0})
    assert choice.shown == ("S1", "G1")
    assert choice.blocks
    assert choice.decision is not None
    assert (choice.decision.channel, choice.decision.policy) == ("stop", "graded")
    assert {entry.id: entry.p for entry in choice.decision.pool if entry.shown} == {"S1": 1, "G1": 1}


def test_graded_free_hand_over() -> None:
    choice = stop({"S0": 0.9}, grades={"S1": 1, "G1": 2, "S2": 2}, delivered={"S2"})
    assert not choice.blocks
    assert choice.free == choice.shown == ("G1", "S1")
    assert choice.text.startswith("[borg] Worth a thought")
    assert choice.decision is not None
    assert choice.decision.channel == "free"
    assert len(choice.text) <= POLICY.early_chars
    assert stop({"S0": 0.9}, grades={"S1": 1}, done={"S1"}).decision is None


def test_widen_by_grades() -> None:
    choice = stop({"S0": 0.9, "S1": 0.5}, grades={"S1": 2}, policy=changed(QUIET, {"grader_rule": "widen"}))
    assert set(choice.shown) == {"S0", "S1"}


@given(
    st.dictionaries(st.sampled_from(sorted(LESSONS)), st.floats(0.01, 0.99), max_size=18),
    st.sets(st.sampled_from(sorted(LESSONS))),
    st.text(max_size=5),
)
def test_rules_hold(evidence: dict[str, float], done: set[str], session: str) -> None:
    choice = stop(evidence, done=done, session=session, policy=POLICY)
    if choice.decision is None:
        assert not choice.text
        return
    told = {*choice.shown, *choice.held}
    assert not told & done
    assert len(told) <= POLICY.cap
    assert sum(not name.startswith("S") for name in told) <= POLICY.generic_cap
    for entry in choice.decision.pool:
        assert 0 < entry.p <= 1
        assert entry.shown + entry.held + entry.cut <= 1
        assert entry.id in choice.reasons
    assert [entry.rank for entry in choice.decision.pool] == list(range(len(choice.decision.pool)))


@pytest.mark.parametrize("constant", ["relative", "BLOCK", "belief.ignored", "activation.decay", "ask_cap"])
def test_constants_by_name(constant: str) -> None:
    assert changed(POLICY, {constant: 1}) != POLICY
