"""What goes in comes out: one item per item, in order, each the very same object. A trigger may flag, never rewrite. Pure.

An item that no trigger looks at is unflagged; a trigger that fails flags the item, so that a failure is never silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Conditioned(NamedTuple, Generic[T]):
    """``item`` is the object that came in; ``flagged``: the trigger fired on it."""

    item: T
    flagged: bool = False


def condition(items: Iterable[T], trigger: Callable[[T], bool] | None = None) -> list[Conditioned[T]]:
    """``items`` one to one, flagged where ``trigger`` fires."""
    return [Conditioned(item, trigger is not None and _fires(trigger, item)) for item in items]


def _fires(trigger: Callable[[T], bool], item: T) -> bool:
    try:
        return bool(trigger(item))
    except Exception:  # a trigger is foreign code; what it cannot judge is looked at
        return True
