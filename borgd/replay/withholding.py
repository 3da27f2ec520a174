"""How likely a lesson is withheld: a rule that is known before the coin, from what was settled before.

Promises a probability that is never 0 and never depends on the coin it is for. A lesson of which little is known, or of
which what is known is in dispute, is withheld often enough to find out soon; one that is known to help, seldom, and never
not at all.
"""

from __future__ import annotations

import math

LADDER: tuple[tuple[float, float], ...] = ((40.0, 0.02), (10.0, 0.05), (3.0, 0.1))
"""tuned (tests/perf/bench_evidence): (evidence that showing it helps, as a bet's capital; holdout from there on). At 40 the
lesson's own sequence excludes 0."""
YOUNG = 0.2
"""tuned (tests/perf/bench_evidence): holdout below the ladder; .05 takes four times the occasions and no fewer
corrections."""


def holdout(log_evidence: float) -> float:
    """The probability, in (0, 1), with which a lesson is withheld at a session's first contact with it.

    :param log_evidence: ``betting.log_evidence`` of the lesson's settled occasions that showing it prevents corrections.
    """
    for capital, chance in LADDER:
        if log_evidence >= math.log(capital):
            return chance
    return YOUNG
