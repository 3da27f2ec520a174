"""Beta distributions as tables: distribution function, quantiles, and draws that are plain arithmetic.

A Beta variable is looked at as θ = arcsin √x, where its spread is about 1/(2√(α + β)) whatever its mean, so one grid
around the mode serves a prior and a belief of a million results alike. The density is integrated there by Simpson's
rule; no gamma function is needed, since the total is 1. Knots are rounded, so that last bits in which platforms' sine
and logarithm differ do not reach a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

KNOTS = 512
"""method: cells of a quantile table, equal in probability; its distribution is off by at most half an edge cell."""
GRID = 1024
"""method: Simpson intervals; with straight lines between them the distribution function is good to 1e-5."""
SPREADS = 9.0
"""method: half the grid's width in standard deviations of θ; beyond it lies less than 1e-15."""
EDGE = 1.0 / (8 * KNOTS)
"""method: the outermost knots stand for this probability, so that a straight edge cell does not fatten the tail."""
ROUNDING = 2.0**30
"""method: knots are multiples of 1 / ROUNDING."""
TABLES = 4096
"""guard: tables kept, about 4 KB each."""


@lru_cache(maxsize=TABLES)
def _distribution(alpha: float, beta: float) -> tuple[Floats, Floats]:
    """Points x and the distribution function there, both rising."""
    a, b = 2 * alpha - 1, 2 * beta - 1
    mode = np.arctan2(np.sqrt(max(a, 0.0)), np.sqrt(max(b, 0.0))) if a > 0 or b > 0 else np.pi / 4
    mean = np.arctan2(np.sqrt(alpha), np.sqrt(beta))
    width = SPREADS / (2 * np.sqrt(alpha + beta))
    low, high = max(0.0, min(mode, mean) - width), min(np.pi / 2, max(mode, mean) + width)
    theta = np.linspace(low, high, GRID + 1)
    middle = (theta[1:] + theta[:-1]) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ends, halves = _log_density(theta, a, b), _log_density(middle, a, b)
        peak = max(float(np.max(ends)), float(np.max(halves)))
        ends, halves = np.exp(ends - peak), np.exp(halves - peak)
    area = np.concatenate(([0.0], np.cumsum(ends[:-1] + 4 * halves + ends[1:])))
    return np.sin(theta) ** 2, area / area[-1]


def _log_density(theta: Floats, a: float, b: float) -> Floats:
    """ln of sin^a θ · cos^b θ, where 0^0 is 1 (Beta(½, ·) has a flat end) and b, a ≥ 0."""
    sine = a * np.log(np.sin(theta)) if a else np.zeros_like(theta)
    cosine = b * np.log(np.maximum(np.cos(theta), 0.0)) if b else np.zeros_like(theta)
    result: Floats = sine + cosine
    return result


def distribution(x: Floats | float, alpha: float, beta: float) -> Floats:
    """P(X ≤ x) for X ~ Beta(alpha, beta), both at least ½; good to 1e-5."""
    points, mass = _distribution(alpha, beta)
    found: Floats = np.asarray(np.interp(x, points, mass))
    return found


def quantile(u: float, alpha: float, beta: float) -> float:
    """The x with P(X ≤ x) = u for X ~ Beta(alpha, beta), both at least ½."""
    points, mass = _distribution(alpha, beta)
    return float(np.interp(u, mass, points))


def interval(alpha: float, beta: float, level: float = 0.95) -> tuple[float, float]:
    """The central interval that holds ``level`` of the belief."""
    tail = (1 - level) / 2
    return quantile(tail, alpha, beta), quantile(1 - tail, alpha, beta)


_LEVELS: Floats = np.concatenate(([EDGE], np.arange(1, KNOTS) / KNOTS, [1 - EDGE]))


@lru_cache(maxsize=TABLES)
def table(alpha: float, beta: float) -> Floats:
    """KNOTS + 1 rising numbers in [0, 1], between which cells of equal probability lie. Read-only, shared."""
    points, mass = _distribution(alpha, beta)
    knots: Floats = np.rint(np.interp(_LEVELS, mass, points) * ROUNDING) / ROUNDING
    knots.setflags(write=False)
    return knots


def tables(alphas: Sequence[float], betas: Sequence[float]) -> Floats:
    """One row of ``table`` per belief; shape (n, KNOTS + 1)."""
    return np.stack([table(a, b) for a, b in zip(alphas, betas, strict=True)])


def draw(u: Floats, knots: Floats) -> Floats:
    """Uniforms to Beta draws by straight lines between knots. ``u`` has shape (…, n), ``knots`` (n, KNOTS + 1)."""
    place = u * KNOTS
    cell = place.astype(np.int64)
    place -= cell
    cell += np.arange(knots.shape[0]) * knots.shape[1]
    flat = knots.reshape(-1)
    low = flat[cell]
    cell += 1
    drawn: Floats = low + place * (flat[cell] - low)
    return drawn
