"""What the machine knows: lessons, their index, the memory of outcomes; its own and the team's, kept up to date.

``refresh`` reads only what is new. Bad lines are kept for ``problems`` and cost nothing but themselves. What is new here
and may be shared waits in ``unpublished``. Imports numpy, so the daemon builds it after it began to serve.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from borgd.config.schema import Config
from borgd.journal import Follower, Journal, TypedFollower
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore, visible
from borgd.lessons.team import hashed
from borgd.memory.columns import FoldColumns
from borgd.memory.memory import Memory
from borgd.memory.records import Outcome
from borgd.memory.shared import anonymous
from borgd.paths import Paths
from borgd.recall.evidence import Index
from borgd.recall.text.document_frequencies import ContextPrior
from borgd.stores.matching.context_counts import COUNTS, ContextCounts
from borgd.stores.matching.episode_words import EpisodeWords
from borgd.stores.matching.seen_places import FILE, SeenPlaces, unknown_scopes
from borgd.stores.outcome_columns import KEPT, OutcomeColumns
from borgd.stores.record_lines import record_lines
from borgd.stores.team import Team

PROBLEMS = 100
"""guard: bad lines remembered."""


class Knowledge:
    """Lessons and memory of this machine and its team. ``lessons`` holds the live ones by id."""

    def __init__(
        self, where: Paths, config: Config, engineer: str, *, lessons_file: Path | None = None, team: Team | None = None
    ) -> None:
        self.engineer = engineer
        self.team = team
        self.lessons: dict[str, Lesson] = {}
        self.counts = ContextCounts(where.state / COUNTS)
        self.problems: list[str] = []
        self.unpublished_lessons: list[dict[str, Any]] = []
        self.unpublished_outcomes: list[Outcome] = []
        self.files = {"lessons": lessons_file or where.journal("lessons"), "outcomes": where.journal("outcomes")}
        self.episodes = EpisodeWords(where.journal("episodes"))
        self.seen = SeenPlaces(where.state / FILE)
        self._confirmed = config.team.scopes
        self._aliases = config.people.aliases
        self._lessons = Follower(Journal(self.files["lessons"]))
        self._outcomes = TypedFollower(Journal(self.files["outcomes"]), Outcome)
        self._team_loaded = team is None
        self._meanwhile: list[Outcome] = []
        self._folded = False
        self._kept = OutcomeColumns(where.state / KEPT)
        self._scopes: list[str] | None = None
        self.memory = Memory(aliases=self._aliases, own=engineer)
        self.store, self.index = LessonStore(), Index()
        self.lock = threading.Lock()
        """Held while anything here changes, and by whoever reads it from another thread."""

    def refresh(self) -> bool:
        """Take in what the journals and the team's files gained; whether anything changed.

        :raises JournalError: a journal cannot be read at all.
        """
        with self.lock:
            changed = self._refresh_lessons()
            gained = self._refresh_outcomes()
            return changed or gained

    def read_patterns(self, most: int) -> bool:
        """Read at most ``most`` of the lessons' patterns that no event had to read yet; whether some are left."""
        with self.lock:
            return self.index.patterns.read(most)

    def _refresh_lessons(self) -> bool:
        reading = self._lessons.read()
        source = str(self.files["lessons"])
        self._note(f"{source}:{damage.line}: {damage.reason}" for damage in reading.damage)
        if reading.replaced:
            self.store, self.index, self.lessons = LessonStore(), Index(), {}
            if self.team is not None:
                self.team.forget_lessons()
        told = self.episodes.refresh()
        for lesson in [one for one in self.lessons.values() if one.origin in told]:
            self.index.add(lesson, self.episodes.stems(lesson.origin))
        changed = self._apply(reading.records, source, peer=False)
        self.unpublished_lessons.extend(reading.records if self.team is not None else [])
        team = self.team
        for path, records in team.new_lessons() if team is not None else ():
            assert team is not None
            changed += self._apply(records, str(path), peer=team.is_peer(path), owner=team.owner_of(path))
        if changed or reading.replaced:
            self._know_names()
            self.memory.know(self._known())
        return bool(changed) or reading.replaced

    def _know_names(self) -> None:
        self._scopes = None
        self.index.unknown = unknown_scopes(self.store, self._confirmed, self.seen)

    def confirm(self, scopes: tuple[str, ...]) -> None:
        """These names of teammates' scopes count from now on, and no others that are not known here."""
        if scopes != self._confirmed:
            with self.lock:
                self._confirmed = scopes
                self._know_names()

    def works_in(self, cwd: str, remote: str) -> None:
        """A session works there: what the place is called is a name that is known from now on."""
        if self.seen.saw(cwd, remote) and self.index.unknown:
            with self.lock:
                self._know_names()

    def _apply(self, records: list[dict[str, Any]], source: str, *, peer: bool, owner: str = "") -> int:
        applied = self.store.apply(records, source, peer=peer, owner=owner)
        if applied.errors:
            lines = record_lines(Path(source))[-len(records) :]  # what is new is at the end
            self._note(str(error) for error in LessonStore().apply(records, source, lines=lines, peer=peer).errors)
        for name in applied.changed:
            lesson = self.store.get(name)
            if lesson is None or lesson.retired:
                self.lessons.pop(name, None)
                self.index.remove(name)
            else:
                self.lessons[name] = lesson
                self.index.add(lesson, self.episodes.stems(lesson.origin))
        return len(applied.changed)

    def _refresh_outcomes(self) -> bool:
        reading = self._outcomes.read()
        self._note(f"{self.files['outcomes']}:{damage.line}: {damage.reason}" for damage in reading.damage)
        own = self._own(reading.records)
        heard = self.team if self._team_loaded else None
        if reading.replaced or not self._folded:
            columns = FoldColumns()
            columns.extend(own)
            if heard is not None:
                heard.gather_outcomes(columns, self._kept)
            self.memory = self._fold(columns)
            self._folded = True
            gained = len(own)
        else:
            gained = 0
            for outcome in chain(own, *(heard.new_outcomes() if heard is not None else ())):
                self.memory.apply(outcome)
                gained += 1
        if self.team is not None:
            self.unpublished_outcomes.extend(reading.records)
            if not self._team_loaded:
                self._meanwhile.extend(own)
        return bool(gained) or reading.replaced

    def _own(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Outcomes of this machine as the whole team counts them."""
        return outcomes if self.team is None else [anonymous(one, self.team.salt) for one in outcomes]

    def _fold(self, columns: FoldColumns) -> Memory:
        return Memory.of_columns(self._known(), columns, aliases=self._aliases, own=self.engineer)

    def load_team(self) -> Memory:
        """Memory with all of the team's outcomes in it; takes seconds for millions, so it may run in a worker thread."""
        with self.lock:
            self._meanwhile = []  # what was read before is in the file that is read now
        columns, salt = FoldColumns(), self.team.salt if self.team is not None else ""
        convert = partial(anonymous, salt=salt) if salt else None
        self._kept.gather(columns, TypedFollower(Journal(self.files["outcomes"]), Outcome), convert, salt)
        if self.team is not None:
            self.team.gather_outcomes(columns, self._kept)
        self._kept.tidy()
        return self._fold(columns)

    def adopt(self, memory: Memory) -> None:
        """Go on with what ``load_team`` made, and with what was learned here meanwhile."""
        with self.lock:
            for outcome in self._meanwhile:
                memory.apply(outcome)
            self._meanwhile = []
            self._team_loaded = True
            memory.know(self._known())
            self.memory = memory

    @property
    def complete(self) -> bool:
        """Whether the team's outcomes are in the memory, where there is a team."""
        return self._team_loaded

    def refresh_all(self) -> None:
        """As ``refresh``, the team's outcomes included at once; for a command that runs and ends.

        :raises JournalError: a journal cannot be read at all.
        """
        self.refresh()
        if self.team is not None and not self._team_loaded:
            self.adopt(self.load_team())

    def _known(self) -> dict[str, Lesson]:
        """Every lesson that was not forgotten, retired ones too: they stay on their authors' account."""
        return {lesson.id: lesson for lesson in self.store}

    def _note(self, lines: Iterable[str]) -> None:
        self.problems.extend(lines)
        del self.problems[:-PROBLEMS]

    def publish(self) -> int:
        """Share with the team what is new here; how many records that were. Blocks on the disk.

        :raises JournalError: the team's directory cannot be written; nothing is lost, the next call tries again.
        """
        if self.team is None or not (self.unpublished_lessons or self.unpublished_outcomes):
            return 0
        lessons, outcomes = self.unpublished_lessons, self.unpublished_outcomes
        self.unpublished_lessons, self.unpublished_outcomes = [], []
        try:
            return self.team.publish(lessons, outcomes)
        except BaseException:
            self.unpublished_lessons[:0], self.unpublished_outcomes[:0] = lessons, outcomes
            raise

    @property
    def prior(self) -> ContextPrior:
        """How common words are in what sessions work on."""
        return self.counts.prior

    def scope_names(self) -> list[str]:
        """Every system that a live lesson names, those left out that only teammates name and nothing here knows."""
        if self._scopes is None:
            names = {name for lesson in self.lessons.values() for name in lesson.scope}
            self._scopes = sorted(names - self.index.unknown)
        return self._scopes

    def reaches(self, lesson: Lesson, repo: str) -> bool:
        """Whether ``lesson`` reaches this engineer at work in ``repo`` (one from the team's files names it hashed)."""
        own, *shared = self.names_of(repo)
        names = shared if lesson.peer and shared else [own, *shared]
        return any(visible(lesson, name, self.engineer) for name in names)

    def names_of(self, repo: str) -> tuple[str, ...]:
        """By which names lessons know the repository: its own, and the one that a team's files hold."""
        return (repo,) if self.team is None else (repo, hashed(self.team.salt, "repo", repo))
