"""The C library's heap: one for all threads, and given back to the system when sessions were let go of.

Threads with heaps of their own each keep what their busiest moment took, and a heap is not shortened while something small
lies at its end: without this, resident memory creeps up although nothing is held. Where the C library offers none of it
(musl, macOS), nothing is done.
"""

from __future__ import annotations

import ctypes

M_ARENA_MAX = -8
"""host: mallopt's name for the number of heaps (glibc's malloc.h)."""
ARENAS = 1
"""method: Python's threads take turns anyway."""


def _function(name: str) -> ctypes._NamedFuncPointer | None:
    try:
        found: ctypes._NamedFuncPointer = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
    return found


_MALLOPT = _function("mallopt")
_MALLOC_TRIM = _function("malloc_trim")


def share_one_heap() -> None:
    """Let all threads that are still to come use the first one's heap."""
    if _MALLOPT is not None and _MALLOC_TRIM is not None:
        _MALLOPT(M_ARENA_MAX, ARENAS)


def give_back() -> bool:
    """Give whole pages that hold nothing back to the system; whether there were any."""
    return _MALLOC_TRIM is not None and _MALLOC_TRIM(0) == 1
