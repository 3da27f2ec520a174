"""How well recall does on labelled contexts, by k-fold: no figure is of what it was tuned on.

    python -m tests.perf.bench_recall_quality [DIRECTORY]

DIRECTORY holds lessons.jsonl and contexts.jsonl (default: BORGD_RECALL_SET, else the small set in tests/recall/labelled).
Weights and floor are fitted on the other folds and judged on the one left out. A fold holds whole systems: the contexts of
one working directory that names a system stay together, the others are dealt in turn. Prints the folds' figures beside the
baselines, per kind and per moment, the curve over the floor, the spread over other deals, and the weights fitted on
everything, with past contexts and without, which are those to ship. ``--prior shipped`` judges a machine without past
contexts.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from borgd.cli.debug.recall import live, plain_rankings, read_cases, read_lessons, row, table
from borgd.lessons.lesson import Lesson
from borgd.recall.context import Context
from borgd.recall.evidence import MATCH_FLOOR, WEIGHTS, Index
from borgd.recall.quality import HIT, SAME_SYSTEM, LabelledCase, QualityFigures, Ranking, curve, figures, silencing_floor
from borgd.recall.text.bm25 import Bm25
from borgd.recall.text.document_frequencies import ContextPrior, stems_of
from borgd.recall.text.scope import named_scopes, places
from borgd.recall.work import stems

pytestmark = pytest.mark.perf

SET = Path(os.environ.get("BORGD_RECALL_SET") or Path(__file__).parents[1] / "recall" / "labelled")
FOLDS = 9
DEALS = (5, 6, 7)
RIDGE = 2.0
"""method: how strongly weights are drawn to zero, per standard deviation of what they weigh."""
PRECISION = 0.75
SYSTEM_SILENT = 0.80
NAMES = [name for name in WEIGHTS if name != "base"]

Floats = NDArray[np.float64]


class Observed(NamedTuple):
    """``ids[i]``: the candidates of case i; ``values[i]``: their observations, a row each, in the order of NAMES."""

    ids: list[list[str]]
    values: list[Floats]


def observe(lessons: Sequence[Lesson], cases: Sequence[LabelledCase], *, own: bool) -> Observed:
    """What recall sees in each case, before it is weighed; the set's other contexts as past ones if ``own``."""
    index = Index()
    for lesson in lessons:
        index.add(lesson)
    prior = ContextPrior.shipped()
    known = [stems_of(case.work) for case in cases]
    for each in known if own else ():
        prior.add_stems(each)
    ids: list[list[str]] = []
    values: list[Floats] = []
    for case, each in zip(cases, known, strict=True):
        if own:
            prior.remove_stems(each)
        context = Context(text=case.work, cwd=case.cwd, remote=case.remote, moment=case.moment)
        work = index.work(context, prior)
        seen = index.observe(work, index.candidates(work))
        ids.append(list(seen))
        values.append(np.array([[one[name] for name in NAMES] for one in seen.values()]).reshape(-1, len(NAMES)))
        if own:
            prior.add_stems(each)
    return Observed(ids, values)


def fit(seen: Observed, cases: Sequence[LabelledCase], chosen: Sequence[int], ridge: float = RIDGE) -> dict[str, float]:
    """Weights of a logistic regression on the chosen cases, by Newton's method, in the observations' own units."""
    values = np.concatenate([seen.values[place] for place in chosen])
    labels = np.array([float(id in cases[place].relevant) for place in chosen for id in seen.ids[place]])
    mean, spread = values.mean(0), values.std(0) + 1e-9
    design = np.column_stack([np.ones(len(values)), (values - mean) / spread])
    penalty = np.diag([1e-6, *([2 * ridge] * len(NAMES))])
    weights = np.zeros(design.shape[1])
    for _ in range(15):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (chance - labels) + penalty @ weights
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + penalty
        weights -= np.linalg.solve(bend, slope)
    scaled = weights[1:] / spread
    return {"base": float(weights[0] - scaled @ mean), **dict(zip(NAMES, scaled.tolist(), strict=True))}


