"""How much data a difference needs before the sequence can see it.

The sequence calls a difference of δ once Σ(X − 0) passes its boundary: with n decisions of variance v that is n δ less the
luck of POWER at its worst, against ``boundary(n v)``. The number of decisions is the smallest n for which it holds.
"""

from __future__ import annotations

import math

from borgd.replay.estimate.intervals import ALPHA, boundary

POWER_QUANTILE = 1.2816
"""design: 90 % power, the standard normal's quantile."""
WORTH = 0.1
"""design: the smallest difference worth waiting for, per recall: ten points."""
MOST = 1e12
"""guard: decisions; beyond it nobody waits."""


def needed(variance: float, difference: float, alpha: float = ALPHA) -> float:
    """Decisions after which a true ``difference`` is called with 90 % probability; inf where it never is.

    :param variance: of the observations, per decision.
    """
    if difference <= 0.0 or not math.isfinite(variance):
        return math.inf
    low, high = 1.0, 2.0
    while not _called(high, variance, difference, alpha):
        low, high = high, high * 2.0
        if high > MOST:
            return math.inf
    while high - low > max(1.0, 0.002 * low):
        middle = (low + high) / 2.0
        low, high = (low, middle) if _called(middle, variance, difference, alpha) else (middle, high)
    return math.ceil(high)


def _called(count: float, variance: float, difference: float, alpha: float) -> bool:
    luck = POWER_QUANTILE * math.sqrt(count * variance)
    return count * difference - luck >= boundary(count * variance, alpha)


def more_sessions(variance: float, difference: float, decisions: int, sessions: int) -> int | None:
    """About how many more sessions are needed, in two significant digits; None: no number of sessions would do."""
    total = needed(variance, difference)
    if not math.isfinite(total) or not decisions:
        return None
    more = max(1.0, total - decisions) * sessions / decisions
    digits = 1 - math.floor(math.log10(max(more, 1.0)))
    return max(1, math.ceil(round(more, digits)))
