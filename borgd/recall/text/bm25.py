"""Okapi BM25 over groups of documents, with postings in numpy and appends that the next query sees.

Promises: a group scores its best document plus ``second`` times its second best; document frequency counts groups;
only the distinct words of a query count; idf is never negative, so one, two or three groups work. One document a
group gives exactly rank_bm25's BM25Okapi with this idf. An append touches its own postings only, nothing is rebuilt.
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
"""method: how many groups are put in order before the rest is."""

COMPACT_SHARE = 0.5
"""method: the arrays are packed when more than this share of the documents was removed, so removal stays cheap too."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Postings:
    """One term: where it occurs (a document's layer, and its number there) and which (tf, length) shape it has there.

    ``at`` and ``impacts`` (idf × saturated frequency) are arrays of that, once the term is settled; a common term has a
    ``row`` over all documents besides.
    """

    __slots__ = ("at", "groups", "impacts", "layers", "numbers", "row", "shapes")

    def __init__(self) -> None:
        self.layers = array("q")
        self.numbers = array("q")
        self.shapes = array("q")
        self.groups = 0
        self.at: Ints = np.empty(0, np.int64)
        self.impacts: Floats = np.empty(0)
        self.row: Floats | None = None


class Bm25:
    """An index over groups named by strings.

    Documents lie in layers: the first documents of all groups, then the second ones, and so on, so that the best of
    each group is a maximum over a few long arrays.

    :param second: what share of its second best document a group's score gets on top of its best, 0 to 1.
    """

    def __init__(self, second: float = 0.0, *, k1: float = K1, b: float = B) -> None:
        self.second = second
        self._k1 = k1
        self._b = b
        self._clear()

    def _clear(self) -> None:
        self._terms: dict[str, _Postings] = {}
        self._content: dict[str, list[Counter[str]]] = {}
        self._slot: dict[str, int] = {}
        self._names: list[str | None] = []
        self._layers: list[array[int]] = []
        self._documents = 0
        self._live_documents = 0
        self._live_words = 0
        self._shape_ids: dict[tuple[int, int], int] = {}
        self._settled: dict[str, _Postings] = {}
        self._stale = True
        self._table: Floats = np.empty(0)
        self._offsets: Ints = np.zeros(1, np.int64)
        self._members: list[Ints] = []
        self._spare: tuple[Ints, Floats] = (np.empty(0, np.int64), np.empty(0))
        self._slots: Ints = np.empty(0, np.int64)
        self._order: list[str] = []

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._slot)

    def __contains__(self, group: str) -> bool:
        return group in self._slot

    @property
    def groups(self) -> Sequence[str]:
        """Names in the order of their first addition since the last packing; the order of ``scores``."""
        self._refresh()
        return self._order

    def add(self, group: str, documents: Sequence[Sequence[str]]) -> None:
        """Add a group, each document a list of its words; a group of that name is replaced.

        A group without a document gets one empty document, so that it exists and scores 0.
        """
        self.remove(group)
        counts = [Counter(document) for document in documents] or [Counter()]
        self._content[group] = counts
        self._append(group, counts)

    def _append(self, group: str, counts: list[Counter[str]]) -> None:
        slot = self._slot[group] = len(self._names)
        self._names.append(group)
        seen: set[str] = set()
        for layer, count in enumerate(counts):
            if layer == len(self._layers):
                self._layers.append(array("q"))
            number = len(self._layers[layer])
            self._layers[layer].append(slot)
            length = count.total()
            for term, repeats in count.items():
                postings = self._terms.get(term)
                if postings is None:
                    postings = self._terms[term] = _Postings()
                shape = self._shape_ids.setdefault((repeats, length), len(self._shape_ids))
                postings.layers.append(layer)
                postings.numbers.append(number)
                postings.shapes.append(shape)
                if term not in seen:
                    seen.add(term)
                    postings.groups += 1
            self._documents += 1
            self._live_documents += 1
            self._live_words += length
        self._stale = True

    def remove(self, group: str) -> None:
        """Forget a group; one that is not there is no error."""
        slot = self._slot.pop(group, None)
        if slot is None:
            return
        counts = self._content.pop(group)
        self._names[slot] = None
        for term in {term for count in counts for term in count}:
            self._terms[term].groups -= 1
        self._live_documents -= len(counts)
        self._live_words -= sum(count.total() for count in counts)
        self._stale = True
        if self._live_documents < self._documents * COMPACT_SHARE:
            content = self._content
            self._clear()
            for name, kept in content.items():
                self._content[name] = kept
                self._append(name, kept)

    def idf(self, term: str) -> float:
        """ln(1 + (N − n + ½)/(n + ½)), N groups, n of them with ``term``; 0 for a term that no group has."""
        having = self.frequency(term)
        return math.log(1 + (len(self._slot) - having + 0.5) / (having + 0.5)) if having else 0.0

    def frequency(self, term: str) -> int:
        """How many groups have ``term``."""
        postings = self._terms.get(term)
        return 0 if postings is None else postings.groups

    def scores(self, words: Iterable[str], weights: Mapping[str, float] | None = None) -> Floats:
        """One score for each group, in the order of ``groups``, for the distinct ``words``.

        :param weights: a factor for single words' idf, 1 for those that are not in it.
        """
        if not self._slot:
            return np.empty(0)
        by_slot = self._by_group(self._by_document(words, weights))
        if len(self._slot) == len(self._names):
            return by_slot
        kept: Floats = by_slot[self._slots]
        return kept

    def ranked(self, words: Iterable[str], weights: Mapping[str, float] | None = None) -> Iterator[tuple[str, float]]:
        """Groups with a score above 0, best first, equal ones in the order of ``groups``; lazily, so ask for few."""
        scores = self.scores(words, weights)
        groups = self.groups
        first = min(len(scores), HEAD)
        floor = float(np.partition(scores, -first)[-first]) if first else 0.0
        for chosen in (scores >= floor, scores < floor):
            places = np.flatnonzero(chosen & (scores > 0))
            for place in places[np.argsort(-scores[places], kind="stable")].tolist():
                yield groups[place], float(scores[place])

    def _by_document(self, words: Iterable[str], weights: Mapping[str, float] | None) -> Floats:
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
        average = self._live_words / self._live_documents if self._live_words else 1.0
        frequency, length = shapes[:, 0], shapes[:, 1]
        self._table = frequency * (self._k1 + 1) / (frequency + self._k1 * (1 - self._b + self._b * length / average))
        self._members = [np.array(layer, np.int64) for layer in self._layers]
        self._offsets = np.cumsum([0, *map(len, self._layers)])
        self._order = list(self._slot)
        self._slots = np.array(list(self._slot.values()), np.int64)
        self._settled.clear()
        self._stale = False

    def _settle(self, term: str) -> _Postings | None:
        """Bring one term up to the present state of the index; None for a term that no group has."""
        postings = self._terms.get(term)
        if postings is None or postings.groups == 0:
            return None
        postings.at = self._offsets[np.array(postings.layers, np.int64)] + np.array(postings.numbers, np.int64)
        postings.impacts = self.idf(term) * self._table[np.array(postings.shapes, np.int64)]
        postings.row = None
        if len(postings.at) > self._documents * DENSE_SHARE:
            row: Floats = np.bincount(postings.at, postings.impacts, self._documents).astype(np.float64, copy=False)
            postings.row = row
        self._settled[term] = postings
        return postings

    def _by_group(self, documents: Floats) -> Floats:
        """Best plus ``second`` × second best of each group, layer by layer."""
        size = len(self._names)
        best = documents[:size]
        runner_up: Floats = np.zeros(size if self.second else 0)
        for offset, members in zip(self._offsets[1:-1].tolist(), self._members[1:], strict=True):
            layer = documents[offset : offset + len(members)]
            place: Ints | slice = slice(None) if len(members) == size else members
            if self.second:
                runner_up[place] = np.maximum(runner_up[place], np.minimum(best[place], layer))
            best[place] = np.maximum(best[place], layer)
        return best + self.second * runner_up if self.second else best

    def explain(self, words: Iterable[str], group: str, weights: Mapping[str, float] | None = None) -> dict[str, float]:
        """What each matched word adds to the score of the group's best document, largest first."""
        counts = self._content.get(group)
        if counts is None:
            return {}
        average = self._live_words / self._live_documents if self._live_words else 1.0
        best: dict[str, float] = {}
        for count in counts:
            norm = self._k1 * (1 - self._b + self._b * count.total() / average)
            parts = {
                term: self.idf(term)
                * (1.0 if weights is None else weights.get(term, 1.0))
                * (count[term] * (self._k1 + 1) / (count[term] + norm))
                for term in set(words) & count.keys()
            }
            if sum(parts.values()) > sum(best.values()):
                best = parts
        return dict(sorted(best.items(), key=lambda item: (-item[1], item[0])))
