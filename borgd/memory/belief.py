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

PRECEDENCE: tuple[OutcomeKind, ...] = (
    "ignored", "changed", "tested", "regretted", "contradicted", "corrected", "vetoed", "withdrawn",
)  # fmt: skip
"""design: rising. What an agent says of itself gives way to tests and later repairs, these to a person's words, and a veto
to its being taken back, after which the session moves no belief."""

RANKS: dict[str, int] = {kind: place + 1 for place, kind in enumerate(PRECEDENCE)}
"""Place in PRECEDENCE from 1; kinds that move no belief are absent (0)."""

SHIFT = 21
"""method: a result is turn << TURN_SHIFT | rank << SHIFT | credit units; of two the larger integer counts."""
TURN_SHIFT = 25
"""method: bits below are a result's rank and credit."""
MOST_TURNS = 64
"""guard: vetoes of one lesson in one session that are told apart."""

FOLLOWED: tuple[OutcomeKind, ...] = ("changed", "tested")
REFUSED: tuple[OutcomeKind, ...] = ("contradicted", "corrected", "vetoed")

Tally = list[int]
"""Credit units per rank, for one lesson; index 0 is unused."""


FRESH = 14
"""tuned: tests/perf/bench_learning.py: a person's newest results about a lesson, which count whole. While the world stays as
it is, 6 to 20 cost the same; sixty sessions after it changed, beliefs are within a tenth of the new truth with 14."""
HALF_LIFE = 2
"""tuned: as FRESH; with 12 beliefs lag behind a changed world by a quarter."""
MOST_SHARE = 1 / 3
"""design: of a lesson's evidence, one person's and one repository's at most, beyond what each may have alone."""
OWN_CREDITS = 16.0
"""design: credits that this person's own results may have alone; enough for their vetoes to silence a lesson."""
OTHER_CREDITS = 6.0
"""guard: credits that any other person's may have alone; a forged file cannot silence a lesson by itself."""
REPOSITORY_CREDITS = 16.0
"""design: credits that one repository's results may have alone; most lessons have one repository."""
DOUBTED_LEVEL = 0.95
"""design: the quantile of a belief that says how good the lesson may still be."""
DOUBTED_BELOW = 0.25
"""design: a lesson that may not even be this good is doubted: about four vetoes of its person's from the prior."""

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
    fresh: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = FRESH
    half_life: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = HALF_LIFE
    """Further results of the same person about the lesson after which what is left of one is halved."""
    own_credits: Step = OWN_CREDITS
    other_credits: Step = OTHER_CREDITS
    repository_credits: Step = REPOSITORY_CREDITS
    most_share: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] = MOST_SHARE


def halvings(age: int, rule: BeliefRule) -> int:
    """How often a result is halved that so many newer ones of the same person follow."""
    return 0 if age < rule.fresh else 1 + (age - rule.fresh) // rule.half_life


class Belief(msgspec.Struct, frozen=True):
    """Beta(alpha, beta)."""

    alpha: float = 1.0
    beta: float = 1.0

    @property
    def mean(self) -> float:
        return self.alpha / (self.alpha + self.beta)

    @property
    def doubted(self) -> bool:
        """Whether the lesson is all but surely of little use, whatever others are about its topic."""
        return self.mean < DOUBTED_BELOW and beta.quantile(DOUBTED_LEVEL, self.alpha, self.beta) < DOUBTED_BELOW

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds ``level`` of it."""
        return beta.interval(self.alpha, self.beta, level)


def result(outcome: Outcome) -> int:
    """What ``outcome`` says, as an integer that grows with precedence; 0 where it moves no belief."""
    rank = 0 if outcome.held else RANKS.get(outcome.kind, 0)
    return rank and packed(rank, outcome.credit, outcome.turn)


def packed(rank: int, credit: float, turn: int = 1) -> int:
    """A result as an integer. A later ``turn`` (a veto after one that was taken back) outweighs all before it."""
    return (min(max(turn, 1), MOST_TURNS) - 1) << TURN_SHIFT | rank << SHIFT | units(credit)


def rank_of(value: int) -> int:
    """The rank of a result."""
    return value >> SHIFT & 15


def units_of(value: int) -> int:
    """The credit units of a result."""
    return value & (1 << SHIFT) - 1


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
