"""Values by 64-bit key, by the million: what was said of each (decision, lesson), from lines in any order.

Promises that order and repetition change nothing; memory of a key and a value each, and little more while filling. Pure.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import DTypeLike, NDArray

Keys = NDArray[np.uint64]
Values = NDArray[np.int64]

PENDING = 1 << 15
"""tuned (tests/perf/bench_replay): pairs that wait unsorted; more of them save little time."""
LARGEST_RUN = 1 << 19
"""design: longer runs are not merged any more: a merge needs four times its run for a moment."""


class ValuesByKey:
    """Sorted runs of (key, value); values of one key are reduced to one. Add, then ``seal``, then ask."""

    def __init__(self, reduce: np.ufunc, dtype: DTypeLike) -> None:
        """:param reduce: how two values of a key become one: associative, commutative and idempotent.

        :param dtype: of the values, which are above 0.
        """
        self._reduce = reduce
        self._dtype = np.dtype(dtype)
        self._runs: list[tuple[Keys, Values]] = []
        self._pending = array("Q"), array("q")

    def add(self, key: int, value: int) -> None:
        """Take one in."""
        keys, values = self._pending
        keys.append(key)
        values.append(value)
        if len(keys) >= PENDING:
            self.seal()

    def seal(self) -> None:
        """Sort what is pending into a run."""
        keys, values = self._pending
        if not keys:
            return
        self._pending = array("Q"), array("q")
        self._runs.append(self._reduced(np.array(keys, dtype=np.uint64), np.array(values, dtype=self._dtype)))
        while len(self._runs) > 1 and self._are_to_merge(len(self._runs[-2][0]), len(self._runs[-1][0])):
            last, before = self._runs.pop(), self._runs.pop()
            self._runs.append(self._reduced(np.concatenate((before[0], last[0])), np.concatenate((before[1], last[1]))))

    def of(self, keys: Keys) -> Values:
        """The value of each of ``keys``; 0 where there is none. Key 0 stands for no question."""
        found = np.zeros(len(keys), dtype=self._dtype)
        asked = np.flatnonzero(keys)
        mine = keys[asked]
        for run, values in self._runs:
            place = np.minimum(np.searchsorted(run, mine), len(run) - 1)
            which = np.flatnonzero(run[place] == mine)
            rows, more = asked[which], values[place[which]]
            found[rows] = np.where(found[rows] == 0, more, self._reduce(found[rows], more))
        return found

    @staticmethod
    def _are_to_merge(before: int, last: int) -> bool:
        return before < 2 * last and before + last <= LARGEST_RUN

    def _reduced(self, keys: Keys, values: Values) -> tuple[Keys, Values]:
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        return keys[first], self._reduce.reduceat(values, first)
