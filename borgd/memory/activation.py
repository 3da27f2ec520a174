"""How present a lesson is: ACT-R's base-level activation on the clock of sessions, never of wall time.

A = ln Σ Δt^(−d) over a lesson's uses (Anderson and Schooler, "Reflections of the environment in memory", 1991), Δt the
collective's sessions since the use, plus 1. A holiday makes nothing fade; a busy month does.

The clock ticks once for each session in which a lesson was shown or held out, as the outcomes tell: each of those sessions
leaves at least one, at its end if not before, of whatever kind. A session in which nothing came up is not a chance for any
lesson to be used, and is not counted. This is the one count that every machine of a team can make alike: outcomes are all
that they share, decisions stay at home, and equal outcomes must give equal memories to the byte. A session begins at the
earliest time that an outcome of it names.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

MANY = 64
"""method: from this many uses on, the powers are taken in numpy."""


Decay = Annotated[float, msgspec.Meta(ge=0.0, le=10.0)]


DORMANT_BELOW = -4.0
"""tuned: tests/perf/bench_memory.py, whose sessions are counted just so. At −2 an unused lesson sleeps after 55 sessions of
the collective, an afternoon of a large team, and a team with memory repeats more corrections than one without; at −4 it
takes 2,980."""


class ActivationRule(msgspec.Struct, frozen=True, kw_only=True):
    """The constants of activation. design, d = 0.5 being ACT-R's usual value."""

    decay: Decay = 0.5
    decay_consolidated: Decay = 0.3
    threshold: Annotated[float, msgspec.Meta(ge=-100.0, le=100.0)] = DORMANT_BELOW
    """τ: below it a lesson is dormant."""
    consolidated_sessions: int = 3
    consolidated_breadth: int = 2
    """This many repositories, or this many engineers."""


def activation(since: Sequence[int] | npt.NDArray[np.int64], decay: float) -> float:
    """A for uses ``since`` sessions ago (each at least 1, at least one use). The same in any order of the uses."""
    if len(since) < MANY:
        return math.log(math.fsum(float(sessions) ** -decay for sessions in since))
    powers = np.asarray(since, dtype=np.float64) ** -decay
    return math.log(math.fsum(powers.tolist()))


def squash(level: float, threshold: float) -> float:
    """Activation as a weight in (0, 1): ½ at the threshold τ."""
    return 1 / (1 + math.exp(min(threshold - level, 700.0)))


class SessionClock:
    """When each of the collective's sessions began. A session's beginning is the earliest time that mentions it."""

    def __init__(self, starts: Iterable[int] = ()) -> None:
        self._sorted = np.sort(np.fromiter(starts, dtype=np.int64))
        self._added: list[int] = []
        self._dropped: list[int] = []
        self._arrays: tuple[int, list[npt.NDArray[np.int64]]] = (0, [])
        self.changes = 0
        """Grows with each change: a key for what was computed from the clock."""

    def __len__(self) -> int:
        return len(self._sorted) + len(self._added) - len(self._dropped)

    def begin(self, ms: int) -> None:
        """One more session began at ``ms``."""
        insort(self._added, ms)
        self.changes += 1

    def move(self, before: int, now: int) -> None:
        """A session thought to have begun at ``before`` began at ``now``."""
        insort(self._dropped, before)
        self.begin(now)

    def since(self, ms: int) -> int:
        """Sessions that began after ``ms``, plus 1."""
        settled = int(np.searchsorted(self._sorted, ms, side="right"))
        return len(self) + 1 - settled - bisect_right(self._added, ms) + bisect_right(self._dropped, ms)

    def since_each(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """``since`` of many times at once."""
        if self._arrays[0] != self.changes:
            self._arrays = self.changes, [np.array(changes, dtype=np.int64) for changes in (self._added, self._dropped)]
        passed = np.searchsorted(self._sorted, times, side="right")
        for changes, sign in zip(self._arrays[1], (1, -1), strict=False):
            if len(changes):
                passed = passed + sign * np.searchsorted(changes, times, side="right")
        return (len(self) + 1 - passed).astype(np.int64)
