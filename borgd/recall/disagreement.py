"""Lessons that contradict each other, shown as what they are: both sides, their authors' trust, and no verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from borgd.lessons.lesson import Lesson
from borgd.lessons.sanitize import clean
from borgd.recall.rank import Ranked

SIDE_CHARS = 160
"""design: of what one side says."""
AUTHOR_CHARS = 40
"""design: of an author's name."""
AUTHORS = 3
"""design: authors named per side."""


def disagreements(selected: Sequence[Ranked], disputes: Collection[tuple[str, str]]) -> list[tuple[int, ...]]:
    """Groups of lessons that disagree, as indices into ``selected``, in its order.

    Two lessons disagree where one situation leads different engineers to different consequences, or where one claims to
    supersede the other and both are live (``disputes``, from succession). Groups that share a lesson are one.
    """
    group = list(range(len(selected)))
    for left, right in combinations(range(len(selected)), 2):
        if _opposed(selected[left], selected[right], disputes):
            old, new = group[right], group[left]
            group = [new if member == old else member for member in group]
    found: dict[int, list[int]] = {}
    for index, member in enumerate(group):
        found.setdefault(member, []).append(index)
    return [tuple(members) for members in found.values() if len(members) > 1]


def disagreement_ids(selected: Sequence[Ranked], disputes: Collection[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The ids of each group, for the record."""
    return [tuple(selected[index].id for index in members) for members in disagreements(selected, disputes)]


def disagreement(sides: Sequence[Ranked]) -> str:
    """One disagreement in one line, the most trusted side first."""
    ordered = sorted(sides, key=lambda side: (-side.trust, side.id))
    said = "; ".join(_side(side, first=index == 0) for index, side in enumerate(ordered))
    return f"Engineers disagree here: {said}. Weigh the evidence."


def authors(lesson: Lesson) -> str:
    """Who wrote it, cleaned and bounded."""
    names = [name for name in (clean(name, AUTHOR_CHARS) for name in lesson.engineers) if name]
    more = f" and {len(names) - AUTHORS} more" if len(names) > AUTHORS else ""
    return ", ".join(names[:AUTHORS]) + more or "someone unnamed"


def _side(side: Ranked, *, first: bool) -> str:
    area = clean(side.lesson.area, AUTHOR_CHARS)
    place = f" in {area}" if first and area else ""
    return (
        f"{authors(side.lesson)} (trust {side.trust:.2f}{place}) in {side.id}: "
        f"{clean(side.lesson.consequence, SIDE_CHARS).rstrip('. ')}"
    )


def _opposed(left: Ranked, right: Ranked, disputes: Collection[tuple[str, str]]) -> bool:
    if (min(left.id, right.id), max(left.id, right.id)) in disputes:
        return True
    if set(left.authors) & set(right.authors) or not (left.authors or right.authors):
        return False
    same_place = _texts(left.lesson.situations) & _texts(right.lesson.situations)
    return bool(same_place) and _text(left.lesson.consequence) != _text(right.lesson.consequence)


def _texts(texts: Collection[str]) -> set[str]:
    return {_text(text) for text in texts} - {""}


def _text(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
