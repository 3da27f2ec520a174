"""What each outcome does to a belief."""

from __future__ import annotations

import math

import pytest

from borgd.memory.belief import CREDIT, BeliefRule, units
from borgd.memory.memory import MemoryRule
from tests.memory.support import fold_memory, lesson, outcome, store


def belief(*outcomes: object, rule: MemoryRule | None = None) -> tuple[float, float]:
    found = fold_memory(store(lesson("L1")), outcomes, rule=rule or MemoryRule()).belief("L1")  # type: ignore[arg-type]
    return found.alpha, found.beta


@pytest.mark.parametrize(
    ("kind", "alpha", "beta"),
    [
        ("changed", 2, 1),
        ("tested", 2, 1),
        ("ignored", 1, 1.5),
        ("regretted", 1, 2),
        ("contradicted", 1, 2),
        ("corrected", 1, 3),
        ("vetoed", 1, 4),
        ("not_arisen", 1, 1),
        ("unclear", 1, 1),
        ("not_corrected", 1, 1),
    ],
)
def test_each_kind(kind: str, alpha: float, beta: float) -> None:
    assert belief(outcome("L1", kind)) == (alpha, beta)
    assert belief(outcome("L1", kind, held=True)) == (1, 1)


def test_credit_shares_a_result() -> None:
    assert belief(outcome("L1", "vetoed", credit=0.25)) == (1, 1.75)
    alpha, beta = belief(outcome("L1", "regretted", credit=1 / 3))
    assert alpha == 1
    assert beta == pytest.approx(4 / 3, abs=1 / CREDIT)


@pytest.mark.parametrize("credit", [0.0, -1.0, 2.0, math.inf, math.nan])
def test_damaged_credit_is_a_whole_one(credit: float) -> None:
    assert units(credit) == CREDIT


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("changed", "ignored"), (2, 1)),
        (("changed", "corrected"), (1, 3)),
        (("tested", "regretted"), (1, 2)),
        (("corrected", "vetoed", "changed"), (1, 4)),
        (("ignored", "not_corrected"), (1, 1.5)),
        (("changed", "changed"), (2, 1)),
    ],
)
def test_one_result_per_session(kinds: tuple[str, ...], expected: tuple[float, float]) -> None:
    outcomes = [outcome("L1", kind, id=str(number)) for number, kind in enumerate(kinds)]
    assert belief(*outcomes) == belief(*reversed(outcomes)) == expected


def test_sessions_add_up_and_agents_are_told_apart() -> None:
    assert belief(outcome("L1", "changed", "a"), outcome("L1", "changed", "b"), outcome("L1", "ignored", "c")) == (3, 1.5)
    assert belief(outcome("L1", "changed", "a"), outcome("L1", "changed", "a", agent="codex")) == (3, 1)


def test_without_a_session_each_decision_counts() -> None:
    vetoes = [outcome("L1", "vetoed", "", decision=name, id=name) for name in ("d1", "d2", "d1")]
    assert belief(*vetoes) == (1, 7)
    assert fold_memory(store(lesson("L1")), vetoes).sessions == 0


def test_rule_by_name() -> None:
    rule = MemoryRule(belief=BeliefRule(ignored=1, prior_alpha=3))
    assert belief(outcome("L1", "ignored"), rule=rule) == (3, 2)


def test_interval_holds_the_mean() -> None:
    found = fold_memory(store(lesson("L1")), [outcome("L1", "changed", str(i)) for i in range(9)]).belief("L1")
    low, high = found.interval()
    assert low < found.mean < high
