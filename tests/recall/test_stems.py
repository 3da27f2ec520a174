"""The Porter2 stems, beside the reference implementation."""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.recall.text.stems import stem

ENDINGS = (
    *(
        "",
        "s",
        "es",
        "ed",
        "ing",
        "edly",
        "ingly",
        "eed",
        "eedly",
        "ied",
        "ies",
        "ly",
        "li",
        "ness",
        "ful",
        "fulness",
        "ment",
    ),
    *(
        "ement",
        "ization",
        "izer",
        "ational",
        "tional",
        "ation",
        "ator",
        "alism",
        "ality",
        "iveness",
        "ivity",
        "ousness",
        "ously",
    ),
    *("bility", "ably", "ogy", "ogist", "less", "lessly", "ical", "icate", "ative", "alize", "able", "ible", "ance", "ence"),
    *("ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic", "e", "ll", "y", "'s", "us", "ss"),
)


@pytest.fixture(scope="module")
def reference() -> object:
    return snowballstemmer.stemmer("english")


def vocabulary() -> Iterator[str]:
    """The words of the standard library's sources: names, English, and much that is neither."""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        yield from re.findall("[a-z]+", path.read_text("utf-8", "replace").lower())


WORDS = 110_000


@pytest.mark.slow
def test_words_of_the_standard_library_and_their_derivations_have_the_reference_s_stems(reference: object) -> None:
    bases = {word for word in vocabulary() if len(word) <= 24}
    derived = sorted({base + ending for base in bases for ending in ENDINGS if ending.isalpha()})
    random.Random(20).shuffle(derived)
    words = [*sorted(bases), *derived][:WORDS]
    assert len(words) == WORDS
    expected = reference.stemWord  # type: ignore[attr-defined]
    wrong = [(word, stem(word), expected(word)) for word in words if stem(word) != expected(word)]
    assert wrong == []


EXCEPTIONS = """
    skis skies sky dying lying tying vying idly gently ugly early only singly news howe atlas cosmos bias andes inning
    outing canning herring earring evening proceed exceed succeed proceeded exceeding innings generate generated general
    generously communism communal arsenic arsenal past pasted paste universe university universal later emergency emerging
    organ organic organise interest internal international hopping hoping falling filing tanned added egged offing
    yes yellow sayyid boyish toying by say youth feed agreed agreedly bleed fluently geology ability ply happily
"""


@pytest.mark.parametrize("word", EXCEPTIONS.split())
def test_the_algorithm_s_special_cases(word: str, reference: object) -> None:
    assert stem(word) == reference.stemWord(word)  # type: ignore[attr-defined]


@pytest.mark.slow
@given(st.text(alphabet="aeiouylsbdtgnrizcmf", min_size=1, max_size=14))
@settings(max_examples=3000, deadline=None)
def test_strings_of_letters_have_the_reference_s_stem(word: str) -> None:
    assert stem(word) == snowballstemmer.stemmer("english").stemWord(word)


@pytest.mark.parametrize("word", ["", "a", "is", "v2", "sr3", "größer", "東京", "don't", "x" * 41])
def test_what_is_no_english_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


def test_forms_of_a_word_meet() -> None:
    for forms in ("retry retries retrying retried", "migrate migration migrating", "cancel cancelled cancelling"):
        assert len({stem(form) for form in forms.split()}) == 1
