"""Which lesson a person's correction speaks against: the one whose own words it holds, and not those of its neighbours.

Lessons about one system share its nouns, so words that several lessons have say nothing of any one of them. What no lesson
clearly answers to counts against none. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from borgd.lessons.lesson import Lesson
from borgd.recall.near_duplicates import likeness, words
from borgd.recall.text.document_frequencies import ContextPrior, stems_of

SAME = 0.8
"""design: likeness of two questions from which they are one, and no neighbours."""
CLEARLY = 0.4
"""design: by how much, as a share of its own, a lesson must exceed its nearest neighbour."""
LEAST_WORDS = 2
"""guard: words that only this lesson has among its neighbours, at least; one may be an accident."""


def contradicted(
    correction: str, told: Collection[str], neighbours: Mapping[str, Lesson], prior: ContextPrior
) -> dict[str, float]:
    """Lesson ids of ``told`` that ``correction`` speaks against, each with its share in (0, 1]; mostly none or one.

    :param neighbours: the lessons that the correction could be about, those of ``told`` among them.
    :param prior: how common stems are in what sessions work on.
    """
    groups = _groups(neighbours)
    systems = {stem for lesson in neighbours.values() for name in lesson.scope for stem in stems_of(name)}
    said = stems_of(correction) - systems
    hits = [said & set().union(*(_stems(neighbours[name]) for name in group)) for group in groups]
    holders = {stem: sum(stem in hit for hit in hits) for stem in said}
    others = max(1, len(groups) - 1)
    scores = [
        math.fsum(-math.log(prior.share(stem)) * (1 - (holders[stem] - 1) / others) for stem in sorted(hit)) for hit in hits
    ]
    order = sorted(range(len(groups)), key=lambda place: (-scores[place], groups[place]))
    if not order or scores[order[0]] <= 0:
        return {}
    best, second = order[0], scores[order[1]] if len(order) > 1 else 0.0
    share = (scores[best] - second) / scores[best]
    if share < CLEARLY or sum(holders[stem] == 1 for stem in hits[best]) < LEAST_WORDS:
        return {}
    return {name: share for name in groups[best] if name in told}


def _stems(lesson: Lesson) -> set[str]:
    return stems_of("\n".join((lesson.question, lesson.consequence, lesson.overrides, *lesson.situations, *lesson.facets)))


def _groups(lessons: Mapping[str, Lesson]) -> list[list[str]]:
    """Lessons that ask the same, together; each group and all of them in a fixed order."""
    groups: list[list[str]] = []
    for name in sorted(lessons):
        mine = words(lessons[name].question)
        same = (group for group in groups if likeness(mine, words(lessons[group[0]].question)) >= SAME)
        near = next(same, None)
        if near is None:
            groups.append([name])
        else:
            near.append(name)
    return groups
