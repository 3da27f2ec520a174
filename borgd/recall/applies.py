"""The probability that a lesson applies to the work at hand and is open: what a channel's cost is compared with.

probability = 1 / (1 + e^−(sum of the parts)), each part one named observation times its weight (``WEIGHTS``):

- ``situation``: the share, by rarity, of the best-matched situation (else the question) that words and code hold.
- ``all``: the rare stems of lesson and episode in words and code, per root of their own; ``all_lead`` as a share of the
  best lesson's, ``all_first`` for being the best, ``situation_lead`` where a situation fits too.
- ``episode``: the code that was corrected, once, in the code of now.
- ``sign``, ``two_signs``: so many of the lesson's signs match what was edited, or the closing words.
- ``handled``: a pattern that shows the point dealt with matches; ``handled_sign``: and a sign too.
- ``close``: a lesson without signs, most of one situation and very much of the lesson there: lessons filed before there were
  signs go on as they did. Its weight is chosen, not fitted.
- ``place``, ``scoped``, ``stop``, ``no_signs``, ``base``: where it is, what kind of lesson and moment it is.

Each part is judged for the current prompt's work and for the whole session; whichever speaks more strongly counts.
Promises: a number in (0, 1) that means the same for every lesson (calibrated: of all lessons at .3, three in ten apply);
a scoped lesson none of whose scopes is named is not judged. Must not rank by belief, nor know what was told before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from borgd.lessons.patterns import NONE_MATCHED, PatternHits

WEIGHTS: dict[str, float] = {
    "base": -10.68,
    "situation": -0.28,
    "all": -0.39,
    "all_lead": 2.01,
    "all_first": 0.63,
    "situation_lead": 2.63,
    "episode": 0.37,
    "sign": 2.63,
    "two_signs": 1.55,
    "handled": -2.50,
    "handled_sign": -1.93,
    "no_signs": 0.74,
    "place": 5.66,
    "scoped": 1.17,
    "stop": -0.64,
    "close": 3.2,
}
"""tuned: a logistic regression with a ridge on two labelled sets (sessions after a correction, four variants of their
lessons; contexts with graded lessons, at half weight); ``borg debug loop --later --cross-fit`` prints what holds for
systems that it was not fitted on."""

ENOUGH = 0.8
"""tuned: the same; the median of the best lesson's ``all``. A lesson alone on its topic leads nobody: with less than this
it is not first, and its lead is a share of this."""

MOST = 0.6
"""design: the share of a situation from which a lesson without signs may block: a person asked for just what it is about."""
VERY_MUCH = 1.5
"""design: how much of the lesson, beside that; few contexts of the labelled sets have so much of any lesson."""

SPOKEN = 0.7
"""design: that place; as for a scope that is only spoken of."""

SAID = {
    "situation": "one of its situations is there",
    "all": "rare words and code of it are there",
    "all_lead": "more of it is there than of other lessons",
    "all_first": "more of it is there than of any other lesson",
    "situation_lead": "a situation fits, and more of it is there than of other lessons",
    "episode": "the code that was corrected then is much like the code of now",
    "sign": "a sign matches the code or the closing words",
    "two_signs": "two signs match",
    "handled": "the point shows signs of being dealt with",
    "handled_sign": "a sign matches, and the point is dealt with",
    "no_signs": "it has no signs, so nothing can be known from them",
    "place": "the session works where it belongs",
    "scoped": "it belongs to a system",
    "stop": "the work is done",
    "close": "it has no signs, but most of a situation and much of the lesson are there",
    "base": "how seldom any lesson applies",
}
"""What each part says to a person."""


class Seen(NamedTuple):
    """What one work shows of one lesson, before it is compared with the other lessons and weighed."""

    situation: float
    place: float
    all: float
    episode: float
    hits: PatternHits
    has_signs: bool
    scoped: bool


def observations(seen: Mapping[str, Seen], *, stop: bool) -> dict[str, dict[str, float]]:
    """The observations behind the parts, by lesson."""
    best = max(ENOUGH, *(one.all for one in seen.values())) if seen else ENOUGH
    found = {}
    for name, one in seen.items():
        lead = one.all / best
        signs, handled = one.hits.signs, bool(one.hits.handled)
        found[name] = {
            "base": 1.0,
            "situation": one.situation,
            "all": one.all,
            "all_lead": lead,
            "all_first": float(one.all >= best),
            "situation_lead": one.situation * lead,
            "episode": one.episode,
            "sign": float(signs > 0),
            "two_signs": float(signs > 1),
            "handled": float(handled),
            "handled_sign": float(handled and signs > 0),
            "no_signs": float(not one.has_signs),
            "place": one.place,
            "scoped": float(one.scoped),
            "stop": float(stop),
            "close": float(not one.has_signs and one.situation * lead >= MOST and one.all >= VERY_MUCH),
        }
    return found


def parts(observed: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
    """What each observation adds to the logit."""
    return {name: weight * observed.get(name, 0.0) for name, weight in weights.items()}


def probability(parts: Mapping[str, float]) -> float:
    """The parts as a probability."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, sum(parts.values())))))


def spoken_place(place: float, hits: PatternHits, *, scoped: bool) -> float:
    """The place of a lesson: one without scope is at home anywhere where two of its signs match the code; one whose
    system is named is as much at home as where it works, since a person who names it means it."""
    if scoped:
        return 1.0 if place > 0 else 0.0
    return max(place, SPOKEN) if hits.signs > 1 else place


def hits_of(hits: Mapping[str, PatternHits], lesson: str) -> PatternHits:
    """Which of a lesson's patterns matched."""
    return hits.get(lesson, NONE_MATCHED)
