"""How likely a policy is to choose each lesson, where slots are a top-k over independent arms: on a grid, no draws.

An arm's score is base × (½ + x), x from Beta(α, β). Batched over decisions with equally many arms, because a replay asks
for millions. Promises: probabilities in [0, 1], Σ over a class = min(k, n) to 1e-3; deterministic. Method: recall's own
quadrature on a common score grid; error below 1e-3 (tested against draws and against what recall logs).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from borgd.memory.beta import distribution
from borgd.recall.inclusion import included

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS = 240
"""method: cells of the score grid for one arm's place; the error of a probability is below 1e-3, from 4 to 100 arms."""
ORDER_CELLS = 160
"""method: cells of the score grid for the order of all places."""
BATCH_CELLS = 1 << 19
"""method: floats of one intermediate array (4 MB: it stays near the cache)."""
KNOTS = 512
"""method: steps of a belief's table on [0, 1], read by linear interpolation."""
MOST_TABLES = 4096
"""guard: tables kept (8 MB)."""
LEAST = 1e-9
"""guard: shape parameters below this are no Beta."""


KNOT_AT: Floats = np.linspace(0.0, 1.0, KNOTS + 1)


class _Tables:
    """Tables of the beliefs met so far, as rows of one matrix; begun anew when it is full."""

    def __init__(self) -> None:
        self._row: dict[complex, int] = {}
        self._matrix = np.empty((MOST_TABLES, KNOTS + 1), dtype=np.float32)

    def of(self, alpha: Floats, beta: Floats) -> tuple[NDArray[np.float32], Ints]:
        """(all tables flattened, where each belief's table begins)."""
        shapes, which = np.unique(alpha + 1j * beta, return_inverse=True)
        if len(self._row) + len(shapes) > MOST_TABLES:
            self._row.clear()
        if len(shapes) > MOST_TABLES:
            rows_of = [distribution(KNOT_AT, shape.real, shape.imag) for shape in shapes.tolist()]
            matrix = np.stack(rows_of).astype(np.float32)
            return matrix.ravel(), which.reshape(alpha.shape) * (KNOTS + 1)
        rows = np.empty(len(shapes), dtype=np.int64)
        for place, shape in enumerate(shapes.tolist()):
            row = self._row.get(shape)
            if row is None:
                row = self._row[shape] = len(self._row)
                self._matrix[row] = distribution(KNOT_AT, shape.real, shape.imag)
            rows[place] = row
        return self._matrix.ravel(), (rows * (KNOTS + 1))[which.reshape(alpha.shape)]


_TABLES = _Tables()


def arms_below(base: Floats, alpha: Floats, beta: Floats, cells: int = CELLS) -> Floats:
    """P(score ≤ edge) of every arm at the edges of a common grid, shape (batch, n, cells + 1), from three of (batch, n)."""
    low, high = 0.5 * base.min(axis=1, keepdims=True), 1.5 * base.max(axis=1, keepdims=True)
    edges = low + (high - low) * np.linspace(0.0, 1.0, cells + 1)
    table, start = _TABLES.of(alpha, beta)
    x: Floats = edges[:, None, :] * (KNOTS / np.maximum(base, LEAST))[:, :, None]
    x -= KNOTS / 2
    np.clip(x, 0.0, KNOTS, out=x)
    left = np.minimum(x.astype(np.int64), KNOTS - 1)
    x -= left
    left += start[:, :, None]
    lower = table.take(left)
    left += 1
    x *= table.take(left) - lower
    x += lower
    return x


def inclusion(base: Floats, alpha: Floats, beta: Floats, slots: int) -> Floats:
    """P(arm is among the ``slots`` best), shape (batch, n).

    :param base: positive, finite, shape (batch, n); an arm with base 0 never wins against another.
    """
    batch, count = base.shape
    if slots >= count:
        return np.ones((batch, count))
    if slots <= 0:
        return np.zeros((batch, count))
    size = max(1, BATCH_CELLS // (count * slots * CELLS))
    parts = [
        included(arms_below(base[start : start + size], alpha[start : start + size], beta[start : start + size]), slots)
        for start in range(0, batch, size)
    ]
    chance = np.concatenate(parts)
    return np.asarray(np.clip(chance * (slots / chance.sum(axis=1, keepdims=True)), 0.0, 1.0), dtype=np.float64)


def prefixes(base: Floats, alpha: Floats, beta: Floats, order: Ints) -> Floats:
    """P(the first k places are order[0], …, order[k − 1]) for k = 1 … K, shape (batch, K).

    The places are by falling score; it is what reward-interaction weights are made of.

    :param base: and the beliefs: shape (batch, n).
    :param order: shape (batch, K), K ≤ n, distinct arms in each row.
    """
    below = arms_below(base, alpha, beta, ORDER_CELLS)
    mass, middle = np.diff(below, axis=2), (below[:, :, 1:] + below[:, :, :-1]) / 2.0
    batch, places = order.shape
    rows = np.arange(batch)
    chance = np.empty((batch, places))
    reached: Floats = np.ones((batch, ORDER_CELLS))
    for place in range(places):
        arm = order[:, place]
        if place == 0:
            reached = mass[rows, arm]
        else:
            beyond = np.cumsum(reached[:, ::-1], axis=1)[:, ::-1] - reached / 2.0
            reached = mass[rows, arm] * beyond
        middle[rows, arm] = 1.0
        chance[:, place] = (reached * middle.prod(axis=1)).sum(axis=1)
    return chance
