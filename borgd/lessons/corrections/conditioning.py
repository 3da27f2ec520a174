"""What goes in comes out: one item per item, in order, each the very same object. A trigger may flag, never rewrite. Pure.

How messages pass the detectors of corrections, live and in past transcripts. A trigger that fails flags the item, so that
a failure is never silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class Conditioned(NamedTuple, Generic[T, V]):
    """``item`` came in; ``flagged``: the trigger fired on it; ``found``: with this, None where it failed."""

    item: T
    flagged: bool = False
    found: V | None = None


def condition(items: Iterable[T], trigger: Callable[[T], V | None] | None = None) -> list[Conditioned[T, V]]:
    """``items`` one to one, flagged where ``trigger`` finds something (anything that is not falsy)."""
    return [_conditioned(item, trigger) for item in items]


def _conditioned(item: T, trigger: Callable[[T], V | None] | None) -> Conditioned[T, V]:
    if trigger is None:
        return Conditioned(item)
    try:
        found = trigger(item)
    except Exception:  # a trigger is foreign code; what it cannot judge is looked at
        return Conditioned(item, flagged=True)
    return Conditioned(item, flagged=bool(found), found=found or None)
