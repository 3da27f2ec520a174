"""Windows of the interrupt budget: the calendar day in the owner's time zone, or the last 24 hours. Pure.

A day runs from its first instant to the next day's first instant, so it has 23 to 25 hours where clocks change, and a
midnight that does not exist is the instant the clocks jumped. Zone rules come from the standard library's tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo

from borgd.clock import known_zone
from borgd.errors import ConfigError, LimitError
from borgd.limits.interrupts.ceilings import InterruptPolicy, WindowKind

DAY_MS = 24 * 3600 * 1000
FIRST_HOUR = 8
"""design: local hour at which the timed bar's day begins; before it nothing of the budget is due."""
LAST_HOUR = 20
"""design: local hour at which the timed bar's day ends; after it the whole budget is due."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_FAR_MS = 250_000_000_000_000
"""guard: instants beyond the calendar (about the year 9890) are clamped to it."""


@dataclass(frozen=True)
class Window:
    """Which instants count. ``zone`` is an IANA name; it says nothing for the rolling kind."""

    kind: WindowKind = "day"
    zone: str = "UTC"

    def __str__(self) -> str:
        return "rolling" if self.kind == "rolling" else f"day {self.zone}"

    def span(self, now_ms: int) -> tuple[int, int]:
        """[first, last) in milliseconds of the instants that count at ``now_ms``."""
        if self.kind == "rolling":
            return now_ms - DAY_MS + 1, now_ms + 1
        return day_span(now_ms, self.zone)

    def elapsed(self, now_ms: int) -> Fraction:
        """The part of the working hours that has passed at ``now_ms``, in [0, 1]."""
        local = _local(now_ms, self.zone)
        seconds = local.hour * 3600 + local.minute * 60 + local.second
        first, last = FIRST_HOUR * 3600, LAST_HOUR * 3600
        return min(Fraction(1), max(Fraction(0), Fraction(seconds - first, last - first)))


def window_of(policy: InterruptPolicy, source: str = "config.toml") -> Window:
    """The window of ``policy``.

    :raises ConfigError: its zone is not in the tables.
    """
    if not known_zone(policy.zone):
        expected = f"expected an IANA time zone such as Europe/Berlin, got {policy.zone[:80]!r}"
        raise ConfigError(source, expected, field="interrupts.time_zone")
    return Window(policy.window, policy.zone)


def named(text: str) -> Window:
    """The window that ``str`` made ``text`` from; an unknown text is a day in UTC."""
    if text == "rolling":
        return Window("rolling")
    kind, _, zone = text.partition(" ")
    return Window("day", zone) if kind == "day" and known_zone(zone) else Window()


def day_span(now_ms: int, zone: str) -> tuple[int, int]:
    """[first, last) in milliseconds of the calendar day that ``now_ms`` falls on in ``zone``.

    :raises LimitError: no such zone.
    """
    today = _local(now_ms, zone).date()
    first, last = _first_instant(today, zone), _first_instant(today + timedelta(days=1), zone)
    return first, max(last, first + 1)


def hour_of(now_ms: int, zone: str) -> tuple[date, int]:
    """The local date and hour of ``now_ms``."""
    local = _local(now_ms, zone)
    return local.date(), local.hour


def instant(ms: int) -> str:
    """``ms`` as people and programs read it: ISO 8601 in UTC, to the second."""
    return _local(ms, "UTC").isoformat(timespec="seconds")


def _local(now_ms: int, zone: str) -> datetime:
    return (_EPOCH + timedelta(milliseconds=min(max(now_ms, DAY_MS), _FAR_MS))).astimezone(_zone(zone))


@lru_cache(maxsize=256)
def _first_instant(day: date, zone: str) -> int:
    midnight = datetime.combine(day, time.min, _zone(zone))  # fold 0: the first of two, or the jump over a missing one
    return (midnight.astimezone(UTC) - _EPOCH) // _MILLISECOND


@lru_cache(maxsize=32)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # the tables raise one of three, by how wrong the name is
        raise LimitError(f"there is no time zone {name[:80]!r}; use an IANA name such as Europe/Berlin") from None
