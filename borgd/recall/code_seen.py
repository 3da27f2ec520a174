"""What a piece of work edited, wrote and ran: distinct stems and pattern hits, read once per event and kept bounded.

Beside them, which patterns matched what was asked for: a person names a point before any code shows it.

Promises: never the text, nor the order of its words; both bounds hold whatever is added. Must not know sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from borgd.lessons.patterns import NONE_MATCHED, TEXT_CHARS, PatternHits
from borgd.recall.work import stems

STEMS = 3000
"""guard: distinct stems of edited code that a session remembers; the first ones go first."""
STEM_CHARS = 40
"""guard: a longer word is a key, a hash or a blob, and no word."""
HITS = 1000
"""guard: lessons whose patterns matched that a session remembers."""


class SeenCode:
    """The code of one session, or of one prompt's work."""

    def __init__(self) -> None:
        self._stems: dict[str, None] = {}
        self._hits: dict[str, PatternHits] = {}
        self._said: dict[str, PatternHits] = {}

    @property
    def stems(self) -> frozenset[str]:
        """The distinct stems."""
        return frozenset(self._stems)

    @property
    def hits(self) -> Mapping[str, PatternHits]:
        """Which patterns matched so far, by lesson."""
        return dict(self._hits)

    @property
    def said(self) -> Mapping[str, PatternHits]:
        """Which patterns matched what was asked for, by lesson."""
        return dict(self._said)

    def ask(self, hits: Mapping[str, PatternHits]) -> None:
        """Take in which patterns a prompt matched."""
        _join(self._said, hits)

    def add(self, stems: Iterable[str], hits: Mapping[str, PatternHits]) -> list[str]:
        """Take in what one event wrote; returns the stems that are new."""
        new = [one for one in dict.fromkeys(stems) if one not in self._stems]
        self._stems.update(dict.fromkeys(new))
        while len(self._stems) > STEMS:
            del self._stems[next(iter(self._stems))]
        _join(self._hits, hits)
        return new

    def forget(self, lesson: str) -> None:
        """A lesson is gone, or has other patterns now: what matched of it says nothing any more."""
        self._hits.pop(lesson, None)
        self._said.pop(lesson, None)

    def clear(self) -> None:
        """Another prompt's work begins."""
        self._stems.clear()
        self._hits.clear()
        self._said.clear()


def _join(known: dict[str, PatternHits], hits: Mapping[str, PatternHits]) -> None:
    for name, hit in hits.items():
        known[name] = known.pop(name, NONE_MATCHED) | hit
    while len(known) > HITS:
        del known[next(iter(known))]


def added(new: str, old: str) -> str:
    """The lines of ``new`` that are not in ``old``: what an edit wrote, without what it had to repeat."""
    known = {line.strip() for line in old.split("\n")}
    return "\n".join(line for line in new.split("\n") if line.strip() not in known)


def code_stems(text: str) -> list[str]:
    """The stems of code, identifiers split; of a long text the first TEXT_CHARS characters."""
    return [one for one in stems(text[:TEXT_CHARS]) if len(one) <= STEM_CHARS]
