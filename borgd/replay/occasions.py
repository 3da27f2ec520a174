"""Settled occasions, counted: by day, lesson, stratum and holdout. From the counts follow headline, strata, lessons,
history.

An occasion is the first contact of a session with a lesson that won its place; a coin of known odds decided there whether
it was withheld. Promises that neither the order of occasions nor who counted them changes a digit of what is said, that
each occasion counts once, and memory that grows with days and lessons, not with occasions. Must not read files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from borgd.recall.choose import HORIZON_MS
from borgd.replay.estimate.betting import OccasionCounts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DAY_MS = 24 * 3600 * 1000
PRIOR_COUNT = 4.0
"""design: a lesson's own rates count like those of all until it was seen about four times."""
PRIOR_RATE = 0.1
"""design: the rate that is guessed before the first occasion."""
GUESSES = 40
"""method: guesses are rounded to 1/40; a guess that is off by as much widens nothing that one could see."""
LEAST_HOLDOUT = 1e-6
"""guard: a coin of longer odds says nothing; one that always falls the same way is none."""
HOLDOUTS = 1_000_000
"""method: holdouts are counted in millionths."""


class Stratum(NamedTuple):
    """What occasions are told apart by besides lesson, day and holdout."""

    agent: str
    ranking: int
    """The release of the ranking that chose."""
    scope: str
    recent: bool
    """Whether it falls into the period that is reported."""


class OccasionRow(NamedTuple):
    """Occasions that are alike. ``counts`` as in ``betting.OccasionCounts``."""

    day: int
    lesson: str
    stratum: Stratum
    holdout: float
    counts: Floats


@dataclass
class Occasions:
    """Feed it settled occasions in any order; ask ``OccasionTable`` what they say."""

    places: dict[int, int] = field(default_factory=dict)
    """Packed (day, kind, lesson) -> row of ``counts``."""
    counts: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    kinds: dict[tuple[str, int, str, int, int], int] = field(default_factory=dict)
    """(agent, ranking, scope, recent, holdout in millionths) -> number."""
    lessons: dict[str, int] = field(default_factory=dict)
    used: int = 0

    def kind(self, stratum: Stratum, holdout: float) -> int:
        """The number of a stratum and holdout."""
        key = (*stratum[:3], int(stratum.recent), round(holdout * HOLDOUTS))
        return self.kinds.setdefault(key, len(self.kinds))

    def lesson(self, name: str) -> int:
        """The number of a lesson."""
        return self.lessons.setdefault(name, len(self.lessons))

    def add(self, day: Ints, lesson: Ints, kind: Ints, held: Bools, corrected: Bools) -> None:
        """Take settled occasions in, each with its day since 1970; all of shape (m,)."""
        if not len(day):
            return
        self.used += len(day)
        packed = (day << 40) | (kind << 20) | lesson
        each, place = np.unique(packed, return_inverse=True)
        many = np.bincount(place * 4 + np.where(held, 0, 2) + ~corrected, minlength=4 * len(each)).reshape(-1, 4)
        known = len(self.places)
        rows = np.array([self.places.setdefault(key, len(self.places)) for key in each.tolist()])
        if len(self.places) > len(self.counts):
            self.counts = np.pad(self.counts, ((0, len(self.places) + known - len(self.counts)), (0, 0)))
        self.counts[rows] += many

    def one(self, day: int, lesson: str, stratum: Stratum, holdout: float, *, held: bool, corrected: bool) -> None:
        """Take one settled occasion in."""
        when, which, kind = (np.array([number]) for number in (day, self.lesson(lesson), self.kind(stratum, holdout)))
        self.add(when, which, kind, np.array([held]), np.array([corrected]))

    def rows(self) -> list[OccasionRow]:
        """All that was counted, in an order that depends on it alone."""
        kinds = {number: key for key, number in self.kinds.items()}
        names = {number: name for name, number in self.lessons.items()}
        found = []
        for packed, place in self.places.items():
            agent, ranking, scope, recent, holdout = kinds[packed >> 20 & 0xFFFFF]
            stratum = Stratum(agent, ranking, scope, bool(recent))
            found.append(OccasionRow(packed >> 40, names[packed & 0xFFFFF], stratum, holdout / HOLDOUTS, self.counts[place]))
        return sorted(found, key=lambda row: row[:4])


