"""A set of 64-bit keys that costs 8 bytes each: which decisions were seen, how many sessions there were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class SortedKeys:
    """A set of 64-bit keys at 8 bytes each."""

    def __init__(self) -> None:
        self.keys: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of ``keys`` are new (the first of equal ones); they are taken in."""
        fresh = np.zeros(len(keys), dtype=bool)
        each, first = np.unique(keys, return_index=True)
        place = np.minimum(np.searchsorted(self.keys, each), max(0, len(self.keys) - 1))
        known = self.keys[place] == each if len(self.keys) else np.zeros(len(each), dtype=bool)
        fresh[first[~known]] = True
        self.keys = np.sort(np.concatenate((self.keys, each[~known])), kind="stable")
        return fresh
