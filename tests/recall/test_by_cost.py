"""Lines and blocks by what they cost: absolute, capped, and open again for what has not come."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.recall.by_cost import choose_block, choose_line
from borgd.recall.choose import Choice
from borgd.recall.evidence import Match
from borgd.recall.policy import Level, RecallPolicy

POLICY = RecallPolicy(holdout=0.0, explore=False)
LESSONS = {
    f"L{number}": Lesson(id=f"L{number}", question=f"Is tap {number} shut?", consequence="It drips.", scope=("Weir",))
    for number in range(8)
}


def matches(chances: dict[str, float]) -> list[Match]:
    found = [Match(name, chance, True, True, {}, {}) for name, chance in chances.items()]
    return sorted(found, key=lambda match: -match.evidence)


def line(chances: dict[str, float], *, edit: bool = True, left: int = 12, policy: RecallPolicy = POLICY) -> Choice:
    return choose_line(
        matches(chances), LESSONS, Memory(LESSONS), done=(), session="s", decision_id="d", now_ms=1, edit=edit,
        lines_left=left, policy=policy,
    )  # fmt: skip


def block(chances: dict[str, float], *, delivered: set[str] | None = None, policy: RecallPolicy = POLICY) -> Choice:
    return choose_block(
        matches(chances), LESSONS, Memory(LESSONS), done=(), delivered=delivered or set(), session="s", decision_id="d",
        now_ms=1, policy=policy,
    )  # fmt: skip


def test_a_line_comes_sooner_beside_code_than_with_a_prompt_and_far_sooner_than_a_block() -> None:
    between = (POLICY.line_cost + POLICY.prompt_cost) / 2
    assert line({"L1": between}).shown == ("L1",)
    assert line({"L1": between}, edit=False).shown == ()
    assert block({"L1": POLICY.prompt_cost + 0.1}).text == ""
    assert block({"L1": 0.9}).blocks


def test_one_lesson_alone_is_not_told_for_being_the_best() -> None:
    assert line({"L1": POLICY.line_cost / 2}).decision is None
    assert "a line costs" in line({"L1": POLICY.line_cost / 2}).reasons["L1"]


@given(st.dictionaries(st.sampled_from(sorted(LESSONS)), st.floats(0.001, 0.999), min_size=1), st.integers(0, 5))
def test_what_is_told_is_capped_and_worth_its_cost(chances: dict[str, float], left: int) -> None:
    told = line(chances, left=left).shown
    assert len(told) <= min(POLICY.line_cap, left)
    assert all(chances[name] >= POLICY.line_cost * 0.999 for name in told)


@pytest.mark.parametrize(("level", "told"), [("quiet", False), ("normal", False), ("eager", True)])
def test_the_level_moves_every_cost(level: Level, told: bool) -> None:
    policy = msgspec.structs.replace(POLICY, level=level)
    assert bool(line({"L1": POLICY.line_cost * 0.7}, policy=policy).shown) is told
    assert bool(block({"L1": POLICY.block_cost * 0.7}, policy=policy).shown) is told


def test_what_was_handed_over_and_passed_by_counts_less_at_stop() -> None:
    chance = POLICY.block_cost + 0.05
    assert block({"L1": chance}).shown == ("L1",)
    assert block({"L1": chance}, delivered={"L1"}).shown == ()


@given(st.sets(st.sampled_from(sorted(LESSONS))))
def test_a_stop_asks_nothing_whose_point_is_dealt_with(handled: set[str]) -> None:
    choice = choose_block(
        matches(dict.fromkeys(LESSONS, 0.99)), LESSONS, Memory(LESSONS), done=(), handled=handled, session="s",
        decision_id="d", now_ms=1, policy=POLICY,
    )  # fmt: skip
    assert not handled.intersection(choice.shown)
    assert bool(choice.text) is (handled != set(LESSONS))
    assert all("dealt with" in choice.reasons[name] for name in handled)


def test_probabilities_are_those_of_a_top_k_over_the_eligible() -> None:
    policy = RecallPolicy(holdout=0.0, line_cap=2)
    choice = line(dict.fromkeys(list(LESSONS)[:5], 0.8) | {"L7": 0.01}, policy=policy)
    assert choice.decision is not None
    assert "L7" not in {entry.id for entry in choice.decision.pool}
    assert sum(entry.p for entry in choice.decision.pool) == pytest.approx(2.0, abs=0.01)
    assert choice.decision.policy == "cost"
