"""What a person kept and dropped moves the detector's thresholds a little, and only as long as it is known."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.corrections.adaptation import BOUND, DOUBT, shift, shifted
from borgd.lessons.corrections.linear import shipped

VERDICTS = st.lists(st.booleans(), max_size=400)


@given(VERDICTS)
def test_the_shift_is_bounded_and_has_the_sign_of_the_majority(kept: list[bool]) -> None:
    moved = shift(kept)
    assert abs(moved) < BOUND
    more_dropped = kept.count(False) - kept.count(True)
    assert (moved > 0) == (more_dropped > 0)
    assert (moved < 0) == (more_dropped < 0)


@given(VERDICTS, st.randoms())
def test_the_order_of_the_verdicts_means_nothing(kept: list[bool], random: Random) -> None:
    other = list(kept)
    random.shuffle(other)
    assert shift(other) == shift(kept)


@given(VERDICTS)
def test_one_more_that_is_dropped_makes_it_more_reluctant(kept: list[bool]) -> None:
    assert shift([*kept, False]) > shift(kept) > shift([*kept, True])


def test_nothing_known_moves_nothing() -> None:
    assert shift([]) == 0
    assert shifted(shipped(), shift([])).thresholds == shipped().thresholds
    assert shift([False] * DOUBT) == BOUND / 2


@given(st.floats(-BOUND, BOUND))
def test_thresholds_keep_their_order_and_distance(by: float) -> None:
    before, after = shipped().thresholds, shifted(shipped(), by).thresholds
    assert all(abs(new - old - by) < 1e-9 for new, old in zip(after, before, strict=True))