def blind(seen: Observed, name: str) -> Observed:
    """The observations with one of them blotted out."""
    place = NAMES.index(name)
    return Observed(seen.ids, [np.where(np.arange(len(NAMES)) == place, 0.0, values) for values in seen.values])


def rank(seen: Observed, weights: dict[str, float], chosen: Sequence[int]) -> list[Ranking]:
    """The rankings of the chosen cases by the formula with these weights."""
    vector = np.array([weights[name] for name in NAMES])
    rankings: list[Ranking] = []
    for place in chosen:
        scores = 1 / (1 + np.exp(-(seen.values[place] @ vector + weights["base"])))
        rankings.append(sorted(zip(seen.ids[place], scores.tolist(), strict=True), key=lambda at: (-at[1], at[0])))
    return rankings


def choose_floor(cases: Sequence[LabelledCase], rankings: Sequence[Ranking]) -> float:
    """The lowest floor that keeps every promise on these cases: both silences, the same system's, and precision."""
    floor = silencing_floor(cases, rankings)
    for step in range(1, 100):
        at = max(floor, step / 100)
        got = figures(cases, rankings, at)
        if got.silent.get(SAME_SYSTEM, 1.0) >= SYSTEM_SILENT and (got.precision or 1.0) >= PRECISION:
            return at
    return 1.0


def deal(lessons: Sequence[Lesson], cases: Sequence[LabelledCase], seed: int) -> list[int]:
    """A fold for each case; cases that work in the same system share one."""
    scopes = sorted({name for lesson in lessons for name in lesson.scope})
    groups = [",".join(places(scopes, case.cwd)) or f"dealt {place % (2 * FOLDS)}" for place, case in enumerate(cases)]
    order = sorted(set(groups))
    random.Random(seed).shuffle(order)
    return [order.index(group) % FOLDS for group in groups]


def folded(
    seen: Observed, lessons: Sequence[Lesson], cases: Sequence[LabelledCase], seed: int
) -> tuple[list[Ranking], list[float]]:
    """For each case: its ranking and floor by what was fitted on the other folds."""
    folds = deal(lessons, cases, seed)
    rankings: list[Ranking] = [[] for _ in cases]
    floors = [1.0] * len(cases)
    for fold in range(FOLDS):
        inside = [place for place, one in enumerate(folds) if one == fold]
        outside = [place for place, one in enumerate(folds) if one != fold]
        weights = fit(seen, cases, outside)
        floor = choose_floor([cases[place] for place in outside], rank(seen, weights, outside))
        for place, ranking in zip(inside, rank(seen, weights, inside), strict=True):
            rankings[place] = ranking
            floors[place] = floor
    return rankings, floors


def whole_lesson_rankings(lessons: Sequence[Lesson], cases: Sequence[LabelledCase], *, rarity: bool) -> list[Ranking]:
    """BM25 over whole lessons by stems, scope as a gate; with each stem weighed by its rarity in the other contexts."""
    index = Bm25()
    for lesson in lessons:
        index.add(lesson.id, stems("\n".join((lesson.question, *lesson.facets, *lesson.situations, lesson.consequence))))
    scopes = {lesson.id: set(lesson.scope) for lesson in lessons}
    names = sorted({name for scope in scopes.values() for name in scope})
    known = [stems_of(case.work) for case in cases]
    counts: dict[str, int] = {}
    for one in (one for each in known for one in each):
        counts[one] = counts.get(one, 0) + 1
    rankings: list[Ranking] = []
    for case, each in zip(cases, known, strict=True):
        rest = len(cases) - 1
        weights = {one: math.log(1 + (rest - counts[one] + 1.5) / (counts[one] - 0.5)) for one in each} if rarity else None
        named = set(named_scopes(names, case.work)) | set(places(names, case.cwd, case.remote))
        scored = zip(index.names, index.scores(each, weights).tolist(), strict=True)
        found = [(id, score) for id, score in scored if score > 0 and (not scopes[id] or scopes[id] & named)]
        rankings.append(sorted(found, key=lambda at: (-at[1], at[0])))
    return rankings


