"""Asks per day against the ceiling, from lines of interrupts.jsonl. Counts only; verdicts are the limits' business."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from borgd.replay.records import LATEST_MS

DAY_MS = 24 * 3600 * 1000


class AskLine(msgspec.Struct, gc=False):
    """What is read of a record; other kinds than ``asked`` pass by."""

    kind: str = ""
    ms: int = 0
    outcome: str = ""
    joined: str = ""
    bar: str = ""
    rule: str = ""
    lead: str = ""


@dataclass
class AskDay:
    """One day (UTC): asks within the budget put to the person, deferred or excluded, the highest bar that one of them met,
    and asks that were only counted: a person was there, or they are of a kind that is never held back.
    """

    day: str
    admitted: int = 0
    deferred: int = 0
    excluded: int = 0
    bar: float | None = None
    counted: int = 0


COUNTED = frozenset({"attended", "invited", "counted"})
"""Rules by which an ask was shown without asking the budget."""
_DECODER = msgspec.json.Decoder(AskLine)


def ask_days(lines: Iterable[bytes], since_ms: int = 0) -> list[AskDay]:
    """The days on which something was asked, in order; damaged lines and repeats of a pending ask are left out.

    A call with several questions is one ask.
    """
    found: dict[int, AskDay] = {}
    for raw in lines:
        try:
            line = _DECODER.decode(raw.strip(b" \t\r\n\0\xef\xbb\xbf") or b"{}")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if line.kind != "asked" or line.joined or line.lead or not max(1, since_ms) <= line.ms < LATEST_MS:
            continue
        number = line.ms // DAY_MS
        day = found.setdefault(number, AskDay(str(np.datetime64(number, "D"))))
        if line.rule in COUNTED:
            day.counted += 1
            continue
        day.admitted += line.outcome == "admit"
        day.deferred += line.outcome == "defer"
        day.excluded += line.outcome == "excluded"
        bar = _share(line.bar)
        if bar is not None:
            day.bar = bar if day.bar is None else max(day.bar, bar)
    return [found[number] for number in sorted(found)]


def _share(text: str) -> float | None:
    """``0.5`` or ``13/20`` as a number in [0, 1]."""
    try:
        value = Fraction(text[:40])
    except (ValueError, ZeroDivisionError):
        return None
    return float(value) if 0 <= value <= 1 else None
