"""The headline: how often a correction is repeated where a lesson was shown and where it was held out, and the cost.

Every lesson that won a slot is withheld by a fair coin of known probability, so the two groups differ by chance alone; the
difference has an anytime-valid interval per key (all, lesson, scope, week). Standing lessons are never withheld and
not counted. Promises one pass and a few numbers a key.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from borgd.replay.estimate.intervals import ALPHA
from borgd.replay.estimate.pseudo import Arms, Sequences, arms, joined
from borgd.replay.outcomes import CORRECTED
from borgd.replay.records import CHANNELS, DecisionColumns
from borgd.replay.rewards import Rates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WEEK_MS = 7 * 24 * 3600 * 1000
MONDAY_MS = 4 * 24 * 3600 * 1000
"""method: the epoch was a Thursday; weeks begin on Monday, UTC."""
BINS = 10
"""design: bins of the calibration of p."""
MICROS_BINS = 160
"""method: latency histogram, eight bins a doubling from 1 µs: a percentile is at most 9 % too high."""


@dataclass
class Group:
    """Counts of one key: occasions on which a lesson won a slot, by whether it was shown, and how many were corrected."""

    shown: int = 0
    shown_corrected: int = 0
    held: int = 0
    held_corrected: int = 0

    @property
    def shown_rate(self) -> float:
        return self.shown_corrected / self.shown if self.shown else float("nan")

    @property
    def held_rate(self) -> float:
        return self.held_corrected / self.held if self.held else float("nan")


@dataclass
class Table:
    """Groups by key and the interval of (held out − shown) for each: corrections that showing prevents, per occasion."""

    keys: dict[str, int] = field(default_factory=dict)
    counts: Floats = field(default_factory=lambda: np.zeros((4, 0)))
    sequences: Sequences = field(default_factory=lambda: Sequences(0))

    def number(self, key: str) -> int:
        return self.keys.setdefault(key, len(self.keys))

    def add(self, terms: Arms, key: Ints, shown: NDArray[np.bool_], corrected: Floats) -> None:
        """Take occasions in; ``key`` of shape (m,)."""
        size = len(self.keys)
        self.counts = np.pad(self.counts, ((0, 0), (0, size - self.counts.shape[1])))
        for row, (who, what) in enumerate(((shown, None), (shown, corrected), (~shown, None), (~shown, corrected))):
            weight = who.astype(np.float64) if what is None else who * what
            self.counts[row] += np.bincount(key, weight, minlength=size)
        self.sequences.grow(size)
        self.sequences.add(terms, key)

    def rows(self, alpha: float = ALPHA) -> list[tuple[str, Group, float, float]]:
        """(key, counts, low, high of the difference), most occasions first."""
        low, high = self.sequences.intervals(alpha)
        found = [
            (key, Group(*(int(self.counts[row, number]) for row in range(4))), float(low[number]), float(high[number]))
            for key, number in self.keys.items()
        ]
        return sorted(found, key=lambda row: (-(row[1].shown + row[1].held), row[0]))


@dataclass
class Cost:
    """What the memory cost: recalls, characters, blocks, microseconds."""

    recalls: int = 0
    chars: float = 0.0
    blocks: int = 0
    micros: float = 0.0


class Headline:
    """Feed it decisions in the order of time."""

    def __init__(self) -> None:
        self.all, self.lessons, self.scopes, self.weeks = Table(), Table(), Table(), Table()
        self.cost = Cost()
        self.cost_by_week: dict[str, Cost] = {}
        self.expected: Floats = np.zeros((2, BINS))
        """Per bin of p: entries, and Σ p."""
        self.observed: Floats = np.zeros(BINS)
        self.latency: Floats = np.zeros((len(CHANNELS), MICROS_BINS))
        self.history: dict[str, tuple[float, float, float]] = {}
        """Week -> the difference so far, with the low and high that were true to say at that week's last look."""
        self._shown, self._held = Rates(), Rates()

    def feed(
        self, found: DecisionColumns, known: NDArray[np.bool_], kinds: NDArray[np.uint16], lesson: Ints, names: list[str]
    ) -> None:
        """Take decisions in; ``known`` per decision: its outcomes are; ``kinds`` and ``lesson`` per pool entry."""
        self._costs(found)
        self._calibrate(found)
        ms = found.ms[found.decision]
        chosen = (found.shown | found.held) & ~found.standing & known[found.decision]
        rows = np.flatnonzero(chosen & (found.holdout[found.decision] > 0.0))
        weeks = (ms[rows] - MONDAY_MS) // WEEK_MS
        for each in np.unique(weeks):
            self._occasions(found, rows[weeks == each], kinds, lesson, names)

    def _occasions(
        self, found: DecisionColumns, rows: Ints, kinds: NDArray[np.uint16], lesson: Ints, names: list[str]
    ) -> None:
        """Take in the pool entries that won a slot in one week."""
        now = week(int(found.ms[found.decision[rows[0]]]))
        shown, corrected = found.shown[rows], ((kinds[rows] & CORRECTED) > 0).astype(np.float64)
        terms = self._terms(lesson[rows], found.holdout[found.decision[rows]], shown, corrected)
        scope = [found.scopes[number] or ("no scope",) for number in found.decision[rows]]
        self.all.add(terms, self._keys(self.all, ["all"] * len(rows)), shown, corrected)
        self.lessons.add(terms, self._keys(self.lessons, [names[number] for number in lesson[rows]]), shown, corrected)
        self.weeks.add(terms, self._keys(self.weeks, [now] * len(rows)), shown, corrected)
        self.scopes.add(terms, self._keys(self.scopes, [", ".join(sorted(each)) for each in scope]), shown, corrected)
        self._shown.learn(lesson[rows][shown], corrected[shown])
        self._held.learn(lesson[rows][~shown], corrected[~shown])
        self._remember(now)

    def _remember(self, now: str) -> None:
        counts = self.all.counts[:, 0]
        low, high = self.all.sequences.intervals()
        rate = counts[1] / counts[0] if counts[0] else float("nan")
        held = counts[3] / counts[2] if counts[2] else float("nan")
        self.history[now] = (float(held - rate), float(low[0]), float(high[0]))

    def _terms(self, lesson: Ints, holdout: Floats, shown: NDArray[np.bool_], corrected: Floats) -> Arms:
        """One occasion a row, with two arms: withheld (counts) and shown (counts against)."""
        many = len(lesson)
        one = np.ones(many)
        occasion = np.arange(many)
        held = arms(occasion, one, holdout, ~shown, corrected, self._held.predict(lesson), one, many)
        seen = arms(occasion, -one, 1.0 - holdout, shown, corrected, self._shown.predict(lesson), one, many)
        return joined([held, seen])

    @staticmethod
    def _keys(table: Table, keys: list[str]) -> Ints:
        return np.array([table.number(key) for key in keys], dtype=np.int64)

    def _costs(self, found: DecisionColumns) -> None:
        blocks = (found.channel == CHANNELS.index("stop")) & (found.chars > 0)
        _spend(self.cost, found, blocks, np.ones(found.count, dtype=bool))
        weeks = np.array([week(int(ms)) for ms in found.ms])
        for each in np.unique(weeks):
            _spend(self.cost_by_week.setdefault(str(each), Cost()), found, blocks, weeks == each)
        place = np.minimum((np.log2(np.maximum(found.micros, 1.0)) * 8).astype(np.int64), MICROS_BINS - 1)
        np.add.at(self.latency, (found.channel, place), found.micros > 0)

    def _calibrate(self, found: DecisionColumns) -> None:
        place = np.minimum((found.p * BINS).astype(np.int64), BINS - 1)
        self.expected[0] += np.bincount(place, minlength=BINS)
        self.expected[1] += np.bincount(place, found.p, minlength=BINS)
        self.observed += np.bincount(place, found.shown, minlength=BINS)

    def percentile_ms(self, channel: int, share: float) -> float:
        """Milliseconds within which ``share`` of the choices on this channel were made; nan where none was timed."""
        counts = self.latency[channel]
        if not counts.sum():
            return float("nan")
        place = int(np.searchsorted(np.cumsum(counts), share * counts.sum()))
        return float(2.0 ** ((min(place, MICROS_BINS - 1) + 1) / 8) / 1000.0)


def _spend(cost: Cost, found: DecisionColumns, blocks: NDArray[np.bool_], mine: NDArray[np.bool_]) -> None:
    cost.recalls += int(mine.sum())
    cost.chars += float(found.chars[mine].sum())
    cost.blocks += int(blocks[mine].sum())
    cost.micros += float(found.micros[mine].sum())


def week(ms: int) -> str:
    """The Monday of this moment's week, UTC, as YYYY-MM-DD."""
    days = (ms - MONDAY_MS) // WEEK_MS * 7 + 4
    return str(np.datetime64(days, "D"))
