"""The weights of the probability that a lesson applies and is open, and what they are worth on systems left out of the fit.

    python -m tests.perf.bench_recall_applies [LOOP_CASES] [RECALL_DIRECTORY]

Two labelled sets (default: those in tests/data): sessions after a correction with four variants of their lessons (as a
careful and as a hurried agent files them, imported and filed through their episodes), and contexts with graded lessons
(as they are, and with situations, facets and signs). Every figure is of whole systems that were left out of the fit. The
last line holds the weights fitted on everything, which are those to ship; ``close`` is chosen, not fitted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from borgd.cli.debug.logistic import fit
from borgd.cli.debug.loop_later import LoopCase, Played, Variant, later_figures, lessons_of, play
from borgd.cli.debug.recall import asked_in, hits_in, live, read_cases, read_lessons
from borgd.lessons.lesson import Lesson
from borgd.recall import applies
from borgd.recall.context import Context
from borgd.recall.evidence import Index
from borgd.recall.policy import LINE_COST, PROMPT_COST, RecallPolicy
from borgd.recall.quality import LabelledCase, QualityFigures, Ranking, figures
from borgd.recall.text.document_frequencies import ContextPrior
from tests.perf.bench_recall_quality import DEALS, FOLDS, deal
from tests.perf.sizes import QUICK

pytestmark = pytest.mark.perf

DATA = Path(__file__).parents[1] / "data"
NAMES = [name for name in applies.WEIGHTS if name != "close"]
VARIANTS: tuple[tuple[Variant, bool], ...] = (("rich", False), ("rich", True), ("minimal", False), ("minimal", True))
LOOP_WEIGHT = 0.5
"""method: what a session after a correction counts in the fit, against 1 for a context: they come in four variants."""
ALONE = 0.5
"""method: what a lesson counts in the fit that is judged as the only one of a store, beside the same among the others: a
store of one lesson must not take it for the likeliest. Judged where its author works: in sessions of its system."""
FLOORS = (LINE_COST, PROMPT_COST, 0.35)
QUICK_CASES = 12
QUICK_CONTEXTS = 5

Floats = NDArray[np.float64]
Observed = Mapping[str, Mapping[str, float]]


class Graded(NamedTuple):
    """The contexts of one variant of the lessons: which fold each is in, and what is observed in it."""

    lessons: Sequence[Lesson]
    cases: Sequence[LabelledCase]
    folds: Sequence[int]
    observed: Sequence[Observed]


class Rows(NamedTuple):
    """One row an observation of a lesson; ``groups``: its system or fold."""

    values: Floats
    labels: Floats
    groups: list[str]


def graded(directory: Path, name: str, *, alone: bool = False) -> Graded:
    """The contexts of ``directory`` with the lessons of one file.

    :param alone: each lesson is judged as if it were the only one.
    """
    lessons = live(read_lessons(str(directory / name))[0])
    cases = read_cases(str(directory / "contexts.jsonl"))[0]
    cases = cases[::QUICK_CONTEXTS] if QUICK else cases
    index, prior = Index(), ContextPrior.shipped()
    for lesson in lessons:
        index.add(lesson)
    observed = []
    for case in cases:
        hits, asked = hits_in(case, index), asked_in(case, index)
        context = Context(text=case.work, cwd=case.cwd, remote=case.remote, moment=case.moment, hits=hits, said=asked)
        observed.append(index.observe_applies(index.work(context, prior), context, alone=alone))
    return Graded(lessons, cases, deal(lessons, cases, DEALS[0]), observed)


def _rows(seen: Iterable[tuple[str, Observed, set[str]]]) -> Rows:
    values, labels, groups = [], [], []
    for group, observed, right in seen:
        for name, one in observed.items():
            values.append([one[part] for part in NAMES])
            labels.append(float(name in right))
            groups.append(group)
    return Rows(np.array(values), np.array(labels), groups)


def session_rows(played: Iterable[Played]) -> Rows:
    """Every judged lesson at every moment of the sessions; right is the case's own one where it applies."""
    return _rows(
        (one.system, seen, {one.own} if one.session.applies else set())
        for one in played
        for moment in one.moments
        for seen in moment.observed
    )


def alone_rows(played: Iterable[Played], systems: Mapping[str, str]) -> Rows:
    """The same of the lessons of the session's own system."""
    return _rows(
        (
            one.system,
            {name: found for name, found in seen.items() if systems[name] == one.system},
            {one.own} if one.session.applies else set(),
        )
        for one in played
        for moment in one.moments
        for seen in moment.observed
    )


