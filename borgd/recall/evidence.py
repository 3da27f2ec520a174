"""How strongly a context speaks for each lesson: the evidence that MATCH_FLOOR is compared with.

Promises: evidence is in (0, 1); a scoped lesson none of whose scopes is named gets none; the parts add up to what a
person can read in ``why``. Must not rank by belief or trust (that is ``rank``) nor know what was shown before.
"""

from __future__ import annotations

from typing import NamedTuple

from borgd.lessons.lesson import Lesson
from borgd.recall.bm25 import Bm25
from borgd.recall.context import Context
from borgd.recall.prior import ContextPrior, stems_of
from borgd.recall.scope import named_scopes
from borgd.recall.stems import stem
from borgd.recall.words import tokens

MATCH_FLOOR = 0.5
"""tuned: tests/perf/bench_recall_quality.py; below it nothing is recalled."""


class Match(NamedTuple):
    """One lesson's evidence in one context. ``parts`` is filled on request: each named part and each matched stem."""

    id: str
    evidence: float
    scoped: bool
    in_scope: bool
    parts: dict[str, float]


class Index:
    """Lessons, ready to be matched; an added lesson is seen by the next match, nothing is rebuilt."""

    def __init__(self) -> None:
        self._lessons: dict[str, Lesson] = {}
        self._bm25 = Bm25()

    def __len__(self) -> int:
        return len(self._lessons)

    def add(self, lesson: Lesson) -> None:
        """Take a lesson in; one with the same id is replaced unless its version is newer."""
        known = self._lessons.get(lesson.id)
        if known is not None and known.version > lesson.version:
            return
        self._lessons[lesson.id] = lesson
        text = "\n".join((lesson.question, *lesson.facets, *lesson.situations, lesson.consequence))
        self._bm25.add(lesson.id, [[stem(token) for token in tokens(text)]])

    def remove(self, id: str) -> None:
        """Forget a lesson; one that is not there is no error."""
        if self._lessons.pop(id, None) is not None:
            self._bm25.remove(id)

    def match(self, context: Context, prior: ContextPrior | None = None, explain: bool = False) -> list[Match]:
        """The lessons that ``context`` speaks for, best first, equal ones by id; only those with evidence above 0."""
        where = f"{context.text}\n{context.cwd}\n{context.remote}"
        named = set(named_scopes({name for lesson in self._lessons.values() for name in lesson.scope}, where))
        words = stems_of(context.text)
        weights = {word: prior.rarity(word) for word in words} if prior is not None and prior.contexts else None
        scores = self._bm25.scores(words, weights)
        matches: list[Match] = []
        for id, score in zip(self._bm25.groups, scores.tolist(), strict=True):
            lesson = self._lessons[id]
            in_scope = not lesson.scope or not named.isdisjoint(lesson.scope)
            if score > 0 and in_scope:
                parts = self._bm25.explain(words, id, weights) if explain else {}
                matches.append(Match(id, score / (score + 20), bool(lesson.scope), in_scope, parts))
        matches.sort(key=lambda match: (-match.evidence, match.id))
        return matches