class OccasionTable:
    """What was counted, each row with the guess that could be made before its day."""

    def __init__(self, rows: Sequence[OccasionRow]) -> None:
        """:param rows: sorted by day."""
        self.rows = rows
        self.guess = _guesses(rows)
        self.holdout = np.array([row.holdout for row in rows])
        self.count = np.array([row.counts for row in rows]).reshape(-1, 4)

    def of(self, wanted: Callable[[OccasionRow], bool] | None = None) -> OccasionCounts:
        """The counts of the rows that are ``wanted``; all."""
        which = np.array([wanted is None or wanted(row) for row in self.rows], dtype=bool)
        return summed(self.holdout[which], self.guess[which], self.count[which])

    def by(self, key: Callable[[OccasionRow], str]) -> dict[str, OccasionCounts]:
        """The counts per key, keys in order."""
        places: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(key(row), []).append(place)
        return {
            name: summed(self.holdout[mine], self.guess[mine], self.count[mine]) for name, mine in sorted(places.items())
        }


def summed(holdout: Floats, guess: Floats, count: Floats) -> OccasionCounts:
    """OccasionCounts with one row for each (holdout, guess)."""
    if not len(holdout):
        return OccasionCounts(np.zeros(0), np.zeros(0), np.zeros((0, 4)))
    pairs, place = np.unique(np.stack((holdout, guess), axis=1), axis=0, return_inverse=True)
    columns = [np.bincount(place.ravel(), count[:, column], minlength=len(pairs)) for column in range(4)]
    total: Floats = np.stack(columns, axis=1).astype(np.float64)
    return OccasionCounts(pairs[:, 0], pairs[:, 1], total)


def _guesses(rows: Sequence[OccasionRow]) -> Floats:
    """(1 − h) × rate withheld + h × rate shown of each row's lesson, from the days before its own."""
    lessons = {name: number for number, name in enumerate(dict.fromkeys(row.lesson for row in rows))}
    seen = np.zeros((len(lessons), 4))
    guess = np.zeros(len(rows))
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and rows[end].day == rows[start].day:
            end += 1
        mine = np.array([lessons[row.lesson] for row in rows[start:end]])
        holdout = np.array([row.holdout for row in rows[start:end]])
        held, shown = (_rate(seen[:, side : side + 2], mine) for side in (0, 2))
        guess[start:end] = np.round(((1.0 - holdout) * held + holdout * shown) * GUESSES) / GUESSES
        np.add.at(seen, mine, np.array([row.counts for row in rows[start:end]]))
        start = end
    return guess


def _rate(seen: Floats, lessons: Ints) -> Floats:
    """Rates of lessons, drawn to the rate of all."""
    corrected, clean = seen.sum(axis=0)
    overall = (corrected + PRIOR_RATE) / (corrected + clean + 1.0)
    mine = seen[lessons]
    rate: Floats = (mine[:, 0] + PRIOR_COUNT * overall) / (mine.sum(axis=1) + PRIOR_COUNT)
    return rate


def days(ms: Iterable[int]) -> Ints:
    """Days since 1970, UTC."""
    return np.array(list(ms), dtype=np.int64) // DAY_MS


def is_sound(kind: str, coin_ms: int, horizon_ms: int, holdout: float, now_ms: int) -> bool:
    """Whether a line of a team's file is an occasion that is settled by ``now_ms`` and can be believed."""
    settled = horizon_ms == HORIZON_MS and 0 < coin_ms <= now_ms - horizon_ms
    return settled and LEAST_HOLDOUT <= holdout <= 1.0 - LEAST_HOLDOUT and kind in ("corrected", "not_corrected")
