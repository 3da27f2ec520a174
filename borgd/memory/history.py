"""Memory as it was before a given moment, for replay: moved forward through time, never back.

Promises that nothing is known of what came at or after the moment: no outcome, no session, no lesson.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import RULE, Memory, MemoryRule, created
from borgd.memory.records import Outcome


class History:
    """Outcomes, lessons and sessions in the order of time. A pass over many decisions costs one fold."""

    def __init__(
        self,
        lessons: Mapping[str, Lesson],
        outcomes: Iterable[Outcome],
        *,
        sessions: Iterable[tuple[str, int]] = (),
        aliases: Mapping[str, str] | None = None,
        rule: MemoryRule = RULE,
    ) -> None:
        self._memory = Memory(aliases=aliases, rule=rule)
        self._lessons = sorted(lessons.values(), key=lambda lesson: (created(lesson), lesson.id), reverse=True)
        self._outcomes = sorted(outcomes, key=lambda outcome: (outcome.ms, outcome.id), reverse=True)
        self._sessions = sorted(sessions, key=lambda session: (session[1], session[0]), reverse=True)
        self._moment: int | None = None

    def before(self, ms: int) -> Memory:
        """What was known before ``ms``. The same object each time, moved on: keep no reference to an earlier state.

        :raises ValueError: ``ms`` lies before the moment asked for last.
        """
        if self._moment is not None and ms < self._moment:
            raise ValueError(f"history moves forward only: {ms} lies before {self._moment}")
        self._moment = ms
        while self._lessons and created(self._lessons[-1]) < ms:
            self._memory.learn(self._lessons.pop())
        while self._outcomes and self._outcomes[-1].ms < ms:
            self._memory.apply(self._outcomes.pop())
        while self._sessions and self._sessions[-1][1] < ms:
            self._memory.saw(*self._sessions.pop())
        return self._memory
