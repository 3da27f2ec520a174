"""The sequences over occasions: written out by hand, order-free, covering at every look; the rule and what it costs."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.replay.estimate import betting
from borgd.replay.estimate.betting import OccasionCounts, interval, log_evidence, needed, rate_interval
from borgd.replay.occasions import Occasions, OccasionTable, Stratum
from borgd.replay.withholding import LADDER, YOUNG, holdout
from tests.replay.occasion_worlds import WORLDS, run, steady

Occasion = tuple[int, str, float, bool, bool]
"""(day, lesson, holdout, withheld, corrected)."""

OCCASIONS = st.lists(
    st.tuples(
        st.integers(20_000, 20_020), st.sampled_from("abc"), st.sampled_from([0.02, 0.05, 0.1, 0.2, 0.5]), st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=60,
)  # fmt: skip


def counted(occasions: list[Occasion], chunk: int = 7) -> OccasionTable:
    found = Occasions()
    for start in range(0, len(occasions), chunk):
        for day, lesson, chance, held, corrected in occasions[start : start + chunk]:
            found.one(day, lesson, Stratum("codex", 1, "", True), chance, held=held, corrected=corrected)
    return OccasionTable(found.rows())


@settings(max_examples=25, deadline=None)
@given(OCCASIONS, st.randoms())
def test_neither_order_nor_who_counted_moves_a_digit(occasions: list[Occasion], chance: random.Random) -> None:
    mixed = chance.sample(occasions, len(occasions))
    one, other = counted(occasions), counted(mixed, chunk=3)
    assert [row[:4] for row in one.rows] == [row[:4] for row in other.rows]
    np.testing.assert_array_equal(one.guess, other.guess)
    assert interval(one.of()) == interval(other.of())
    assert rate_interval(one.of(), held=True) == rate_interval(other.of(), held=True)
    assert one.of().occasions == len(occasions)


@settings(max_examples=25, deadline=None)
@given(OCCASIONS)
def test_the_capital_is_the_product_of_fair_bets(occasions: list[Occasion]) -> None:
    """Written out bet by bet; each stake's bet is fair where the difference is as it says, whatever the guess."""
    counts = counted(occasions).of()
    expected = 0.0
    for stake, prior in zip(betting._STAKE, np.exp(betting._PRIOR), strict=True):
        product = 1.0
        for h, m, many in zip(counts.holdout, counts.guess, counts.count, strict=True):
            outcomes = [(1 - h) * (1 - m), -(1 - h) * m, -h * (1 - m), h * m]
            mine = min(stake, betting.MOST_LOST / (max(0.0, *(-z for z in outcomes)) + h * (1 - h)))
            for z, times in zip(outcomes, many, strict=True):
                product *= (1 + mine * (z - h * (1 - h) * 0.1)) ** times
            for rate in (0.0, 0.3, 0.9):  # P(corrected | withheld) is 0.1 more than where shown
                fair = h * ((rate + 0.1) * outcomes[0] + (0.9 - rate) * outcomes[1])
                fair += (1 - h) * (rate * outcomes[2] + (1 - rate) * outcomes[3])
                assert fair == pytest.approx(h * (1 - h) * 0.1)
        expected += prior * product
    assert log_evidence(counts, 1, 0.1) == pytest.approx(math.log(expected), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(OCCASIONS)
def test_an_interval_ends_where_the_bet_against_it_has_won_enough(occasions: list[Occasion]) -> None:
    counts = counted(occasions).of()
    found = interval(counts)
    bar = math.log(2 / 0.05)
    for sign, bound in ((1, found.low), (-1, found.high)):
        if abs(bound) < 1.0:
            assert log_evidence(counts, sign, bound - sign * 1e-5) > bar
            assert log_evidence(counts, sign, bound + sign * 1e-5) < bar + 1e-6
    wider = interval(counts, method="empirical Bernstein")
    assert -1.0 <= wider.low <= wider.high <= 1.0


@given(st.floats(0.001, 0.999), st.floats(0.0, 1.0))
def test_the_bernstein_sums_are_bounded_as_it_needs(h: float, guess: float) -> None:
    for sign in (1, -1):
        for scale in betting.SCALES:
            least, most = (1 - scale / h, scale / (1 - h)) if sign > 0 else (1 - scale / (1 - h), scale / h)
            m = np.minimum(np.maximum(np.array([guess]), least), most)
            assert (sign * betting._values(np.array([h]), m)).min() >= -scale - 1e-9


def test_one_occasion_says_next_to_nothing_and_none_says_nothing() -> None:
    assert interval(counted([(20_000, "a", 0.2, True, True)]).of()).low < -0.5
    empty = OccasionTable([]).of()
    assert (interval(empty).low, interval(empty).high) == (-1.0, 1.0)
    assert needed(empty) is None


def test_how_much_it_takes_is_what_it_then_took() -> None:
    """Of the same rates, that many more occasions tell, and a tenth fewer do not."""
    counts = OccasionCounts(np.array([0.2]), np.array([0.1]), np.array([[5.0, 25.0, 9.0, 110.0]]))
    factor = needed(counts)
    assert factor is not None
    assert factor > 1.0
    assert interval(counts.scaled(1.03 * factor)).low > 0.0
    assert interval(counts.scaled(0.9 * factor)).low < 0.0


def test_the_rule_falls_as_the_evidence_grows_and_is_never_0() -> None:
    chances = [holdout(math.log(capital)) for capital in (0.01, 1.0, 2.9, 3.1, 11.0, 41.0, 1e9)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == YOUNG == 0.2
    assert chances[-1] == LADDER[0][1] > 0.0


def test_the_world_adds_up_what_the_functions_do() -> None:
    found = run(steady(0.27, 0.06), 300, 2)
    assert log_evidence(found.cells, 1) == pytest.approx(found.capital)


def test_a_team_of_ten_comes_to_a_conclusion_by_the_rule() -> None:
    """r = .27 against .06 within 600 occasions in the median, for at most 20 extra corrections; .10 against .03 in 2,500."""
    strong = run(WORLDS["effect"], 450, 20)
    assert np.median(strong.told["betting"]) <= 600
    assert np.median(strong.extra["betting"]) <= 20
    weak = run(WORLDS["weak effect"], 1000, 12)
    assert np.median(weak.told["betting"]) <= 2500
    assert np.median(weak.extra["betting"]) <= 20


@pytest.mark.parametrize("name", ["no effect, one person floods", "drift half-way"])
def test_no_more_than_one_in_twenty_misses_at_any_look(name: str) -> None:
    found = run(WORLDS[name], 250, 80)
    for method in betting.VALIDATED:
        assert found.missed[method].mean() <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("fixed", [None, 0.05])
@pytest.mark.parametrize("name", WORLDS)
def test_validation_by_a_thousand_teams(name: str, fixed: float | None) -> None:
    """What is printed rests on this: the upper 95 % bound of the share that ever misses is at most ALPHA."""
    found = run(WORLDS[name], 1000, 1000, fixed=fixed, seed=3)
    assert found.miss_bound(betting.PRINTED) <= 0.05
