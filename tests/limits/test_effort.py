"""The effort ceiling: never above it, and an unknown name gets the cheapest level, said so."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import LimitError
from borgd.limits.escalation.effort import Clamped, Ladder

LEVELS = ("low", "medium", "high")


@pytest.mark.parametrize(("asked", "ceiling"), list(itertools.product(LEVELS, LEVELS)))
def test_effort_ceiling_clamp_never_exceeds_the_ceiling(asked: str, ceiling: str) -> None:
    ladder = Ladder(LEVELS, ceiling)
    clamped = ladder.clamp(asked)
    assert ladder.rank(clamped.level) == min(ladder.rank(asked), ladder.rank(ceiling))
    assert clamped.changed == (ladder.rank(asked) > ladder.rank(ceiling))


def test_effort_ceiling_an_explicit_one_beats_what_is_asked() -> None:
    assert Ladder(LEVELS, "low").clamp("high") == Clamped("low", "lowered")


@given(st.text(), st.sampled_from(LEVELS))
def test_effort_ceiling_holds_for_any_name(asked: str, ceiling: str) -> None:
    ladder = Ladder(LEVELS, ceiling)
    level = ladder.level_of(ladder.clamp(asked).level)
    assert level is not None
    assert ladder.rank(level) <= ladder.rank(ceiling)


@pytest.mark.parametrize("asked", ["", "ultra", "highest", "gpt-9"])
def test_an_unknown_level_gets_the_cheapest_and_is_said_so(asked: str) -> None:
    assert Ladder(LEVELS, "high").clamp(asked) == Clamped("low", "unknown")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("opus", Clamped("sonnet", "lowered")),
        ("claude-opus-4-5-20260101", Clamped("sonnet", "lowered")),
        ("us.anthropic.Claude-Opus:0", Clamped("sonnet", "lowered")),
        ("claude-sonnet-5", Clamped("claude-sonnet-5", "within")),
        ("haiku", Clamped("haiku", "within")),
        ("haiku-or-opus", Clamped("sonnet", "lowered")),
        ("magnum-opusculum", Clamped("haiku", "unknown")),
    ],
)
def test_a_model_belongs_to_the_level_its_name_holds(asked: str, expected: Clamped) -> None:
    assert Ladder(("haiku", "sonnet", "opus"), "sonnet").clamp(asked) == expected


def test_without_a_ceiling_nothing_is_changed() -> None:
    assert Ladder(LEVELS).clamp("ultra") == Clamped("ultra", "no ceiling")


@pytest.mark.parametrize(("levels", "ceiling"), [((), ""), (("a", "a"), ""), (("a", ""), ""), (("a",), "b")])
def test_a_ladder_that_is_none_is_refused(levels: tuple[str, ...], ceiling: str) -> None:
    with pytest.raises(LimitError):
        Ladder(levels, ceiling)
