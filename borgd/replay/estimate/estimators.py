"""Point estimates of a policy's value from another policy's log, named as the open bandit literature names them.

Promises plain arithmetic on arrays: no file, no clock, no randomness. Every estimator of one class takes the same log,
so that they can be compared. Must not decide which records are usable (records) nor how sure one may be (intervals).

Sources: IPS Horvitz and Thompson 1952; SNIPS Swaminathan and Joachims 2015; DR Dudík, Langford and Li 2011; SWITCH Wang,
Agarwal and Dudík 2017; DR with optimistic shrinkage Su, Dimakopoulou, Krishnamurthy and Dudík 2020; independent and
reward-interaction IPS for slates McInerney et al. 2020; cascade DR Kiyohara et al. 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SWITCH_TAU = 10.0
"""design: weights above this are left to the reward model; 10 is reached where p < a tenth of the candidate's."""
SHRINK_LAMBDA = 100.0
"""design: optimistic shrinkage maps w to λw / (w² + λ); the largest weight then used is √λ / 2 = 5."""


@dataclass(frozen=True)
class Bandit:
    """A log of n actions, each from its own round, of which a round may have several (a recall shows several lessons).

    ``weight`` is candidate / logger for the action that was taken, ``reward`` in [0, 1] what it brought, ``predicted``
    the reward model's value of that action: all of shape (n,). ``baseline`` of shape (m,) is, per round, the model's
    value of what the candidate would do (Σ π q), ``mass`` of shape (m,) how many actions the candidate takes there
    (1 in an ordinary bandit).
    """

    weight: Floats
    reward: Floats
    predicted: Floats
    baseline: Floats
    mass: Floats

    @property
    def rounds(self) -> int:
        return len(self.baseline)


@dataclass(frozen=True)
class Slates:
    """A log of m slates flattened to n positions, in slate order and within a slate in the order of the positions.

    ``slate`` of shape (n,) is the slate's number 0 … m − 1. ``marginal`` is candidate / logger for the position's action
    by itself, ``prefix`` the same for all actions up to and including it, ``before`` up to but not including it.
    ``predicted`` is the model's value of the rewards from this position on, given the action here; ``baseline`` its mean
    over the candidate's choices here. All of shape (n,).
    """

    slate: Ints
    marginal: Floats
    prefix: Floats
    before: Floats
    reward: Floats
    predicted: Floats
    baseline: Floats
    slates: int


def ips(log: Bandit) -> float:
    """Inverse propensity score: unbiased, as noisy as its weights are large. Reward per round."""
    return _per_round(float(log.weight @ log.reward), log)


def snips(log: Bandit) -> float:
    """Self-normalised IPS: a ratio, exact for a constant reward. Reward per round; nan where all weights are 0."""
    total = float(log.weight.sum())
    return float(log.weight @ log.reward) / total * _mean_mass(log) if total > 0.0 else float("nan")


def dm(log: Bandit) -> float:
    """Direct method: the reward model alone; no better than the model, no noisier either."""
    return _per_round(float(log.baseline.sum()), log)


def dr(log: Bandit) -> float:
    """Doubly robust: the model, corrected by IPS of its residuals; unbiased where the propensities are right."""
    return dm(log) + _per_round(float(log.weight @ (log.reward - log.predicted)), log)


def sndr(log: Bandit) -> float:
    """Self-normalised DR: the correction as a ratio."""
    total = float(log.weight.sum())
    if total <= 0.0:
        return float("nan")
    return dm(log) + float(log.weight @ (log.reward - log.predicted)) / total * _mean_mass(log)


def switch_dr(log: Bandit, tau: float = SWITCH_TAU) -> float:
    """DR that trusts the model alone where the weight is above ``tau``: bounded noise for some bias."""
    kept = switched(log.weight, tau)
    return dm(log) + _per_round(float(kept @ (log.reward - log.predicted)), log)


def dr_os(log: Bandit, shrink: float = SHRINK_LAMBDA) -> float:
    """DR with optimistically shrunk weights λw / (w² + λ): a smooth switch."""
    return dm(log) + _per_round(float(shrunk(log.weight, shrink) @ (log.reward - log.predicted)), log)


def switched(weight: Floats, tau: float = SWITCH_TAU) -> Floats:
    """The weights with those above ``tau`` set to 0."""
    return np.where(weight <= tau, weight, 0.0)


def shrunk(weight: Floats, shrink: float = SHRINK_LAMBDA) -> Floats:
    """λw / (w² + λ): w for small weights, never above √λ / 2."""
    return shrink * weight / (weight * weight + shrink)


def independent_ips(log: Slates) -> float:
    """Slate IPS where a position's reward depends on its own action only. Reward per slate."""
    return float(log.marginal @ log.reward) / log.slates


def interaction_ips(log: Slates) -> float:
    """Reward-interaction IPS: a position's reward may depend on all positions before it. Reward per slate."""
    return float(log.prefix @ log.reward) / log.slates


def cascade_dr(log: Slates) -> float:
    """Cascade DR: reward-interaction weights on the residuals of a model of the rewards still to come. Reward per slate."""
    terms = log.prefix * log.reward - log.prefix * log.predicted + log.before * log.baseline
    return float(terms.sum()) / log.slates


BANDIT: dict[str, Callable[[Bandit], float]] = {
    "IPS": ips,
    "SNIPS": snips,
    "DM": dm,
    "DR": dr,
    "SNDR": sndr,
    "SWITCH-DR": switch_dr,
    "DRos": dr_os,
}
SLATE: dict[str, Callable[[Slates], float]] = {
    "IIPS": independent_ips,
    "RIPS": interaction_ips,
    "cascade DR": cascade_dr,
}


def effective_sample_size(weight: Floats) -> float:
    """(Σw)² / Σw² (Kish): how many equally weighted actions would be as informative. 0 for no weight."""
    squares = float(weight @ weight)
    return float(weight.sum()) ** 2 / squares if squares > 0.0 else 0.0


def balanced_factors(own: Floats, shares: Floats) -> Floats:
    """What each logger's weights are multiplied by to become weights against the mixture of all loggers, shape (loggers,).

    The balanced heuristic divides by Σ share × p instead of the logger's own p (Agarwal et al. 2017, "Effective evaluation
    using logged bandit feedback from multiple loggers"). Where loggers differ by one factor for all actions, as by their
    holdouts, that is one factor per logger.

    :param own: that factor of each logger's probabilities; all 0: nothing to mix.
    :param shares: of the decisions, in [0, 1], summing to 1.
    """
    mean = float(shares @ own)
    return own / mean if mean > 0.0 else np.ones(len(own))


def inverse_variance_shares(values: Floats, variances: Floats, sizes: Floats) -> Floats:
    """Weights in [0, 1] that sum to 1 for combining one estimate per logger (the weighted estimator of Agarwal et al. 2017).

    Proportional to size / variance; a logger with no variance yet counts with the largest variance seen.
    """
    positive = variances[variances > 0.0]
    filled = np.where(variances > 0.0, variances, positive.max() if len(positive) else 1.0)
    raw = np.where(np.isfinite(values), sizes / filled, 0.0)
    total = raw.sum()
    return np.asarray(raw / total if total > 0.0 else np.full(len(values), 1.0 / max(1, len(values))), dtype=np.float64)


def _per_round(total: float, log: Bandit) -> float:
    return total / log.rounds if log.rounds else float("nan")


def _mean_mass(log: Bandit) -> float:
    return float(log.mass.mean()) if log.rounds else float("nan")
