"""Seeded uniforms that are the same on every machine and in every version of Python and numpy.

A counter-based generator: a key of 64 bits from the seed's strings (BLAKE2b), then SplitMix64's output function at
``key + counter × GOLDEN`` (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). Any number of
the stream can be had without the ones before it. Must not keep state, and must not be used for secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

GOLDEN = 0x9E3779B97F4A7C15
"""method: SplitMix64's increment, 2^64 divided by the golden ratio, odd."""
MIX_1 = 0xBF58476D1CE4E5B9
"""method: SplitMix64's first multiplier (variant 13 of Stafford's finalisers)."""
MIX_2 = 0x94D049BB133111EB
"""method: SplitMix64's second multiplier."""
MASK = (1 << 64) - 1
UNIT = 2.0**-53
"""method: one step of the uniforms; doubles of 53 bits."""

Floats = npt.NDArray[np.float64]


def key(*seed: str) -> int:
    """64 bits from strings. Each is length-prefixed, so that ("ab", "c") and ("a", "bc") differ."""
    digest = blake2b(digest_size=8)
    for part in seed:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "little")


def uniform(*seed: str) -> float:
    """The uniform in (0, 1) that belongs to this seed: number 0 of its stream."""
    return _as_uniform(_mix(key(*seed)))


def uniforms(keys: Sequence[int], counters: int) -> Floats:
    """Numbers 0 … ``counters`` − 1 of each key's stream, in (0, 1); shape (counters, len(keys))."""
    steps = np.arange(counters, dtype=np.uint64) * np.uint64(GOLDEN)
    state = np.array(keys, dtype=np.uint64)[None, :] + steps[:, None]
    state ^= state >> np.uint64(30)
    state *= np.uint64(MIX_1)
    state ^= state >> np.uint64(27)
    state *= np.uint64(MIX_2)
    state ^= state >> np.uint64(31)
    numbers = (state >> np.uint64(11)).astype(np.float64)
    numbers += 0.5
    numbers *= UNIT
    return numbers


def _mix(state: int) -> int:
    state = ((state ^ (state >> 30)) * MIX_1) & MASK
    state = ((state ^ (state >> 27)) * MIX_2) & MASK
    return state ^ (state >> 31)


def _as_uniform(bits: int) -> float:
    return ((bits >> 11) + 0.5) * UNIT
