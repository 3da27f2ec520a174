"""Words and parts of words, in any script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.recall.text.words import segments, tokens


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("HTTPClientFactory", ["http", "client", "factory"]),
        ("v2 sr3 SR3Index", ["v2", "sr3", "sr3", "index"]),
        ("getURLFor2ndUser", ["get", "url", "for2nd", "user"]),
        ("kebab-case snake_case dotted.name to/File", ["kebab", "case", "snake", "case", "dotted", "name", "to", "file"]),
        ("ÉtatInitial", ["état", "initial"]),
        ("ＨＴＴＰＣｌｉｅｎｔ", ["http", "client"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("a b c", ["a", "b", "c"]),
        ("", []),
        ("🦀 -- ::", []),
    ],
)
def test_segments_are_split_at_humps_and_at_everything_that_is_no_letter_or_digit(text: str, parts: list[str]) -> None:
    assert segments(text) == parts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("is to add the PostgreSQL id", ["add", "the", "postgresql", "postgre", "sql"]),
        ("KiteUI", ["kiteui", "kite", "ui"]),
        ("getX", ["getx", "get"]),
        ("idempotency_key", ["idempotency", "key"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("鍵", ["鍵"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("Übergröße über", ["übergrösse", "über"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("Ⅷ ﬁle", ["viii", "file"]),
        ("can’t don't", ["can", "don"]),
    ],
)
def test_tokens_are_words_of_three_characters_and_the_parts_of_camel_case(text: str, words: list[str]) -> None:
    assert tokens(text) == words


def test_a_word_counts_as_often_as_it_stands_there() -> None:
    assert tokens("retry Retry RETRY") == ["retry"] * 3


@given(st.text(max_size=200))
@settings(max_examples=400)
def test_any_text_gives_words_that_compose_and_fold_to_themselves(text: str) -> None:
    for word in (*tokens(text), *segments(text)):
        assert word
        assert word == unicodedata.normalize("NFKC", word).casefold() or not word.isascii()
        assert not any(character.isspace() for character in word)


@given(st.text(max_size=80))
def test_ascii_and_other_texts_take_the_same_way(text: str) -> None:
    """The quick way for ASCII gives what the general one gives: an added sign outside ASCII changes nothing before it."""
    plain = text.encode("ascii", "ignore").decode()
    assert tokens(plain) == tokens(plain + " é")
    assert segments(plain) == segments(plain + " é")[:-1]


@given(st.lists(st.sampled_from(["Aa", "bB", "9", "_", " ", "漢", "ß", "é", "\ud800", "\x00", "\u200d"]), max_size=60))
def test_odd_characters_are_no_error(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert isinstance(tokens(text), list)
    assert isinstance(segments(text), list)


@pytest.mark.parametrize("text", ["aB" * 500_000, "漢" * 300_000, "é" * 1_000_000, "/" * 1_000_000, "a/" * 500_000])
def test_a_megabyte_without_a_space_is_read(text: str) -> None:
    """Quadratic work would run into the suite's time limit."""
    assert len(tokens(text)) <= len(text)
    assert len(segments(text)) <= len(text)
