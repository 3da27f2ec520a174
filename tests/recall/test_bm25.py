"""BM25 beside rank-bm25, beside its formula written out, and over small and changing stores."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from borgd.recall.text import bm25
from borgd.recall.text.bm25 import Bm25

WORDS = [f"word{number}" for number in range(40)]
Documents = list[list[str]]


class Okapi(BM25Okapi):  # type: ignore[misc]
    """rank-bm25 with the idf that is never negative."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        for word, count in nd.items():
            self.idf[word] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))


def formula(documents: Sequence[Sequence[str]], query: Sequence[str]) -> list[float]:
    """The scores as the module's docstring says them, word by word."""
    average = sum(map(len, documents)) / len(documents) or 1.0
    scores = []
    for document in documents:
        total = 0.0
        for word in set(query):
            having = sum(word in other for other in documents)
            tf = document.count(word)
            idf = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            total += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(document) / average))
        scores.append(total)
    return scores


def zipf(random_: random.Random, count: int) -> list[str]:
    return [WORDS[min(39, int(random_.paretovariate(0.7)) - 1)] for _ in range(count)]


@pytest.mark.parametrize("size", [1, 2, 3, 10, 500])
@pytest.mark.parametrize("seed", range(4))
def test_it_scores_as_rank_bm25_does(size: int, seed: int) -> None:
    random_ = random.Random(seed)
    corpus = [zipf(random_, random_.randint(1, 40)) for _ in range(size)]
    index = Bm25()
    for number, document in enumerate(corpus):
        index.add(f"g{number}", document)
    okapi = Okapi(corpus, k1=bm25.K1, b=bm25.B)
    for length in (1, 5, 30):
        query = sorted(set(zipf(random_, length)))
        np.testing.assert_allclose(index.scores(query), okapi.get_scores(query), rtol=0, atol=1e-9)


documents_ = st.lists(st.lists(st.sampled_from(WORDS[:8]), max_size=6), min_size=1, max_size=8)


@pytest.mark.slow
@given(documents_, st.lists(st.sampled_from(WORDS[:10]), max_size=12), st.data())
@settings(max_examples=400, deadline=None)
def test_it_scores_as_the_formula_says_whatever_was_added_replaced_and_removed(
    documents: Documents, query: list[str], data: st.DataObject
) -> None:
    index = Bm25()
    content: dict[str, list[str]] = {}
    for step, words in enumerate(documents * 2):
        name = data.draw(st.sampled_from(["a", "b", "c", "d", f"n{step}"]))
        if data.draw(st.booleans()) and content:
            gone = data.draw(st.sampled_from(sorted(content)))
            content.pop(gone)
            index.remove(gone)
        content.pop(name, None)
        content[name] = words
        index.add(name, words)
        if data.draw(st.booleans()):
            index.scores(query)
    assert list(index.names) == list(content)
    np.testing.assert_allclose(index.scores(query), formula(list(content.values()), query), rtol=0, atol=1e-9)


def test_an_empty_index_has_no_scores() -> None:
    index = Bm25()
    assert index.scores(["word"]).tolist() == []
    index.remove("nothing")
    assert index.idf("word") == 0.0
    index.add("a", ["word"])
    index.remove("a")
    assert index.scores(["word"]).tolist() == []
    assert len(index) == 0


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_word_that_all_of_a_small_store_have_still_counts(size: int) -> None:
    index = Bm25()
    for number in range(size):
        index.add(str(number), ["shared", f"own{number}"])
    scores = index.scores(["shared", "own0"])
    assert (scores > 0).all()
    assert scores.argmax() == 0


def test_a_word_in_half_of_the_documents_is_worth_something() -> None:
    index = Bm25()
    for number in range(10):
        index.add(str(number), ["half"] if number % 2 else ["other"])
    assert index.scores(["half"])[1] > 0


def test_repeats_in_the_query_change_nothing() -> None:
    index = Bm25()
    index.add("a", ["x", "y", "y"])
    assert index.scores(["x", "y"] * 50).tolist() == index.scores(["y", "x"]).tolist()


def test_nothing_is_rebuilt_by_an_append(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Bm25()
    for number in range(200):
        index.add(str(number), zipf(random.Random(number), 10))
    appended: list[str] = []
    original = Bm25._append

    def counting(self: Bm25, name: str, counts: Counter[str]) -> None:
        appended.append(name)
        original(self, name, counts)

    monkeypatch.setattr(Bm25, "_append", counting)
    index.add("new", ["novel"])
    assert index.scores(["novel"])[-1] > 0
    assert appended == ["new"]


def test_removals_are_packed_now_and_then_not_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Bm25()
    for number in range(1000):
        index.add(str(number), ["a"])
    cleared: list[int] = []
    original = Bm25._clear

    def counting(self: Bm25) -> None:
        cleared.append(1)
        original(self)

    monkeypatch.setattr(Bm25, "_clear", counting)
    for number in range(990):
        index.remove(str(number))
    assert 1 <= len(cleared) <= 12
    assert list(index.names) == [str(number) for number in range(990, 1000)]


def test_weights_stand_beside_the_idf() -> None:
    index = Bm25()
    for number in range(40):
        index.add(str(number), ["common", f"rare{number}"])
    plain = index.scores(["common"])
    np.testing.assert_allclose(index.scores(["common"], {"common": 3.0}), 3 * plain)
    np.testing.assert_allclose(
        index.scores(["common", "rare7"], {"rare7": 0.5}), plain + 0.5 * index.scores(["rare7"]), atol=1e-12
    )


def test_the_parts_of_an_explanation_add_up_to_the_score() -> None:
    index = Bm25()
    for number in range(30):
        index.add(str(number), zipf(random.Random(number), 12))
    query = WORDS[:6]
    for name, score in zip(index.names, index.scores(query, {"word1": 2.0}).tolist(), strict=True):
        parts = index.explain(query, name, {"word1": 2.0})
        assert sum(parts.values()) == pytest.approx(score, abs=1e-12)
        assert list(parts.values()) == sorted(parts.values(), reverse=True)
    assert index.explain(query, "nobody") == {}


@given(
    st.lists(st.lists(st.sampled_from(WORDS[:6]), max_size=5), max_size=12), st.lists(st.sampled_from(WORDS[:7]), max_size=5)
)
@settings(deadline=None)
def test_ranked_is_scores_in_order_whatever_the_head(corpus: Documents, query: list[str]) -> None:
    index = Bm25()
    for number, document in enumerate(corpus):
        index.add(f"g{number}", document)
    pairs = zip(index.names, index.scores(query).tolist(), strict=True)
    expected = sorted((pair for pair in pairs if pair[1] > 0), key=lambda pair: -pair[1])
    for head in (1, 3, 256):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bm25, "HEAD", head)
            assert list(index.ranked(query)) == expected
