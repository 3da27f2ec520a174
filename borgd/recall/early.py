"""The early moment: a system is named for the first time, and the lessons about it come before the work begins.

Unscoped lessons have no system and never come early, with one exception: consolidated and standing ones that match the
session's first prompt (the topic ANY). Standing lessons come on their topic whether they matched or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.recall.policy import RecallPolicy
from borgd.recall.rank import Ranked, name_key, rests, weigh

ANY = "*"
"""The topic of the session's first prompt: it brings consolidated lessons, scoped or not."""


class Topics:
    """Scope names that the session named for the first time."""

    def __init__(self, names: Iterable[str]) -> None:
        names = tuple(names)
        self.any = ANY in names
        self.names = tuple(name for name in names if name != ANY)
        self._keys = {name_key(name) for name in self.names}

    def names_one_of(self, scope: Iterable[str]) -> bool:
        """Whether one of these scope names is among the topics, however it is spelled."""
        return bool(self._keys) and not self._keys.isdisjoint(name_key(name) for name in scope)

    def bring(self, ranked: Ranked) -> bool:
        """Whether this lesson is on topic."""
        return self.names_one_of(ranked.lesson.scope) or (self.any and ranked.consolidated)


def early_pool(ranked: Iterable[Ranked], topics: Topics, done: Collection[str], policy: RecallPolicy) -> list[Ranked]:
    """On-topic lessons that are not standing, not done, and score at least RELATIVE × the best on topic, done or not."""
    on_topic = [lesson for lesson in ranked if topics.bring(lesson)]
    bar = policy.relative * max((lesson.score for lesson in on_topic), default=0.0)
    return [lesson for lesson in on_topic if lesson.score >= bar and lesson.id not in done and not lesson.standing]


def standing_pool(
    lessons: Mapping[str, Lesson],
    memory: Memory,
    topics: Topics,
    done: Collection[str],
    evidence: Mapping[str, float],
    *,
    session: str,
    policy: RecallPolicy,
) -> list[Ranked]:
    """The standing lessons on topic, not done, matched or not, unless doubted and not drawn; oldest first.

    With ANY also the unscoped ones, of which no system's name ever says that they apply: those must have matched, or
    every session would pay for them.

    :param evidence: of what matched.
    """
    hidden = memory.succession().successors
    found = [
        lesson
        for lesson in lessons.values()
        if lesson.standing
        and not lesson.retired
        and lesson.id not in hidden
        and lesson.id not in done
        and (topics.names_one_of(lesson.scope) or (topics.any and not lesson.scope and lesson.id in evidence))
    ]
    found.sort(key=lambda lesson: (lesson.ms, lesson.id))
    weighed = [weigh(lesson, evidence.get(lesson.id, 0.0), memory) for lesson in found]
    return [ranked for ranked in weighed if not rests(ranked, session, policy, asks=False)]
