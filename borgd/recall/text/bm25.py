"""Okapi BM25 over named documents, with postings in numpy and appends that the next query sees.

Promises: exactly the scores of rank_bm25's BM25Okapi with this idf; only the distinct words of a query count; idf is
never negative, so one, two or three documents work. An append touches its own postings only, nothing is rebuilt.
Must not know what a lesson is. Not safe for use by two threads at once.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with Lucene's idf.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
"""baseline: how soon repeats of a word within a document stop counting."""

B = 0.75
"""baseline: how much a document's length counts against it."""

DENSE_SHARE = 1 / 8
"""method: a word in a larger share of the documents than this is added as one full row instead of posting by posting."""

HEAD = 256
"""method: how many documents are put in order before the rest is."""

COMPACT_SHARE = 0.5
"""method: the arrays are packed when more than this share of the documents was removed, so removal stays cheap too."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Postings:
    """One term: the documents it occurs in, by number, and which (tf, length) shape it has there; ``live`` of them are left.

    ``at`` and ``impacts`` (idf × saturated frequency) are arrays of that, once the term is settled; a common term has a
    ``row`` over all documents besides.
    """

    __slots__ = ("at", "impacts", "live", "numbers", "row", "shapes")

    def __init__(self) -> None:
        self.numbers = array("q")
        self.shapes = array("q")
        self.live = 0
        self.at: Ints = np.empty(0, np.int64)
        self.impacts: Floats = np.empty(0)
        self.row: Floats | None = None


class Bm25:
    """An index over documents named by strings; a document is a list of words."""

    def __init__(self, *, k1: float = K1, b: float = B) -> None:
        self._k1 = k1
        self._b = b
        self._clear()

    def _clear(self) -> None:
        self._terms: dict[str, _Postings] = {}
        self._content: dict[str, Counter[str]] = {}
        self._number: dict[str, int] = {}
        self._documents = 0
        self._live_words = 0
        self._shape_ids: dict[tuple[int, int], int] = {}
        self._settled: dict[str, _Postings] = {}
        self._stale = True
        self._table: Floats = np.empty(0)
        self._spare: tuple[Ints, Floats] = (np.empty(0, np.int64), np.empty(0))
        self._numbers: Ints = np.empty(0, np.int64)
        self._order: list[str] = []

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self._number)

    def __contains__(self, name: str) -> bool:
        return name in self._number

    @property
    def names(self) -> Sequence[str]:
        """Names in the order of their first addition since the last packing; the order of ``scores``."""
        self._refresh()
        return self._order

    def add(self, name: str, words: Iterable[str]) -> None:
        """Add a document; one of that name is replaced."""
        self.remove(name)
        self._append(name, Counter(words))

    def _append(self, name: str, counts: Counter[str]) -> None:
        number = self._number[name] = self._documents
        self._content[name] = counts
        length = counts.total()
        for term, repeats in counts.items():
            postings = self._terms.get(term)
            if postings is None:
                postings = self._terms[term] = _Postings()
            postings.numbers.append(number)
            postings.shapes.append(self._shape_ids.setdefault((repeats, length), len(self._shape_ids)))
            postings.live += 1
        self._documents += 1
        self._live_words += length
        self._stale = True

    def remove(self, name: str) -> None:
        """Forget a document; one that is not there is no error."""
        if self._number.pop(name, None) is None:
            return
        counts = self._content.pop(name)
        for term in counts:
            self._terms[term].live -= 1
        self._live_words -= counts.total()
        self._stale = True
        if len(self._number) < self._documents * COMPACT_SHARE:
            content = self._content
            self._clear()
            for kept, words in content.items():
                self._append(kept, words)

    def idf(self, term: str) -> float:
        """ln(1 + (N − n + ½)/(n + ½)), N documents, n of them with ``term``; 0 for a term that none has."""
        having = self.frequency(term)
        return math.log(1 + (len(self._number) - having + 0.5) / (having + 0.5)) if having else 0.0

    def frequency(self, term: str) -> int:
        """How many documents have ``term``."""
        postings = self._terms.get(term)
        return 0 if postings is None else postings.live

    def scores(self, words: Iterable[str], weights: Mapping[str, float] | None = None) -> Floats:
        """One score for each document, in the order of ``names``, for the distinct ``words``.

        :param weights: a factor for single words' idf, 1 for those that are not in it.
        """
        if not self._number:
            return np.empty(0)
        scores = self._by_number(words, weights)
        if len(self._number) == self._documents:
            return scores
        kept: Floats = scores[self._numbers]
        return kept

    def ranked(self, words: Iterable[str], weights: Mapping[str, float] | None = None) -> Iterator[tuple[str, float]]:
        """Documents with a score above 0, best first, equal ones in the order of ``names``; lazily, so ask for few."""
        scores = self.scores(words, weights)
        names = self.names
        first = min(len(scores), HEAD)
        floor = float(np.partition(scores, -first)[-first]) if first else 0.0
        for chosen in (scores >= floor, scores < floor):
            places = np.flatnonzero(chosen & (scores > 0))
            for place in places[np.argsort(-scores[places], kind="stable")].tolist():
                yield names[place], float(scores[place])

    def _by_number(self, words: Iterable[str], weights: Mapping[str, float] | None) -> Floats:
        self._refresh()
        settled = self._settled
        common: list[tuple[str, Floats]] = []
        names: list[str] = []
        places: list[Ints] = []
        impacts: list[Floats] = []
        for term in set(words):
            postings = settled.get(term)
            if postings is None:
                postings = self._settle(term)
                if postings is None:
                    continue
            if postings.row is not None:
                common.append((term, postings.row))
            else:
                names.append(term)
                places.append(postings.at)
                impacts.append(postings.impacts)
        sizes = list(map(len, places))
        at, joined = self._room(max(sum(sizes), self._documents))
        at, added = at[: sum(sizes)], joined[: sum(sizes)]
        if places:
            np.concatenate(places, out=at)
            np.concatenate(impacts, out=added)
            if weights is not None:
                added *= np.repeat([weights.get(term, 1.0) for term in names], sizes)
        total: Floats = np.bincount(at, added, self._documents).astype(np.float64, copy=False)
        for term, row in common:
            factor = 1.0 if weights is None else weights.get(term, 1.0)
            total += row if factor == 1.0 else np.multiply(row, factor, out=joined[: self._documents])
        return total

    def _room(self, size: int) -> tuple[Ints, Floats]:
        """Two arrays to join postings in, kept from query to query: fresh pages cost more than the sums."""
        if size > len(self._spare[0]):
            self._spare = (np.empty(2 * size, np.int64), np.empty(2 * size))
        return self._spare[0][:size], self._spare[1][:size]

    def _refresh(self) -> None:
        """The saturated frequency of each (tf, length) that occurs; a few hundred numbers, made anew after a change."""
        if not self._stale:
            return
        shapes = np.array(list(self._shape_ids), np.float64).reshape(-1, 2)
        average = self._average()
        frequency, length = shapes[:, 0], shapes[:, 1]
        self._table = frequency * (self._k1 + 1) / (frequency + self._k1 * (1 - self._b + self._b * length / average))
        self._order = list(self._number)
        self._numbers = np.array(list(self._number.values()), np.int64)
        self._settled.clear()
        self._stale = False

    def _average(self) -> float:
        """Words a document; 1 where there are none."""
        return self._live_words / len(self._number) if self._live_words else 1.0

    def _settle(self, term: str) -> _Postings | None:
        """Bring one term up to the present state of the index; None for a term that no document has."""
        postings = self._terms.get(term)
        if postings is None or postings.live == 0:
            return None
        postings.at = np.array(postings.numbers, np.int64)
        postings.impacts = self.idf(term) * self._table[np.array(postings.shapes, np.int64)]
        postings.row = None
        if len(postings.at) > self._documents * DENSE_SHARE:
            row: Floats = np.bincount(postings.at, postings.impacts, self._documents).astype(np.float64, copy=False)
            postings.row = row
        self._settled[term] = postings
        return postings

    def explain(self, words: Iterable[str], name: str, weights: Mapping[str, float] | None = None) -> dict[str, float]:
        """What each matched word adds to the document's score, largest first; empty for one that is not there."""
        counts = self._content.get(name)
        if counts is None:
            return {}
        norm = self._k1 * (1 - self._b + self._b * counts.total() / self._average())
        parts = {
            term: self.idf(term)
            * (1.0 if weights is None else weights.get(term, 1.0))
            * (counts[term] * (self._k1 + 1) / (counts[term] + norm))
            for term in set(words) & counts.keys()
        }
        return dict(sorted(parts.items(), key=lambda item: (-item[1], item[0])))
