"""BM25 over 100 to 100,000 lessons and contexts of 50, 400 and 3,000 words, beside rank-bm25, bm25s and a C kernel.

    python -m tests.perf.bench_recall_speed [LESSONS…]

Words follow Zipf's law over 20,000, seeded. Every engine gets the same documents, one a lesson, and each distinct word of
the context once; scores are checked against rank-bm25 with its idf swapped, to 1e-9. The C kernel looks the words up in a
dictionary and does the same sums over the same postings; "its bare sums" leave the looking up out. "append" is one
lesson added and the next query that sees it, beside building rank-bm25 anew. "The whole evidence" is not BM25 alone, but
all from the context's text to the ranked matches. Medians of interleaved rounds.
"""

from __future__ import annotations

import ctypes
import math
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from borgd.lessons.lesson import Lesson
from borgd.recall.context import Context
from borgd.recall.evidence import Index
from borgd.recall.text.bm25 import Bm25
from borgd.recall.text.document_frequencies import ContextPrior
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

SIZES = (100, 1_000, 10_000, 100_000)
TESTED = sized(SIZES[:2], SIZES[:1])
QUERIES = (50, 400, 3_000)
VOCABULARY = 20_000
WORDS_A_LESSON = 40
SLOW_LESSONS = 10_000
"""rank-bm25 is not run beyond this many lessons: it takes minutes."""
TOLERANCE = 1e-9

KERNEL = r"""
void scores(long terms, const long *spans, const long *documents, const double *impacts, long size, long per,
            double *sums, double *out) {
  for (long i = 0; i < size * per; i++) sums[i] = 0;
  for (long t = 0; t < terms; t++)
    for (long i = spans[2 * t]; i < spans[2 * t + 1]; i++) sums[documents[i]] += impacts[i];
  for (long g = 0; g < size; g++) {
    double best = sums[g * per];
    for (long i = 1; i < per; i++) if (sums[g * per + i] > best) best = sums[g * per + i];
    out[g] = best;
  }
}
"""


class Okapi(BM25Okapi):  # type: ignore[misc]
    def _calc_idf(self, nd: dict[str, int]) -> None:
        for word, count in nd.items():
            self.idf[word] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))


