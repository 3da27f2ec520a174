"""The page's first sections: the few numbers one looks for, the conclusion over time, whom it holds for, what to retire.

Promises that a plot shows an estimate and its interval also for one point, that what an axis leaves out is said, and that
all text is escaped.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from borgd.replay.findings import HeadlineFinding, Rate, ReplayResult, SoFar
from borgd.replay.page import plots
from borgd.replay.page.parts import date, day_of, key, number, section, share, table
from borgd.replay.page.plots import Axis, Series, clean

LEAD = (
    "A session’s first contact with a lesson throws a coin of known odds: told, or left without it for the whole session. "
    "A day later both are judged alike, by what that session was corrected for. So what is corrected again with and without "
    "a lesson differs by chance and by what the lesson does, and by nothing else."
)
CLIP = 1.6
"""design: an axis reaches as far as the later half of the intervals, times this; if earlier ones are wider, it is said."""
EDGE = 0.02
"""design: share of an axis that is left free above and below."""
OPEN_LESSONS = 12
"""design: lessons of which something is known that are listed without a click."""


def points(value: float | None) -> str:
    """A difference of rates in points, with its sign."""
    return "–" if value is None else f"{value * 100:+.1f}".replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """Two differences in points."""
    return "–" if low is None or high is None else f"{points(low)} to {points(high)}"


def cards(found: ReplayResult, period: str) -> str:
    """The few numbers one looks for first: of all data, then of the period."""
    head, rate, now = found.headline, found.headline.overall, found.headline.period
    shown, held = (rate.shown, rate.held) if rate else (0, 0)
    bounds = f"95 %: {span(rate.low, rate.high)}, at every look" if rate else "no occasion is settled yet"
    whole = [
        ("corrected again, where shown", share(rate.shown_rate if rate else None), f"{shown:,} occasions"),
        ("corrected again, where withheld", share(rate.held_rate if rate else None), f"{held:,} occasions"),
        ("showing prevents, of every 100", points(rate.value if rate else None), bounds),
    ]
    recent = [
        (
            "corrected again, shown and withheld",
            f"{share(now.shown_rate if now else None)} · {share(now.held_rate if now else None)}",
            f"{now.shown + now.held if now else 0:,} occasions settled",
        ),
        ("characters per recall", number(head.characters_per_recall, 0), f"{head.recalls:,} recalls"),
        ("blocks at Stop", f"{head.blocks:,}", f"{number(head.milliseconds_per_recall, 2)} ms to choose, on average"),
    ]
    return f"<h2>All data</h2>{_tiles(whole)}<h2>{clean(period, 80)}</h2>{_tiles(recent)}"


def _tiles(entries: Sequence[tuple[str, str, str]]) -> str:
    inner = "".join(
        f'<div class="card"><dt>{clean(name)}</dt><dd>{value}</dd><p>{clean(note, 90)}</p></div>'
        for name, value, note in entries
    )
    return f'<dl class="cards">{inner}</dl>'


def headline(found: ReplayResult, questions: Mapping[str, str]) -> str:
    """The difference so far over time, the two rates week by week, and whom it holds for."""
    head = found.headline
    known = [each for each in head.so_far if each.value is not None]
    body = _over_time(known) if known else "<p>Nothing to compare yet.</p>"
    old = f"<p>{head.old:,} of before coins were thrown once a session are left out.</p>" if head.old else ""
    return section("Do the lessons help?", body + old + _weekly(head) + _groups(head, questions), clean(LEAD, 600))


def _over_time(known: Sequence[SoFar]) -> str:
    later = known[len(known) // 2 :]
    reach = CLIP * max(max(abs(each.low), abs(each.high)) for each in later)
    widest = max(max(abs(each.low), abs(each.high)) for each in known)
    reach = widest if widest < CLIP * reach else reach
    low = max(-reach, min(0.0, *(each.low for each in known)))
    high = min(reach, max(0.0, *(each.high for each in known)))
    wider = [each for each in known if each.low < low - 1e-9 or each.high > high + 1e-9]

    def draw(width: int) -> str:
        y = Axis(low - EDGE, high + EDGE, 0, 0, "prevented, share of occasions", plots.percent)
        days = [float(each.day) for each in known]
        line = [(day, each.value or 0.0) for day, each in zip(days, known, strict=True)]
        bars = [(day, each.low, each.high) for day, each in zip(days, known, strict=True)]
        series = Series("so far", "a", line, band=bars if len(bars) > 1 else (), whiskers=bars)
        title = "Repeat corrections prevented, all data up to each point, with the interval that holds at every look"
        return plots.lines([series], plots.day_axis(days, date), y, title, width, zero=True)

    rows = [[date(each.day), f"{each.occasions:,}", share(each.value), share(each.low), share(each.high)] for each in known]
    body = key(("a", "withheld − shown, all data so far"), ("band", "95 % interval, valid at every look")) + plots.both(draw)
    if wider:
        last = wider[-1]
        body += f'<p class="note">The axis ends before the first intervals do: up to {date(last.day)} they reach from '
        body += f"{span(min(each.low for each in wider), max(each.high for each in wider))} points.</p>"
    return body + table(("up to", "occasions", "prevented", "low", "high"), rows, "The same as a table")


def _weekly(head: HeadlineFinding) -> str:
    weeks = [week for week in head.weeks if week.shown_rate is not None]
    if len(weeks) < 2:
        return ""
    days = [day_of(week.key) for week in weeks]
    shown = Series(
        "shown", "a", [(day, week.shown_rate or 0.0) for day, week in zip(days, weeks, strict=True)],
        whiskers=[(day, week.shown_low, week.shown_high) for day, week in zip(days, weeks, strict=True)],
    )  # fmt: skip
    withheld = [(day, week) for day, week in zip(days, weeks, strict=True) if week.held_rate is not None]
    held = Series(
        "withheld", "b", [(day + 1.5, week.held_rate or 0.0) for day, week in withheld],
        whiskers=[(day + 1.5, week.held_low, week.held_high) for day, week in withheld],
    )  # fmt: skip

    rates = [value for week in weeks for value in (week.shown_rate, week.held_rate) if value is not None]
    highs = sorted(bound for week in weeks for bound in (week.shown_high, week.held_high))
    top = min(1.0, max(1.15 * max(rates), highs[len(highs) // 2], 0.05))
    wider = sum(bound > top + 1e-9 for bound in highs)

    def draw(width: int) -> str:
        y = Axis(0.0, top, 0, 0, "corrected again", plots.percent)
        axis = plots.day_axis(days, date, after=1.5)
        return plots.lines([held, shown], axis, y, "Rates of each week alone, with their intervals", width)

    rows = [
        [clean(week.key), *_cells(week), f"{share(week.shown_low)} to {share(week.shown_high)}",
         f"{share(week.held_low)} to {share(week.held_high)}"]
        for week in weeks
    ]  # fmt: skip
    lead = "<p>Each week alone, with its own intervals; the conclusion is drawn from all of them together.</p>"
    body = key(("a", "shown"), ("b", "withheld")) + plots.both(draw)
    body += f'<p class="note">{wider} of the intervals reach above this axis; the table has them.</p>' if wider else ""
    columns = ("week", *HEAD, "shown, 95 %", "withheld, 95 %")
    return f"<h3>Week by week</h3>{lead}{body}{table(columns, rows, 'The same as a table')}"


HEAD = ("shown", "corrected again", "withheld", "corrected again", "prevented", "95 % interval, points")


def _cells(rate: Rate) -> list[str]:
    return [
        f"{rate.shown:,}",
        share(rate.shown_rate),
        f"{rate.held:,}",
        share(rate.held_rate),
        points(rate.value),
        span(rate.low, rate.high),
    ]


def _groups(head: HeadlineFinding, questions: Mapping[str, str]) -> str:
    known = [each for each in head.lessons if each.low > 0.0 or each.high < 0.0]
    rest = [each for each in head.lessons if each not in known]
    said = ""
    if head.lessons:
        said = "<h3>By lesson</h3>"
        if known:
            said += table(("lesson", *HEAD), _lessons(known[:OPEN_LESSONS], questions), "", folded=False)
        else:
            said += "<p>Of no lesson by itself is it known yet; of all of them together it is sooner.</p>"
        rest += known[OPEN_LESSONS:]
        if rest:
            said += table(("lesson", *HEAD), _lessons(rest, questions), f"{len(rest)} more lessons, not known yet")
    for title, rates in (("By area", head.areas), ("By scope", head.scopes), ("By stratum", head.strata)):
        rows = [[clean(each.key), *_cells(each)] for each in rates]
        said += table(("", *HEAD), rows, f"{title} ({len(rows)}), each interval for itself") if rows else ""
    return said


def _lessons(rates: Sequence[Rate], questions: Mapping[str, str]) -> list[list[str]]:
    return [[_name(each, questions), *_cells(each)] for each in rates]


def _name(rate: Rate, questions: Mapping[str, str]) -> str:
    question = questions.get(rate.key, "")
    return clean(rate.key, 40) + (f"<small>{clean(question, 120)}</small>" if question else "")


def costly(head: HeadlineFinding, questions: Mapping[str, str]) -> str:
    """Lessons that cost more than they bring, with the command that retires each."""
    if not head.costly:
        return ""
    rows = [
        [f"{_name(each, questions)}<code>borg lesson retire {clean(each.key, 60)}</code>", points(each.value),
         span(each.low, each.high), f"{each.shown + each.held:,}"]
        for each in head.costly
    ]  # fmt: skip
    body = table(("lesson", "prevented", "95 % interval", "occasions"), rows, "", folded=False)
    lead = (
        "Where these were shown, their correction came as often as where they were withheld, or more often. Where an "
        "interval includes 0 that is not certain yet."
    )
    return section("Lessons that cost more than they bring", body, lead)


def conclusion(head: HeadlineFinding) -> str:
    """The conclusion, what it takes to know, and what withholding costs, in plain words."""
    parts = [f'<p class="verdict">{clean(head.sentence, 400)}</p>']
    more = " ".join(part for part in (head.plan, head.withholding) if part)
    return "".join(parts) + (f'<p class="plan">{clean(more, 500)}</p>' if more else "")


def covered(head: HeadlineFinding, since_ms: int) -> str:
    """Which occasions count, as a sentence."""
    since = datetime.datetime.fromtimestamp(since_ms / 1000, datetime.UTC).strftime("%d %B %Y") if since_ms else ""
    said = f"All {head.occasions:,} settled occasions count"
    said += f"; {head.young:,} are too young" if head.young else ""
    said += f"; {head.old:,} of before the rule are left out" if head.old else ""
    said += f"; they come from {len(head.teammates):,} files of the team and this machine" if head.teammates else ""
    return f"{said}. The period begins on {since}." if since else f"{said}."
