"""What the lesson commands share: the stores on disk, who and where we are, and how a lesson is printed.

Every change goes through ``change`` under the journal's lock, so that two terminals and the daemon agree on versions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from borgd.cli.terminal_text import printable
from borgd.cli.working_directory import working_directory
from borgd.clock import now_ms
from borgd.config.read import engineer_name, machine_name, read_config
from borgd.config.schema import Config
from borgd.errors import BorgError, UsageError
from borgd.journal import Follower, Journal, Reading
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import REACHES, LessonStore
from borgd.lessons.team import hashed, owner_name
from borgd.paths import private_dir, user_paths
from borgd.stores import repository
from borgd.stores.record_lines import record_lines
from borgd.stores.team import Team, open_team

_said: set[str] = set()


def settings() -> Config:
    """config.toml, or all defaults where there is none.

    :raises ConfigError: it cannot be used; names field and what was expected.
    """
    return read_config(user_paths())


def engineer() -> str:
    """The name that this person's lessons and verdicts carry."""
    return engineer_name(settings())


def here() -> str:
    """The repository of the working directory, ``owner/name``; empty in none."""
    return repository.name(working_directory())


def journal(name: str) -> Journal:
    """The journal ``name`` in the data directory, which is created where it is missing."""
    private_dir(user_paths().data)
    return Journal(user_paths().journal(name))


def records(name: str) -> list[dict[str, Any]]:
    """What the journal ``name`` holds; nothing where there is none yet. Damage is said on standard error."""
    path = user_paths().journal(name)
    if not path.exists():
        return []
    reading = Journal(path).read()
    complain(f"{path}:{damage.line}: {damage.reason}" for damage in reading.damage if damage.lost)
    return reading.records


def team() -> Team | None:
    """The team of this machine, or None; why a configured one cannot be read is said on standard error."""
    config = settings()
    owner = owner_name(engineer_name(config), machine_name())
    found, problem = open_team(config.team.directory, owner, config.people.machines)
    complain([problem] if problem else [])
    return found


def load() -> LessonStore:
    """All lessons, the team's as peers; what could not be read is said on standard error."""
    store = LessonStore()
    path = user_paths().journal("lessons")
    take(store, Journal(path).read(), path)
    take_team(store)
    return store


def take_team(store: LessonStore) -> None:
    """The lessons of everyone else in the team into ``store``."""
    others = team()
    for path in others.files("lessons") if others else []:
        assert others is not None
        take(store, Journal(path).read(), path, peer=others.is_peer(path), owner=others.owner_of(path))


def take(store: LessonStore, reading: Reading, path: Path, *, peer: bool = False, owner: str = "") -> None:
    """``reading`` of ``path`` into ``store``; what could not be read is said on standard error, with its line."""
    applied = store.apply(reading.records, str(path), peer=peer, owner=owner)
    if applied.errors:
        applied = LessonStore().apply(reading.records, str(path), lines=record_lines(path), peer=peer)
    complain(f"{path}:{damage.line}: {damage.reason}" for damage in reading.damage if damage.lost)
    complain(str(error) for error in applied.errors)


def complain(sentences: Iterable[str]) -> None:
    """Each of ``sentences`` on standard error."""
    for sentence in sentences:
        if sentence not in _said:
            _said.add(sentence)
            print(f"borg: {printable(sentence)}", file=sys.stderr)


def change(decide: Callable[[LessonStore], Sequence[Mapping[str, Any]]]) -> list[Lesson]:
    """Append to lessons.jsonl what ``decide`` makes of the store as it is under the lock.

    :returns: the lessons of the appended records.
    """
    store, lessons = LessonStore(), journal("lessons")

    def under_lock(reading: Reading) -> tuple[list[Mapping[str, Any]], list[Lesson]]:
        take(store, reading, lessons.path)
        take_team(store)
        new = list(decide(store))
        store.apply(new)
        return new, [lesson for record in new if (lesson := store.get(str(record["id"]))) is not None]

    return lessons.transact(Follower(lessons), under_lock)