def context_rows(set_: Graded, *, scoped: bool = False) -> Rows:
    """Every judged lesson of the contexts, or those of a system alone: the contexts are of many systems."""
    system = {lesson.id: bool(lesson.scope) for lesson in set_.lessons}
    return _rows(
        (
            str(fold),
            {name: found for name, found in seen.items() if system[name] or not scoped},
            {name for name, grade in case.relevant.items() if grade},
        )
        for case, fold, seen in zip(set_.cases, set_.folds, set_.observed, strict=True)
    )


def fitted(all_rows: Sequence[tuple[Rows, float]], without: str = "") -> dict[str, float]:
    """Weights fitted on everything but the group ``without``; each set with what a row of it counts."""
    values, labels, counts = [], [], []
    for rows, count in all_rows:
        kept = np.array([group != without for group in rows.groups])
        values.append(rows.values[kept])
        labels.append(rows.labels[kept])
        counts.append(np.full(int(kept.sum()), count))
    weights = fit(np.concatenate(values), np.concatenate(labels), counts=np.concatenate(counts))
    return dict(zip(NAMES, weights.tolist(), strict=True)) | {"close": applies.WEIGHTS["close"]}


def ranked(observed: Observed, weights: Mapping[str, float]) -> Ranking:
    """The lessons of one context by their probability."""
    found = [(name, applies.probability(applies.parts(one, weights))) for name, one in observed.items()]
    return sorted(found, key=lambda at: (-at[1], at[0]))


def _line(name: str, floor: float, got: QualityFigures) -> str:
    silent = "  ".join(f"{kind} {share:.2f}" for kind, share in sorted(got.silent.items()))
    figures_ = (got.ndcg5, got.hit_recall, got.precision)
    ndcg5, right, precision = (f"{value:.3f}" if value is not None else "-" for value in figures_)
    return f"{name} at {floor:.2f}: nDCG@5 {ndcg5}  right {right}  precision {precision}  silent: {silent}"


def report(cases_file: Path, directory: Path) -> dict[str, float]:
    """Print everything; the weights to ship."""
    decode = msgspec.json.Decoder(LoopCase).decode
    cases = [decode(line) for line in cases_file.read_bytes().splitlines() if line.strip()]
    cases = cases[:: len(cases) // QUICK_CASES] if QUICK else cases
    played = {one: play(cases, one[0], filed=one[1]) for one in VARIANTS}
    sets = {name: graded(directory, name) for name in ("lessons.jsonl", "lessons-expanded.jsonl")}
    rows = [(session_rows(one), LOOP_WEIGHT) for one in played.values()] + [
        (context_rows(one), 1.0) for one in sets.values()
    ]
    own = {case.id: case.system for case in cases}
    rows += [(alone_rows(play(cases, one[0], filed=one[1], alone=True), own), ALONE) for one in VARIANTS]
    rows += [(context_rows(graded(directory, name, alone=True), scoped=True), ALONE) for name in sets]
    systems = sorted({case.system for case in cases})
    by_system = {system: fitted(rows, system) for system in systems}
    for (variant, filed), them in played.items():
        got = later_figures(them, lessons_of(cases, variant), RecallPolicy(), by_system)
        prevented = "  ".join(f"{kind} {share:.2f}" for kind, share in got["prevented"].items())
        price = "  ".join(f"{name} {got[name]}" for name in ("wrong", "wrong_block", "noise"))
        print(f"{variant}{', filed through the episode' if filed else ''}: prevented {prevented}  {price}")
    by_fold = [fitted(rows, str(fold)) for fold in range(FOLDS)]
    for name, one in sets.items():
        rankings = [ranked(seen, by_fold[fold]) for seen, fold in zip(one.observed, one.folds, strict=True)]
        for floor in FLOORS:
            print(_line(name, floor, figures(one.cases, rankings, floor)))
    weights = fitted(rows)
    print("weights: " + "  ".join(f"{name} {value:.2f}" for name, value in weights.items()))
    return weights


def test_weights_and_what_they_are_worth() -> None:
    weights = report(DATA / "loop" / "cases.jsonl", DATA / "recall")
    assert weights["sign"] > 0 > weights["handled"]


if __name__ == "__main__":
    given = [Path(one) for one in sys.argv[1:]]
    report(given[0] if given else DATA / "loop" / "cases.jsonl", given[1] if len(given) > 1 else DATA / "recall")
