"""Words that several commands print alike."""

from __future__ import annotations


def count(number: int, one: str) -> str:
    """``1 lesson``, ``2 lessons``."""
    return f"{number} {one}{'' if number == 1 else 's'}"
