"""A team's directory: this machine's own two files are written, everyone's are read. Any file sync may carry it.

Own are this machine's records and those of the same person's machines (``[people] machines``); all else is a teammate's.
What a line of a teammate's file says of who wrote it counts only where it is the person whose file that is. Links in the
directory are not followed. Append-only: nothing here rewrites a team file. A file that is half there, was copied
twice or shrank costs at most the lines that are not there; what is read twice counts once.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from borgd.errors import BorgError, InputError, JournalError
from borgd.journal import Damage, Follower, Journal, TypedFollower
from borgd.lessons.sanitize import file_word
from borgd.lessons.team import Kind, TeamCard, card, file_name, parse_name, public_lesson
from borgd.limits.investigation.convergence import TransientFailure, bounded_retry
from borgd.memory.records import Outcome, SettledOutcome
from borgd.memory.shared import anonymous

if TYPE_CHECKING:  # bring numpy, which a command that folds nothing need not wait for
    from borgd.memory.columns import FoldColumns
    from borgd.stores.outcome_columns import OutcomeColumns

CARD = "team.json"
PUBLISH_BATCH = 10_000
"""method: records per append when a machine publishes what it has for the first time."""


PASSING = frozenset({errno.EAGAIN, errno.EBUSY, errno.EINTR, errno.ESTALE, errno.ETIMEDOUT, errno.EIO})
"""host: refusals of a shared or synced directory that are often gone with the next try."""

T = TypeVar("T")


def persistently(read: Callable[[], T]) -> T:
    """What ``read`` returns, tried again where the directory refused in passing. Never on a hook's way.

    :raises OSError: the last refusal.
    """

    refusals: list[OSError] = []

    def attempt() -> T:
        try:
            return read()
        except OSError as error:
            if error.errno not in PASSING:
                raise
            refusals.append(error)
            raise TransientFailure(str(error)) from error

    try:
        return bounded_retry(attempt)
    except TransientFailure:
        raise refusals[-1] from None


def read_card(directory: Path) -> TeamCard:
    """The team's card.

    :raises InputError: the directory is none of a team's.
    """
    path = directory / CARD
    try:
        return card(persistently(path.read_bytes), str(path))
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}; borg team init makes a team's directory") from None


class Team:
    """The team of ``directory``, as ``owner`` (``<engineer>@<machine>``) sees it.

    ``machines`` are the same person's others, each as a machine's name or as ``<engineer>@<machine>``.
    """

    def __init__(self, directory: Path, owner: str, machines: Iterable[str] = ()) -> None:
        """:raises InputError: the directory is none of a team's."""
        self.directory = directory
        self.owner = owner
        person = owner.partition("@")[0]
        self._mine = {name if "@" in name else f"{person}@{file_word(name)}" for name in machines} - {owner}
        self.salt = read_card(directory).salt
        self.problems: list[str] = []
        self._lessons: dict[Path, Follower] = {}
        self._outcomes: dict[Path, TypedFollower[SettledOutcome]] = {}
        self._own: dict[Kind, set[str]] | None = None

    def _plain_files(self) -> list[str]:
        """Names of what is a file and no link, in order."""
        with os.scandir(self.directory) as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))

    def files(self, kind: Kind) -> list[Path]:
        """Everyone else's files of ``kind``, conflicted copies (of our own as well) included, in a fixed order."""
        try:
            names = persistently(self._plain_files)
        except OSError as error:
            self.problems = [f"{self.directory} cannot be read: {error.strerror}"]
            return []
        found = [(name, parse_name(name)) for name in names]
        mine = file_name(self.owner, kind)
        return [self.directory / name for name, file in found if file is not None and file.kind == kind and name != mine]

    def owner_of(self, path: Path) -> str:
        """``<engineer>@<machine>`` of a file of the team."""
        file = parse_name(path.name)
        return file.owner if file is not None else ""

    def is_peer(self, path: Path) -> bool:
        """Whether a file is a teammate's; a second copy of anyone's file is, since anyone may have made it."""
        file = parse_name(path.name)
        return file is None or file.copy or file.owner not in self._mine

    def new_lessons(self) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
        """Per file the records of lessons that are new since the last call."""
        for path in self.files("lessons"):
            reading = self._lessons.setdefault(path, Follower(Journal(path))).read()
            self._note(path, reading.damage)
            if reading.records:
                yield path, reading.records

    def gather_outcomes(self, columns: FoldColumns, kept: OutcomeColumns) -> None:
        """All of everyone's outcomes into ``columns``; ``new_outcomes`` then tells what comes after them."""
        self._outcomes.clear()
        for path in self.files("outcomes"):
            follower = self._outcomes[path] = TypedFollower(Journal(path), SettledOutcome)
            try:
                self._note(path, kept.gather(columns, follower, partial(claimed_by, owner=self.owner_of(path))))
            except JournalError as error:
                self._say(str(error))

    def new_outcomes(self) -> Iterator[list[Outcome]]:
        """Per file the outcomes that are new since the last call; after a file shrank or was replaced, all it holds.

        Settled occasions are left out: what became of them is told by the outcomes themselves.
        """
        for path in self.files("outcomes"):
            try:
                reading = self._outcomes.setdefault(path, TypedFollower(Journal(path), SettledOutcome)).read()
            except JournalError as error:
                self._say(str(error))
                continue
            self._note(path, reading.damage)
            told: list[Outcome] = [one for one in reading.records if not one.coin_ms]
            if told:
                owner = self.owner_of(path)
                yield [claimed_by(outcome, owner=owner) for outcome in told]

    def forget_lessons(self) -> None:
        """Read everyone's lessons anew the next time."""
        self._lessons.clear()

    def _note(self, path: Path, damage: list[Damage]) -> None:
        for one in damage[:5]:
            self._say(f"{path}:{one.line}: {one.reason}")

    def _say(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)
            del self.problems[:-20]

    def publish(self, lessons: list[dict[str, Any]], outcomes: Sequence[Outcome]) -> int:
        """Append what of these is not in this machine's own files yet; how many records that were.

        :raises JournalError: a file cannot be written; what was not stored is published the next time.
        """
        own = self._published()
        for kind in ("lessons", "outcomes"):
            self._own_journal(kind)
        shared = [found for record in lessons if (found := public_lesson(record, self.salt)) is not None]
        fresh_lessons = [one for one in shared if _digest(one) not in own["lessons"]]
        fresh_outcomes = [one for one in map(self._public, outcomes) if one.id not in own["outcomes"]]
        if fresh_lessons:
            self._own_journal("lessons").append(fresh_lessons)
            own["lessons"].update(_digest(one) for one in fresh_lessons)
        for start in range(0, len(fresh_outcomes), PUBLISH_BATCH):
            batch = fresh_outcomes[start : start + PUBLISH_BATCH]
            self._own_journal("outcomes").append(batch)
            own["outcomes"].update(one.id for one in batch)
        return len(fresh_lessons) + len(fresh_outcomes)

    def _public(self, outcome: Outcome) -> Outcome:
        """As the team sees it. A settled occasion says from which of its members' machines it comes."""
        found = anonymous(outcome, self.salt)
        if not isinstance(outcome, SettledOutcome):
            return found
        return msgspec.structs.replace(found, machine=self.owner.partition("@")[2])

    def _own_journal(self, kind: Kind) -> Journal:
        path = self.directory / file_name(self.owner, kind)
        if path.is_symlink():
            raise JournalError(f"{path} is a link; remove it: borgd writes its own file there")
        return Journal(path)

    def _published(self) -> dict[Kind, set[str]]:
        if self._own is None:
            lessons = {_digest(record) for record in self._own_journal("lessons").read().records}
            outcomes = {outcome.id for outcome in self._own_journal("outcomes").read(Outcome).records}
            self._own = {"lessons": lessons, "outcomes": outcomes}
        return self._own

    def members(self) -> dict[str, dict[str, int]]:
        """Owner -> records of each kind in its files, this machine's included."""
        found: dict[str, dict[str, int]] = {}
        for kind in ("lessons", "outcomes"):
            for path in [*self.files(kind), self._own_journal(kind).path]:
                file = parse_name(path.name)
                if file is not None and path.exists():
                    counts = found.setdefault(file.owner, {"lessons": 0, "outcomes": 0})
                    counts[kind] += len(Journal(path).read().records)
        return found


def _digest(record: dict[str, Any]) -> str:
    return msgspec.json.encode(record, order="deterministic").decode()


def claimed_by(outcome: Outcome, *, owner: str) -> Outcome:
    """``outcome`` of the file of ``owner`` (``<engineer>@<machine>``): its engineer is that person, whatever it names."""
    person = owner.partition("@")[0]
    if not person or file_word(outcome.engineer) == person:
        return outcome
    return msgspec.structs.replace(outcome, engineer=person)


def open_team(directory: str, owner: str, machines: Iterable[str] = ()) -> tuple[Team | None, str]:
    """The configured team, or None and why it cannot be had; a team that is away stops nobody's work."""
    if not directory:
        return None, ""
    try:
        return Team(Path(directory).expanduser(), owner, machines), ""
    except BorgError as error:
        return None, f"the team is not read: {error}"
