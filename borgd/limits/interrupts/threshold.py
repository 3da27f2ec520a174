"""The bar an ask's confidence must reach: it rises from base to cap as the fullest scope of its chain is spent.

bar = base + (cap − base) × ratio, ratio = max over the chain of min(1, spent/ceiling): exact, so confidence = cap always
clears it. The bar is soft: it paces, it does not ration. High stakes and confidence at cap clear a spent budget
(``hard_cap`` takes that away), and nothing gives a sibling a minimum share. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from borgd.limits.interrupts.ceilings import ThresholdKind
from borgd.limits.interrupts.exact_fractions import ONE

NOTHING = Fraction(0)


class FullestAccount(NamedTuple):
    """The scope of a chain whose spend is nearest to its ceiling: ``at`` is its place in the chain."""

    at: int
    spent: int
    ceiling: int

    @property
    def full(self) -> bool:
        return self.spent >= self.ceiling

    @property
    def ratio(self) -> Fraction:
        return ONE if self.full else Fraction(self.spent, self.ceiling)


def fullest(spent: Sequence[int], ceilings: Sequence[int]) -> FullestAccount:
    """The fullest place; among equals the smallest ceiling, then the nearest to the root. Integers only, one step per scope.

    :param spent: asks charged, ``ceilings`` asks allowed, both root first and of one length ≥ 1.
    """
    best = 0
    for at in range(1, len(spent)):
        if _fuller(spent[at], ceilings[at], spent[best], ceilings[best]):
            best = at
    return FullestAccount(best, spent[best], ceilings[best])


def _fuller(spent: int, ceiling: int, than_spent: int, than_ceiling: int) -> bool:
    if spent >= ceiling or than_spent >= than_ceiling:
        more, less = spent >= ceiling, than_spent >= than_ceiling
    else:
        more, less = spent * than_ceiling > than_spent * ceiling, spent * than_ceiling < than_spent * ceiling
    return (more and not less) or (more == less and ceiling < than_ceiling)


def pace(ratio: Fraction, elapsed: Fraction) -> Fraction:
    """The timed bar's ratio: spend counts for less the less of the day is left, as a budget left over is worth nothing.

    Of seven formulas the best or nearly so in value admitted on streams of 3 to 200 asks (tests/perf/bench_interrupts.py);
    forms that hold back in the morning spread asks more evenly and lose value on days with many high-stakes asks.

    :param ratio: spent/ceiling in [0, 1]; ``elapsed``: the part of the day's hours that has passed, in [0, 1].
    :returns: ratio × (1 − elapsed), and 1 where the ceiling is spent: monotone in ratio, falling in elapsed.
    """
    return ONE if ratio >= 1 else ratio * (1 - elapsed)


def unspent(
    kind: ThresholdKind, base: Fraction, cap: Fraction, full: FullestAccount, elapsed: Fraction = NOTHING
) -> Fraction:
    """The confidence of an ask that states none: the bar one ask before the ceiling, so that it clears exactly while the
    account is unspent (with three a day .5, .65 and .8 are met, the fourth's .95 is not). 0 where a spent account has no
    higher bar than that, as with base = cap.
    """
    if full.ceiling == 0:
        return NOTHING
    value = threshold_at(kind, base, cap, Fraction(full.ceiling - 1, full.ceiling), elapsed)
    return NOTHING if full.full and value >= cap else value


def threshold_at(
    kind: ThresholdKind, base: Fraction, cap: Fraction, ratio: Fraction, elapsed: Fraction = NOTHING
) -> Fraction:
    """The bar in [base, cap] at ``ratio`` spent; ``elapsed`` matters to the timed kind only."""
    return base + (cap - base) * (pace(ratio, elapsed) if kind == "timed" else ratio)
