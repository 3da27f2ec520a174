"""A set of 64-bit keys that costs 8 bytes each: which decisions were seen, how many sessions there were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]


class SortedKeys:
    """Sorted runs, each at least twice as long as the next, so that adding n keys costs O(n log n) in all."""

    def __init__(self) -> None:
        self.runs: list[Keys] = []

    def __len__(self) -> int:
        return sum(len(run) for run in self.runs)

    def add(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of ``keys`` are new (the first of equal ones); they are taken in."""
        fresh = np.zeros(len(keys), dtype=bool)
        each, first = np.unique(keys, return_index=True)
        known = np.zeros(len(each), dtype=bool)
        for run in self.runs:
            place = np.minimum(np.searchsorted(run, each), len(run) - 1)
            known |= run[place] == each
        fresh[first[~known]] = True
        if not known.all():
            self.runs.append(each[~known])
        while len(self.runs) > 1 and len(self.runs[-2]) < 2 * len(self.runs[-1]):
            last, before = self.runs.pop(), self.runs.pop()
            self.runs.append(np.sort(np.concatenate((before, last)), kind="stable"))
        return fresh
