"""How readily this machine takes words for a correction, from what its person made of those it took. Pure, bounded.

A fold over the verdicts on proposals that came from a correction: kept ones lower both thresholds, dropped ones raise them.
Nothing is stored beside its sources: where they are forgotten, so is what was learnt from them.
"""

from __future__ import annotations

from collections.abc import Iterable

from borgd.lessons.corrections.linear import Model

BOUND = 0.5
"""guard: log odds by which the thresholds move at most; half of what lies between hearing .88 and .93 of the corrections."""
DOUBT = 20
"""design: verdicts' worth of doubt: so many of one kind move the thresholds by half of BOUND."""


def shift(kept: Iterable[bool]) -> float:
    """By how much the thresholds move, within BOUND: for each decided proposal, whether the person kept it."""
    verdicts = list(kept)
    dropped_more = sum(-1 if one else 1 for one in verdicts)
    return BOUND * dropped_more / (len(verdicts) + DOUBT)


def shifted(model: Model, by: float) -> Model:
    """``model`` with its thresholds moved by ``by``."""
    return model._replace(thresholds=type(model.thresholds)(*(limit + by for limit in model.thresholds)))
