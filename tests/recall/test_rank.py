"""The ranking, and why a match is not in it."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.memory.activation import DORMANT_BELOW
from tests.memory.support import fold_memory
from tests.recall.choice_support import believed, lesson, matches, outcome, ranking, scoped, store

NEW = 1 / (1 + math.exp(DORMANT_BELOW))


def test_formula() -> None:
    lessons = store(lesson("A", engineers=("ann",), area="api"), lesson("B"))
    memory = fold_memory(lessons, [outcome("A", "changed", "1", ms=50), outcome("A", "corrected", "2", ms=50)])
    (best, other) = ranking(lessons, {"A": 0.8, "B": 0.6}, memory).ranked
    squash = 1 / (1 + math.exp(DORMANT_BELOW - math.log(2)))
    assert best.id == "A"
    assert best.base == pytest.approx(0.8 * squash * (2 / 4) / 0.5)
    assert best.score == pytest.approx(best.base * (0.5 + 2 / 5))
    assert other.score == pytest.approx(0.6 * NEW)


def test_belief_reorders() -> None:
    lessons = store(lesson("A"), lesson("B"))
    memory = believed(lessons, {"B": 5}, {"A": 3})
    assert [found.id for found in ranking(lessons, {"A": 0.8, "B": 0.6}, memory).ranked] == ["B", "A"]


def test_below_the_floor_nothing() -> None:
    found = ranking(store(lesson("A")), {"A": 0.0999})
    assert found.ranked == ()
    assert found.top == 0
    assert "below the floor" in found.excluded["A"]


@pytest.mark.parametrize("evidence", [math.nan, 0.0, -1.0])
def test_evidence_that_is_none(evidence: float) -> None:
    assert ranking(store(lesson("A")), {"A": evidence}).ranked == ()


def test_who_is_not_ranked() -> None:
    lessons = store(lesson("R", retired=True), scoped("O"), lesson("bad id!"), lesson("ok"))
    found = ranking(lessons, {"R": 0.9, "O": 0.9, "bad id!": 0.9, "gone": 0.9, "ok": 0.5}, outside=["O"])
    assert [ranked.id for ranked in found.ranked] == ["ok"]
    assert found.excluded.keys() == {"R", "O", "bad id!", "gone"}
    assert "Answer Guard" in found.excluded["O"]


def test_the_heir_goes_by_what_it_replaced() -> None:
    lessons = store(scoped("old"), scoped("new", supersedes=("old",)))
    found = ranking(lessons, {"old": 0.9, "new": 0.2})
    assert [(ranked.id, ranked.evidence, ranked.successor_of) for ranked in found.ranked] == [("new", 0.9, "old")]
    assert found.excluded == {"old": "superseded by new"}
    alone = ranking(lessons, {"old": 0.9})
    assert [ranked.id for ranked in alone.ranked] == ["new"]
    own = ranking(lessons, {"old": 0.2, "new": 0.9})
    assert [(ranked.evidence, ranked.successor_of) for ranked in own.ranked] == [(0.9, "")]


def test_nothing_is_passed_on_out_of_scope() -> None:
    lessons = store(scoped("old"), scoped("new", supersedes=("old",), scope=("Orion",)), lesson("any"))
    assert ranking(lessons, {"old": 0.9}, outside=["old"]).ranked == ()
    found = ranking(lessons, {"old": 0.9})
    assert found.ranked == ()
    assert "Orion" in found.excluded["new"]
    assert [r.id for r in ranking(lessons, {"old": 0.9, "new": 0.3}).ranked] == ["new"]
    assert ranking(lessons, {"old": 0.9, "new": 0.3}, outside=["new"]).ranked == ()


def test_a_dormant_lesson_needs_a_strong_match() -> None:
    lessons = store(lesson("old", ms=1), lesson("new", ms=10**6))
    memory = fold_memory(lessons, sessions=[(f"a\0{i}", 100 + i) for i in range(3000)])
    found = ranking(lessons, {"old": 0.9, "new": 0.9}, memory)
    assert [ranked.id for ranked in found.ranked] == ["new"]
    assert found.excluded["old"].startswith("dormant")
    assert [ranked.id for ranked in ranking(lessons, {"old": 0.9, "new": 0.2}, memory).ranked] == ["old", "new"]
    assert [ranked.id for ranked in ranking(lessons, {"old": 0.9}, memory).ranked] == ["old"]


@given(st.lists(st.floats(0.1, 0.99), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_order_of_equal_matches_does_not_matter(evidence: list[float], rand: random.Random) -> None:
    lessons = store(*(lesson(f"L{i}") for i in range(len(evidence))))
    shares = {f"L{i}": round(share, 1) for i, share in enumerate(evidence)}
    shuffled = list(shares.items())
    rand.shuffle(shuffled)
    assert ranking(lessons, shares).ranked == ranking(lessons, dict(shuffled)).ranked
    assert len(matches(lessons, shares)) == len(ranking(lessons, shares).ranked)
