"""Trust per engineer and area, and aliases."""

from __future__ import annotations

import pytest

from borgd.memory.memory import Memory
from borgd.memory.trust import EngineerNames
from tests.memory.support import fold_memory, lesson, outcome, store


def test_neutral_without_evidence() -> None:
    memory = Memory(store(lesson("L1", engineers=("ann",)), lesson("L2")))
    assert memory.trust("ann", "api") == memory.trust_of("L1") == memory.trust_of("L2") == memory.trust_of("none") == 0.5


def test_formula() -> None:
    lessons = store(
        lesson("L1", engineers=("ann", "bob"), area="API "),
        lesson("L2", engineers=("ann",), area="db"),
        lesson("L3", engineers=("ann",), area="api"),
        lesson("L4", engineers=("cy",), area="api", supersedes=("L3",), consequence="Without L3 it breaks."),
    )
    outcomes = [
        outcome("L1", "changed", "1"),
        outcome("L1", "tested", "2"),
        outcome("L1", "corrected", "3"),
        outcome("L1", "ignored", "4"),
        outcome("L2", "vetoed", "5", credit=0.5),
    ]
    memory = fold_memory(lessons, outcomes)
    assert memory.trust("ann", "api") == (1 + 2) / (2 + 2 + 1 + 2 * 1)
    assert memory.trust("bob", "api") == (1 + 2) / (2 + 2 + 1)
    assert memory.trust("ann", "db") == 1 / 2.5
    assert memory.trust_of("L1") == pytest.approx((3 / 7 + 3 / 5) / 2)


def test_replacing_ones_own_lesson_costs_nothing() -> None:
    lessons = store(lesson("L1", engineers=("ann",)), lesson("L2", engineers=("Ann B",), supersedes=("L1",)))
    assert Memory(lessons, aliases={"Ann B": "ann"}).trust("ann", "") == 0.5
    assert Memory(lessons).trust("ann", "") == 0.25


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("Ann B", "ann"), ("ANN  b", "ann"), ("abe", "ann"), ("zoe", "zoe"), (" zoe ", "zoe"), ("x", "x"), ("y", "x")],
)
def test_aliases(name: str, canonical: str) -> None:
    people = EngineerNames({"ann b": "ann", "abe": "Ann B", "x": "y", "y": "x", "ann": "ann"})
    assert people.canonical(name) == canonical
