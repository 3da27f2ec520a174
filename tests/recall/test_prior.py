"""Counts of stems over contexts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.recall.text.document_frequencies import SHIPPED_CONTEXTS, ContextPrior, stems_of
from borgd.recall.text.synonyms import synonyms


def test_the_shipped_counts_know_common_words_from_rare_ones() -> None:
    prior = ContextPrior.shipped()
    assert prior.contexts == SHIPPED_CONTEXTS
    assert prior.share("test") > 10 * prior.share("idempot") > 0
    assert 20 < prior.typical < 200


def test_what_is_added_to_a_copy_of_the_shipped_counts_is_in_no_other() -> None:
    prior = ContextPrior.shipped()
    prior.add("a tardigrade")
    assert prior.share("tardigrad") > ContextPrior.shipped().share("tardigrad")


def test_a_text_counts_each_stem_once() -> None:
    prior = ContextPrior()
    prior.add("retry retries retrying")
    prior.add("other")
    assert prior.counts == {"retri": 1.0, "other": 1.0}
    assert prior.contexts == 2


texts = st.lists(st.sampled_from(["retry the call", "lock the row", "", "東京タワー", "call"]), max_size=12)


@given(texts, texts)
def test_taking_a_context_back_undoes_adding_it(before: list[str], more: list[str]) -> None:
    prior = ContextPrior()
    for text in before:
        prior.add(text)
    plain = prior.plain()
    for text in more:
        prior.add(text)
    for text in more:
        prior.remove_stems(stems_of(text))
    assert prior.plain() == plain


@given(texts)
def test_plain_values_go_through_json_and_back(them: list[str]) -> None:
    prior = ContextPrior()
    for text in them:
        prior.add(text)
    again = ContextPrior.from_plain(json.loads(json.dumps(prior.plain())))
    assert again.plain() == prior.plain()


@given(texts, st.sampled_from(["retri", "call", "never"]))
def test_a_share_is_never_none_and_never_all(them: list[str], one: str) -> None:
    prior = ContextPrior()
    for text in them:
        prior.add(text)
    assert 0 < prior.share(one) < 1
    assert prior.typical >= 1


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"contexts": "many", "counts": [1]},
        {"contexts": -3, "stems": float("nan"), "counts": {"a": -1, "b": True, "c": "x", "d": float("inf")}},
        {"contexts": 2, "counts": {"a": 99}},
    ],
)
def test_damaged_values_are_left_out(value: dict[str, object]) -> None:
    prior = ContextPrior.from_plain(value)
    assert 0 < prior.share("a") < 1
    assert all(count <= prior.contexts for count in prior.counts.values())


def test_kin_is_mutual_and_nobody_is_their_own() -> None:
    relations = synonyms()
    for one, others in relations.items():
        assert one not in others
        assert all(one in relations[other] for other in others)
