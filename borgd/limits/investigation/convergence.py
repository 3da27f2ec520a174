"""When a Stop that keeps coming back has nothing new, and how often what failed in passing may be tried again. Pure.

A change is substantive (work changed), cosmetic (only wording did) or transient (it failed in passing). A transient failure
is held out of the account: it is neither progress nor convergence. What is of no known kind counts as progress, so that
nothing is cut off by a word we do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")

SUBSTANTIVE = "substantive"
COSMETIC = frozenset({"cosmetic", "polish"})
TRANSIENT = frozenset({"transient", "transient_failure"})
MAX_RETRIES = 2
"""design: tries after the first one."""

Course = Literal["continue", "converged"]


class TransientFailure(Exception):  # noqa: N818 (it is a class of failure, not one error)
    """Something that may well work the next time."""


@dataclass(frozen=True)
class StopState:
    """What an agent had to show when it was about to finish.

    ``work``: what identifies the state of what it changed (paths with content hashes); ``asked``: the questions it was
    asked so far; ``answered``: the ones it answered; ``failed``: the turn ended by a failure in passing.
    """

    work: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    answered: frozenset[str] = frozenset()
    failed: bool = False


def kind(before: StopState, now: StopState) -> str:
    """How ``now`` differs from ``before``: transient, substantive, or cosmetic (at most the wording differs)."""
    if now.failed:
        return "transient"
    if now.work != before.work or not now.asked <= before.asked or not now.answered <= before.answered:
        return SUBSTANTIVE
    return "cosmetic"


def accounted(kinds: Sequence[str]) -> tuple[str, ...]:
    """``kinds`` without failures in passing."""
    return tuple(kind for kind in kinds if kind not in TRANSIENT)


def course(kinds: Sequence[str]) -> Course:
    """Converged where the last change that counts was cosmetic; an empty or merely transient history goes on."""
    counted = accounted(kinds)
    return "converged" if counted and counted[-1] in COSMETIC else "continue"


def nothing_new(stops: Sequence[StopState]) -> bool:
    """Whether the last of ``stops`` has nothing new against the last one before it that did not fail in passing."""
    if not stops or stops[-1].failed:
        return False
    before = next((stop for stop in reversed(stops[:-1]) if not stop.failed), None)
    return before is not None and course([kind(before, stops[-1])]) == "converged"


def bounded_retry(attempt: Callable[[], T], retries: int = MAX_RETRIES) -> T:
    """``attempt()``, again on TransientFailure at most ``retries`` times and at once; any other error passes through.

    :raises TransientFailure: the last one, once the bound is reached.
    """
    for _ in range(max(0, retries)):
        try:
            return attempt()
        except TransientFailure:
            continue
    return attempt()
