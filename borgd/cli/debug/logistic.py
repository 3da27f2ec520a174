"""A small logistic regression with a ridge, to fit the weights of recall's probability on labelled sessions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 3.0
"""method: how strongly a weight is drawn to zero, per standard deviation of what it weighs; the first one is not."""
STEPS = 60
"""method: Newton steps at most."""
CLOSE = 1e-6
"""method: a smaller step ends the fit."""


def fit(values: Floats, labels: Floats, ridge: float = RIDGE, counts: Floats | None = None) -> Floats:
    """The weights of the columns of ``values``, a row an observation, the first column all ones; by Newton's method.

    :param counts: what each row counts; None: one each.
    """
    counts = np.ones(len(labels)) if counts is None else counts
    spread = values.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = values / spread
    weights = np.zeros(scaled.shape[1])
    penalty = np.full(len(weights), ridge)
    penalty[0] = CLOSE
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ ((labels - chance) * counts) - penalty * weights
        curvature = (scaled * (chance * (1 - chance) * counts)[:, None]).T @ scaled + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights += step
        if np.abs(step).max() < CLOSE:
            break
    fitted: Floats = weights / spread
    return fitted
