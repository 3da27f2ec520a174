"""The linear detector: how sure one is that a message corrects what the agent last said or did. It reads its weights once.

``weights.npz`` is made by ``training`` from the labelled messages of ``tests/data`` and never by hand. A score is the log
odds of a correction among messages of which half are corrections; two thresholds cut it into bands, each set by the share
of messages that are none and would pass it, measured on authors that the weights had not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from borgd.lessons.corrections.features import Features, features

WEIGHTS = "weights.npz"


class Band(StrEnum):
    """What is done about a message: an episode, a conditional line, nothing."""

    SURE = "sure"
    DOUBTFUL = "doubtful"
    NONE = "none"


class Thresholds(NamedTuple):
    """Scores from which a message is ``sure``, ``doubtful``, or ``interrupting``: doubtful while the agent still works."""

    sure: float
    doubtful: float
    interrupting: float


class Model(NamedTuple):
    """Weights as signed bytes, each times ``scale``, the score of a message without features, the thresholds."""

    weights: NDArray[np.int8]
    scale: float
    bias: float
    thresholds: Thresholds

    def score(self, message: str, proposal: str, rules: Sequence[tuple[str, float]] = ()) -> float:
        """Log odds that ``message`` corrects ``proposal``; see ``features``."""
        return self.of(features(message, proposal, rules))

    def of(self, found: Features) -> float:
        """Log odds for features at hand."""
        return float(self.scale * (self.weights[found.places] * found.values).sum() + self.bias)

    def band(self, score: float, *, interrupting: bool = False) -> Band:
        """Which band a score is in."""
        if score >= self.thresholds.sure:
            return Band.SURE
        enough = self.thresholds.interrupting if interrupting else self.thresholds.doubtful
        return Band.DOUBTFUL if score >= enough else Band.NONE


@cache
def shipped() -> Model:
    """The weights that came with the program."""
    with resources.files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file, allow_pickle=False) as data:
        scale, bias, *thresholds = (float(number) for number in data["numbers"])
        weights = np.zeros(int(data["size"]), dtype=np.int8)
        weights[np.cumsum(data["gaps"], dtype=np.int64)] = data["weights"]
        return Model(weights, scale, bias, Thresholds(*thresholds))
