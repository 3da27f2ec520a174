"""The last keys of a session's events, in eight bytes each: a busy session has hundreds, and thousands of sessions live."""

from __future__ import annotations

from array import array


class SeenKeys:
    """Remembers the last ``limit`` keys by their hash; that two of them share one does not happen (2^64 for hundreds)."""

    __slots__ = ("_limit", "_next", "_ring")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ring = array("q")
        self._next = 0

    def __len__(self) -> int:
        return len(self._ring)

    def first(self, key: tuple[str, ...]) -> bool:
        """Whether ``key`` is new; remembers it in place of the oldest."""
        mark = hash(key)  # of strings: differs from one process to the next, and is never stored
        if mark in self._ring:
            return False
        if len(self._ring) < self._limit:
            self._ring.append(mark)
        else:
            self._ring[self._next] = mark
            self._next = (self._next + 1) % self._limit
        return True
