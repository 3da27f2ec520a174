"""Twins are shown beside each other; lessons on different things are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from borgd.lessons.lesson import Lesson
from borgd.recall.near_duplicates import ALIKE, likeness, near_duplicates, words

EXAMPLES = [
    Lesson(id=record["id"], question=record["question"], consequence=record["consequence"])
    for record in map(
        json.loads, (Path(__file__).parents[2] / "lessons.example.jsonl").read_text("utf-8").strip().split("\n")
    )
]


@pytest.mark.parametrize(
    ("question", "near_duplicate"),
    [
        (
            "Does each network call have a timeout shorter than the caller's?",
            "Does every call over the network have a timeout",
        ),
        ("Is money always a decimal and never floating point?", "Is money counted in whole minor units or decimals"),
        ("Did the test fail before the fix?", "Did the new test fail before the fix went in?"),
        ("Do the retries back off, with jitter?", "Do retries back off with jitter"),
    ],
)
def test_the_same_in_other_words_is_a_near_duplicate(question: str, near_duplicate: str) -> None:
    assert near_duplicates(question, "", EXAMPLES)[0].lesson.question.startswith(near_duplicate)


@pytest.mark.parametrize(
    "question", ["Is the licence header in every new file?", "Did I ask before the force push?", "x", "", "?"]
)
def test_something_else_has_no_twin(question: str) -> None:
    assert near_duplicates(question, "Legal has to be called.", EXAMPLES) == []


def test_the_examples_are_not_each_others_near_duplicates() -> None:
    for lesson in EXAMPLES:
        found = near_duplicates(lesson.question, lesson.consequence, [other for other in EXAMPLES if other.id != lesson.id])
        assert found == []


def test_likeness_is_symmetric_bounded_and_one_for_the_same() -> None:
    one, other = words("Is the cache key complete for the tenant?"), words("Does the cache key hold the tenant?")
    assert likeness(one, other) == likeness(other, one) >= ALIKE
    assert likeness(one, one) == 1.0
    assert likeness(words("設定ファイルを読み込む前に確認したか"), words("設定ファイルを書き込む前に確認したか")) > ALIKE
