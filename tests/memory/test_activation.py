"""Activation on the clock of sessions."""

from __future__ import annotations

import math
import random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.memory.activation import DORMANT_BELOW, SessionClock, activation, squash
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome, OutcomeKind
from tests.memory.support import fold_memory, lesson, outcome, store


def test_a_new_lesson() -> None:
    weight = Memory(store(lesson("L1"))).weight("L1")
    assert weight.activation == 0
    assert weight.squash == pytest.approx(1 / (1 + math.exp(DORMANT_BELOW)))
    assert not weight.dormant


def test_it_fades_by_sessions_not_by_time() -> None:
    def after(sessions: int, gap: int) -> Memory:
        return fold_memory(store(lesson("L1")), sessions=[(f"a\0{i}", 200 + i * gap) for i in range(sessions)])

    assert after(10, 1).activation("L1") == after(10, 10**9).activation("L1") == pytest.approx(math.log(11**-0.5))
    assert not after(2979, 1).weight("L1").dormant
    assert after(2980, 1).weight("L1").dormant


def test_changes_keep_it_awake() -> None:
    sessions = [(f"claude-code\0{i}", 200 + i) for i in range(100)]
    used = [outcome("L1", "changed", str(i), ms=200 + i) for i in (10, 90)]
    memory = fold_memory(store(lesson("L1")), used, sessions=sessions)
    assert memory.activation("L1") == pytest.approx(math.log(101**-0.5 + 90**-0.5 + 10**-0.5))


@pytest.mark.parametrize(
    ("places", "consolidated"),
    [
        ([("r1", "ann"), ("r2", "ann"), ("r1", "ann")], True),
        ([("r1", "ann"), ("r1", "bob"), ("r1", "ann")], True),
        ([("r1", "ann"), ("r1", "ann"), ("r1", "ann"), ("r1", "ann")], False),
        ([("r1", "ann"), ("r2", "bob")], False),
        ([("", "ann"), ("r1", ""), ("", "")], False),
    ],
)
def test_consolidation(places: list[tuple[str, str]], consolidated: bool) -> None:
    used = [
        outcome("L1", "changed", str(number), repo=repo, engineer=engineer) for number, (repo, engineer) in enumerate(places)
    ]
    memory = fold_memory(store(lesson("L1")), used)
    assert memory.consolidated("L1") is consolidated
    decay = 0.3 if consolidated else 0.5
    assert memory.activation("L1") == pytest.approx(math.log((len(places) + 1) ** -decay + len(places)))


def test_aliases_are_one_engineer() -> None:
    used = [outcome("L1", "changed", str(i), repo="r", engineer=name) for i, name in enumerate(("ann", "Ann B", "ann"))]
    assert not fold_memory(store(lesson("L1")), used, aliases={"ann b": "ann"}).consolidated("L1")
    assert fold_memory(store(lesson("L1")), used).consolidated("L1")


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=200), st.randoms())
def test_order_of_uses_does_not_matter(since: list[int], rand: random.Random) -> None:
    level = activation(since, 0.3)
    rand.shuffle(since)
    assert activation(since, 0.3) == level


@given(st.lists(st.integers(0, 50)), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50))), st.integers(0, 50))
def test_clock_counts(starts: list[int], moves: list[tuple[int, int]], ms: int) -> None:
    import numpy as np

    clock, truth = SessionClock(starts), list(starts)
    for place, now in moves:
        if truth and place % 2:
            clock.move(truth[place % len(truth)], now)
            truth[place % len(truth)] = now
        else:
            clock.begin(now)
            truth.append(now)
    expected = 1 + sum(start > ms for start in truth)
    assert clock.since(ms) == expected
    assert clock.since_each(np.array([ms])).tolist() == [expected]
    assert len(clock) == len(truth)


def test_squash_bears_any_number() -> None:
    assert squash(-1e9, -2) == pytest.approx(0, abs=1e-300)
    assert squash(-2, -2) == 0.5


KINDS: tuple[OutcomeKind, ...] = get_args(OutcomeKind)


def told(session: str, ms: int, kind: OutcomeKind, *, held: bool = False) -> Outcome:
    return Outcome(
        id=f"{session}{ms}{kind}", ms=ms, lesson="L1", kind=kind, evidence="e", session=session, agent="a", held=held
    )


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_session_that_left_an_outcome_of_any_kind_is_one_tick(kind: OutcomeKind, held: bool) -> None:
    outcomes = [told("s1", 5, kind, held=held), told("s1", 9, "unclear"), told("s2", 7, kind, held=held)]
    folded, applied = fold_memory({}, outcomes), Memory()
    for one in reversed(outcomes):
        applied.apply(one)
    assert folded.sessions == applied.sessions == 2
    nameless = told("", 8, kind, held=held)
    assert fold_memory({}, [*outcomes, nameless]).sessions == 2
    assert folded._clock.since(0) == 3
    assert folded._clock.since(5) == 2
    assert folded._clock.since(7) == 1
