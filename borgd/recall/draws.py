"""Thompson draws and the holdout's coin: pure functions of a session, a lesson and its belief.

The uniform belongs to (session, lesson) and stays for the session; the belief turns it into a draw. Without a session
there is nothing to draw for: the mean stands in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from borgd.memory import beta, rng
from borgd.recall.rank import Ranked

Floats = npt.NDArray[np.float64]


def thompson(session: str, pool: Sequence[Ranked]) -> Floats:
    """One draw in [0, 1] per lesson of ``pool`` from its belief; its mean where ``session`` is empty."""
    if not session or not pool:
        return np.array([ranked.mean for ranked in pool], dtype=np.float64)
    uniforms = np.array([rng.uniform("draw", session, ranked.id) for ranked in pool])
    return beta.draw(uniforms, tables(pool))


def alternatives(session: str, pool: Sequence[Ranked], count: int) -> Floats:
    """``count`` other draws per lesson, as other sessions might have had them; shape (count, n)."""
    keys = [rng.key("alternative", session, ranked.id) for ranked in pool]
    return beta.draw(rng.uniforms(keys, count), tables(pool))


def withheld(session: str, lesson: str, holdout: float) -> bool:
    """Whether this lesson is withheld from this session; asked again, the answer is the same."""
    return holdout > 0 and rng.uniform("holdout", session, lesson) < holdout


def tables(pool: Sequence[Ranked]) -> Floats:
    """Each lesson's quantile table, one row each."""
    return beta.tables([ranked.alpha for ranked in pool], [ranked.beta for ranked in pool])
