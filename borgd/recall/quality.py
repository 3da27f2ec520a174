"""How well rankings of lessons do on labelled contexts. Pure arithmetic.

Promises: every figure says what it counts; a figure of nothing is None, never 0. Must not know how a ranking was made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

TOP = 5
"""baseline: how many lessons of a ranking are looked at."""

UNRELATED_SILENT = 0.98
"""design: share of the unrelated contexts that must stay silent."""

SAME_WORDS_SILENT = 0.95
"""design: share of the contexts with the same words and another matter that must stay silent."""

HIT = "hit"
UNRELATED = "unrelated"
SAME_WORDS = "near-miss-same-words"
SAME_SYSTEM = "near-miss-same-system"


class LabelledCase(msgspec.Struct, frozen=True, kw_only=True):
    """One labelled context. ``relevant``: lesson id → grade 1 to 3; empty: nothing may be recalled."""

    id: str
    moment: str = "stop"
    cwd: str = ""
    remote: str = ""
    prompts: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    plan: str = ""
    last_message: str = ""
    text: str = ""
    relevant: dict[str, int] = {}
    kind: str = ""

    @property
    def work(self) -> str:
        """``text``, or where there is none its parts joined."""
        return self.text or "\n".join(filter(None, (*self.prompts, *self.touches, self.plan, self.last_message)))

    @property
    def sort(self) -> str:
        """``kind``, or where there is none what the labels say."""
        return self.kind or (HIT if self.relevant else "silent")


Ranking = Sequence[tuple[str, float]]
"""Lesson ids with their scores, best first."""


class QualityFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What a floor does on a set. None where nothing is there to be counted.

    ``ndcg5``: over all contexts with labels, without the floor. ``hit_recall``: share of hit contexts in which a relevant
    lesson is among the first five above the floor. ``precision``: of those shown, the share that is relevant, averaged
    over the hit contexts in which something is shown. ``shown_precision``: the same over all that is shown anywhere.
    ``silent``: share of the contexts of each kind in which nothing is shown.
    """

    ndcg5: float | None
    hit_recall: float | None
    precision: float | None
    shown_precision: float | None
    silent: dict[str, float]
    floor: float
    contexts: int


def ndcg(ranking: Ranking, relevant: Mapping[str, int], top: int = TOP) -> float:
    """Normalised discounted cumulative gain of the first ``top``, gain 2^grade − 1, discount log2(place + 1).

    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques (2002).
    """
    gains = [2 ** relevant.get(id, 0) - 1 for id, _ in ranking[:top]]
    ideal = sorted((2**grade - 1 for grade in relevant.values()), reverse=True)[:top]
    best = sum(gain / math.log2(place + 2) for place, gain in enumerate(ideal))
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)) / best if best else 0.0


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def figures(cases: Sequence[LabelledCase], rankings: Sequence[Ranking], floor: float | Sequence[float]) -> QualityFigures:
    """The figures at one floor, or with a floor of its own for each case."""
    floors = [floor] * len(cases) if isinstance(floor, (int, float)) else list(floor)
    shown = [[id for id, score in ranking[:TOP] if score >= limit] for ranking, limit in zip(rankings, floors, strict=True)]
    right = [[id for id in ids if case.relevant.get(id)] for case, ids in zip(cases, shown, strict=True)]
    kinds = sorted({case.sort for case in cases})
    hits = [place for place, case in enumerate(cases) if case.sort == HIT]
    return QualityFigures(
        ndcg5=_mean(ndcg(ranking, case.relevant) for case, ranking in zip(cases, rankings, strict=True) if case.relevant),
        hit_recall=_mean(float(bool(right[place])) for place in hits),
        precision=_mean(len(right[place]) / len(shown[place]) for place in hits if shown[place]),
        shown_precision=_mean(float(id in ids) for all_, ids in zip(shown, right, strict=True) for id in all_),
        silent={
            kind: 1 - sum(bool(ids) for case, ids in zip(cases, shown, strict=True) if case.sort == kind) / of_kind
            for kind in kinds
            if (of_kind := sum(case.sort == kind for case in cases))
        },
        floor=sum(floors) / len(floors) if floors else 0.0,
        contexts=len(cases),
    )


def silencing_floor(cases: Sequence[LabelledCase], rankings: Sequence[Ranking]) -> float:
    """The lowest floor at which the two shares above stay silent; 0 where the set has no context of those kinds."""
    floor = 0.0
    for kind, share in ((UNRELATED, UNRELATED_SILENT), (SAME_WORDS, SAME_WORDS_SILENT)):
        best = sorted(
            max((score for _, score in ranking[:1]), default=0.0)
            for case, ranking in zip(cases, rankings, strict=True)
            if case.sort == kind
        )
        if best:
            loudest = best[max(0, math.ceil(share * len(best) - 1e-9) - 1)]
            floor = max(floor, math.nextafter(loudest, math.inf))
    return floor


def curve(cases: Sequence[LabelledCase], rankings: Sequence[Ranking], floors: Iterable[float]) -> list[QualityFigures]:
    """The figures over a range of floors."""
    return [figures(cases, rankings, floor) for floor in floors]
