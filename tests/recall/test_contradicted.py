"""A correction counts against the one lesson whose point it takes up, not against its neighbours that share its nouns."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from borgd.lessons.lesson import Lesson
from borgd.recall.contradicted import contradicted
from borgd.recall.text.document_frequencies import ContextPrior

PRIOR = ContextPrior.shipped()


def lesson(name: str, question: str, *situations: str, **fields: Any) -> Lesson:
    return Lesson(
        id=name, question=question, consequence="The harvester stalls.", scope=("Tarn",), situations=situations, **fields
    )


TARN = {
    one.id: one
    for one in (
        lesson(
            "LEASE",
            "When the harvester of Tarn takes a new partition, is the lease of the old partition given back first?",
            "reassigning partitions of the harvester",
        ),
        lesson(
            "CLOCK",
            "Does the harvester of Tarn compare partition timestamps in UTC rather than in local time?",
            "reading timestamps of a partition in the harvester",
        ),
        lesson(
            "FLUSH",
            "Is the harvester's buffer flushed before a partition of Tarn is closed?",
            "closing a partition of the harvester",
        ),
    )
}
ABOUT = {
    "No, you must give the lease of the old partition back before the harvester takes the new one.": "LEASE",
    "That's wrong: the harvester reads partition timestamps in local time again, they have to be UTC.": "CLOCK",
    "You closed the partition without flushing the harvester's buffer first. Flush it.": "FLUSH",
}
ABOUT_NONE = [
    "No, the harvester of Tarn must not touch that partition at all.",
    "That is not what I meant, leave the harvester and its partitions alone and write the docs.",
    "Wrong. The partition count belongs in the settings, not in the harvester.",
    "no, use four spaces",
]


@pytest.mark.parametrize(("words", "name"), ABOUT.items())
@pytest.mark.parametrize("order", list(itertools.permutations(TARN)))
def test_only_the_lesson_it_is_about(words: str, name: str, order: tuple[str, ...]) -> None:
    found = contradicted(words, order, {each: TARN[each] for each in order}, PRIOR)
    assert list(found) == [name]
    assert 0.4 <= found[name] <= 1


@pytest.mark.parametrize("words", ABOUT_NONE)
def test_what_no_lesson_foresaw_counts_against_none(words: str) -> None:
    assert contradicted(words, TARN, TARN, PRIOR) == {}


@pytest.mark.parametrize(("words", "name"), ABOUT.items())
def test_a_lesson_that_was_not_told_takes_the_correction_with_it(words: str, name: str) -> None:
    assert contradicted(words, TARN.keys() - {name}, TARN, PRIOR) == {}


def test_one_lesson_alone_and_one_that_has_a_double() -> None:
    words = next(iter(ABOUT))
    assert list(contradicted(words, ["LEASE"], {"LEASE": TARN["LEASE"]}, PRIOR)) == ["LEASE"]
    double = Lesson(id="IMPORTED", question=TARN["LEASE"].question + " ", consequence="Other.", scope=("Tarn",))
    found = contradicted(words, [*TARN, "IMPORTED"], {**TARN, "IMPORTED": double}, PRIOR)
    assert sorted(found) == ["IMPORTED", "LEASE"]
    assert contradicted(words, [], {}, PRIOR) == {}
