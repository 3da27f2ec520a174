"""Decisions between two updates of the reward model, as the replay weighs them: rows of a part of the log. Values only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from borgd.replay.candidates import Masses
from borgd.replay.estimate.slates import SlateSlots
from borgd.replay.records import DecisionColumns
from borgd.replay.rewards import Reward, Side

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

POSITIONS = 32
"""guard: places of a slate that have a predicted reward of their own."""


@dataclass(frozen=True)
class ReplayedPart:
    """Decisions that were read together, and what follows from each of them alone."""

    found: DecisionColumns
    kinds: NDArray[np.uint16]
    lesson: Ints
    known: NDArray[np.bool_]
    given: dict[str, Masses]
    filled: dict[str, SlateSlots | None]


@dataclass(frozen=True)
class ReplayedBlock:
    """The rows of one block: ``rows`` into the part, ``decision`` from 0, ``decisions`` their numbers in the part."""

    part: ReplayedPart
    rows: Ints
    decision: Ints
    decisions: Ints

    @property
    def logged(self) -> Floats:
        return self.part.found.p[self.rows]

    def counts(self, reward: Reward) -> NDArray[np.bool_]:
        """Whether each row is in question: what showing avoids is seen at a session's first contact alone."""
        found = self.part.found
        thrown = (found.coin > 0.0) | (found.horizon[found.decision] == 0)
        return thrown[self.rows] if reward == "avoided" else np.ones(len(self.rows), dtype=bool)

    def limit(self) -> Floats:
        """How many lessons of each row's decision can be seen: its slots, or as many as were."""
        found = self.part.found
        chosen = np.bincount(self.decision, (found.shown | found.held)[self.rows], minlength=len(self.decisions))
        pool = np.bincount(self.decision, minlength=len(self.decisions))
        slots = np.where(found.slots[self.decisions] > 0, np.minimum(found.slots[self.decisions], pool), pool)
        return np.where(chosen > slots, pool, slots).astype(np.float64)[self.decision]

    def places(self, filled: SlateSlots) -> tuple[Ints, Floats, Floats, Ints]:
        """The filled places of these rows: (place, prefix weight, weight before, 0 for no place, index into ``rows``)."""
        inside = np.flatnonzero(np.isin(filled.row, self.rows, assume_unique=True))
        place = np.minimum(filled.place[inside], POSITIONS - 1)
        before = np.where(filled.exists[inside], filled.before[inside], 0.0)
        return place, filled.prefix[inside], before, np.searchsorted(self.rows, filled.row[inside])


def reward_seen(both: list[Side], spot: Ints) -> Floats:
    """The signed reward that was seen at each of these rows."""
    gained = np.zeros(len(spot))
    for side in both:
        gained += np.where(side.seen[spot], side.sign * side.reward[spot], 0.0)
    return gained


def pick(side: Side, rows: Ints) -> Side:
    return Side(side.p[rows], side.seen[rows], side.reward[rows], side.sign)
