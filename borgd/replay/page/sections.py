"""The sections of the page, each a small function from findings to HTML: a heading, a plot, and the same as a table.

Promises that every plot has its numbers as a table beside it, that empty findings say what to do, and that all text is
escaped.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from borgd.replay.asks import AskDay
from borgd.replay.candidates import LOGGED
from borgd.replay.findings import CandidateResult, Coverage, Rate, ReplayResult
from borgd.replay.outcomes import Timeline
from borgd.replay.page import plots
from borgd.replay.page.plots import Axis, Row, Series, clean

MOVED = 6
"""design: lessons whose belief curves are shown."""
EDGE = 0.02
"""design: share of an axis that is left free above and below."""


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")


def share(value: float | None) -> str:
    """A percentage for a table."""
    return "–" if value is None else f"{value * 100:.1f} %".replace("-", "−")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, *, folded: bool = True) -> str:
    """A table whose cells are already escaped; folded away unless it is the main thing."""
    top = "".join(f'<th scope="col">{clean(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    inner = f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    return f"<details><summary>{clean(caption)}</summary>{inner}</details>" if folded else inner


def section(title: str, body: str, lead: str = "") -> str:
    """One section of the page."""
    said = f'<p class="lead">{lead}</p>' if lead else ""
    return f"<section><h2>{clean(title)}</h2>{said}{body}</section>"


def key(*entries: tuple[str, str]) -> str:
    """What the colours of a plot mean."""
    items = "".join(f'<li><span class="swatch {kind}"></span>{clean(name)}</li>' for kind, name in entries)
    return f'<ul class="key">{items}</ul>'


def cards(found: ReplayResult) -> str:
    """The few numbers one looks for first."""
    head = found.headline
    rate = head.overall
    shown, held = (rate.shown, rate.held) if rate else (0, 0)
    entries = [
        ("corrected again, where shown", share(rate.shown_rate if rate else None), f"{shown:,} occasions"),
        ("corrected again, where held out", share(rate.held_rate if rate else None), f"{held:,} occasions"),
        ("showing prevents, of every 100", _points(rate.low, rate.high) if rate else "–", "95 %, at every look"),
        ("characters per recall", number(head.characters_per_recall, 0), f"{head.recalls:,} recalls"),
        ("blocks at Stop", f"{head.blocks:,}", "at most one a prompt"),
        ("time to choose", number(head.milliseconds_per_recall, 2) + " ms", "mean per recall"),
    ]
    inner = "".join(
        f'<div class="card"><dt>{clean(name)}</dt><dd>{value}</dd><p>{clean(note)}</p></div>'
        for name, value, note in entries
    )
    return f'<dl class="cards">{inner}</dl>'


def _points(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "–"
    return f"{low * 100:+.1f} to {high * 100:+.1f}".replace("-", "−")


def coverage(found: Coverage) -> str:
    """What the values rest on, before any value."""
    total = found.used + sum(found.skipped.values())
    rows = [["used", f"{found.used:,}", share(found.used / total if total else None)]]
    rows += [[clean(f"skipped: {reason}"), f"{count:,}", share(count / total)] for reason, count in found.skipped.items()]
    loggers = "; ".join(clean(name, 80) for name in found.loggers[:8])
    facts = f"{total:,} decisions, {found.sessions:,} sessions, {found.lessons:,} lessons, {found.outcomes:,} outcomes. "
    facts += f"Written by {clean(found.combined, 120)}: {loggers}." if loggers else ""
    lost = "; ".join(f"{count:,} {clean(reason)}" for reason, count in found.outcomes_skipped.items())
    facts += f" Outcomes skipped: {lost}." if lost else ""
    facts += f" Logged probabilities: {found.exact_probabilities:,} exact by the slot rule"
    facts += f", {found.drawn_probabilities:,} by draws or a grader." if found.drawn_probabilities else "."
    return section("What this rests on", table(("decisions", "count", "share"), rows, "", folded=False), facts)


def headline(found: ReplayResult) -> str:
    """The difference so far over time, and the two rates week by week."""
    head = found.headline
    lead = (
        "A coin of known odds withholds a few of the lessons that would have been shown. What is corrected again with and "
        "without them differs by chance and by what the lessons do, and by nothing else: each session meets a lesson once, "
        "and is judged a day later, told or not."
    )
    known = [each for each in head.so_far if each.low is not None and each.high is not None]
    if not known:
        return section("Do the lessons help?", "<p>Nothing to compare yet.</p>", lead)
    days = [_day(each.week) for each in known]
    low = min(0.0, *(each.low or 0.0 for each in known))
    high = max(0.0, *(each.high or 0.0 for each in known))
    low, high = max(low, -0.6), min(high, 0.8)
    times = Axis(min(days), max(days) + 7, 0, 0, "week", _date)
    band = [(day, each.low or 0.0, each.high or 0.0) for day, each in zip(days, known, strict=True)]
    line = [(day, each.value) for day, each in zip(days, known, strict=True) if each.value is not None]

    def draw(width: int) -> str:
        y = Axis(low - EDGE, high + EDGE, 0, 0, "prevented, share of occasions", plots.percent)
        title = "Repeat corrections prevented, all data up to each week, with the anytime-valid interval"
        return plots.lines([Series("so far", "a", line, band)], times, y, title, width, zero=True)

    rows = [[clean(each.week), share(each.value), share(each.low), share(each.high)] for each in known]
    body = key(("a", "held out − shown, all data so far"), ("band", "95 % interval, valid at every look"))
    body += plots.both(draw) + table(("week", "prevented", "low", "high"), rows, "The same as a table")
    return section("Do the lessons help?", body + _weekly(found) + _groups(found), lead)


def _weekly(found: ReplayResult) -> str:
    weeks = [week for week in found.headline.weeks if week.shown_rate is not None]
    if len(weeks) < 2:
        return ""
    shown = [(_day(week.key), week.shown_rate or 0.0) for week in weeks]
    held = [(_day(week.key), week.held_rate) for week in weeks if week.held_rate is not None]
    most = max(value for _, value in [*shown, *held])
    times = Axis(shown[0][0], shown[-1][0] + 7, 0, 0, "week", _date)

    def draw(width: int) -> str:
        y = Axis(0.0, most * 1.1 or 0.1, 0, 0, "corrected again", plots.percent)
        return plots.lines([Series("held out", "b", held), Series("shown", "a", shown)], times, y, "Rates by week", width)

    rows = [_rate_row(week) for week in weeks]
    head = ("week", "shown", "corrected again", "held out", "corrected again", "prevented, points")
    body = key(("a", "shown"), ("b", "held out")) + plots.both(draw)
    return f"<h3>Week by week</h3>{body}{table(head, rows, 'The same as a table')}"


def _rate_row(rate: Rate) -> list[str]:
    held = [f"{rate.held:,}", share(rate.held_rate), _points(rate.low, rate.high)]
    return [clean(rate.key), f"{rate.shown:,}", share(rate.shown_rate), *held]


def _groups(found: ReplayResult) -> str:
    said = ""
    for title, rates in (("By lesson", found.headline.lessons), ("By scope", found.headline.scopes)):
        rows = [
            [
                clean(each.key),
                f"{each.shown:,}",
                share(each.shown_rate),
                f"{each.held:,}",
                share(each.held_rate),
                _points(each.low, each.high),
            ]
            for each in rates
        ]
        head = ("", "shown", "corrected again", "held out", "corrected again", "prevented, points")
        said += table(head, rows, f"{title} ({len(rows)}), each interval for itself") if rows else ""
    return said


def candidates(found: ReplayResult) -> str:
    """Values of candidates with intervals, and the differences to what was logged, per reward."""
    parts = []
    for reward in dict.fromkeys(each.reward for each in found.candidates):
        mine = [each for each in found.candidates if each.reward == reward and each.decisions]
        if mine:
            parts.append(_reward(mine))
    named = any(each.settings for each in found.candidates)
    title = "What another policy would have brought" if named else "What the lessons brought"
    return section(title, "".join(parts)) if parts else ""


def _reward(mine: Sequence[CandidateResult]) -> str:
    rows, moved, cells = [], [], []
    for each in mine:
        best = next((estimate for estimate in each.estimates if estimate.name == "DR"), None)
        if best is not None:
            rows.append(Row(each.name, best.value, best.low, best.high, strong=each.name != LOGGED))
        if each.difference is not None:
            moved.append(Row(each.name, each.difference.value, each.difference.low, each.difference.high, strong=True))
        for estimate in [*each.estimates, *([each.difference] if each.difference else [])]:
            cells.append(
                [clean(each.name), clean(estimate.name), number(estimate.value), number(estimate.low), number(estimate.high),
                 number(estimate.per_shown), number(estimate.per_1000_characters)]
            )  # fmt: skip
    body = f"<h3>{clean(mine[0].unit[0].upper() + mine[0].unit[1:], 90)}</h3>"
    body += plots.both(lambda width: plots.forest(rows, "doubly robust value, per recall", "Values with intervals", width))
    if moved:
        body += "<h4>Difference to what was logged</h4>"
        body += plots.both(
            lambda width: plots.forest(moved, "difference per recall", "Differences with intervals", width, zero=True)
        )
        body += "<ul>" + "".join(f"<li>{clean(each.sentence, 300)}</li>" for each in mine if each.settings) + "</ul>"
    head = ("candidate", "estimator", "value", "low", "high", "per shown lesson", "per 1,000 characters")
    body += table(head, cells, "Every estimator, as a table")
    facts = [
        [clean(each.name), f"{each.decisions:,}", number(each.effective_sample_size, 0), number(each.largest_weight, 2),
         share(each.share_without_support), number(each.shown_per_recall, 2), number(each.characters_per_recall, 0)]
        for each in mine
    ]  # fmt: skip
    head = ("candidate", "decisions", "effective sample size", "largest weight", "without support", "lessons", "characters")
    notes = "".join(f"<li>{clean(each.name)}: {clean(note, 250)}</li>" for each in mine for note in each.notes)
    return body + table(head, facts, "Support and cost, as a table") + (f"<ul>{notes}</ul>" if notes else "")


def calibration(found: ReplayResult) -> str:
    """Logged probabilities against what was shown."""
    if not found.calibration:
        return ""
    points = [(each.logged, each.observed, float(each.entries)) for each in found.calibration]
    rows = [
        [f"{each.low:.1f} to {each.high:.1f}", f"{each.entries:,}", number(each.logged), number(each.observed)]
        for each in found.calibration
    ]
    body = plots.both(lambda width: plots.scatter(points, "Logged probabilities against the observed share shown", width))
    body += table(("p", "pool entries", "mean logged p", "share shown"), rows, "The same as a table")
    lead = (
        "Points on the line: what was logged as p was shown that often. Everything above rests on this. Area: pool entries."
    )
    return section("Are the logged probabilities true?", body, lead)


def beliefs(timeline: Timeline, names: dict[int, str], since_ms: int, questions: Mapping[str, str]) -> str:
    """How the beliefs of the lessons that moved most went."""
    moved = []
    for lesson in timeline.lessons.tolist():
        ms, alpha, beta = timeline.curve(lesson)
        inside = ms >= since_ms
        if lesson in names and inside.any():
            mean = alpha / (alpha + beta)
            before = mean[~inside][-1] if (~inside).any() else 0.5
            moved.append((abs(float(mean[-1] - before)), names[lesson], ms[inside], mean[inside], float(before)))
    moved.sort(key=lambda each: (-each[0], each[1]))
    if not moved:
        return ""
    first, last = min(int(each[2][0]) for each in moved[:MOVED]), max(int(each[2][-1]) for each in moved[:MOVED])
    panels, rows = [], []
    for _, name, ms, mean, before in moved[:MOVED]:
        points = [(first / 86_400_000, before)] + [
            (when / 86_400_000, float(value)) for when, value in zip(ms.tolist(), mean, strict=True)
        ]
        points.append((last / 86_400_000, float(mean[-1])))
        x = Axis(first / 86_400_000, max(last / 86_400_000, first / 86_400_000 + 1), 0, 0, "day", _date)
        y = Axis(0.0, 1.0, 0, 0, "belief’s mean")
        picture = plots.lines(
            [Series(name, "a", _thinned(points))], x, y, f"Belief of {name} over time", plots.NARROW, steps=True
        )
        caption = f"{clean(name, 40)}{_asks(questions.get(name, ''))}"
        panels.append(f'<figure><figcaption>{caption}</figcaption><div class="plot">{picture}</div></figure>')
        rows.append([clean(name), number(before, 2), number(float(mean[-1]), 2), f"{len(ms):,}"])
    body = f'<div class="panels">{"".join(panels)}</div>'
    body += table(("lesson", "belief before", "belief now", "outcomes"), rows, "The same as a table")
    return section(
        "Lessons whose beliefs moved most", body, "The mean of Beta(α, β): how likely the lesson changes something."
    )


def _asks(question: str) -> str:
    return f" <span>{clean(question, 160)}</span>" if question else ""


def _thinned(points: list[tuple[float, float]], most: int = 150) -> list[tuple[float, float]]:
    step = max(1, len(points) // most)
    return [*points[::step], points[-1]]


def asks(found: Sequence[AskDay], ceiling: int) -> str:
    """Interruptions per day against the ceiling."""
    if not found:
        return ""
    days = [plots.Day(each.day, each.admitted, each.deferred, ceiling, each.bar) for each in found[-31:]]
    body = key(
        ("a", "put to you"), ("c", "deferred to the inbox"), ("limit", f"ceiling, {ceiling} a day"), ("b", "highest bar met")
    )
    body += plots.both(lambda width: plots.days(days, "Asks per day against the ceiling, with the bar", width))
    rows = [
        [
            clean(each.day),
            f"{each.admitted:,}",
            f"{each.deferred:,}",
            f"{each.excluded:,}",
            f"{ceiling}",
            number(each.bar, 2),
        ]
        for each in found
    ]
    body += table(("day", "put to you", "deferred", "excluded", "ceiling", "highest bar"), rows, "The same as a table")
    total = sum(each.admitted for each in found)
    lead = f"{total / len(found):.1f} asks on a day with any, against a ceiling of {ceiling}. Days are UTC."
    return section("Interruptions", body, lead)


def latency(found: ReplayResult, hooks: Sequence[tuple[str, float, float, float]]) -> str:
    """Percentiles per hook, and of the choice alone."""
    rows = [(f"hook: {name}", p50, p95, p99) for name, p50, p95, p99 in hooks]
    rows += [(f"choice alone: {each.hook}", each.p50_ms, each.p95_ms, each.p99_ms) for each in found.latency]
    if not rows:
        return ""
    body = key(("a", "median"), ("c", "95th percentile"), ("b", "99th percentile"))
    body += plots.both(lambda width: plots.percentiles(rows, "Latency percentiles per hook", width))
    cells = [[clean(name), *(number(value, 2) for value in values)] for name, *values in rows]
    body += table(("", "p50 ms", "p95 ms", "p99 ms"), cells, "The same as a table")
    lead = (
        ""
        if hooks
        else "No daemon answered, so only the choice itself is timed here; a hook adds its process and the socket."
    )
    return section("How long an agent waits", body, lead)


def _day(text: str) -> float:
    return float(datetime.date.fromisoformat(text).toordinal() - datetime.date(1970, 1, 1).toordinal())


def _date(value: float) -> str:
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=round(value))).strftime("%d %b")
