"""The sections of the page, each a small function from findings to HTML: a heading, a plot, and the same as a table.

Promises that every plot has its numbers as a table beside it, that empty findings say what to do, and that all text is
escaped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from borgd.replay.asks import AskDay
from borgd.replay.findings import CandidateResult, Coverage, ReplayResult
from borgd.replay.outcomes import Timeline
from borgd.replay.page import plots
from borgd.replay.page.parts import date, key, number, section, share, table
from borgd.replay.page.plots import Axis, Row, Series, clean

MOVED = 6
"""design: lessons whose belief curves are shown."""
EDGE = 0.02
"""design: share of an axis that is left free above and below."""


def coverage(found: Coverage, occasions: str) -> str:
    """What the values rest on, as a sentence; the rest behind a click."""
    total = found.used + sum(found.skipped.values())
    young = sum(count for reason, count in found.skipped.items() if reason.startswith("younger than"))
    other = total - found.used - young
    said = f"{occasions} "
    said += (
        f"All {found.used:,} decisions of the period are used"
        if not other
        else f"{found.used:,} of {total:,} decisions are used"
    )
    said += f"; {young:,} too young." if young else "."
    said += f" {found.outcomes:,} outcomes of {found.lessons:,} lessons in {found.sessions:,} sessions."
    rows = [["used", f"{found.used:,}", share(found.used / total if total else None)]]
    rows += [[clean(f"skipped: {reason}"), f"{count:,}", share(count / total)] for reason, count in found.skipped.items()]
    loggers = "; ".join(clean(name, 80) for name in found.loggers[:8])
    facts = f"Written by {clean(found.combined, 120)}: {loggers}." if loggers else ""
    lost = "; ".join(f"{count:,} {clean(reason)}" for reason, count in found.outcomes_skipped.items())
    facts += f" Outcomes skipped: {lost}." if lost else ""
    facts += f" Logged probabilities: {found.exact_probabilities:,} exact by the slot rule"
    facts += f", {found.drawn_probabilities:,} by draws or a grader." if found.drawn_probabilities else "."
    body = table(("decisions", "count", "share"), rows, "Decisions used and not used") + f"<p>{facts}</p>"
    return section("What this rests on", body, clean(said, 500))


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
    moved, cells = [], []
    for each in mine:
        if each.difference is not None:
            moved.append(Row(each.name, each.difference.value, each.difference.low, each.difference.high, strong=True))
        for estimate in [*each.estimates, *([each.difference] if each.difference else [])]:
            cells.append(
                [clean(each.name), clean(estimate.name), number(estimate.value), number(estimate.low), number(estimate.high),
                 number(estimate.per_shown), number(estimate.per_1000_characters)]
            )  # fmt: skip
    body = f"<h3>{clean(mine[0].unit[0].upper() + mine[0].unit[1:], 90)}</h3>"
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
    points = [
        (each.logged, each.observed, float(each.entries), *wilson(each.observed, each.entries)) for each in found.calibration
    ]
    rows = [
        [f"{each.low:.1f} to {each.high:.1f}", f"{each.entries:,}", number(each.logged), number(each.observed),
         " to ".join(number(bound) for bound in wilson(each.observed, each.entries))]
        for each in found.calibration
    ]  # fmt: skip
    body = plots.both(lambda width: plots.scatter(points, "Logged probabilities against the observed share shown", width))
    body += table(("p", "pool entries", "mean logged p", "share shown", "95 %"), rows, "The same as a table")
    lead = (
        "Points on the line: what was logged as p was shown that often. Everything above rests on this. "
        "Bars: 95 % by Wilson; area: pool entries."
    )
    return section("Are the logged probabilities true?", body, lead)


def wilson(rate: float, many: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share of ``many``, in [0, 1]."""
    if not many:
        return 0.0, 1.0
    middle = (rate + z * z / (2 * many)) / (1 + z * z / many)
    half = z * math.sqrt(rate * (1 - rate) / many + (z / (2 * many)) ** 2) / (1 + z * z / many)
    return max(0.0, middle - half), min(1.0, middle + half)


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
        x = Axis(first / 86_400_000, max(last / 86_400_000, first / 86_400_000 + 1), 0, 0, "day", date)
        y = Axis(0.0, 1.0, 0, 0, "belief’s mean")
        picture = plots.lines(
            [Series(name, "a", _thinned(points))], x, y, f"Belief of {name} over time", plots.NARROW, steps=True
        )
        caption = f"{clean(name, 40)}{_asks(questions.get(name, ''))}"
        panels.append(f'<figure><figcaption>{caption}</figcaption><div class="plot">{picture}</div></figure>')
        rows.append([clean(name), number(before, 2), number(float(mean[-1]), 2), f"{len(ms):,}"])
    body = f'<div class="panels">{"".join(panels)}</div>'
    body += table(("lesson", "belief before", "belief now", "outcomes"), rows, "The same as a table")
    span = f"From {date(first / 86_400_000)} to {date(last / 86_400_000)}"
    lead = f"{span}: the mean of Beta(α, β), how likely the lesson changes something."
    return section("Lessons whose beliefs moved most in the period", body, lead)


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
            f"{each.counted:,}",
            f"{ceiling}",
            number(each.bar, 2),
        ]
        for each in found
    ]
    names = ("day", "put to you", "deferred", "excluded", "while you were there", "ceiling", "highest bar")
    body += table(names, rows, "The same as a table")
    total = sum(each.admitted for each in found)
    counted = sum(each.counted for each in found)
    lead = f"{total / len(found):.1f} asks on a day with any, against a ceiling of {ceiling}. Days are UTC."
    if counted:
        lead += f" {counted:,} more came while you were there, or were plans and permissions: these are only counted."
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
