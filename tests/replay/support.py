"""A world of many replays at once with known truth: Thompson logging that learns, seasons that move the truth.

Every replay is a column, so that a thousand logs cost what one costs in Python. The functions under test are the real ones
(inclusion, arms, observations, lower_total); the world itself is written here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from borgd.replay import propensity
from borgd.replay.estimate import estimators
from borgd.replay.estimate.intervals import SCALES, lower_total
from borgd.replay.estimate.pseudo import Arms, arms, observations

Floats = NDArray[np.float64]
HOLDOUT = 0.05


@dataclass
class Sequence:
    """Running sums of a value's two bounds for every replay."""

    replays: int
    sums: Floats = field(init=False)
    squares: Floats = field(init=False)
    most: Floats = field(init=False)
    least: Floats = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        self.sums = np.zeros((2, self.replays, len(SCALES)))
        self.squares = np.zeros((2, self.replays, len(SCALES)))
        self.most, self.least = np.zeros(self.replays), np.zeros(self.replays)

    def add(self, terms: Arms) -> None:
        for side, form in enumerate((terms, terms.complement)):
            expected, residual = observations(form)
            self.sums[side] += (expected + residual).T
            self.squares[side] += (residual**2).T
        self.least += terms.offset
        self.most += terms.offset + np.bincount(terms.decision, terms.mass, minlength=self.replays)
        self.steps += 1

    def bounds(self, alpha: float = 0.05) -> tuple[Floats, Floats]:
        low = np.maximum(lower_total(self.sums[0], self.squares[0], alpha / 2), self.least)
        high = np.minimum(self.most - lower_total(self.sums[1], self.squares[1], alpha / 2), self.most)
        return low / self.steps, high / self.steps


@dataclass
class Run:
    """What a batch of replays gave: per look the truth, the sequence's bounds and the naive bootstrap's."""

    looks: list[int] = field(default_factory=list)
    truth: list[Floats] = field(default_factory=list)
    low: list[Floats] = field(default_factory=list)
    high: list[Floats] = field(default_factory=list)
    boot_low: list[Floats] = field(default_factory=list)
    boot_high: list[Floats] = field(default_factory=list)
    points: dict[str, list[Floats]] = field(default_factory=dict)
    variance: float = 0.0
    """Per decision, as the interval sees it, mean over the replays."""

    def ever_missed(self) -> Floats:
        """Per replay: the truth was outside at some look."""
        return np.any(
            [(t < a - 1e-12) | (t > b + 1e-12) for t, a, b in zip(self.truth, self.low, self.high, strict=True)], axis=0
        )

    def bootstrap_ever_missed(self) -> Floats:
        return np.any([(t < a) | (t > b) for t, a, b in zip(self.truth, self.boot_low, self.boot_high, strict=True)], axis=0)

    def ever_above(self) -> Floats:
        """Per replay: at some look the whole interval was above 0, that is, a difference was called better."""
        return np.any([low > 0.0 for low in self.low], axis=0)

    def error(self, name: str) -> float:
        """Root mean squared error of an estimator at the last look."""
        return float(np.sqrt(np.mean((self.points[name][-1] - self.truth[-1]) ** 2)))


@dataclass(frozen=True)
class World:
    """``effect`` is each lesson's chance to change something when shown; the candidate differs in its own belief rule."""

    replays: int
    steps: int
    effect: tuple[float, ...] = (0.5, 0.3, 0.2, 0.1)
    slots: int = 1
    season: float = 0.3
    ignored: float = 0.5
    candidate_ignored: float = 1.0
    candidate_base: tuple[float, ...] | None = None
    relative: bool = False
    """Value of the difference candidate − logger instead of the candidate's value."""
    learns: bool = True
    seed: int = 1


def run(world: World, looks: list[int], bootstrap: int = 0) -> Run:
    """Log ``steps`` decisions in every replay and look at the sequence at each of ``looks``."""
    random = np.random.default_rng(world.seed)
    count, many = len(world.effect), world.replays
    changed, ignored = np.zeros((many, count)), np.zeros((many, count))
    gained, tried = np.zeros((many, count)), np.zeros((many, count))
    base = np.ones((many, count))
    candidate_base = np.broadcast_to(np.asarray(world.candidate_base or base[0]), (many, count)).copy()
    decision = np.repeat(np.arange(many), count)
    limit = np.full(many * count, float(world.slots))
    sequence, result = Sequence(many), Run()
    truth = np.zeros(many)
    chance = target = np.zeros((many, count))
    boot = np.zeros((2, bootstrap, many))
    total = {name: np.zeros(many) for name in ("IPS", "DM", "DR", "w", "wr")}
    for step in range(1, world.steps + 1):
        alpha, beta = 1 + changed, 1 + world.ignored * ignored
        chance = propensity.inclusion(base, alpha, beta, world.slots) * (1 - HOLDOUT)
        target = propensity.inclusion(candidate_base, alpha, 1 + world.candidate_ignored * ignored, world.slots) * (
            1 - HOLDOUT
        )
        scores = base * (0.5 + random.beta(alpha, beta))
        won = np.zeros((many, count), dtype=bool)
        np.put_along_axis(won, np.argsort(-scores, axis=1)[:, : world.slots], True, axis=1)
        seen = won & (random.random((many, count)) >= HOLDOUT)
        effect = np.asarray(world.effect) * (1 + world.season * np.sin(step / 40))
        reward = (random.random((many, count)) < effect) & seen
        mass = target - chance if world.relative else target
        predicted = (gained + 0.4) / (tried + 2.0)
        one = (mass.ravel(), chance.ravel(), seen.ravel(), reward.astype(float).ravel(), predicted.ravel())
        terms = arms(decision, *one, limit, many)
        sequence.add(terms)
        truth += (mass * effect).sum(axis=1)
        weight = np.where(seen, target / chance, 0.0)
        total["IPS"] += (weight * reward).sum(axis=1)
        total["DM"] += (target * predicted).sum(axis=1)
        total["DR"] += (target * predicted + weight * (reward - predicted)).sum(axis=1)
        if bootstrap:
            value = np.where(seen, mass / chance * reward, 0.0).sum(axis=1)
            weights = random.poisson(1.0, size=(bootstrap, many))
            boot[0] += weights * value
            boot[1] += weights
        gained += reward
        tried += seen
        if world.learns:
            changed += reward
            ignored += seen & ~reward
        if step in looks:
            low, high = sequence.bounds()
            result.looks.append(step)
            result.truth.append(truth / step)
            result.low.append(low)
            result.high.append(high)
            for name in ("IPS", "DM", "DR"):
                result.points.setdefault(name, []).append(total[name] / step)
            if bootstrap:
                means = boot[0] / np.maximum(boot[1], 1)
                result.boot_low.append(np.quantile(means, 0.025, axis=0))
                result.boot_high.append(np.quantile(means, 0.975, axis=0))
    sides = sequence.squares.min(axis=2).max(axis=0)
    result.variance = float(sides.mean() / sequence.steps)
    return result


def golden() -> estimators.Bandit:
    """Three rounds with round numbers, for the cases computed by hand."""
    return estimators.Bandit(
        weight=np.array([2.0, 0.5, 12.0]),
        reward=np.array([1.0, 0.0, 1.0]),
        predicted=np.array([0.5, 0.25, 0.75]),
        baseline=np.array([0.6, 0.3, 0.5]),
        mass=np.ones(3),
    )
