"""Questions that ask the same: own, imported and teammates' lessons come once in a message, the best of them.

Not for lessons that disagree: of those both sides are shown. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from borgd.lessons.lesson import Lesson
from borgd.recall.near_duplicates import likeness, words

SAME = 0.9
"""design: likeness of two questions from which they are one; one word in seven may differ."""


def repeated(lessons: Sequence[Lesson]) -> dict[str, str]:
    """Ids of lessons that ask what another of ``lessons`` asks, each and the id of the one that stands for it. A question of
    fewer content words than ``near_duplicates.FEW_WORDS`` is like no other.

    :param lessons: the best first; an own one stands for a teammate's wherever it is.
    """
    standing: list[Lesson] = []
    by_word: dict[str, list[int]] = {}
    found: dict[str, str] = {}
    for lesson in [*(one for one in lessons if not one.peer), *(one for one in lessons if one.peer)]:
        asked = _words(lesson.question)
        shared: dict[int, int] = {}
        for word in asked:
            for place in by_word.get(word, ()):
                shared[place] = shared.get(place, 0) + 1
        near = (standing[place] for place, count in sorted(shared.items()) if 2 * count >= len(asked))
        same = next((one for one in near if _one(one, lesson)), None)
        if same is not None:
            found[lesson.id] = same.id
            continue
        for word in asked:
            by_word.setdefault(word, []).append(len(standing))
        standing.append(lesson)
    return found


def _one(left: Lesson, right: Lesson) -> bool:
    if likeness(_words(left.question), _words(right.question)) < SAME:
        return False
    apart = left.scope and right.scope and _plain(left.scope).isdisjoint(_plain(right.scope))
    return not (apart or _disagree(left, right))


def _disagree(left: Lesson, right: Lesson) -> bool:
    """One situation leads different engineers to different consequences."""
    different = not set(left.engineers) & set(right.engineers) and _plain((left.consequence,)) != _plain(
        (right.consequence,)
    )
    return different and not _plain(left.situations).isdisjoint(_plain(right.situations))


@lru_cache(maxsize=16384)
def _plain(texts: tuple[str, ...]) -> frozenset[str]:
    found = ("".join(each if each.isalnum() else " " for each in text.casefold()) for text in texts)
    return frozenset(" ".join(text.split()) for text in found)


@lru_cache(maxsize=16384)
def _words(question: str) -> frozenset[str]:
    return words(question)
