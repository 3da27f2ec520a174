"""Propensities are the probabilities that really rule: exact, estimated, observed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from borgd.lessons.lesson import Lesson
from borgd.memory import beta
from borgd.memory.memory import Memory
from borgd.recall import draws, slots
from borgd.recall.choose import Choice, choose_early, choose_stop
from borgd.recall.policy import changed
from borgd.recall.slots import P_LEAST, Pool, SlotRule, fill, propensity, top_k
from tests.recall.choice_support import POLICY, SYSTEM, believed, lesson, matches, ranking, scoped, store

SESSIONS = 10_000


def pool(count: int, *, size: int = 100, generic: int = 0) -> Pool:
    """A pool of lessons of differing evidence and belief; the last ``generic`` are unscoped."""
    lessons = store(*(lesson(f"L{i:03}") for i in range(count)))
    memory = believed(
        lessons, {f"L{i:03}": (i * 7) % 5 for i in range(count)}, {f"L{i:03}": (i * 3) % 2 for i in range(count)}
    )
    shares = {f"L{i:03}": 0.9 - 0.5 * i / count for i in range(count)}
    ranked = sorted(ranking(lessons, shares, memory).ranked, key=lambda found: found.id)
    first = np.arange(count) < count - generic
    return Pool(ranked, first, np.full(count, size, dtype=np.int64))


def quadrature_by_brute_force(found: Pool, k: int, points: int = 20_000) -> list[float]:
    """The same integral on a plain fine grid of each arm's own quantiles, without any of our node choices."""
    knots = draws.tables(found.lessons)
    levels = np.linspace(0, 1, knots.shape[1])
    scores = found.base[:, None] * (0.5 + knots)
    answer = []
    u = (np.arange(points) + 0.5) / points
    for arm in range(len(scores)):
        s = np.interp(u, levels, scores[arm])
        counts = np.zeros((k, points))
        counts[0] = 1
        for other in range(len(scores)):
            if other != arm:
                below = np.interp(s, scores[other], levels)
                counts[1:] = counts[1:] * below + counts[:-1] * (1 - below)
                counts[0] *= below
        answer.append(float(counts.sum(axis=0).mean()))
    return answer


@pytest.mark.parametrize(("count", "k"), [(2, 1), (5, 3), (12, 3), (12, 10), (50, 3), (50, 5), (50, 10)])
def test_exact_agrees_with_brute_force(count: int, k: int) -> None:
    found = pool(count)
    ours = top_k(found.base, draws.tables(found.lessons), k)
    assert ours == pytest.approx(quadrature_by_brute_force(found, k), abs=5e-4)
    assert ours.sum() == pytest.approx(k, abs=5e-3)


def test_exact_agrees_with_scipy_for_two_arms() -> None:
    """P(X > Y) of Beta(3, 1) and Beta(1, 2) at equal base: ∫ f(x) G(x) dx = 1 − 3 · B(3, 3)."""
    knots = beta.tables([3, 1], [1, 2])
    expected = 1 - 3 * stats.beta(3, 3).expect(lambda x: 1.0) * (2 * 2 / 120)
    assert top_k(np.ones(2), knots, 1)[0] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("count", "k"), [(5, 3), (50, 5)])
def test_monte_carlo_agrees(count: int, k: int) -> None:
    found = pool(count)
    drawn = draws.alternatives("monte carlo", found.lessons, 40_000)
    scores = found.base * (0.5 + drawn)
    winners = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    observed = np.bincount(winners.ravel(), minlength=count) / len(scores)
    assert observed == pytest.approx(top_k(found.base, draws.tables(found.lessons), k), abs=0.01)


