"""What is believed of a lesson: Beta(α, β) over "it changes something for the better", counted from outcomes.

One result per session and lesson: of several outcomes the one of highest precedence counts, so that neither order nor
repetition matters. Counts are integers (units of a whole credit), so sums are exact in any order. Outcomes of a held-out
lesson move no belief: they are the control group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from borgd.memory import beta
from borgd.memory.records import Outcome, OutcomeKind

CREDIT = 1 << 20
"""method: units in a whole credit; shares of a credit are rounded to them."""

PRECEDENCE: tuple[OutcomeKind, ...] = ("ignored", "changed", "tested", "regretted", "contradicted", "corrected", "vetoed")
"""design: rising. What an agent says of itself gives way to tests and later repairs, these to a person's words."""

RANKS: dict[str, int] = {kind: place + 1 for place, kind in enumerate(PRECEDENCE)}
"""Place in PRECEDENCE from 1; kinds that move no belief are absent (0)."""

SHIFT = 21
"""method: a result is rank << SHIFT | credit units, so that the larger integer is the one that counts."""

FOLLOWED: tuple[OutcomeKind, ...] = ("changed", "tested")
REFUSED: tuple[OutcomeKind, ...] = ("contradicted", "corrected", "vetoed")

Tally = list[int]
"""Credit units per rank, for one lesson; index 0 is unused."""


Prior = Annotated[float, msgspec.Meta(ge=0.5, le=1e6)]
Step = Annotated[float, msgspec.Meta(ge=0.0, le=1e3)]


class BeliefRule(msgspec.Struct, frozen=True, kw_only=True):
    """How much each kind of result moves a belief. design: chosen, not measured; ``contradicted`` is 1, because losing
    one comparison is one trial lost, as winning it is one won."""

    prior_alpha: Prior = 1.0
    prior_beta: Prior = 1.0
    changed: Step = 1.0
    tested: Step = 1.0
    ignored: Step = 0.5
    regretted: Step = 1.0
    contradicted: Step = 1.0
    corrected: Step = 2.0
    vetoed: Step = 3.0


class Belief(msgspec.Struct, frozen=True):
    """Beta(alpha, beta)."""

    alpha: float = 1.0
    beta: float = 1.0

    @property
    def mean(self) -> float:
        return self.alpha / (self.alpha + self.beta)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds ``level`` of it."""
        return beta.interval(self.alpha, self.beta, level)


def result(outcome: Outcome) -> int:
    """What ``outcome`` says, as an integer that grows with precedence; 0 where it moves no belief."""
    rank = 0 if outcome.held else RANKS.get(outcome.kind, 0)
    return rank and rank << SHIFT | units(outcome.credit)


def units(credit: float) -> int:
    """``credit`` in whole units, held to (0, 1]: a damaged credit neither erases nor multiplies a result."""
    return max(1, round(credit * CREDIT)) if 0 < credit < 1 else CREDIT


def empty() -> Tally:
    """No results."""
    return [0] * (len(PRECEDENCE) + 1)


def believe(tally: Sequence[int], rule: BeliefRule) -> Belief:
    """The belief after the results in ``tally``."""
    weight = {kind: tally[rank] / CREDIT for kind, rank in RANKS.items()}
    return Belief(
        rule.prior_alpha + rule.changed * weight["changed"] + rule.tested * weight["tested"],
        rule.prior_beta
        + rule.ignored * weight["ignored"]
        + rule.regretted * weight["regretted"]
        + rule.contradicted * weight["contradicted"]
        + rule.corrected * weight["corrected"]
        + rule.vetoed * weight["vetoed"],
    )


def followed(tally: Sequence[int]) -> int:
    """Credit units of sessions in which the lesson was followed."""
    return sum(tally[RANKS[kind]] for kind in FOLLOWED)


def refused(tally: Sequence[int]) -> int:
    """Credit units of sessions in which a person spoke against the lesson or its effect."""
    return sum(tally[RANKS[kind]] for kind in REFUSED)
