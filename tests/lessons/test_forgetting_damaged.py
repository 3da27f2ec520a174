"""Forgetting goes through every journal, so that no field of a damaged record may stop it, whatever is in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.forgetting import ForgetTarget, emptied, remains, widened

JOURNALS = ("lessons", "outcomes", "decisions", "episodes", "proposals", "commits", "inbox", "interrupts", "escalations")
FIELDS = ("id", "ms", "session", "lesson", "episode", "kind", "verdict", "pool", "ask", "question", "options")
TARGET = ForgetTarget(lessons=frozenset({"La"}), sessions=frozenset({"s"}), episodes=frozenset({"E"}), since_ms=5)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["La", "s", "E", "keep", "excluded", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=6,
)
records = st.dictionaries(st.sampled_from(FIELDS), values, max_size=6)


@pytest.mark.parametrize("journal", JOURNALS)
@given(record=records)
def test_any_record_stays_or_goes(journal: str, record: dict[str, Any]) -> None:
    left = remains(journal, record, TARGET)
    assert left is None or set(left) == set(record)


@given(st.lists(records, max_size=4), st.lists(records, max_size=4))
def test_any_records_widen_the_target_and_never_narrow_it(
    episodes: list[dict[str, Any]], proposals: list[dict[str, Any]]
) -> None:
    wider = widened(TARGET, episodes, proposals)
    assert wider.lessons >= TARGET.lessons
    assert wider.episodes >= TARGET.episodes
    assert isinstance(emptied(episodes, wider), frozenset)
