"""How likely each of several independent arms is to be among the best k: one quadrature, for recall and for replay.

Promises: values in, values out; many pools of the same size at once, since a replay asks for millions.

Source: P(i among the k best) = ∫ P(fewer than k others beat s) dF_i(s), where the number of others that do is
Poisson-binomial.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def included(below: Floats, slots: int) -> Floats:
    """P(arm is among the ``slots`` best), shape (batch, arms), by the trapezoid rule.

    :param below: P(arm's score ≤ node) at rising nodes, shape (batch, arms, nodes). What an arm has below the first node
        and above the last is counted there.
    :param slots: 1 or more.
    """
    batch, arms, nodes = below.shape
    tail = _fewer_than(np.ascontiguousarray(below.transpose(1, 0, 2)).reshape(arms, batch * nodes), slots)
    tail = tail.reshape(arms, batch, nodes).transpose(1, 0, 2)
    inner = (np.diff(below, axis=2) * (tail[:, :, 1:] + tail[:, :, :-1])).sum(axis=2) / 2
    chance: Floats = below[:, :, 0] * tail[:, :, 0] + inner + (1 - below[:, :, -1])
    return chance


def _fewer_than(below: Floats, slots: int) -> Floats:
    """P(fewer than ``slots`` of the other arms exceed each node), per arm; ``below`` is P(arm ≤ node), (arms, nodes).

    Two running distributions at once, one from the first arm on and one from the last arm back: how many exceed, exactly
    (``[:, 0]``) and at most (``[:, 1]``). Counts of ``slots`` and more are dropped. In single precision, far
    below the quadrature's error.
    """
    arms, nodes = below.shape
    stays = np.stack((below, below[::-1]), axis=1)[:, :, None, :].astype(np.float32)
    exceeds = 1 - stays
    running = np.empty((arms, 2, slots, nodes), dtype=np.float32)
    running[0, 0] = 0.0
    running[0, 0, 0] = running[0, 1] = 1.0
    scratch = np.empty((2, slots - 1, nodes), dtype=np.float32)
    for arm in range(arms - 1):
        now, then = running[arm], running[arm + 1]
        np.multiply(now, stays[arm], out=then)
        np.multiply(now[:, :-1], exceeds[arm], out=scratch)
        then[:, 1:] += scratch
    tail: Floats = np.einsum("akn,akn->an", running[:, 0], running[::-1, 1, ::-1]).astype(np.float64)
    return tail
