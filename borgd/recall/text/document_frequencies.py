"""How common each stem is in what sessions work on: document frequencies over contexts, and nothing else.

A word that half of all contexts hold ("test", "add", "error") says nothing about which lesson applies. Promises: keeps
counts of stems only, never the text or the order of its words. Reads no file but the shipped counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from borgd.recall.text.spelling import term
from borgd.recall.text.words import tokens

SHIPPED_CONTEXTS = 75.0
"""tuned: tests/perf/bench_recall_quality.py; as how many contexts of one's own the shipped ones count. With more, words
that they lack look rarer than they are, and evidence falls as soon as a machine has counted contexts of its own."""

UNSEEN = 0.5
"""method: a stem is taken to have been in half a context more than it was counted in, so that no chance is 0."""

TYPICAL_STEMS = 90.0
"""baseline: distinct stems of a context, where nothing was counted yet."""


def stems_of(text: str) -> set[str]:
    """The distinct stems of a text."""
    return {term(token) for token in tokens(text)}


class ContextPrior:
    """Counts over contexts.

    :param contexts: how many contexts were counted; not negative.
    :param stems: how many distinct stems they had, summed over the contexts.
    :param counts: in how many of them each stem was; rare ones may be left out.
    """

    def __init__(self, contexts: float = 0.0, stems: float = 0.0, counts: Mapping[str, float] | None = None) -> None:
        self.contexts = contexts
        self.stems = stems
        self.counts: dict[str, float] = dict(counts or {})

    @classmethod
    def shipped(cls) -> ContextPrior:
        """A copy of what comes with the program, to be added to."""
        contexts, stems, counts = _shipped()
        return cls(contexts, stems, counts)

    def add(self, text: str) -> None:
        """Count one context."""
        self.add_stems(stems_of(text))

    def add_stems(self, stems: Iterable[str]) -> None:
        """Count one context given as its stems; repeats count once."""
        distinct = set(stems)
        self.contexts += 1
        self.stems += len(distinct)
        for one in distinct:
            self.counts[one] = self.counts.get(one, 0.0) + 1

    def remove_stems(self, stems: Iterable[str]) -> None:
        """Take back one context that was added, to leave it out of its own judgement."""
        distinct = set(stems)
        self.contexts -= 1
        self.stems -= len(distinct)
        for one in distinct:
            self.counts[one] -= 1

    @property
    def typical(self) -> float:
        """How many distinct stems a context has, in the mean; at least 1."""
        return max(1.0, self.stems / self.contexts) if self.contexts > 0 else TYPICAL_STEMS

    def share(self, one: str) -> float:
        """The share of contexts that hold a stem, in (0, 1)."""
        return (self.counts.get(one, 0.0) + UNSEEN) / (self.contexts + 2 * UNSEEN)

    def plain(self) -> dict[str, object]:
        """Plain values for storing."""
        counts = {one: count for one, count in sorted(self.counts.items()) if count > 0}
        return {"contexts": self.contexts, "stems": self.stems, "counts": counts}

    @classmethod
    def from_plain(cls, value: Mapping[str, object]) -> ContextPrior:
        """The inverse of ``plain``. What is not a finite positive number is left out, never an error."""
        counts = value.get("counts")
        items = counts.items() if isinstance(counts, Mapping) else ()
        kept = {str(one): number for one, count in items if (number := _number(count)) > 0}
        contexts = _number(value.get("contexts"))
        return cls(contexts, _number(value.get("stems")), {one: min(count, contexts) for one, count in kept.items()})


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return 0.0
    return max(0.0, float(value))


@cache
def _shipped() -> tuple[float, float, dict[str, float]]:
    counted = {"contexts": 1.0, "stems": 0.0}
    raw: dict[str, float] = {}
    text = files("borgd.recall.text").joinpath("document_frequencies.txt").read_text("utf-8")
    for line in text.split("\n"):
        first, *stems = line.split() or ["#"]
        if first in counted:
            counted[first] = float(stems[0])
        elif first != "#":
            raw.update(dict.fromkeys(stems, float(first)))
    factor = SHIPPED_CONTEXTS / counted["contexts"]
    return SHIPPED_CONTEXTS, counted["stems"] * factor, {stem: count * factor for stem, count in raw.items()}
