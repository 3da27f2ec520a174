"""Okapi BM25 over groups of documents, with postings in numpy and appends that the next query sees.

Promises: a group scores its best document plus ``second`` times its second best; document frequency counts groups;
only the distinct words of a query count; idf is never negative, so one, two or three groups work. One document a
group gives exactly rank_bm25's BM25Okapi with this idf. An append touches its own postings only, nothing is rebuilt.
Must not know what a lesson is. Not safe for use by two threads at once.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with Lucene's idf.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
"""baseline: how soon repeats of a word within a document stop counting."""

B = 0.75
"""baseline: how much a document's length counts against it."""

DENSE_SHARE = 1 / 16
"""method: a word in a larger share of the documents than this is added as one full row instead of posting by posting."""

COMPACT_SHARE = 0.5
"""method: the arrays are packed when more than this share of the documents was removed, so removal stays cheap too."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Postings:
    """One term: where it occurs (ascending document numbers), which (tf, length) shape it has there, and impacts."""

    __slots__ = ("age", "documents", "groups", "impacts", "row", "shapes", "size")

    def __init__(self) -> None:
        self.documents: Ints = np.empty(4, np.int64)
        self.shapes: Ints = np.empty(4, np.int64)
        self.size = 0
        self.groups = 0
        self.age = -1
        self.impacts: Floats = np.empty(0)
        self.row: Floats | None = None

    def append(self, document: int, shape: int) -> None:
        if self.size == len(self.documents):
            self.documents = np.concatenate([self.documents, np.empty(self.size, np.int64)])
            self.shapes = np.concatenate([self.shapes, np.empty(self.size, np.int64)])
        self.documents[self.size] = document
        self.shapes[self.size] = shape
        self.size += 1


class Bm25:
    """An index over groups named by strings.

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
        self._starts: list[int] = []
        self._documents = 0
        self._live_documents = 0
        self._live_words = 0
        self._shape_ids: dict[tuple[int, int], int] = {}
        self._age = 0
        self._table: Floats = np.empty(0)
        self._table_age = -1
        self._starts_array: Ints = np.empty(0, np.int64)

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._slot)

    def __contains__(self, group: str) -> bool:
        return group in self._slot

    @property
    def groups(self) -> list[str]:
        """Names in the order of their first addition since the last packing; the order of ``scores``."""
        return list(self._slot)

    def add(self, group: str, documents: Sequence[Sequence[str]]) -> None:
        """Add a group, each document a list of its words; a group of that name is replaced.

        A group without a document gets one empty document, so that it exists and scores 0.
        """
        self.remove(group)
        counts = [Counter(document) for document in documents] or [Counter()]
        self._content[group] = counts
        self._append(group, counts)

    def _append(self, group: str, counts: list[Counter[str]]) -> None:
        self._slot[group] = len(self._names)
        self._names.append(group)
        self._starts.append(self._documents)
        seen: set[str] = set()
        for count in counts:
            length = count.total()
            for term, repeats in count.items():
                postings = self._terms.get(term)
                if postings is None:
                    postings = self._terms[term] = _Postings()
                shape = self._shape_ids.setdefault((repeats, length), len(self._shape_ids))
                postings.append(self._documents, shape)
                if term not in seen:
                    seen.add(term)
                    postings.groups += 1
            self._documents += 1
            self._live_documents += 1
            self._live_words += length
        self._age += 1

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
        self._age += 1
        if self._live_documents < self._documents * COMPACT_SHARE:
            content = self._content
            self._clear()
            for name, kept in content.items():
                self._content[name] = kept
                self._append(name, kept)

    def idf(self, term: str) -> float:
        """ln(1 + (N − n + ½)/(n + ½)), N groups, n of them with ``term``; 0 for a term that no group has."""
        postings = self._terms.get(term)
        if postings is None or postings.groups == 0:
            return 0.0
        return math.log(1 + (len(self._slot) - postings.groups + 0.5) / (postings.groups + 0.5))

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
        kept: Floats = by_slot[np.fromiter(self._slot.values(), np.int64, len(self._slot))]
        return kept

    def _by_document(self, words: Iterable[str], weights: Mapping[str, float] | None) -> Floats:
        self._refresh()
        sparse: list[_Postings] = []
        factors: list[float] = []
        total: Floats = np.zeros(self._documents)
        dense = max(1.0, self._documents * DENSE_SHARE)
        live = len(self._slot)
        for term in set(words):
            postings = self._terms.get(term)
            if postings is None or postings.groups == 0:
                continue
            factor = math.log(1 + (live - postings.groups + 0.5) / (postings.groups + 0.5))
            if weights is not None:
                factor *= weights.get(term, 1.0)
            if postings.age != self._age:
                self._impacts(postings, postings.size > dense)
            if postings.row is not None:
                total += factor * postings.row
            else:
                sparse.append(postings)
                factors.append(factor)
        if sparse:
            documents = np.concatenate([postings.documents[: postings.size] for postings in sparse])
            impacts = np.concatenate([postings.impacts for postings in sparse])
            impacts *= np.repeat(factors, [postings.size for postings in sparse])
            total += np.bincount(documents, impacts, self._documents)
        return total

    def _refresh(self) -> None:
        """The saturated frequency of each (tf, length) that occurs; a few hundred numbers, made anew after a change."""
        if self._table_age == self._age:
            return
        shapes = np.array(list(self._shape_ids), np.float64).reshape(-1, 2)
        average = self._live_words / self._live_documents if self._live_words else 1.0
        frequency, length = shapes[:, 0], shapes[:, 1]
        self._table = frequency * (self._k1 + 1) / (frequency + self._k1 * (1 - self._b + self._b * length / average))
        self._starts_array = np.array(self._starts, np.int64)
        self._table_age = self._age

    def _impacts(self, postings: _Postings, dense: bool) -> None:
        postings.impacts = self._table[postings.shapes[: postings.size]]
        postings.row = None
        if dense:
            postings.row = np.zeros(self._documents)
            postings.row[postings.documents[: postings.size]] = postings.impacts
        postings.age = self._age

    def _by_group(self, documents: Floats) -> Floats:
        """Best plus ``second`` × second best of each group's run of documents."""
        starts = self._starts_array
        if len(starts) == self._documents:
            return documents
        best: Floats = np.maximum.reduceat(documents, starts)
        if self.second:
            sizes = np.diff(starts, append=self._documents)
            at_best = documents == np.repeat(best, sizes)
            first = np.minimum.reduceat(np.where(at_best, np.arange(self._documents), self._documents), starts)
            rest = documents.copy()
            rest[first] = 0.0
            best = best + self.second * np.maximum.reduceat(rest, starts)
        return best

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
