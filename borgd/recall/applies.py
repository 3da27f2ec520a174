"""The probability that a lesson applies to the work at hand and is open: what a channel's cost is compared with.

probability = 1 / (1 + e^−(sum of the parts)), each part one named observation times its weight (``WEIGHTS``):

- ``situation``: the share of the best-matched situation (else the question) that words and their synonyms hold, each stem
  by how rare it is among lessons and in contexts of this length.
- ``situation_lead``: the share that words and code together hold, by rarity, times how much of the lesson is there beside
  the lesson of which most is; ``first`` for being that one, ``rank``: ln(1 + how many lessons are more there).
- ``episode``: the code that was corrected, once, in the code of now.
- ``sign``, ``two_signs``: so many of the lesson's signs match what was edited, or the closing words; ``asked_sign``: one
  matches a prompt; ``no_sign_seen``: it has signs, and none matches anything.
- ``handled``: a pattern that shows the point dealt with matches; ``handled_sign``: and a sign too; ``handled_stop``: at
  Stop, where closing words speak of the point; ``asked_handled``: in a prompt, where it tells that the point comes up.
- ``close``: a lesson without signs, most of one situation and very much of the lesson there: lessons filed before there were
  signs go on as they did. Its weight is chosen, not fitted.
- ``few``: 1 / how many lessons are there to compare it with: being first among one says nothing.
- ``wording``: the work begins with words about text, or touches documents.
- ``home``: a lesson without scope, in the repository where it was written.
- ``place``, ``scoped``, ``stop``, ``no_signs``, ``base``: where it is, what kind of lesson and moment it is.

The names of a lesson's scope are no words of it here: they count once, as its place.
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
    "base": -6.74,
    "situation": 1.35,
    "situation_lead": 1.45,
    "first": 0.34,
    "rank": -1.01,
    "few": -0.9,
    "episode": 0.36,
    "sign": 1.23,
    "two_signs": 1.75,
    "asked_sign": 0.23,
    "no_sign_seen": -1.37,
    "handled": -3.85,
    "handled_sign": -1.39,
    "handled_stop": 2.63,
    "asked_handled": 1.24,
    "no_signs": -0.48,
    "place": 5.24,
    "scoped": 0.65,
    "home": 0.6,
    "stop": -0.72,
    "wording": -0.9,
    "close": 3.0,
}
"""tuned: tests/perf/bench_recall_applies.py, a logistic regression with a ridge on two labelled sets (sessions after a
correction, four variants of their lessons, at half weight; contexts with graded lessons, two variants); ``borg debug loop
--later --cross-fit`` prints what holds for systems that it was not fitted on."""

ENOUGH = 0.8
"""tuned: the same; the median of the best lesson's ``all``. A lesson alone on its topic leads nobody: with less than this
it is not first, and its lead is a share of this."""

MOST = 0.6
"""design: the share of a situation from which a lesson without signs may block: a person asked for just what it is about."""
PHRASE = 3
"""design: stems of a situation that is more than a word or two: a session is not about a lesson for one word of it."""
VERY_MUCH = 1.0
"""design: how much of the lesson, beside that; few contexts of the labelled sets have so much of any lesson."""

SPOKEN = 0.7
"""design: that place; as for a scope that is only spoken of."""

MOST_WORDING = 3.0
"""design: more words about text do not make it more so."""

SAID = {
    "situation": "one of its situations is in what was said",
    "situation_lead": "a situation fits words and code, and more of it is there than of other lessons",
    "first": "more of it is there than of any other lesson",
    "rank": "more of other lessons is there",
    "few": "few other lessons are there to compare it with",
    "episode": "the code that was corrected then is much like the code of now",
    "sign": "a sign matches the code or the closing words",
    "two_signs": "two signs match",
    "asked_sign": "a sign matches what was asked for",
    "no_sign_seen": "none of its signs matches",
    "handled": "the point shows signs of being dealt with",
    "handled_sign": "a sign matches, and the point is dealt with",
    "handled_stop": "closing words often speak of a point that applies",
    "asked_handled": "what was asked for names the point",
    "no_signs": "it has no signs, so nothing can be known from them",
    "place": "the session works where it belongs",
    "scoped": "it belongs to a system",
    "home": "it was written in this repository",
    "stop": "the work is done",
    "wording": "the work is on text, not on what the program does",
    "close": "it has no signs, but most of a situation and much of the lesson are there",
    "base": "how seldom any lesson applies",
}
"""What each part says to a person."""


class Seen(NamedTuple):
    """What one work shows of one lesson, before it is compared with the other lessons and weighed."""

    situation: float
    held_situation: float
    held_phrase: float
    """The same of situations that are more than a word or two."""
    place: float
    all: float
    episode: float
    hits: PatternHits
    asked: PatternHits
    has_signs: bool
    scoped: bool
    home: bool


def observations(seen: Mapping[str, Seen], *, stop: bool, wording: float = 0.0) -> dict[str, dict[str, float]]:
    """The observations behind the parts, by lesson."""
    best = max(ENOUGH, *(one.all for one in seen.values())) if seen else ENOUGH
    order = sorted(seen, key=lambda name: (-seen[name].all, name))
    found = {}
    for rank, name in enumerate(order):
        one = seen[name]
        lead = one.held_situation * one.all / best
        signs, handled = one.hits.signs, bool(one.hits.handled)
        found[name] = {
            "base": 1.0,
            "situation": one.situation,
            "situation_lead": lead,
            "first": float(one.all >= best),
            "rank": math.log1p(rank),
            "few": 1 / len(seen),
            "episode": one.episode,
            "sign": float(signs > 0),
            "two_signs": float(signs > 1),
            "asked_sign": float(one.asked.signs > 0),
            "no_sign_seen": float(one.has_signs and not signs and not one.asked.signs),
            "handled": float(handled),
            "handled_sign": float(handled and signs > 0),
            "handled_stop": float(handled and stop),
            "asked_handled": float(one.asked.handled > 0),
            "no_signs": float(not one.has_signs),
            "place": one.place,
            "scoped": float(one.scoped),
            "home": float(one.home),
            "stop": float(stop),
            "wording": min(MOST_WORDING, wording),
            "close": float(not one.has_signs and one.held_phrase * one.all / best >= MOST and one.all >= VERY_MUCH),
        }
    return found


def parts(observed: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
    """What each observation adds to the logit."""
    return {name: weight * observed.get(name, 0.0) for name, weight in weights.items()}


def probability(parts: Mapping[str, float]) -> float:
    """The parts as a probability."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, sum(parts.values())))))


def spoken_place(place: float, hits: PatternHits, *, scoped: bool, home: bool = False) -> float:
    """The place of a lesson: one without scope belongs where it was written, and anywhere where two of its signs match the
    code; one whose system is named belongs there as much as where that is worked on: a person who names it means it."""
    if scoped or home:
        return 1.0 if place > 0 or home else 0.0
    return max(place, SPOKEN) if hits.signs > 1 else place


def hits_of(hits: Mapping[str, PatternHits], lesson: str) -> PatternHits:
    """Which of a lesson's patterns matched."""
    return hits.get(lesson, NONE_MATCHED)
