"""Why a lesson came, in plain words: the strongest parts of its evidence, kept with the choice and said to a person.

Must not weigh anything anew: what is said is what the choice was made with.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from borgd.memory.records import Decision
from borgd.recall.applies import SAID

LEAST = 0.05
"""design: a part that moves the logit by less is not told."""
PARTS = 6
"""design: parts told of one lesson."""
KEPT_LESSONS = 32
"""guard: lessons of one choice, the best placed, whose parts are kept."""
ALWAYS = frozenset({"base"})
"""design: parts that are the same for every lesson, and tell a person nothing of this one."""


def with_parts(decision: Decision, parts: Mapping[str, Mapping[str, float]]) -> Decision:
    """``decision`` with the strongest parts (lesson -> name -> what it adds to the logit) of its pool's first lessons."""
    pool = tuple(
        msgspec.structs.replace(entry, parts=strongest(parts.get(entry.id, {}))) if entry.rank < KEPT_LESSONS else entry
        for entry in decision.pool
    )
    return msgspec.structs.replace(decision, pool=pool)


def strongest(parts: Mapping[str, float]) -> dict[str, float]:
    """The ``PARTS`` parts that move the logit most, strongest first, to the hundredth."""
    found = [one for one in parts.items() if abs(one[1]) >= LEAST and one[0] not in ALWAYS]
    found.sort(key=lambda one: (-abs(one[1]), one[0]))
    return {name: round(value, 2) for name, value in found[:PARTS]}


def in_words(parts: Mapping[str, float]) -> list[str]:
    """``parts`` for a person: what speaks for the lesson, strongest first, then what speaks against it."""
    told = sorted(strongest(parts).items(), key=lambda one: (one[1] < 0, -abs(one[1])))
    return [f"{'+' if value > 0 else '-'}{abs(value):.1f} {SAID.get(name, name)}" for name, value in told]
