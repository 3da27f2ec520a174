"""From a replay's running sums to its findings: coverage first, then values, then one plain sentence each.

Must not compute anything that the replay did not measure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from borgd.replay.candidates import LOGGED, CandidatePolicy, notes
from borgd.replay.engine import Replay
from borgd.replay.estimate import estimators
from borgd.replay.estimate.intervals import ALPHA, Interval
from borgd.replay.estimate.power import WORTH, more_sessions
from borgd.replay.estimate.running_sums import SEQUENCES, SHARED, RunningSums
from borgd.replay.findings import (
    CalibrationBin,
    CandidateResult,
    Coverage,
    EstimateFinding,
    LatencyFinding,
    ReplayResult,
)
from borgd.replay.headline_result import headline
from borgd.replay.records import CHANNELS
from borgd.replay.rewards import UNITS, Reward

VERSION = 1
"""host: of the JSON document."""
ANYTIME = "anytime-valid, empirical Bernstein mixture"
BOOTSTRAP = "bootstrap: not valid for adaptive logs, nor when one looks more than once"
WHY_NONE = {
    "DM": "rests on the reward model alone; its error is unknown",
    "cascade DR": "none of its own; RIPS bounds the same value",
}


def result(
    replay: Replay,
    *,
    use_bootstrap: bool = False,
    worth: float = WORTH,
    areas: Mapping[str, str] | None = None,
    scopes: Mapping[str, str] | None = None,
) -> ReplayResult:
    """The replay's findings so far.

    :param areas: lesson -> its area; ``scopes``: lesson -> its systems, in place of what the decisions say.
    """
    return ReplayResult(
        version=VERSION,
        interval=BOOTSTRAP if use_bootstrap else ANYTIME,
        alpha=ALPHA,
        coverage=_coverage(replay),
        candidates=[
            _candidate(replay, candidate, reward, use_bootstrap, worth)
            for reward in replay.rewards
            for candidate in replay.candidates
        ],
        headline=headline(replay.headline, areas or {}, scopes or {}, team=bool(replay.salt)),
        calibration=_calibration(replay),
        latency=_latency(replay),
    )


def _coverage(replay: Replay) -> Coverage:
    return Coverage(
        used=replay.used,
        skipped=replay.reasons(),
        sessions=len(replay.sessions),
        lessons=len(replay.lessons.names),
        outcomes=replay.outcomes.count,
        outcomes_skipped=dict(replay.outcomes.skipped),
        loggers=sorted(name for name, _ in replay.loggers.values()),
        combined=_combined(len(replay.loggers)),
        exact_probabilities=replay.exact,
        drawn_probabilities=replay.drawn,
    )


def _combined(loggers: int) -> str:
    if loggers <= 1:
        return "one logger"
    return f"{loggers} loggers, each record by its own p; weighted and balanced mixtures stand beside"


def _candidate(
    replay: Replay, candidate: CandidatePolicy, reward: Reward, use_bootstrap: bool, worth: float
) -> CandidateResult:
    account = replay.accounts[candidate.name, reward]
    count = account.decisions
    mass = account.sides[-1].mass
    shown = mass / count if count else None
    chars = account.chars / count if count else None
    boot = replay.bootstrap(candidate.name, reward) if use_bootstrap else None
    spread = {name: boot.interval() for name in ("DR",)} if boot is not None else _intervals(account)
    estimates = []
    for name, value in account.points().items():
        interval = spread.get(SHARED.get(name, name))
        estimates.append(_estimate(name, value, interval, count / mass if mass else None, chars))
    for name, value in _mixed(replay, account).items():
        estimates.append(_estimate(name, value, None, count / mass if mass else None, chars))
    difference = _difference(replay, account, reward) if candidate.settings else None
    verdict, sentence, more = _verdict(replay, candidate, reward, difference, worth)
    side = account.sides[0]
    said = notes(candidate)
    if boot is not None and difference is not None:
        said.append("the difference keeps its anytime-valid interval, and the sentence rests on it")
    if account.by_draws:
        said.append(f"{account.by_draws} decisions had drawn probabilities: there the candidate's are the logged, scaled")
    if account.unknown:
        said.append(f"{account.unknown} decisions do not say their evidence: match_floor counts as unchanged there")
    return CandidateResult(
        name=candidate.name,
        settings=candidate.settings,
        reward=reward,
        unit=UNITS[reward],
        decisions=count,
        estimates=estimates,
        difference=difference,
        verdict=verdict,
        sentence=sentence,
        more_sessions=more,
        shown_per_recall=shown,
        characters_per_recall=chars,
        effective_sample_size=side.weight**2 / side.squares if side.squares else 0.0,
        largest_weight=max(each.largest for each in account.sides),
        share_without_support=side.unsupported / side.mass if side.mass else 0.0,
        notes=said,
    )


def _intervals(account: RunningSums) -> dict[str, Interval]:
    low, high = account.sequences.intervals()
    known = account.sequences.count > 0
    return {
        name: Interval(float(low[place]), float(high[place]))
        for place, name in enumerate(SEQUENCES)
        if place < len(known) and known[place]
    }


def _estimate(
    name: str, value: float, interval: Interval | None, per_mass: float | None, chars: float | None
) -> EstimateFinding:
    known = math.isfinite(value)
    return EstimateFinding(
        name=name,
        value=value if known else None,
        low=_finite(interval.low) if interval else None,
        high=_finite(interval.high) if interval else None,
        per_shown=value * per_mass if known and per_mass is not None else None,
        per_1000_characters=1000.0 * value / chars if known and chars else None,
        note="" if interval else WHY_NONE.get(name, ""),
    )


def _mixed(replay: Replay, account: RunningSums) -> dict[str, float]:
    """Several loggers as one: DR values by inverse variance, IPS against the mixture; nothing for a single logger."""
    if len(account.by_logger) < 2:
        return {}
    table = np.array(list(account.by_logger.values()))
    count, mean = table[:, 0], table[:, 1] / table[:, 0]
    variance = np.maximum(table[:, 2] / count - mean**2, 0.0)
    holdout = np.array([replay.loggers[each][1] for each in account.by_logger])
    factors = [1.0 - holdout] if len(account.sides) == 1 else [holdout, 1.0 - holdout]
    shares = count / count.sum()
    weighted = {"DR, loggers weighted": float(estimators.inverse_variance_shares(mean, variance, count) @ mean)}
    if not np.isfinite(holdout).all():  # it differs from occasion to occasion: no one factor for a logger
        return weighted
    balanced = sum(
        sign * float(estimators.balanced_factors(factor, shares) @ table[:, 3 + place])
        for place, (sign, factor) in enumerate(zip(account.signs, factors, strict=True))
    )
    return {
        "DR, loggers weighted": float(estimators.inverse_variance_shares(mean, variance, count) @ mean),
        "IPS, loggers balanced": balanced / float(count.sum()),
    }


def _difference(replay: Replay, account: RunningSums, reward: Reward) -> EstimateFinding:
    base = replay.accounts[LOGGED, reward]
    interval = _intervals(account).get("difference")
    value = account.points()["DR"] - base.points()["DR"]
    return _estimate("difference to logged", value, interval, None, None)


def _verdict(
    replay: Replay, candidate: CandidatePolicy, reward: Reward, difference: EstimateFinding | None, worth: float
) -> tuple[str, str, int | None]:
    """(verdict, sentence, about how many more sessions)."""
    account = replay.accounts[candidate.name, reward]
    unit, name = UNITS[reward].removesuffix(", per recall"), candidate.describe()
    if not account.decisions:
        return "not enough data", f"{name}: not enough data: no decision can be used yet.", None
    if difference is None:
        return "as logged", f"As logged: {_number(account.points()['DR'])} {unit}, per recall.", None
    low, high = difference.low, difference.high
    if low is None or high is None or difference.value is None:
        return "not enough data", f"{name}: not enough data.", None
    span = f"{_signed(low)} to {_signed(high)} per recall"
    if low == high == 0.0:
        return "same", f"{name}: no different; every choice would have had the same chances.", 0
    if low > 0.0:
        return "better", f"{name}: more {unit}: {_signed(difference.value)} per recall ({span}).", 0
    if high < 0.0:
        return "worse", f"{name}: fewer {unit}: {_signed(difference.value)} per recall ({span}).", 0
    if -worth < low and high < worth:
        return "same", f"{name}: no difference of {worth:g} or more ({span}).", 0
    place = SEQUENCES.index("difference")
    variance = float(account.sequences.squares[:, place].min(axis=1).max() / account.sequences.count[place])
    more = more_sessions(variance, worth, account.decisions, len(replay.sessions))
    wait = "no number of sessions would show it" if more is None else f"about {more:,} more sessions"
    return "not enough data", f"{name}: not enough data ({span}): {wait} to see a difference of {worth:g}.", more


def _calibration(replay: Replay) -> list[CalibrationBin]:
    head = replay.headline
    many = len(head.observed)
    return [
        CalibrationBin(
            low=place / many,
            high=(place + 1) / many,
            entries=int(head.expected[0, place]),
            logged=float(head.expected[1, place] / head.expected[0, place]),
            observed=float(head.observed[place] / head.expected[0, place]),
        )
        for place in range(many)
        if head.expected[0, place]
    ]


def _latency(replay: Replay) -> list[LatencyFinding]:
    head = replay.headline
    return [
        LatencyFinding(
            hook=channel,
            count=int(head.latency[place].sum()),
            p50_ms=head.percentile_ms(place, 0.5),
            p95_ms=head.percentile_ms(place, 0.95),
            p99_ms=head.percentile_ms(place, 0.99),
        )
        for place, channel in enumerate(CHANNELS)
        if head.latency[place].sum()
    ]


def _signed(value: float, digits: int = 3) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "no value yet,"
