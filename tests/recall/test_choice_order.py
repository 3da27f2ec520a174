"""Rankings and choices are the same bytes whatever order lessons, outcomes and equal matches came in."""

from __future__ import annotations

import random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.memory.records import Outcome
from borgd.recall.choose import choose_early, choose_stop
from tests.memory.support import fold_memory
from tests.recall.choice_support import POLICY, SYSTEM, lesson, matches, outcome, scoped, store

LESSONS = [
    *(scoped(f"S{i}", engineers=(f"e{i % 3}",), area="api", situations=("here",)) for i in range(8)),
    *(lesson(f"G{i}", engineers=(f"e{i % 2}",), ms=i) for i in range(4)),
    scoped("new", supersedes=("S0",), engineers=("e0",)),
    scoped("rule", source="constraint"),
]
NAMES = [found.id for found in LESSONS]


@st.composite
def logs(draw: st.DrawFn) -> list[Outcome]:
    kinds = st.sampled_from(["changed", "ignored", "corrected", "vetoed", "regretted", "not_arisen"])
    return [
        outcome(
            draw(st.sampled_from(NAMES)), draw(kinds), f"s{draw(st.integers(0, 8))}", id=str(i), ms=draw(st.integers(0, 99))
        )
        for i in range(draw(st.integers(0, 30)))
    ]


@settings(max_examples=60)
@given(logs(), st.randoms(use_true_random=False), st.text(max_size=4))
def test_any_order(records: list[Outcome], rand: random.Random, session: str) -> None:
    evidence = {name: round(0.9 - 0.02 * (place // 3), 2) for place, name in enumerate(NAMES) if name != "rule"}

    def choose(lessons: list[Lesson], outcomes: list[Outcome], shares: dict[str, float]) -> bytes:
        known = store(*lessons)
        memory = fold_memory(known, outcomes)
        told: dict[str, Any] = {"done": ("S3",), "session": session, "decision_id": "d", "now_ms": 7, "policy": POLICY}
        found = matches(known, shares)
        early = choose_early(found, known, memory, topics=[SYSTEM], **told)
        return msgspec.json.encode([early, choose_stop(found, known, memory, **told)], order="deterministic")

    expected = choose(LESSONS, records, evidence)
    for _ in range(2):
        lessons, outcomes = list(LESSONS), [*records, *records[:3]]
        shares = list(evidence.items())
        for part in (lessons, outcomes, shares):
            rand.shuffle(part)
        assert choose(lessons, outcomes, dict(shares)) == expected