def of_all(cases: Sequence[LabelledCase], rankings: Sequence[Ranking], floors: Sequence[float], kind: str) -> QualityFigures:
    """The figures of one kind of context."""
    chosen = [place for place, case in enumerate(cases) if case.sort == kind]
    return figures([cases[p] for p in chosen], [rankings[p] for p in chosen], [floors[p] for p in chosen])


def report(directory: Path, *, own: bool) -> int:
    """Print everything; the number of contexts judged."""
    lessons, wrong = read_lessons(str(directory / "lessons.jsonl"))
    cases, more = read_cases(str(directory / "contexts.jsonl"))
    for error in (*wrong, *more):
        print(error)
    lessons = live(lessons)
    seen = observe(lessons, cases, own=own)
    rankings, floors = folded(seen, lessons, cases, DEALS[0])
    print(f"{len(cases)} contexts, {len(lessons)} lessons, {FOLDS} folds of whole systems; past contexts: ", end="")
    print("the set's others and the shipped ones" if own else "the shipped ones alone")
    baselines = [
        ("rank-bm25, question+facets", plain_rankings(lessons, cases)),
        ("whole lesson, stems, gate", whole_lesson_rankings(lessons, cases, rarity=False)),
        ("the same, rarity", whole_lesson_rankings(lessons, cases, rarity=True)),
    ]
    print("Baselines stand at their own best floor on this very set, recall at floors of the other folds.\n")
    print("\n".join(table(cases, [(name, them, silencing_floor(cases, them)) for name, them in baselines])))
    print()
    for moment in ("", *sorted({case.moment for case in cases})):
        chosen = [place for place, case in enumerate(cases) if moment in ("", case.moment)]
        got = figures([cases[p] for p in chosen], [rankings[p] for p in chosen], [floors[p] for p in chosen])
        print(row(f"{moment or 'all'}: recall, {FOLDS} folds", got))
    print("\nby kind")
    for kind in sorted({case.sort for case in cases}):
        print(row(kind, of_all(cases, rankings, floors, kind)))
    print("\nrankings of the folds over one floor")
    for at in curve(cases, rankings, [step / 20 for step in range(20)]):
        print(row(f"{at.floor:.2f}", at))
    deals = [figures(cases, *folded(seen, lessons, cases, seed)) for seed in DEALS]
    for name in ("ndcg5", "hit_recall", "precision"):
        print(f"{name} over {len(DEALS)} deals:", *(f"{getattr(one, name):.3f}" for one in deals))
    print("\nwithout one part, by folds")
    for name in NAMES:
        print(row(f"without {name}", figures(cases, *folded(blind(seen, name), lessons, cases, DEALS[0]))))
    hits = sum(case.sort == HIT for case in cases)
    share = statistics.fmean(one.hit_recall or 0.0 for one in deals)
    print(f"a hit recall of {share:.2f} on {hits} contexts is good to ± {1.96 * math.sqrt(share * (1 - share) / hits):.2f}")
    other = observe(lessons, cases, own=not own)
    both = Observed(seen.ids + other.ids, seen.values + other.values)
    doubled = [*cases, *cases]
    everything = list(range(len(doubled)))
    weights = fit(both, doubled, everything, 2 * RIDGE)
    print("\nfitted on everything, with past contexts and without:", {name: round(at, 2) for name, at in weights.items()})
    print("floor of that:", choose_floor(doubled, rank(both, weights, everything)), "; shipped:", WEIGHTS, MATCH_FLOOR)
    return len(cases)


def test_recall_quality(capsys: pytest.CaptureFixture[str]) -> None:
    judged = report(SET, own=True)
    print(capsys.readouterr().out)
    assert judged > 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Judge recall on a labelled set, by k-fold.")
    parser.add_argument("directory", nargs="?", type=Path, default=SET)
    parser.add_argument("--prior", choices=("set", "shipped"), default="set")
    options = parser.parse_args()
    report(options.directory, own=options.prior == "set")
