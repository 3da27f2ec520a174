"""The findings of a replay as values: the stable form of ``borg debug ope --json``, and what text and page print.

Per recall means per decision. None stands for what is not known, never 0.
"""

from __future__ import annotations

import msgspec


class EstimateFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A value per recall with its interval; None where there is none, and why in ``note``."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    per_shown: float | None = None
    per_1000_characters: float | None = None
    note: str = ""


class CandidateResult(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate under one reward. ``verdict``: better, worse, same, as logged, not enough data."""

    name: str
    settings: dict[str, object]
    reward: str
    unit: str
    decisions: int
    estimates: list[EstimateFinding]
    difference: EstimateFinding | None
    verdict: str
    sentence: str
    more_sessions: int | None
    shown_per_recall: float | None
    characters_per_recall: float | None
    effective_sample_size: float
    largest_weight: float
    share_without_support: float
    notes: list[str]


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What all values rest on."""

    used: int
    skipped: dict[str, int]
    sessions: int
    lessons: int
    outcomes: int
    outcomes_skipped: dict[str, int]
    loggers: list[str]
    combined: str
    exact_probabilities: int
    """Decisions whose logged p is the exact one of the slot rule."""
    drawn_probabilities: int
    """The others: by draws, or decided by a grader."""


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Repeat-correction rates of one key, strata weighed by h(1 − h); ``low`` and ``high`` bound held out − shown.

    That difference, ``value``, is what showing prevents. All bounds hold at every look.
    """

    key: str
    shown: int
    shown_rate: float | None
    shown_low: float
    shown_high: float
    held: int
    held_rate: float | None
    held_low: float
    held_high: float
    value: float | None
    low: float
    high: float
    bernstein_low: float
    bernstein_high: float
    """The bounds of the empirical-Bernstein sequence, which holds for whatever drifts."""


class SoFar(msgspec.Struct, frozen=True, kw_only=True):
    """The difference held out − shown over everything up to a week's end, as it could be told then."""

    week: str
    day: int
    """The last day with data, since 1970."""
    value: float | None
    low: float
    high: float
    occasions: int


class HeadlineFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Repeat corrections, shown against held out; and what memory cost."""

    overall: Rate | None
    """Over all data since coins are thrown once a session and lesson, whatever the period."""
    sentence: str
    plan: str
    """What it would take to know; empty: it is known, or nothing is counted yet."""
    withholding: str
    """What it costs that lessons are withheld."""
    method: str
    period: Rate | None
    weeks: list[Rate]
    """Of each week alone; the conclusion is drawn from all of them together."""
    so_far: list[SoFar]
    lessons: list[Rate]
    costly: list[Rate]
    """Lessons that bring corrections or prevented none in many occasions, the clearest first."""
    areas: list[Rate]
    scopes: list[Rate]
    strata: list[Rate]
    occasions: int
    young: int
    """Occasions too young to be settled."""
    old: int
    """Lessons shown or withheld by decisions of before the rule, left out."""
    teammates: dict[str, int]
    """Occasions by the team's file that told of them."""
    recalls: int
    characters_per_recall: float | None
    blocks: int
    milliseconds_per_recall: float | None


class CalibrationBin(msgspec.Struct, frozen=True, kw_only=True):
    """Calibration: entries whose logged p is in [low, high), their mean p and the share that was shown."""

    low: float
    high: float
    entries: int
    logged: float
    observed: float


class LatencyFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of the choice alone, per channel."""

    hook: str
    count: int
    p50_ms: float
    p95_ms: float
    p99_ms: float


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    version: int
    interval: str
    alpha: float
    coverage: Coverage
    candidates: list[CandidateResult]
    headline: HeadlineFinding
    calibration: list[CalibrationBin]
    latency: list[LatencyFinding]
