"""Memory is the same whatever the order, the split and the repetitions, and however it was fed."""

from __future__ import annotations

import math
import random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.memory.belief import BeliefRule
from borgd.memory.columns import FoldColumns, session_key
from borgd.memory.memory import RULE, Memory, MemoryRule
from borgd.memory.records import Outcome
from tests.memory.support import fold_memory, lesson, outcome, store

KINDS = [
    "changed", "ignored", "not_arisen", "corrected", "not_corrected",
    "vetoed", "contradicted", "regretted", "tested", "unclear",
]  # fmt: skip

LESSONS = store(
    lesson("L1", engineers=("ann",), area="api"),
    lesson("L2", engineers=("bob", "Ann B"), area="api", supersedes=("L1",), consequence="Another."),
    lesson("L3", engineers=("cy",), supersedes=("L4",)),
    lesson("L4", engineers=("bob",), supersedes=("L3",)),
    lesson("L5"),
)
ALIASES = {"Ann B": "ann"}


@st.composite
def outcomes(draw: st.DrawFn) -> list[Outcome]:
    count = draw(st.integers(0, 40))
    return [
        Outcome(
            id=f"o{number}",
            ms=draw(st.one_of(st.integers(0, 30), st.sampled_from([-1, 10**30]))),
            lesson=draw(st.sampled_from(["L1", "L2", "L3", "L4", "L5", "gone"])),
            kind=draw(st.sampled_from(KINDS)),
            evidence="e",
            agent=draw(st.sampled_from(["claude-code", "codex"])),
            session=draw(st.sampled_from(["", "s1", "s2", "s3", "s4", "s5"])),
            held=draw(st.booleans()) and draw(st.booleans()),
            credit=draw(st.sampled_from([1.0, 0.5, 1 / 3, 0.1])),
            repo=draw(st.sampled_from(["", "r1", "r2"])),
            engineer=draw(st.sampled_from(["", "ann", "Ann B", "bob"])),
        )
        for number in range(count)
    ]


RULES = [
    RULE,
    MemoryRule(
        belief=BeliefRule(fresh=1, half_life=1, own_credits=1.0, other_credits=0.5, repository_credits=1.0, most_share=0.2)
    ),
]


def exported(memory: Memory) -> bytes:
    return msgspec.json.encode(memory.export())


@settings(max_examples=80)
@given(outcomes(), st.randoms(use_true_random=False), st.integers(0, 40), st.sampled_from(RULES))
def test_any_order_split_and_repetition(records: list[Outcome], rand: random.Random, cut: int, rule: MemoryRule) -> None:
    plain = exported(fold_memory(LESSONS, records, aliases=ALIASES, rule=rule))
    again = [*records, *rand.choices(records, k=10)] if records else []
    rand.shuffle(again)
    assert exported(fold_memory(LESSONS, again, aliases=ALIASES, rule=rule)) == plain

    fed = fold_memory(dict(reversed(LESSONS.items())), again[:cut], aliases=ALIASES, rule=rule)
    fed.export()
    for record in again[cut:]:
        fed.apply(record)
    assert exported(fed) == plain

    files = FoldColumns()
    for part in (again[cut:], again[:cut]):
        files.lines(b"\n".join(msgspec.json.encode(record) for record in part))
    assert exported(Memory.of_columns(LESSONS, files, aliases=ALIASES, rule=rule)) == plain


@settings(max_examples=40)
@given(outcomes())
def test_lessons_known_later(records: list[Outcome]) -> None:
    late = fold_memory({}, records, aliases=ALIASES)
    late.know(LESSONS)
    assert exported(late) == exported(fold_memory(LESSONS, records, aliases=ALIASES))


@settings(max_examples=40)
@given(outcomes(), st.integers(0, 31))
def test_before(records: list[Outcome], ms: int) -> None:
    then = [record for record in records if record.ms < ms]
    assert exported(fold_memory(LESSONS, records, before_ms=ms)) == exported(fold_memory(LESSONS, then))


def test_sessions_without_outcomes_tick_the_clock() -> None:
    memory = fold_memory(LESSONS, [outcome("L5", "changed", "s1", ms=500)], sessions=[(session_key("codex", "x"), 600)])
    assert memory.sessions == 2
    before = memory.activation("L5")
    memory.saw(session_key("codex", "y"), 700)
    memory.saw("", 800)
    assert memory.sessions == 3
    assert memory.activation("L5") < before


def test_damaged_lines_are_counted() -> None:
    good = msgspec.json.encode(outcome("L1", "changed"))
    damaged = [b"{", b'{"id":1}', b'{"id":"x","ms":1,"lesson":"L1","kind":"liked"}', b"\x00\x00", b"<<<<<<< HEAD"]
    columns = FoldColumns()
    columns.lines(b"\r\n".join([good, *damaged, b"", good]) + b"\n")
    assert columns.skipped == len(damaged)
    assert Memory.of_columns(LESSONS, columns).belief("L1").alpha == 2


def test_creation_is_the_first_version() -> None:
    old: dict[str, Any] = {"ms": 100, "version": 1}
    edited = Lesson(id="L1", question="q", consequence="c", ms=900, version=2, history=(old, {"ms": "x"}, {}))
    memory = fold_memory({"L1": edited}, sessions=[("a\0s", 500)])
    assert memory.activation("L1") == fold_memory(LESSONS, sessions=[("a\0s", 500)]).activation("L1")


@settings(max_examples=40)
@given(outcomes(), st.sampled_from(["L1", "L2", "L5"]))
def test_a_later_version(records: list[Outcome], name: str) -> None:
    later = lesson(name, engineers=("zoe",), area="db", version=2)
    memory = fold_memory(LESSONS, records, aliases=ALIASES)
    memory.learn(later)
    assert exported(memory) == exported(fold_memory({**LESSONS, name: later}, records, aliases=ALIASES))


def test_times_from_broken_clocks() -> None:
    lessons = store(lesson("L1", ms=10**40), lesson("L2", ms=-5, history=({"ms": 10**50},)))
    memory = fold_memory(lessons, [outcome("L1", "changed", "a", ms=-(10**30)), outcome("L2", "changed", "b", ms=10**30)])
    assert math.isfinite(memory.activation("L1"))
    assert math.isfinite(memory.activation("L2"))