@pytest.mark.parametrize("k", [1, 4])
def test_equal_arms_share_equally(k: int) -> None:
    lessons = store(*(lesson(f"L{i}") for i in range(8)))
    ranked = ranking(lessons, dict.fromkeys(lessons, 0.5)).ranked
    found = Pool(ranked, np.ones(8, dtype=bool), np.full(8, 10))
    assert top_k(found.base, draws.tables(ranked), k) == pytest.approx(k / 8, abs=1e-4)


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 6), st.integers(0, 1500), st.text(max_size=3))
def test_never_zero_and_one_where_all_fit(count: int, slots_: int, generic: int, room: int, session: str) -> None:
    found = pool(count, generic=min(count // 2, generic))
    rule = SlotRule(slots_, generic, room)
    filled = fill(found, draws.thompson(session, found.lessons), rule)
    chances = propensity(found, rule, filled, session, 64)
    assert ((chances > 0) & (chances <= 1)).all()
    assert len(filled.kept) + len(filled.cut) <= slots_
    assert found.sizes[filled.kept].sum() <= room
    unscoped = int((~found.first).sum())
    if count <= slots_ and unscoped <= generic and count * 100 <= room:
        assert (chances == 1).all()
    if not session:
        assert set(chances.tolist()) <= {1.0, P_LEAST}


@pytest.mark.parametrize("room", [250, 10_000])
def test_each_class_is_its_own_race(room: int) -> None:
    found = pool(20, generic=8)
    rule = SlotRule(slots=7, generic=3, room=room)
    filled = fill(found, draws.thompson("s", found.lessons), rule)
    chances = propensity(found, rule, filled, "s", 512)
    if room == 10_000:
        assert chances[:12].sum() == pytest.approx(7, abs=0.01)
        assert (chances[12:] == P_LEAST).all() or chances[12:].sum() < 0.01
    else:
        assert chances.sum() == pytest.approx(2, abs=0.1)


def chi_squared(observed: np.ndarray, expected: np.ndarray) -> float:
    """The upper tail of Pearson's statistic with a binomial variance per lesson (correlations make it conservative)."""
    spread = expected * (1 - expected / SESSIONS)
    alive = spread > 1
    statistic = float((((observed - expected) ** 2)[alive] / spread[alive]).sum())
    return float(stats.chi2(int(alive.sum())).sf(statistic))


early = partial(choose_early, topics=[SYSTEM])
CASES: dict[str, tuple[Callable[..., Choice], int, int]] = {
    "early, always room": (early, 5, 40),
    "early, the text cuts": (early, 5, 200),
    "early, many": (early, 9, 40),
    "early, many and the text cuts": (early, 8, 200),
    "stop, fits": (choose_stop, 7, 40),
    "stop, many": (choose_stop, 13, 40),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_observed_shares_match_the_logged_propensities(case: str) -> None:
    """Over 10,000 seeded sessions: how often each lesson was shown, against the sum of its p; the same for the holdout."""
    choose, count, length = CASES[case]
    lessons: dict[str, Lesson] = store(
        *(scoped(f"S{i:02}", question="q" * length, consequence="c" * length) for i in range(count)),
        *(lesson(f"G{i:02}", question="q" * length) for i in range(5)),
    )
    memory = believed(
        lessons, {f"S{i:02}": (i * 7) % 5 for i in range(count)}, {f"S{i:02}": (i * 3) % 2 for i in range(count)}
    )
    found = matches(lessons, {name: 0.9 - 0.01 * place for place, name in enumerate(lessons)})
    policy = changed(POLICY, {"p_draws": 64})
    names = {name: place for place, name in enumerate(lessons)}
    shown, held, expected, kept = (np.zeros(len(lessons)) for _ in range(4))
    choose = partial(early, topics=[SYSTEM]) if early else choose_stop
    for number in range(SESSIONS):
        choice = choose(found, lessons, memory, done=(), session=f"s{number}", decision_id="d", now_ms=0, policy=policy)
        assert choice.decision is not None
        for entry in choice.decision.pool:
            place = names[entry.id]
            shown[place] += entry.shown
            held[place] += entry.held
            kept[place] += entry.shown or entry.held
            expected[place] += entry.p
    assert chi_squared(shown, expected) > 0.001
    assert chi_squared(held, expected / (1 - policy.holdout) * policy.holdout) > 0.001
    assert (expected / SESSIONS <= 1 - policy.holdout + 1e-9).all()
    assert held.sum() / kept.sum() == pytest.approx(policy.holdout, abs=0.004)


def test_pools_that_fit_are_sure_but_for_the_holdout() -> None:
    lessons = store(*(scoped(f"S{i}") for i in range(4)))
    choice = choose_early(
        matches(lessons, dict.fromkeys(lessons, 0.6)), lessons, Memory(lessons),
        topics=[SYSTEM], done=(), session="s", decision_id="d", now_ms=0, policy=POLICY,
    )  # fmt: skip
    assert choice.decision is not None
    assert [entry.p for entry in choice.decision.pool] == [1 - POLICY.holdout] * 4


def test_estimated_propensities_are_right_on_average() -> None:
    """The share counts the decision's own draw: Σ shown / p is then the number of sessions."""
    lessons = store(*(lesson(f"L{i}") for i in range(6)))
    ranked = ranking(lessons, {name: 0.5 + place / 50 for place, name in enumerate(lessons)}).ranked
    found = Pool(ranked, np.ones(6, dtype=bool), np.full(6, 100))
    rule = SlotRule(slots=4, generic=0, room=250)
    rounds = 2000
    weights = np.zeros(6)
    for number in range(rounds):
        session = f"s{number}"
        filled = fill(found, draws.thompson(session, found.lessons), rule)
        chances = propensity(found, rule, filled, session, 32)
        weights[filled.kept] += 1 / chances[filled.kept]
    assert weights / rounds == pytest.approx(1, abs=0.15)


def test_no_draws_no_alternatives() -> None:
    found = pool(3)
    assert draws.thompson("", found.lessons).tolist() == [ranked.mean for ranked in found.lessons]
    assert draws.alternatives("s", found.lessons, 7).shape == (7, 3)
    assert slots.top_k(found.base, draws.tables(found.lessons), 0).tolist() == [P_LEAST] * 3