class Words:
    """Seeded words by Zipf's law."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        share = 1 / np.arange(1, VOCABULARY + 1)
        self._share = share / share.sum()
        self._words = np.array([f"word{number}" for number in range(VOCABULARY)])

    def take(self, count: int) -> list[str]:
        """``count`` words, with repeats."""
        taken: list[str] = self._words[self._random.choice(VOCABULARY, count, p=self._share)].tolist()
        return taken


class Kernel:
    """The same sums in C, over one flat array of postings; every lesson has the same number of documents."""

    def __init__(self, lessons: list[list[list[str]]], folder: str) -> None:
        source, library = Path(folder, "kernel.c"), Path(folder, "kernel.so")
        source.write_text(KERNEL, encoding="utf-8")
        subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        self._run = ctypes.CDLL(str(library)).scores
        self._size, self._per = len(lessons), len(lessons[0])
        flat = [document for lesson in lessons for document in lesson]
        table: dict[str, list[tuple[int, int]]] = {}
        for number, words in enumerate(flat):
            for word, tf in Counter(words).items():
                table.setdefault(word, []).append((number, tf))
        lengths = np.array([len(words) for words in flat], float)
        norm = (1.2 * (0.25 + 0.75 * lengths / lengths.mean())).tolist()
        documents: list[int] = []
        impacts: list[float] = []
        self._spans: dict[str, tuple[int, int]] = {}
        for word, places in table.items():
            having = len({number // self._per for number, _ in places})
            idf = math.log(1 + (self._size - having + 0.5) / (having + 0.5))
            self._spans[word] = (len(documents), len(documents) + len(places))
            documents += [number for number, _ in places]
            impacts += [idf * tf * 2.2 / (tf + norm[number]) for number, tf in places]
        self._documents, self._impacts = np.array(documents, np.int64), np.array(impacts)
        self._sums, self._out = np.zeros(len(flat)), np.zeros(self._size)

    def scores(self, words: list[str]) -> np.ndarray[Any, Any]:
        """Look the words up and sum: what a program with this kernel would do."""
        return self.sums(self.find(words))

    def find(self, words: list[str]) -> np.ndarray[Any, Any]:
        """Where the words' postings lie."""
        get = self._spans.get
        return np.array([span for word in set(words) if (span := get(word))], np.int64).reshape(-1, 2)

    def sums(self, spans: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The sums and the best of each lesson, in C alone."""
        before = [ctypes.c_void_p(one.ctypes.data) for one in (spans, self._documents, self._impacts)]
        after = [ctypes.c_void_p(one.ctypes.data) for one in (self._sums, self._out)]
        self._run(ctypes.c_long(len(spans)), *before, ctypes.c_long(self._size), ctypes.c_long(self._per), *after)
        return self._out


def medians(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """Milliseconds, medians of interleaved rounds, as many as fit into ``seconds``, three at least."""
    for call in calls.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < 3:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) * 1e3 for name, taken in times.items()}


def bm25s_call(lessons: list[list[str]], words: list[str]) -> Callable[[], Any]:
    """bm25s' scores for the query, its index built beforehand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import bm25s

        engine = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
        engine.index(lessons, show_progress=False)
    return partial(engine.get_scores, words)


def measure(size: int, seconds: float) -> int:
    """Print the lines of one store size; how many score comparisons were made."""
    words = Words()
    lessons = [words.take(WORDS_A_LESSON) for _ in range(size)]
    ours = Bm25()
    start = time.perf_counter()
    for number, lesson in enumerate(lessons):
        ours.add(str(number), lesson)
    added = (time.perf_counter() - start) / size
    okapi = Okapi(lessons, k1=1.2, b=0.75) if size <= SLOW_LESSONS else None
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel([[lesson] for lesson in lessons], folder)
        for length in QUERIES:
            context = words.take(length)
            query = sorted(set(context))
            if okapi is not None:
                assert np.abs(ours.scores(query) - okapi.get_scores(query)).max() < TOLERANCE
                checked += 1
            assert np.abs(ours.scores(query) - kernel.scores(query)).max() < TOLERANCE
            calls: dict[str, Callable[[], Any]] = {
                "ours": partial(ours.scores, context),
                "C": partial(kernel.scores, context),
                "sums": partial(kernel.sums, kernel.find(context)),
                "bm25s": bm25s_call(lessons, query),
            }
            took = medians(calls, seconds)
            slow = medians({"rank": partial(okapi.get_scores, query)}, 0.0)["rank"] if okapi else math.nan
            print(
                f"{size:7d} lessons {length:5d} words: {took['ours']:8.3f} ms  "
                f"rank-bm25 {slow:8.1f} ms = {slow / took['ours']:5.0f} x  bm25s {took['bm25s'] / took['ours']:5.2f} x  "
                f"of the C kernel {took['ours'] / took['C']:5.2f} (its bare sums {took['ours'] / took['sums']:.2f})"
            )
    appended(ours, lessons, words, added, rebuild=size <= SLOW_LESSONS)
    return checked


def appended(index: Bm25, lessons: list[list[str]], words: Words, added: float, *, rebuild: bool) -> None:
    """Print what one more lesson costs."""
    context = words.take(50)
    times = []
    for number in range(5):
        start = time.perf_counter()
        index.add(f"new{number}", [f"novel{number}", *words.take(39)])
        scores = index.scores([*context, f"novel{number}"])
        times.append(time.perf_counter() - start)
        assert scores[-1] > 0
    start = time.perf_counter()
    if rebuild:
        Okapi(lessons, k1=1.2, b=0.75)
    built = f"; rank-bm25 built anew {(time.perf_counter() - start) * 1e3:.0f} ms" if rebuild else ""
    now = statistics.median(times) * 1e3
    print(f"{'':15} adding one {added * 1e6:.0f} µs; append and the next query that sees it {now:.2f} ms{built}")


def whole(size: int, seconds: float) -> None:
    """Print what the whole evidence takes."""
    words = Words(11)
    index = Index()
    for number in range(size):
        index.add(
            Lesson(
                id=f"L{number}",
                question=" ".join(words.take(16)),
                consequence=" ".join(words.take(12)),
                situations=(" ".join(words.take(4)), " ".join(words.take(4))),
                scope=(f"System {number % 50}",) if number % 2 else (),
            )
        )
    prior = ContextPrior.shipped()
    for length in QUERIES:
        context = Context(text=" ".join([*words.take(length), "System 7"]), cwd="/srv/system-7")
        took = medians({"all": partial(index.match, context, prior)}, seconds)["all"]
        print(f"{size:7d} lessons {length:5d} words: the whole evidence {took:8.2f} ms")


def test_recall_speed(capsys: pytest.CaptureFixture[str]) -> None:
    checked = sum(measure(size, 0.2) for size in TESTED)
    whole(TESTED[-1], 0.2)
    print(capsys.readouterr().out)
    assert checked == len(TESTED) * len(QUERIES)


if __name__ == "__main__":
    sizes = [int(one) for one in sys.argv[1:]] or list(SIZES)
    for count in sizes:
        measure(count, 1.0)
    for count in sizes:
        whole(count, 1.0)
