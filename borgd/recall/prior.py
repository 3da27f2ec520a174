"""How common each stem is in what sessions work on: document frequencies over contexts, and nothing else.

A word that half of all contexts hold ("test", "add", "error") says nothing about which lesson applies. Promises: keeps
counts of stems only, never the text or the order of its words. Must not read files; the shipped counts come as values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from borgd.recall.stems import stem
from borgd.recall.words import tokens

SHIPPED_WEIGHT = 1.0
"""design: how many contexts of one's own one shipped context counts as."""


def stems_of(text: str) -> set[str]:
    """The distinct stems of a text."""
    return {stem(token) for token in tokens(text)}


class ContextPrior:
    """Counts of contexts by stem, shipped and own together.

    :param contexts: how many contexts were counted.
    :param counts: in how many of them each stem was.
    """

    def __init__(self, contexts: float = 0, counts: Mapping[str, float] | None = None) -> None:
        self.contexts = contexts
        self.counts: dict[str, float] = dict(counts or {})

    @classmethod
    def shipped(cls) -> ContextPrior:
        """A copy of what comes with the program."""
        return cls(*_shipped())

    @classmethod
    def of(cls, texts: Iterable[str]) -> ContextPrior:
        """The counts over ``texts`` alone."""
        prior = cls()
        for text in texts:
            prior.add(text)
        return prior

    def add(self, text: str) -> None:
        """Count one context."""
        self.add_stems(stems_of(text))

    def add_stems(self, stems: Iterable[str]) -> None:
        """Count one context that is already in stems."""
        self.contexts += 1
        for one in stems:
            self.counts[one] = self.counts.get(one, 0) + 1

    def remove_stems(self, stems: Iterable[str]) -> None:
        """Uncount one context, for leaving one out."""
        self.contexts -= 1
        for one in stems:
            self.counts[one] = self.counts.get(one, 0) - 1

    def rarity(self, one: str) -> float:
        """ln(1 + (N − n + ½)/(n + ½)) over contexts: about 0 for a stem that all have, ln(2N + 2) for a new one."""
        seen = min(self.contexts, max(0.0, self.counts.get(one, 0)))
        return math.log(1 + (self.contexts - seen + 0.5) / (seen + 0.5))

    def plain(self) -> dict[str, object]:
        """Plain values for storing: ``contexts`` and ``counts``."""
        return {"contexts": self.contexts, "counts": dict(sorted(self.counts.items()))}

    @classmethod
    def from_plain(cls, value: Mapping[str, object]) -> ContextPrior:
        """The inverse of ``plain``; counts that are not positive numbers are left out."""
        contexts = value.get("contexts")
        counts = value.get("counts")
        kept = {
            str(key): float(count)
            for key, count in (counts.items() if isinstance(counts, Mapping) else ())
            if isinstance(count, (int, float)) and count > 0
        }
        return cls(float(contexts) if isinstance(contexts, (int, float)) else 0.0, kept)


@cache
def _shipped() -> tuple[float, dict[str, float]]:
    return 0.0, {}
