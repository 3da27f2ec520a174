"""The probability that a lesson applies to the work at hand and is open: what a channel's cost is compared with.

probability = 1 / (1 + e^−(sum of the parts)), each part one named observation times its weight (``WEIGHTS``):

- ``words``: the lesson's stems in the session's words, beyond chance (``evidence``'s surprise); ``situation``: the share
  of the best-matched situation that is there; both as they are in ``evidence``.
- ``code``: the lesson's rare stems among those of edited code and commands.
- ``all``: the rare stems of lesson and episode in words and code together; ``all_lead`` as a share of the best lesson's,
  ``all_first`` and ``all_second`` for being the best or second, ``situation_lead`` where the situation fits too.
- ``episode``: the code that was corrected, once, in the code of now; ``episode_lead`` as a share of the best lesson's.
- ``sign``, ``two_signs``, ``three_signs``: so many of the lesson's signs match what was edited, or the closing words.
- ``handled``: a pattern that shows the point dealt with matches; ``handled_sign``: and a sign too.
- ``place``, ``scoped``, ``stop``, ``edited``, ``no_signs``, ``base``: where it is, what kind of lesson and moment it is.

Each part is judged for the current prompt's work and for the whole session; whichever speaks more strongly counts.
Promises: a number in (0, 1) that means the same for every lesson (calibrated: of all lessons at .3, three in ten apply);
a scoped lesson none of whose scopes is named is not judged. Must not rank by belief, nor know what was told before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from borgd.lessons.patterns import NONE_MATCHED, PatternHits

WEIGHTS: dict[str, float] = {
    "base": -12.33,
    "words": 0.01,
    "situation": -0.65,
    "all_lead": 1.82,
    "all_first": 0.69,
    "all_second": 0.18,
    "situation_lead": 3.07,
    "episode": 0.50,
    "episode_lead": -0.37,
    "has_episode": 0.17,
    "sign": 2.71,
    "two_signs": 1.78,
    "three_signs": 0.04,
    "handled": -1.99,
    "handled_sign": -1.67,
    "no_signs": 0.74,
    "place": 6.83,
    "scoped": 1.09,
    "stop": -0.56,
}
"""tuned: tests/perf/bench_loop.py, a logistic regression on the labelled sets, cross-fitted by whole systems."""


class Seen(NamedTuple):
    """What one work shows of one lesson, before it is compared with the other lessons and weighed."""

    words: float
    situation: float
    place: float
    code: float
    all: float
    episode: float
    has_episode: bool
    hits: PatternHits
    has_signs: bool
    scoped: bool


def observations(seen: Mapping[str, Seen], *, stop: bool, edited: bool) -> dict[str, dict[str, float]]:
    """The observations behind the parts, by lesson."""
    best = _two_best(one.all for one in seen.values())
    best_episode = max((one.episode for one in seen.values()), default=0.0)
    found = {}
    for name, one in seen.items():
        lead = max(0.0, one.all) / best[0] if best[0] > 0 else 0.0
        signs, handled = one.hits.signs, bool(one.hits.handled)
        found[name] = {
            "base": 1.0,
            "words": one.words,
            "situation": one.situation,
            "code": one.code,
            "all": one.all,
            "all_lead": lead,
            "all_first": float(one.all > 0 and one.all >= best[0]),
            "all_second": float(0 < one.all < best[0] and one.all >= best[1]),
            "situation_lead": one.situation * lead,
            "episode": one.episode,
            "episode_lead": one.episode / best_episode if best_episode > 0 else 0.0,
            "has_episode": float(one.has_episode),
            "sign": float(signs > 0),
            "two_signs": float(signs > 1),
            "three_signs": float(signs > 2),
            "handled": float(handled),
            "handled_sign": float(handled and signs > 0),
            "no_signs": float(not one.has_signs),
            "place": one.place,
            "scoped": float(one.scoped),
            "stop": float(stop),
            "edited": float(edited),
        }
    return found


def _two_best(values: Iterable[float]) -> tuple[float, float]:
    listed = sorted(values, reverse=True)
    return (listed[0] if listed else 0.0, listed[1] if len(listed) > 1 else 0.0)


def parts(observed: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
    """What each observation adds to the logit."""
    return {name: weight * observed.get(name, 0.0) for name, weight in weights.items()}


def probability(parts: Mapping[str, float]) -> float:
    """The parts as a probability."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, sum(parts.values())))))


def hits_of(hits: Mapping[str, PatternHits], lesson: str) -> PatternHits:
    """Which of a lesson's patterns matched."""
    return hits.get(lesson, NONE_MATCHED)
