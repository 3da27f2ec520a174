"""How many lines and blocks a day lessons cost, counted at the ends of the journals: no file of its own, no session's words.

Reads at most ``TAIL_BYTES`` of a journal, so that it costs the same after ten years. Must not judge what was told.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

TAIL_BYTES = 4 << 20
"""guard: bytes read at the end of a journal; some thousands of choices."""
DAYS = 7
"""design: days over which the costs of a day are averaged."""
OUT_OF_ORDER = 100
"""guard: records older than what is asked for, after which all before them are taken to be older too."""

T = TypeVar("T", bound="_Timed")


class _Timed(msgspec.Struct, frozen=True):
    ms: int


class _Entry(msgspec.Struct, frozen=True):
    id: str
    shown: bool = False


class _Choice(_Timed, frozen=True):
    session: str
    channel: str
    pool: tuple[_Entry, ...]
    chars: int = 0


class _Result(_Timed, frozen=True):
    lesson: str
    kind: str
    session: str = ""
    held: bool = False


class DayTold(msgspec.Struct, kw_only=True):
    """What one day's choices told: lessons handed over (``lines``), turns held up (``blocks``), characters, sessions."""

    lines: int = 0
    blocks: int = 0
    characters: int = 0
    lessons: set[tuple[str, str]] = msgspec.field(default_factory=set)
    """(session, lesson), each once."""
    changed: set[tuple[str, str]] = msgspec.field(default_factory=set)
    """Those of them of which the agent said, or a person, that it changed the work."""

    @property
    def sessions(self) -> int:
        """How many sessions were told anything."""
        return len({session for session, _ in self.lessons})


def told_by_day(decisions: Path, outcomes: Path, since_ms: int, now_ms: int) -> dict[date, DayTold]:
    """Local day -> what was told on it, of the days from ``since_ms`` to ``now_ms``; days without anything are left out."""
    found: dict[date, DayTold] = {}
    on: dict[tuple[str, str], date] = {}
    for choice in _since(decisions, _Choice, since_ms):
        shown = [entry.id for entry in choice.pool if entry.shown]
        if not shown or choice.ms > now_ms:
            continue
        day = _day(choice.ms)
        told = found.setdefault(day, DayTold())
        told.blocks += choice.channel == "stop"
        told.lines += 0 if choice.channel == "stop" else len(shown)
        told.characters += choice.chars
        told.lessons.update((choice.session, name) for name in shown)
        on.update(((choice.session, name), day) for name in shown)
    for result in _since(outcomes, _Result, since_ms):
        one = (result.session, result.lesson)
        if result.kind == "changed" and not result.held and one in on:
            found[on[one]].changed.add(one)
    return found


def summary(days: dict[date, DayTold], now_ms: int) -> dict[str, object]:
    """For ``borg status``: today, and the average of the last ``DAYS`` days (of fewer, where nothing was told before).

    Characters are counted as they went to the agent.
    """
    today = _day(now_ms)
    recent = {day: told for day, told in days.items() if today - timedelta(DAYS) < day <= today}
    length = (today - min(recent)).days + 1 if recent else 0
    now = recent.get(today, DayTold())
    return {
        "today": {
            "lines": now.lines, "blocks": now.blocks, "characters": now.characters, "sessions": now.sessions,
            "changed": len(now.changed),
        },
        "days": length,
        "lines_a_day": round(sum(one.lines for one in recent.values()) / max(1, length), 2),
        "blocks_a_day": round(sum(one.blocks for one in recent.values()) / max(1, length), 2),
        "characters_a_day": round(sum(one.characters for one in recent.values()) / max(1, length)),
    }  # fmt: skip


def week_before(now_ms: int) -> int:
    """When the first of the last ``DAYS`` local days began, in milliseconds since the epoch."""
    first = _day(now_ms) - timedelta(DAYS - 1)
    return int(datetime(first.year, first.month, first.day).timestamp() * 1000)


def _day(ms: int) -> date:
    return datetime.fromtimestamp(ms / 1000).date()


def _since(path: Path, kind: type[T], since_ms: int) -> Iterator[T]:
    """The records at the journal's end that are not older than ``since_ms``, newest first; a damaged line is passed over."""
    decoder, older = msgspec.json.Decoder(kind), 0
    for line in reversed(_tail(path)):
        try:
            record = decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            continue
        if not since_ms <= record.ms < 1 << 47:
            older += 1
            if older > OUT_OF_ORDER:
                return
            continue
        yield record


def _tail(path: Path) -> list[bytes]:
    """The last whole lines of a file; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            lines = file.read(TAIL_BYTES).split(b"\n")
    except OSError:
        return []
    return lines[1:] if size > TAIL_BYTES else lines
