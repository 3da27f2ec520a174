"""The two records that memory and replay are folded from: one choice of recall, and what became of a lesson in it.

Formats of decisions.jsonl and outcomes.jsonl. Values only.
"""

from __future__ import annotations

from typing import Literal

import msgspec

OutcomeKind = Literal[
    "changed", "ignored", "not_arisen", "corrected", "not_corrected",
    "vetoed", "contradicted", "regretted", "tested", "unclear", "withdrawn",
]  # fmt: skip
Channel = Literal["early", "stop", "free"]


class PoolEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One lesson that could have been shown.

    ``score`` is what it was ranked by, ``base`` that score without its belief factor (evidence × squash(A) × trust/0.5),
    ``share`` its evidence relative to the best's in [0, 1], ``draw`` its Thompson draw in [0, 1], ``mean`` its belief's
    mean then, ``p`` the probability that it was shown, in (0, 1], holdout included. ``rank`` is its 0-based place in the
    pool: standing ones, winners of slots in the order they are told, what was cut, the rest by score; or a grader's order.
    Exactly one of shown, held, cut, or none (it won no slot). Shown or held with a ``holdout`` above 0 is an occasion.
    """

    id: str
    score: float
    base: float
    share: float
    rank: int
    draw: float
    mean: float
    p: float
    alpha: float = 1.0
    beta: float = 1.0
    scoped: bool = False
    standing: bool = False
    shown: bool = False
    held: bool = False
    cut: bool = False
    holdout: float = 0.0
    """Probability of the coin that decided whether it is withheld, if it won a slot; 0: none is thrown, as at a later
    contact."""
    parts: dict[str, float] = {}
    """What the strongest parts of its evidence added to the logit, by name; empty: not said, as under the older rules."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One recall choice, a line of decisions.jsonl. ``ms`` is wall time in milliseconds since the epoch."""

    id: str
    ms: int
    agent: str
    session: str
    channel: Channel
    pool: tuple[PoolEntry, ...]
    subagent: str = ""
    prompt_id: str = ""
    topics: tuple[str, ...] = ()
    seed: str = ""
    policy: str = "budget"
    version: int = 1
    budget: int = 0
    """Characters the text was allowed."""
    slots: int = 0
    generic_slots: int = 0
    chars: int = 0
    """Characters that were injected."""
    micros: int = 0
    """Microseconds the choice took."""
    holdout: float = 0.0
    floor: float = 0.0
    best: float = 0.0
    """Score that the bars were relative to (a lesson that was done already may have it); 0: not said."""
    evidence: float = 0.0
    """Evidence that shares are relative to; 0: not said."""
    repo: str = ""
    engineer: str = ""
    machine: str = ""
    scopes: tuple[str, ...] = ()
    """Systems of the lessons that were shown or held out."""
    horizon_ms: int = 0
    """After how long the coins thrown here are settled; 0: from before coins were thrown once a session and lesson."""
    ranking: int = 0
    """The release of the ranking that chose; 0: not said."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What became of one lesson in one decision, a line of outcomes.jsonl.

    ``credit`` in (0, 1] is the part of a shared result that is this lesson's. ``held`` marks a lesson that was withheld.
    ``evidence`` names what the judgement rests on; never empty.
    """

    id: str
    ms: int
    lesson: str
    kind: OutcomeKind
    evidence: str
    decision: str = ""
    agent: str = ""
    session: str = ""
    channel: str = ""
    held: bool = False
    credit: float = 1.0
    repo: str = ""
    engineer: str = ""
    machine: str = ""
    area: str = ""
    turn: int = 1
    """Of a veto and of its being withdrawn: which one of this session and lesson, from 1."""


class SettledOutcome(Outcome, frozen=True, kw_only=True, gc=False):
    """An occasion after its horizon, a line of a team's outcomes: was it corrected again (``kind``), withheld or shown
    (``held``)?

    ``ms`` is when it was settled, ``horizon_ms`` before that the coin was thrown; a missing outcome is not_corrected.
    ``decision`` and ``lesson`` name it, ``agent``, ``holdout`` and ``ranking`` are its stratum. ``coin_ms`` 0: an outcome
    that is none.
    """

    coin_ms: int = 0
    horizon_ms: int = 0
    holdout: float = 0.0
    """The probability of being withheld, known before the coin."""
    policy: str = ""
    ranking: int = 0
    scopes: tuple[str, ...] = ()
