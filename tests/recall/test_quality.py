"""The arithmetic of rankings against labels, by hand."""

from __future__ import annotations

import math

import pytest

from borgd.recall.quality import LabelledCase, curve, figures, ndcg, silencing_floor


def case(id: str, kind: str, **relevant: int) -> LabelledCase:
    return LabelledCase(id=id, kind=kind, relevant=relevant)


def test_ndcg_of_known_rankings() -> None:
    labels = {"a": 3, "b": 1}
    assert ndcg([("a", 2.0), ("b", 1.0)], labels) == 1.0
    assert ndcg([], labels) == 0.0
    assert ndcg([("x", 3.0), ("a", 2.0)], labels) == pytest.approx((7 / math.log2(3)) / (7 + 1 / math.log2(3)))
    assert ndcg([(f"x{n}", 9.0) for n in range(5)] + [("a", 1.0)], labels) == 0.0


CASES = [
    case("1", "hit", a=3),
    case("2", "hit", b=2),
    case("3", "hit", c=1),
    case("4", "unrelated"),
    case("5", "near-miss-same-words"),
]
RANKINGS = [
    [("a", 0.9), ("x", 0.8)],
    [("x", 0.7), ("b", 0.2)],
    [("c", 0.3)],
    [("x", 0.6)],
    [],
]


def test_figures_at_a_floor() -> None:
    seen = figures(CASES, RANKINGS, 0.5)
    assert seen.hit_recall == pytest.approx(1 / 3)
    assert seen.precision == pytest.approx((1 / 2 + 0) / 2)
    assert seen.shown_precision == pytest.approx(1 / 4)
    assert seen.silent == {"hit": pytest.approx(1 / 3), "unrelated": 0.0, "near-miss-same-words": 1.0}
    assert seen.contexts == 5


def test_each_case_may_have_its_own_floor() -> None:
    assert figures(CASES, RANKINGS, [0.5, 0.1, 0.1, 0.7, 0.0]).hit_recall == 1.0


def test_a_figure_of_nothing_is_none() -> None:
    seen = figures([], [], 0.5)
    assert (seen.ndcg5, seen.hit_recall, seen.precision, seen.silent) == (None, None, None, {})
    assert figures(CASES, RANKINGS, 2.0).precision is None


def test_the_silencing_floor_is_just_above_the_loudest_that_must_be_silent() -> None:
    cases = [case(str(n), "unrelated") for n in range(100)] + [case(f"w{n}", "near-miss-same-words") for n in range(20)]
    rankings = [[("x", n / 100)] for n in range(100)] + [[("x", 0.5 + n / 100)] for n in range(20)]
    floor = silencing_floor(cases, rankings)
    silent = figures(cases, rankings, floor).silent
    assert silent["unrelated"] == pytest.approx(0.98)
    assert silent["near-miss-same-words"] >= 0.95
    assert figures(cases, rankings, math.nextafter(floor, 0)).silent["unrelated"] < 0.98
    assert silencing_floor([], []) == 0.0


def test_the_curve_falls() -> None:
    recall = [at.hit_recall or 0.0 for at in curve(CASES, RANKINGS, [0.0, 0.25, 0.5, 0.95])]
    assert recall == sorted(recall, reverse=True)
