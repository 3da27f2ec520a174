"""From counted occasions to what is said of them: the headline, who it holds for, what it takes to know, what it costs.

Must not count anything itself; everything follows from ``Headline`` alone, so that equal counts give equal words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from borgd.replay.estimate.betting import (
    PRINTED,
    OccasionCounts,
    interval,
    log_evidence,
    needed,
    rate_interval,
)
from borgd.replay.findings import HeadlineFinding, Rate, SoFar
from borgd.replay.headline import Headline, week
from borgd.replay.occasions import DAY_MS, OccasionRow, OccasionTable

LISTED = 40
"""design: lessons and scopes that are listed by name."""
RETIRED_AFTER, WITHHELD_LEAST = 60, 8
"""design: occasions, and of them withheld ones, after which a lesson that prevented nothing is said to cost more than it
brings."""
HARM = math.log(3.0)
"""design: evidence (a bet's log capital) that showing a lesson brings corrections, from which on it is said to."""
COSTLY = 5
"""design: such lessons that are named."""
FEW_CORRECTIONS = 3
"""design: corrections from which on it is said how many more occasions it takes."""
MONTH_DAYS = 30
"""design: the days over which withholding is counted, and the pace of occasions measured."""


def headline(head: Headline, areas: Mapping[str, str], scopes: Mapping[str, str], *, team: bool) -> HeadlineFinding:
    """What the occasions say.

    :param areas: lesson -> its area; ``scopes``: lesson -> its systems, where they are not to be taken from the decisions.
    """
    table, cost = OccasionTable(head.occasions.rows()), head.cost
    whole = table.of()
    overall = rate("all", whole) if whole.occasions else None
    lessons = _largest(table.by(lambda row: row.lesson))
    return HeadlineFinding(
        overall=overall,
        sentence=sentence(overall),
        plan=_plan(whole, table.rows),
        withholding=_withholding(whole, table.rows, team=team),
        method=PRINTED,
        period=_period(table),
        weeks=[rate(key, counts) for key, counts in table.by(_week).items()],
        so_far=_so_far(table),
        lessons=[rate(key, counts) for key, counts in lessons[:LISTED]],
        costly=_costly(lessons),
        areas=_named(table, lambda row: areas.get(row.lesson, "")),
        scopes=_named(table, lambda row: scopes.get(row.lesson, "") if scopes else row.stratum.scope),
        strata=_named(table, _stratum),
        occasions=whole.occasions,
        young=head.young,
        old=head.old,
        teammates=dict(sorted(head.teammates.items())),
        recalls=cost.recalls,
        characters_per_recall=cost.chars / cost.recalls if cost.recalls else None,
        blocks=cost.blocks,
        milliseconds_per_recall=cost.micros / cost.recalls / 1000.0 if cost.recalls else None,
    )


def rate(key: str, counts: OccasionCounts) -> Rate:
    """Rates, their intervals, and the difference with its own."""
    difference = interval(counts)
    other = interval(counts, method="empirical Bernstein")
    shown, held = rate_interval(counts, held=False), rate_interval(counts, held=True)
    many = counts.count.sum(axis=0) if len(counts.count) else (0, 0, 0, 0)
    value = counts.held_rate - counts.shown_rate
    return Rate(
        key=key,
        shown=int(many[2] + many[3]),
        shown_rate=_finite(counts.shown_rate),
        shown_low=shown.low,
        shown_high=shown.high,
        held=int(many[0] + many[1]),
        held_rate=_finite(counts.held_rate),
        held_low=held.low,
        held_high=held.high,
        value=_finite(min(max(value, difference.low), difference.high)) if math.isfinite(value) else None,
        low=difference.low,
        high=difference.high,
        bernstein_low=other.low,
        bernstein_high=other.high,
    )


def sentence(found: Rate | None) -> str:
    """The conclusion in one sentence."""
    if found is None:
        return (
            "Not enough data: no occasion is settled yet. An occasion is a session's first contact with a lesson; what "
            "became of it is settled a day later. Keep working and look again then."
        )
    rates = f"corrected again in {_share(found.shown_rate)} where shown ({found.shown:,})"
    rates += f", {_share(found.held_rate)} where held out ({found.held:,})"
    span = f"{_points(found.low)} to {_points(found.high)} points"
    if found.low > 0.0:
        return f"The lessons help: {rates}; showing prevents {span}."
    if found.high < 0.0:
        return f"The lessons hurt: {rates}; showing changes it by {span}."
    return f"Not enough data: {rates}; showing prevents {span}."


def _plan(counts: OccasionCounts, rows: Sequence[OccasionRow]) -> str:
    """What it would take to know; empty where it is known."""
    if not counts.occasions:
        return ""
    if float(counts.count[:, [0, 2]].sum()) < FEW_CORRECTIONS:
        return "Too few corrections yet to say how long it takes to know."
    factor = needed(counts)
    if factor == 1.0:
        return ""
    if factor is None:
        return (
            "As the rates are now, no number of occasions that one could wait for tells whether the lessons help: the "
            "difference is too small."
        )
    more = max(1, round(counts.occasions * (factor - 1.0)))
    pace = _pace(rows)
    wait = f", {_time(more / pace)} at the present pace" if pace else ""
    return f"To know takes about {_rounded(more):,} more occasions{wait}, if the rates stay as they are."


def _pace(rows: Sequence[OccasionRow]) -> float:
    """Occasions a day, over the last month of data."""
    if not rows:
        return 0.0
    last = max(row.day for row in rows)
    recent = [row for row in rows if row.day > last - MONTH_DAYS]
    days = last - min(row.day for row in recent) + 1
    return sum(float(row.counts.sum()) for row in recent) / days


def _withholding(counts: OccasionCounts, rows: Sequence[OccasionRow], *, team: bool) -> str:
    """What not telling costs, in repeated corrections a month."""
    if not rows:
        return ""
    last = max(row.day for row in rows)
    recent = [row for row in rows if row.day > last - MONTH_DAYS]
    days = last - min(row.day for row in recent) + 1
    held = sum(float(row.counts[:2].sum()) for row in recent)
    total = sum(float(row.counts.sum()) for row in recent)
    who = " across the team" if team else ""
    span = f"the last {days} days" if days > 1 else "one day"
    said = f"Withheld: {held:,.0f} of {total:,.0f} occasions in {span}"
    if not math.isfinite(counts.held_rate - counts.shown_rate):
        return f"{said}{who}."
    extra = max(0.0, counts.held_rate - counts.shown_rate) * held * MONTH_DAYS / days
    month = f"about {extra:.0f} repeated corrections a month" if extra >= 1.5 else "about one repeated correction a month"
    cost = month if extra >= 0.5 else "less than one repeated correction a month"
    return f"{said}. That costs {cost}{who}."


def _period(table: OccasionTable) -> Rate | None:
    counts = table.of(lambda row: row.stratum.recent)
    return rate("period", counts) if counts.occasions else None


def _so_far(table: OccasionTable) -> list[SoFar]:
    """The difference over everything up to each week's end, as it could be told then."""
    found = []
    for monday in dict.fromkeys(_week(row) for row in table.rows):
        counts = table.of(partial(_up_to, monday))
        said = interval(counts)
        value = counts.held_rate - counts.shown_rate
        value = min(max(value, said.low), said.high)
        last = max(row.day for row in table.rows if _week(row) == monday)
        found.append(
            SoFar(week=monday, day=last, value=_finite(value), low=said.low, high=said.high, occasions=counts.occasions)
        )
    return found


def _up_to(monday: str, row: OccasionRow) -> bool:
    return _week(row) <= monday


def _largest(groups: Mapping[str, OccasionCounts]) -> list[tuple[str, OccasionCounts]]:
    """Most occasions first."""
    return sorted(((key, counts) for key, counts in groups.items() if key), key=lambda each: (-each[1].occasions, each[0]))


def _named(table: OccasionTable, key: Callable[[OccasionRow], str]) -> list[Rate]:
    groups = _largest(table.by(key))
    return [rate(name, counts) for name, counts in groups[:LISTED]]


def _costly(lessons: list[tuple[str, OccasionCounts]]) -> list[Rate]:
    """Lessons that bring corrections rather than prevent them, or prevented none so far; the clearest first."""
    found = []
    for name, counts in lessons:
        harm = log_evidence(counts, -1)
        value = counts.held_rate - counts.shown_rate
        held = float(counts.count[:, :2].sum())
        if harm >= HARM or (counts.occasions >= RETIRED_AFTER and held >= WITHHELD_LEAST and value <= 0.0):
            found.append((-harm, name, counts))
    return [rate(name, counts) for _, name, counts in sorted(found, key=lambda each: each[:2])[:COSTLY]]


def _week(row: OccasionRow) -> str:
    return week(row.day * DAY_MS)


def _stratum(row: OccasionRow) -> str:
    return f"{row.stratum.agent or 'unknown agent'}, holdout {row.holdout:g}, ranking {row.stratum.ranking}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _points(value: float) -> str:
    return f"{value * 100:+.1f}".replace("-", "−")


def _rounded(number: float) -> int:
    """Two significant digits."""
    digits = max(0, math.floor(math.log10(max(number, 1.0))) - 1)
    return int(round(number / 10**digits) * 10**digits)


def _time(days: float) -> str:
    if days < 14:
        return f"about {max(1, round(days))} days"
    if days < 90:
        return f"about {round(days / 7)} weeks"
    return f"about {_rounded(days / 30)} months"
