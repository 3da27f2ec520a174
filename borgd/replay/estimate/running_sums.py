"""What is summed up for one candidate under one reward, and the values that follow from it.

Promises the same numbers as ``estimators`` on the whole log (a test holds the two together), from sums that
fit in a line however long the log is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from borgd.replay.estimate import estimators
from borgd.replay.estimate.pseudo import Sequences
from borgd.replay.rewards import Side

Floats = NDArray[np.float64]

SEQUENCES = ("IPS", "SNIPS", "DR", "SWITCH-DR", "DRos", "RIPS", "difference")
"""Estimators with an interval of their own, and the difference to what was logged."""
SHARED = {"SNDR": "DR", "IIPS": "IPS"}
"""Estimators of the same value whose interval is another's: the sequence bounds the value, whatever is put at its centre."""


@dataclass
class Sums:
    """Running sums of one side (shown or held out) of one candidate and reward."""

    mass: float = 0.0
    weight: float = 0.0
    gained: float = 0.0
    modelled: float = 0.0
    corrected: float = 0.0
    switched: float = 0.0
    shrunk: float = 0.0
    squares: float = 0.0
    largest: float = 0.0
    unsupported: float = 0.0


@dataclass
class RunningSums:
    """Everything that is kept of one candidate under one reward."""

    sides: list[Sums]
    sequences: Sequences = field(default_factory=lambda: Sequences(len(SEQUENCES)))
    rips: float = 0.0
    cascade: float = 0.0
    chars: float = 0.0
    chars_logged: float = 0.0
    by_draws: int = 0
    unknown: int = 0
    decisions: int = 0
    by_logger: dict[int, list[float]] = field(default_factory=dict)
    """Logger -> decisions, Σ X, Σ X² of the DR observations, then per side Σ weight × reward."""

    def points(self) -> dict[str, float]:
        """Each estimator's value per recall; nan where it has none."""
        count = self.decisions
        names = (*estimators.BANDIT, *estimators.SLATE)
        if not count:
            return dict.fromkeys(names, float("nan"))
        value = dict.fromkeys(names, 0.0)
        for sign, side in zip(self.signs, self.sides, strict=True):
            rate = side.mass / side.weight if side.weight > 0.0 else float("nan")
            value["IPS"] += sign * side.gained / count
            value["SNIPS"] += sign * side.gained * rate / count if side.mass else 0.0
            value["DM"] += sign * side.modelled / count
            value["DR"] += sign * (side.modelled + side.corrected) / count
            value["SNDR"] += sign * (side.modelled + (side.corrected * rate if side.mass else 0.0)) / count
            value["SWITCH-DR"] += sign * (side.modelled + side.switched) / count
            value["DRos"] += sign * (side.modelled + side.shrunk) / count
        value["IIPS"] = value["IPS"]
        one = len(self.sides) == 1
        value["RIPS"] = self.rips / count if one else float("nan")
        value["cascade DR"] = self.cascade / count if one else float("nan")
        return value

    @property
    def signs(self) -> tuple[float, ...]:
        return (1.0,) if len(self.sides) == 1 else (1.0, -1.0)


def add_up(sums: Sums, side: Side, mass: Floats, weight: Floats, model: Floats) -> None:
    """Take the arms of one side in; ``weight`` is 0 where an arm was not seen."""
    reward = np.where(side.seen, side.reward, 0.0)
    left = np.where(side.seen, side.reward - model, 0.0)
    sums.mass += float(mass.sum())
    sums.weight += float(weight.sum())
    sums.gained += float(weight @ reward)
    sums.modelled += float(mass @ model)
    sums.corrected += float(weight @ left)
    sums.switched += float(estimators.switched(weight) @ left)
    sums.shrunk += float(estimators.shrunk(weight) @ left)
    sums.squares += float(weight @ weight)
    sums.largest = max(sums.largest, float(weight.max(initial=0.0)))
    sums.unsupported += float(mass[side.p <= 0.0].sum())
