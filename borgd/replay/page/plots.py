"""Plots as inline SVG: axes with units, marks, nothing else. Colours come from the page's CSS variables.

Promises: every text is escaped, every number finite, nothing is drawn outside the picture, and the same values give the same
bytes. Each plot is made for a width in pixels, so that letters are as large on a phone as on a desk.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

WIDE, NARROW = 760, 340
"""design: widths that a plot is drawn for; the page shows the one that fits."""
LETTER = 6.4
"""method: mean width of a letter at 12 pixels, to keep labels inside."""
TICKS_WIDE, TICKS_NARROW = 6, 5


def clean(text: str, most: int = 60) -> str:
    """``text`` for a page: control characters made visible, cut to ``most`` characters, escaped."""
    seen = "".join(letter if letter.isprintable() else "�" for letter in text)
    return html.escape(seen if len(seen) <= most else seen[: most - 1] + "…")


def ticks(low: float, high: float, many: int) -> list[float]:
    """About ``many`` round numbers from ``low`` to ``high``."""
    span = high - low
    if not math.isfinite(span) or span <= 0.0:
        return [low]
    raw = span / max(1, many)
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(step for step in (size, 2 * size, 5 * size, 10 * size) if step >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(place * step, 12) for place in range(first, math.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """A number for an axis."""
    if value == 0.0:
        return "0"
    size = abs(value)
    if size >= 10_000:
        return f"{value / 1000:,.0f}k"
    digits = 0 if size >= 100 or value == round(value) else 1 if size >= 10 else 2 if size >= 0.1 else 3
    text = f"{value:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def percent(value: float) -> str:
    """A share for an axis."""
    return f"{short(round(value * 100, 6))} %"


@dataclass
class Axis:
    """A linear or logarithmic scale from values to pixels."""

    low: float
    high: float
    start: float
    end: float
    label: str
    show: Callable[[float], str] = short
    log: bool = False
    at: Sequence[float] = ()
    """Where the ticks are, if not at round numbers."""

    def __call__(self, value: float) -> float:
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, many: int) -> list[float]:
        """Values with a tick."""
        if self.at:
            return list(self.at)
        if not self.log:
            return ticks(self.low, self.high, many)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        found = [lead * 10.0**power for power in powers for lead in (1, 2, 5)]
        found = [value for value in found if self.low * 0.999 <= value <= self.high * 1.001]
        step = max(1, math.ceil(len(found) / (many + 1)))
        return found[::step]


@dataclass
class Picture:
    """An SVG under construction."""

    width: int
    height: int
    title: str
    parts: list[str] = field(default_factory=list)

    @property
    def many(self) -> int:
        return TICKS_WIDE if self.width > NARROW else TICKS_NARROW

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def text(self, x: float, y: float, words: str, kind: str = "tick", anchor: str = "middle") -> None:
        """Words that are cut to what fits between their anchor and the picture's edge."""
        room = {"start": self.width - x, "end": x, "middle": 2 * min(x, self.width - x)}[anchor]
        most = max(1, int(room / LETTER))
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{clean(words, most)}</text>')

    def dot(self, x: float, y: float, radius: float, kind: str) -> None:
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{kind}"/>')

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        if width > 0 and height > 0:
            shape = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            self.parts.append(f'<rect {shape} class="{kind}" rx="1.5"/>')

    def whisker(self, x: float, low: float, high: float, kind: str) -> None:
        """A vertical interval with a stroke at each end."""
        self.line(x, low, x, high, f"error {kind}")
        for end in (low, high):
            self.line(x - 3, end, x + 3, end, f"error {kind}")

    def path(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        if points:
            steps = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            self.parts.append(f'<path d="M{steps}" class="{kind}"/>')

    def across(self, axis: Axis, y: float, top: float) -> None:
        """A horizontal axis at ``y`` with grid lines up to ``top``."""
        last = -math.inf
        for value in axis.ticks(self.many):
            x, words = axis(value), axis.show(value)
            self.line(x, top, x, y, "grid")
            half = len(words) * LETTER / 2
            if x - half > last + 6 and x + half <= self.width + 4:
                self.text(x, y + 19, words)
                last = x + half
        self.line(axis.start, y, axis.end, y, "axis")
        self.text((axis.start + axis.end) / 2, y + 36, axis.label, "label")

    def up(self, axis: Axis, x: float, right: float, *, grid: bool = True) -> None:
        """A vertical axis at ``x`` with grid lines to ``right``; its label stands above it."""
        for value in axis.ticks(4):
            y = axis(value)
            if grid:
                self.line(x, y, right, y, "grid")
            self.text(x - 6 if grid else x + 6, y + 4, axis.show(value), "tick", "end" if grid else "start")
        self.text(0 if grid else self.width, axis.end - 12, axis.label, "label", "start" if grid else "end")

    def svg(self) -> str:
        inner = "".join(self.parts)
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        return f'<svg {size} role="img" aria-label="{clean(self.title, 200)}">{inner}</svg>'


def both(draw: Callable[[int], str]) -> str:
    """The plot for a desk and for a phone; CSS shows one of them."""
    return f'<div class="plot wide">{draw(WIDE)}</div><div class="plot narrow">{draw(NARROW)}</div>'


@dataclass(frozen=True)
class Row:
    """A line of a forest plot: a value with its interval; None: none."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    strong: bool = False


def forest(rows: Sequence[Row], label: str, title: str, width: int, *, zero: bool = False) -> str:
    """Values with intervals, one below the other, names above their line."""
    known = [number for row in rows for number in (row.value, row.low, row.high) if number is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
    room = (high - low) * 0.08 or 0.1
    each, top = 42, 8
    bottom = top + each * len(rows)
    picture = Picture(width, bottom + 44, title)
    axis = Axis(low - room, high + room, 14, width - 14, label)
    picture.across(axis, bottom, top)
    if zero:
        picture.line(axis(0.0), top, axis(0.0), bottom, "zero")
    for place, row in enumerate(rows):
        y = top + each * place + 28
        kind = "a" if row.strong else "b"
        figures = "no value" if row.value is None else short(round(row.value, 3))
        if row.low is not None and row.high is not None:
            figures += f"  [{short(round(row.low, 3))}, {short(round(row.high, 3))}]"
        picture.text(14, y - 11, row.name[: int((width - 30) / LETTER) - len(figures) - 2], "name", "start")
        picture.text(width - 14, y - 11, figures, "figure", "end")
        if row.low is not None and row.high is not None:
            picture.line(axis(row.low), y, axis(row.high), y, f"whisker {kind}")
        if row.value is not None:
            picture.dot(axis(row.value), y, 5, f"dot {kind}")
    return picture.svg()


@dataclass(frozen=True)
class Series:
    """Points over x in one of the page's colours; intervals (x, low, high) as a band, as whiskers, or not at all."""

    name: str
    kind: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()
    whiskers: Sequence[tuple[float, float, float]] = ()


def lines(
    series: Sequence[Series], x: Axis, y: Axis, title: str, width: int, *, steps: bool = False, zero: bool = False
) -> str:
    """Lines and bands over x. The axes' pixel ranges are set here."""
    height, left, top = 250, 54, 30
    picture = Picture(width, height, title)
    x.start, x.end, y.start, y.end = left, width - 12, height - 46, top
    picture.up(y, left, width - 12)
    picture.across(x, height - 46, height - 50)
    if zero and y.low < 0.0 < y.high:
        picture.line(left, y(0.0), width - 12, y(0.0), "zero")
    for each in series:
        if each.band:
            edge = [(x(at), y(high)) for at, _, high in each.band] + [(x(at), y(low)) for at, low, _ in reversed(each.band)]
            picture.path(edge, f"band {each.kind}")
        for at, low, high in each.whiskers:
            picture.whisker(x(at), y(low), y(high), each.kind)
        points = [(x(at), y(value)) for at, value in each.points]
        if steps:
            points = [corner for (x1, y1), (x2, _) in pairwise(points) for corner in ((x1, y1), (x2, y1))]
            points += [(x(each.points[-1][0]), y(each.points[-1][1]))] if each.points else []
        picture.path(points, f"curve {each.kind}")
        if not steps:
            for at, value in each.points:
                picture.dot(x(at), y(value), 2.6 if len(each.points) < 60 else 1.6, f"dot {each.kind}")
    return picture.svg()


def day_axis(days: Sequence[float], show: Callable[[float], str], after: float = 0.0) -> Axis:
    """Days from the first to the last, ticks on them; of one alone, the day before and after it."""
    first, last = min(days), max(days) + after
    edge = 1.0 if first == last else 0.02 * (last - first)
    return Axis(first - edge, last + edge, 0, 0, "", show, at=sorted(days))


def scatter(points: Sequence[tuple[float, float, float, float, float]], title: str, width: int) -> str:
    """(x, y, size, low, high) in the unit square, with the diagonal on which they should be."""
    side = min(width, 420)
    picture = Picture(width, side, title)
    left, bottom = 46, side - 46
    x = Axis(0.0, 1.0, left, side - 14, "logged p")
    y = Axis(0.0, 1.0, bottom, 30, "observed share shown")
    picture.up(y, left, side - 14)
    picture.across(x, bottom, 30)
    picture.line(x(0.0), y(0.0), x(1.0), y(1.0), "zero")
    most = max((size for _, _, size, _, _ in points), default=1.0)
    for at, value, size, low, high in points:
        picture.whisker(x(at), y(low), y(high), "a")
        picture.dot(x(at), y(value), 3 + 7 * math.sqrt(size / most), "dot a soft")
    return picture.svg()


@dataclass(frozen=True)
class Day:
    """A day's asks: how many were put to the person and how many were not, the ceiling, and the highest bar that day."""

    name: str
    admitted: int
    deferred: int
    ceiling: int
    bar: float | None


def days(found: Sequence[Day], title: str, width: int) -> str:
    """Bars per day, the ceiling as a line across, the bar as steps on a scale of its own at the right."""
    height, left, right, top = 260, 40, 44, 34
    picture = Picture(width, height, title)
    most = max([day.admitted + day.deferred for day in found] + [day.ceiling for day in found] + [1])
    y = Axis(0.0, most * 1.1, height - 46, top, "asks")
    confidence = Axis(0.0, 1.0, height - 46, top, "bar")
    picture.up(y, left, width - right)
    picture.up(confidence, width - right, width, grid=False)
    step = (width - left - right) / max(1, len(found))
    every = max(1, math.ceil(len(found) * 5.5 * LETTER / (width - left - right)))
    bars: list[tuple[float, float]] = []
    limit: list[tuple[float, float]] = []
    for place, day in enumerate(found):
        x = left + step * place
        wide = min(26.0, step * 0.62)
        start = x + (step - wide) / 2
        picture.bar(start, y(day.admitted), wide, y(0.0) - y(day.admitted), "fill a")
        picture.bar(start, y(day.admitted + day.deferred), wide, y(day.admitted) - y(day.admitted + day.deferred), "fill c")
        limit += [(x, y(day.ceiling)), (x + step, y(day.ceiling))]
        if day.bar is not None:
            bars.append((x + step / 2, confidence(day.bar)))
        if place % every == 0:
            picture.text(x + step / 2, height - 30, day.name[5:], "tick")
    picture.path(limit, "limit")
    picture.path(bars, "curve b")
    for x, high in bars:
        picture.dot(x, high, 2.6, "dot b")
    picture.line(left, height - 46, width - right, height - 46, "axis")
    picture.text((left + width - right) / 2, height - 10, "day", "label")
    return picture.svg()


def percentiles(rows: Sequence[tuple[str, float, float, float]], title: str, width: int) -> str:
    """(name, p50, p95, p99) in milliseconds on a logarithmic axis."""
    known = [value for row in rows for value in row[1:] if value > 0.0]
    low, high = (min(known), max(known)) if known else (0.1, 10.0)
    each, top = 42, 8
    bottom = top + each * len(rows)
    picture = Picture(width, bottom + 44, title)
    axis = Axis(low / 1.6, high * 1.6, 14, width - 14, "milliseconds (logarithmic)", log=True)
    picture.across(axis, bottom, top)
    for place, (name, *values) in enumerate(rows):
        y = top + each * place + 28
        shown = [max(value, axis.low) for value in values]
        picture.text(14, y - 11, name, "name", "start")
        picture.line(axis(shown[0]), y, axis(shown[2]), y, "whisker a")
        for value, kind in zip(shown, ("dot a", "dot c", "dot b"), strict=True):
            picture.dot(axis(value), y, 5, kind)
    return picture.svg()
