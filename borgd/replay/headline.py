"""The headline: how often a correction is repeated where a lesson was shown and where it was withheld, and the cost.

At a session's first contact with a lesson that won its place a coin of known odds decides whether the whole session goes
without it. A day later both are judged alike, by what that session was corrected for; nobody chose, and nothing else
differs but chance. Counted over all data since that rule; what is older is left out and counted. Promises one pass, the
same numbers in any order, each occasion once, and memory that does not grow with decisions. Standing lessons are never
withheld and not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from borgd.replay.keys import SortedKeys
from borgd.replay.occasions import DAY_MS, Occasions, Stratum, is_sound
from borgd.replay.records import CHANNELS, DecisionColumns, hash64

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

WEEK_MS = 7 * 24 * 3600 * 1000
MONDAY_MS = 4 * 24 * 3600 * 1000
"""method: the epoch was a Thursday; weeks begin on Monday, UTC."""
BINS = 10
"""design: bins of the calibration of p."""
MICROS_BINS = 160
"""method: latency histogram, eight bins a doubling from 1 µs: a percentile is at most 9 % too high."""
SHARED_MARK = b'"coin_ms":'
"""host: what every settled occasion in a team's file holds."""
NO_SCOPE = "no scope"


class SettledLine(msgspec.Struct, gc=False):
    """What is read of a settled occasion in a team's file."""

    lesson: str
    kind: str
    coin_ms: int
    horizon_ms: int
    holdout: float
    decision: str = ""
    agent: str = ""
    held: bool = False
    ranking: int = 0


_SETTLED = msgspec.json.Decoder(SettledLine)


@dataclass
class Cost:
    """What the memory cost: recalls, characters, blocks, microseconds."""

    recalls: int = 0
    chars: float = 0.0
    blocks: int = 0
    micros: float = 0.0


class Headline:
    """Feed it decisions, and the team's files before them; ask its ``occasions`` and counts."""

    def __init__(self, now_ms: int, since_ms: int = 0) -> None:
        """:param now_ms: the moment of looking; what is not settled then is counted as young. ``since_ms``: the period
        begins."""
        self.now_ms, self.since_ms = now_ms, since_ms
        self.occasions = Occasions()
        self.young = self.old = 0
        """Occasions that are not settled yet; lessons shown or withheld by decisions of before the rule."""
        self.teammates: dict[str, int] = {}
        """Occasions by the file that told them."""
        self.cost = Cost()
        self.cost_by_week: dict[str, Cost] = {}
        self.expected: Floats = np.zeros((2, BINS))
        """Per bin of p: entries, and Σ p."""
        self.observed: Floats = np.zeros(BINS)
        self.latency: Floats = np.zeros((len(CHANNELS), MICROS_BINS))
        self._known = SortedKeys()
        self._shared = False

    def hear(self, lines: Iterable[bytes], source: str) -> None:
        """Take in the settled occasions of one of the team's files; before the decisions."""
        self._shared = True
        found: list[tuple[int, SettledLine]] = []
        for raw in lines:
            if SHARED_MARK not in raw:
                continue
            try:
                line = _SETTLED.decode(raw.strip())
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue  # counted with the outcomes
            if line.lesson and is_sound(line.kind, line.coin_ms, line.horizon_ms, line.holdout, self.now_ms):
                found.append((hash64(line.decision, line.lesson), line))
        fresh = self._known.add(np.array([key for key, _ in found], dtype=np.uint64)).tolist()
        kept = [line for (_, line), new in zip(found, fresh, strict=True) if new]
        self.teammates[source] = self.teammates.get(source, 0) + len(kept)
        self.occasions.add(
            np.array([line.coin_ms // DAY_MS for line in kept], dtype=np.int64),
            np.array([self.occasions.lesson(line.lesson) for line in kept], dtype=np.int64),
            np.array(
                [self._kind(line.agent, line.ranking, "", line.coin_ms, line.holdout) for line in kept], dtype=np.int64
            ),
            np.array([line.held for line in kept], dtype=np.bool_),
            np.array([line.kind == "corrected" for line in kept], dtype=np.bool_),
        )

    def feed(self, found: DecisionColumns, corrected_ms: Ints, fresh: Bools) -> None:
        """Take in the occasions of the decisions that are ``fresh``.

        :param corrected_ms: when each pool entry was first corrected; 0: it was not.
        """
        chosen = (found.shown | found.held) & fresh[found.decision]
        horizon = found.horizon[found.decision]
        self.old += int((chosen & (horizon == 0) & (found.coin > 0.0)).sum())
        rows = np.flatnonzero(chosen & (horizon > 0) & (found.coin > 0.0))
        ms = found.ms[found.decision[rows]]
        due = ms + horizon[rows]
        self.young += int((due > self.now_ms).sum())
        settled = due <= self.now_ms
        rows, ms, due = rows[settled], ms[settled], due[settled]
        if self._shared and len(rows):
            new = self._known.add(found.occasion_key[rows])
            rows, ms, due = rows[new], ms[new], due[new]
        decision = found.decision[rows].tolist()
        corrected = (corrected_ms[rows] >= ms) & (corrected_ms[rows] <= due)
        names = [found.names[number] for number in found.lesson[rows].tolist()]
        kinds = [
            self._kind(found.agents[number], ranking, _scope(found.scopes[number]), when, holdout)
            for number, ranking, when, holdout in zip(
                decision, found.ranking[found.decision[rows]].tolist(), ms.tolist(), found.coin[rows].tolist(), strict=True
            )
        ]
        lessons = np.array([self.occasions.lesson(name) for name in names], dtype=np.int64)
        self.occasions.add(ms // DAY_MS, lessons, np.array(kinds, dtype=np.int64), found.held[rows], corrected)

    def _kind(self, agent: str, ranking: int, scope: str, ms: int, holdout: float) -> int:
        return self.occasions.kind(Stratum(agent, ranking, scope, ms >= self.since_ms), holdout)

    def spend(self, found: DecisionColumns) -> None:
        """Count what these decisions cost."""
        blocks = (found.channel == CHANNELS.index("stop")) & (found.chars > 0)
        _spend(self.cost, found, blocks, np.ones(found.count, dtype=bool))
        weeks = np.array([week(int(ms)) for ms in found.ms])
        for each in np.unique(weeks):
            _spend(self.cost_by_week.setdefault(str(each), Cost()), found, blocks, weeks == each)
        place = np.minimum((np.log2(np.maximum(found.micros, 1.0)) * 8).astype(np.int64), MICROS_BINS - 1)
        np.add.at(self.latency, (found.channel, place), found.micros > 0)

    def check(self, found: DecisionColumns) -> None:
        """Count how often what was logged as p was shown."""
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


def _scope(names: tuple[str, ...]) -> str:
    return ", ".join(sorted(names)) or NO_SCOPE