def edit(store: LessonStore, key: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The record of the next version of ``key``, by this person, now. A teammate's lesson becomes one of ours.

    :raises BorgError: no such lesson; a teammate's for a repository that is not the one we are in, whose name we lack.
    """
    current, repo = store.find(key), here()
    if current.peer and current.reach == "repo" and "repo" not in changes:
        others = team()
        if others is None or hashed(others.salt, "repo", repo) != current.repo:
            raise BorgError(f"lesson {current.id} is for a teammate's repository; change it from inside a clone of that")
        changes = {**changes, "repo": repo}
    return store.edit(current.id, changes, ms=now_ms(), engineer=engineer())


def append(name: str, values: Sequence[msgspec.Struct | Mapping[str, Any]]) -> None:
    """Add ``values`` to the journal ``name``; they are on the disk when this returns."""
    journal(name).append(values)


def add_fields(parser: argparse.ArgumentParser, *, required: bool, full: bool = True) -> None:
    """The flags that set a lesson's fields; without ``full`` those that a proposal has."""
    parser.add_argument("--question", required=required, metavar="TEXT", help="what the agent shall ask itself")
    parser.add_argument("--consequence", required=required, metavar="TEXT", help="what goes wrong otherwise")
    parser.add_argument("--scope", action="append", metavar="NAME", help="a system it belongs to; none: everywhere")
    parser.add_argument("--situation", action="append", metavar="TEXT", help="when it applies")
    parser.add_argument("--facet", action="append", metavar="TEXT", help="another wording to be found by")
    parser.add_argument("--sign", action="append", metavar="PATTERN", help="shows in code or words that the point arises")
    parser.add_argument("--handled", action="append", metavar="PATTERN", help="shows that it is dealt with")
    parser.add_argument("--area", metavar="NAME", help="such as tests, security, api")
    parser.add_argument("--reach", choices=REACHES, help="who gets it (team)")
    if not full:
        return
    parser.add_argument("--overrides", metavar="TEXT", help="the rule or habit that it replaces")
    parser.add_argument("--supersedes", action="append", metavar="ID", help="a lesson that it replaces")


VALUES = ("--question", "--consequence", "--situation", "--facet", "--sign", "--handled", "--overrides")
"""Flags whose value is free text, and may begin with a dash."""


def with_dashes(argv: Sequence[str]) -> list[str]:
    """``argv`` with the value of each free-text flag joined to it, so that a pattern such as ``--no-verify`` is a value."""
    found: list[str] = []
    rest = iter(argv)
    for word in rest:
        value = next(rest, None) if word in VALUES else None
        found += [word] if value is None else [f"{word}={value}"]
    return found


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The lesson fields that were given on the command line."""
    names = {"situation": "situations", "facet": "facets", "sign": "signs"}
    flags = (
        *("question", "consequence", "scope", "situation", "facet", "sign", "handled"),
        *("area", "overrides", "supersedes", "reach"),
    )
    return {names.get(flag, flag): value for flag in flags if (value := getattr(arguments, flag, None)) is not None}


def build(fields: Mapping[str, Any], **more: Any) -> Lesson:
    """A lesson of ``fields`` for ``LessonStore.add``, which makes its id.

    :raises UsageError: a field with nothing visible in it.
    """
    lesson = msgspec.convert({"id": "", **fields, **more}, Lesson)
    for name in ("question", "consequence"):
        if not getattr(lesson, name).strip():
            raise UsageError(f"--{name}: expected text, got none")
    if lesson.reach == "repo" and not lesson.repo:
        raise UsageError("--reach repo: expected to be run inside a git repository; team and personal work anywhere")
    return lesson


def print_json(document: object) -> None:
    """``document`` as one JSON document, keys in a stable order."""
    print(msgspec.json.format(msgspec.json.encode(document, order="deterministic"), indent=2).decode())


def one_line(lesson: Lesson) -> str:
    """``lesson`` for a list: id, where, question."""
    where = ", ".join(lesson.scope) or "anywhere"
    states = {
        "peer": lesson.peer,
        "retired": lesson.retired,
        "constraint": lesson.standing,
        lesson.reach: lesson.reach != "team",
    }
    marks = "".join(f" [{mark}]" for mark, holds in states.items() if holds)
    return f"{lesson.id}  {where}: {lesson.question}{marks}"


def details(lesson: Lesson) -> str:
    """``lesson`` in full, a line a field, empty ones left out."""
    rows: list[tuple[str, object]] = [
        ("question", lesson.question),
        ("consequence", lesson.consequence),
        ("scope", ", ".join(lesson.scope) or "anywhere"),
        ("situations", "; ".join(lesson.situations)),
        ("facets", "; ".join(lesson.facets)),
        ("signs", "  ".join(lesson.signs)),
        ("handled", "  ".join(lesson.handled)),
        ("area", lesson.area),
        ("overrides", lesson.overrides),
        ("supersedes", ", ".join(lesson.supersedes)),
        ("reach", f"repo {lesson.repo}" if lesson.reach == "repo" else lesson.reach),
        ("source", "constraint (standing)" if lesson.standing else lesson.source),
        ("engineers", ", ".join(lesson.engineers)),
        (
            "claimed",
            f"by {', '.join(lesson.claimed)} too, as the file of {lesson.engineers[0]} says" if lesson.claimed else "",
        ),
        ("origin", lesson.origin),
        ("version", lesson.version),
        ("state", "retired" if lesson.retired else "peer: from a teammate's file" if lesson.peer else ""),
    ]
    return f"lesson {lesson.id}\n" + "\n".join(f"  {name:<12} {value}" for name, value in rows if value)
