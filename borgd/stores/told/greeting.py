"""The line at a session's start that tells the person what borgd did last time; at most once a day, numbers only.

It speaks of the last day before today on which lessons were shown, and of each such day once.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path

import msgspec

from borgd.files import replace_file
from borgd.stores.told.recently_told import told_by_day

FILE = "greeted.json"
LOOK_BACK = timedelta(days=30)
"""design: what is longer ago is nothing that a person would want to hear of."""
WEEK = 7
"""design: days for which a day of the week says which one is meant."""


class _Greeted(msgspec.Struct):
    """The day of the last line, and the day that it spoke of, as ISO dates."""

    on: str = ""
    of: str = ""


class Greeting:
    """Kept in the state directory; losing its file costs one line more."""

    def __init__(self, state: Path, decisions: Path, outcomes: Path) -> None:
        self._path = state / FILE
        self._journals = decisions, outcomes
        self._last = _Greeted()
        with suppress(OSError, msgspec.MsgspecError):
            self._last = msgspec.json.decode(self._path.read_bytes(), type=_Greeted)

    def due(self, now_ms: int) -> bool:
        """Whether today's line is still to be told, or to be found to have nothing to say."""
        return self._last.on != datetime.fromtimestamp(now_ms / 1000).date().isoformat()

    def line(self, now_ms: int) -> str:
        """What to tell the person now; empty: nothing. Reads the ends of two journals, once a day."""
        now = datetime.fromtimestamp(now_ms / 1000)
        since_ms = int((now - LOOK_BACK).timestamp() * 1000)
        days = told_by_day(*self._journals, since_ms, now_ms)
        before = [day for day in days if day < now.date()]
        last = max(before, default=None)
        text = ""
        if last is not None and self._last.of != last.isoformat():
            told = days[last]
            shown, changed = len(told.lessons), len(told.changed)
            text = f"borgd, {spoken(last, now.date())}: {shown} {'lesson' if shown == 1 else 'lessons'} shown, "
            text += f"{changed or 'none'} changed the work"
        self._last = _Greeted(now.date().isoformat(), last.isoformat() if last else self._last.of)
        with suppress(OSError):
            replace_file(self._path, msgspec.json.encode(self._last))
        return text


def spoken(day: date, today: date) -> str:
    """``day`` as a person says it today."""
    ago = (today - day).days
    if ago == 1:
        return "yesterday"
    return f"on {day:%A}" if ago < WEEK else f"on {day.isoformat()}"
