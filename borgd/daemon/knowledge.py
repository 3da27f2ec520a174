"""What the machine knows: lessons, their index, the memory of outcomes; kept up to date from the journals.

``refresh`` reads only what is new. Bad lines are kept for ``problems`` and cost nothing but themselves.
Imports numpy, so the daemon builds it after it began to serve.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from borgd.config import Config
from borgd.journal import Follower, Journal, TypedFollower
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import Store, visible
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome
from borgd.paths import Places
from borgd.recall.evidence import Index
from borgd.recall.prior import ContextPrior

PROBLEMS = 100
"""guard: bad lines remembered."""


class Knowledge:
    """Lessons and memory of this machine. ``lessons`` holds the live ones by id."""

    def __init__(self, where: Places, config: Config, engineer: str, *, lessons_file: Path | None = None) -> None:
        self.engineer = engineer
        self.store = Store()
        self.index = Index()
        self.lessons: dict[str, Lesson] = {}
        self.memory = Memory(aliases=config.people.aliases)
        self.prior = ContextPrior.shipped()
        self.problems: list[str] = []
        self._scopes: list[str] | None = None
        self.files = {"lessons": lessons_file or where.journal("lessons"), "outcomes": where.journal("outcomes")}
        self._lessons = Follower(Journal(self.files["lessons"]))
        self._outcomes = TypedFollower(Journal(self.files["outcomes"]), Outcome)
        self._aliases = config.people.aliases

    def refresh(self) -> bool:
        """Take in what the journals gained; whether anything changed.

        :raises JournalError: a journal cannot be read at all.
        """
        return self._refresh_lessons() | self._refresh_outcomes()

    def _refresh_lessons(self) -> bool:
        reading = self._lessons.read()
        self._note(f"{self.files['lessons']}:{damage.line}: {damage.reason}" for damage in reading.damage)
        if reading.replaced:
            self.store = Store()
            for name in list(self.lessons):
                self._drop(name)
        if not reading.records:
            return reading.replaced
        applied = self.store.apply(reading.records, str(self.files["lessons"]))
        self._note(str(error) for error in applied.errors)
        for name in applied.changed:
            lesson = self.store.get(name)
            if lesson is None or lesson.retired:
                self._drop(name)
            else:
                self.lessons[name] = lesson
                self.index.add(lesson)
        self._scopes = None
        if applied.changed or reading.replaced:
            self.memory.know(self.lessons)
        return True

    def _refresh_outcomes(self) -> bool:
        reading = self._outcomes.read()
        self._note(f"{self.files['outcomes']}:{damage.line}: {damage.reason}" for damage in reading.damage)
        if reading.replaced:
            self.memory = Memory.fold(self.lessons, reading.records, aliases=self._aliases)
            return True
        if len(reading.records) > len(self.lessons) and not self.memory.sessions:
            self.memory = Memory.fold(self.lessons, reading.records, aliases=self._aliases)
        else:
            for outcome in reading.records:
                self.memory.apply(outcome)
        return bool(reading.records)

    def _drop(self, name: str) -> None:
        self.lessons.pop(name, None)
        self.index.remove(name)

    def _note(self, lines: Iterable[str]) -> None:
        self.problems.extend(lines)
        del self.problems[:-PROBLEMS]

    def scope_names(self) -> list[str]:
        """Every system that a live lesson names."""
        if self._scopes is None:
            self._scopes = sorted({name for lesson in self.lessons.values() for name in lesson.scope})
        return self._scopes

    def hears(self, lesson: Lesson, repo: str) -> bool:
        """Whether ``lesson`` reaches this engineer at work in ``repo``."""
        return visible(lesson, repo, self.engineer)
