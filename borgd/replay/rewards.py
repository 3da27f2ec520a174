"""What counts as good: rewards per lesson, the arms they are seen by, and a model that predicts them from the past only.

``changed``: a shown lesson changed something and was not taken back. ``not_corrected``: a shown lesson was not followed by
the correction it is about. ``avoided``: repeat corrections that showing prevented, from what followed where the same
lesson was held out: the only one of the three that compares with not showing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from borgd.replay.outcomes import CHANGED, CORRECTED, SETTLE_MS, UNDONE
from borgd.replay.records import DecisionColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Keys = NDArray[np.uint64]

Reward = Literal["changed", "not_corrected", "avoided"]
REWARDS: Final[tuple[Reward, ...]] = ("changed", "not_corrected", "avoided")
UNITS: Final[dict[str, str]] = {
    "changed": "lessons that changed something, per recall",
    "not_corrected": "shown lessons without a later correction, per recall",
    "avoided": "repeat corrections avoided, per recall",
}
PRIOR_COUNT = 4.0
"""design: a lesson's own rate counts like the rate of all until it was seen about four times."""


@dataclass(frozen=True)
class Side:
    """One way a reward is seen: lessons that were shown, or lessons that were held out; ``sign`` how it counts."""

    p: Floats
    seen: Bools
    reward: Floats
    sign: float


def p_held(found: DecisionColumns) -> Floats:
    """P(would have been shown and was withheld), per entry; 0 where nothing may be withheld."""
    return found.p * found.coin / (1.0 - found.coin)


def settled(found: DecisionColumns, kinds: NDArray[np.uint16], now_ms: int) -> Bools:
    """Per decision: all of its outcomes are known.

    Good outcomes and corrections come at once, "not corrected" only when a session is over, and held-out lessons have no
    other. So a decision is settled once its horizon has passed, whatever it has by then, and what has nothing was not
    corrected: neither the quick nor one of the two groups may be favoured. One from before there were horizons is passed
    over for two days, and then where it is not judged for every lesson that was shown or held out.
    """
    waiting = np.bincount(found.decision, (found.shown | found.held) & (kinds == 0), minlength=found.count) > 0
    old = (found.ms <= now_ms - SETTLE_MS) & ~waiting
    return np.where(found.horizon > 0, found.ms <= now_ms - found.horizon, old)


def sides(found: DecisionColumns, kinds: NDArray[np.uint16], reward: Reward) -> list[Side]:
    """The sides of ``reward`` for every pool entry."""
    corrected = ((kinds & CORRECTED) > 0).astype(np.float64)
    if reward == "changed":
        gained = (((kinds & CHANGED) > 0) & ((kinds & UNDONE) == 0)).astype(np.float64)
        return [Side(found.p, found.shown, gained, 1.0)]
    if reward == "not_corrected":
        return [Side(found.p, found.shown, 1.0 - corrected, 1.0)]
    return [Side(p_held(found), found.held, corrected, 1.0), Side(found.p, found.shown, corrected, -1.0)]


class Lessons:
    """Numbers 0, 1, … for lessons in the order they are met."""

    def __init__(self) -> None:
        self.number: dict[int, int] = {}
        self.names: list[str] = []

    def of(self, keys: Keys, names: dict[int, str]) -> Ints:
        """The number of each key; new ones are taken in."""
        each, which = np.unique(keys, return_inverse=True)
        numbers = np.empty(len(each), dtype=np.int64)
        for place, key in enumerate(each.tolist()):
            found = self.number.get(key)
            if found is None:
                found = self.number[key] = len(self.names)
                self.names.append(names.get(key, ""))
            numbers[place] = found
        return numbers[which]


class Rates:
    """The reward model: each lesson's mean so far, drawn to the mean of all. Predicts first, learns afterwards."""

    def __init__(self, start: float = 0.5) -> None:
        self.seen: Floats = np.zeros(0)
        self.sum: Floats = np.zeros(0)
        self.start = start

    def predict(self, lesson: Ints) -> Floats:
        """The expected reward of each lesson, in [0, 1], from what was learnt before."""
        self._grow(lesson)
        overall = (self.sum.sum() + self.start) / (self.seen.sum() + 1.0)
        rate: Floats = (self.sum[lesson] + PRIOR_COUNT * overall) / (self.seen[lesson] + PRIOR_COUNT)
        return rate

    def learn(self, lesson: Ints, reward: Floats) -> None:
        """Take the rewards of lessons in that were seen."""
        self._grow(lesson)
        self.seen += np.bincount(lesson, minlength=len(self.seen))
        self.sum += np.bincount(lesson, reward, minlength=len(self.sum))

    def _grow(self, lesson: Ints) -> None:
        more = (int(lesson.max()) + 1 if len(lesson) else 0) - len(self.seen)
        if more > 0:
            self.seen = np.pad(self.seen, (0, more))
            self.sum = np.pad(self.sum, (0, more))
