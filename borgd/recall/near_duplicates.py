"""Near-duplicates among lessons by their words: overlap, nothing learned. For a person to decide, never decided alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from borgd.lessons.lesson import Lesson
from borgd.recall.text.stems import stem

ALIKE = 0.5
"""tuned (tests/recall/test_near_duplicates.py): likeness from which two lessons are shown side by side."""
SHOWN = 3
"""design: near-duplicates shown at most."""
FEW_WORDS = 3
"""guard: a text with fewer words than this is like nothing."""

_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a an and any are as at be been before by can did do does for from had has have how i if in is it its may me my
        not of on only or our out own should so than that the their them then there they this to us was we what when where
        which who why will with would you your no never always
        der die das und oder ist nicht ein eine le la les des une el los las un y que""",
    )
)


class NearDuplicate(NamedTuple):
    """``likeness`` in [0, 1]."""

    likeness: float
    lesson: Lesson


def words(text: str) -> frozenset[str]:
    """The content words of ``text`` as stems; bigrams where a script has no spaces."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _WIDE.search(word):
            found.update(word[place : place + 2] for place in range(max(1, len(word) - 1)))
        elif word not in _STOP and (len(word) > 2 or word.isdigit()):
            found.add(stem(word))
    return frozenset(found)


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The mean of Jaccard index and overlap coefficient of two word sets; 0 where either has too few words."""
    if min(len(one), len(other)) < FEW_WORDS:
        return 0.0
    common = len(one & other)
    return (common / len(one | other) + common / min(len(one), len(other))) / 2


def near_duplicates(question: str, consequence: str, lessons: Iterable[Lesson]) -> list[NearDuplicate]:
    """The lessons most like this one, best first, at most SHOWN. Questions count alone and with their consequence."""
    asked, whole = words(question), words(f"{question} {consequence}")
    found = []
    for lesson in lessons:
        near = max(
            likeness(asked, words(lesson.question)),
            likeness(whole, words(f"{lesson.question} {lesson.consequence}")),
        )
        if near >= ALIKE:
            found.append(NearDuplicate(round(near, 3), lesson))
    return sorted(found, key=lambda near_duplicate: (-near_duplicate.likeness, near_duplicate.lesson.id))[:SHOWN]
