"""What the terminal says of memory: beliefs, uses, trust and the outcomes they rest on.

A running daemon of these very files is asked for its numbers; without one they are folded from the journals.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from borgd.cli.lesson.lesson_files import complain, engineer, settings, team
from borgd.errors import BorgError
from borgd.journal import Journal, TypedFollower
from borgd.journal.parse import Parser
from borgd.lessons.store import LessonStore
from borgd.memory.records import Outcome
from borgd.memory.shared import anonymous
from borgd.paths import user_paths
from borgd.protocol import client

if TYPE_CHECKING:  # folding brings numpy, which a command that asks the daemon need not wait for
    from borgd.memory.memory import Memory

ASKED_S = 1.0
"""design: seconds that a daemon is given for its numbers; folding them here takes about as long."""


def remember(store: LessonStore) -> Memory:
    """Memory of every outcome here and in the team's files; what could not be read is said on standard error."""
    from borgd.memory.columns import FoldColumns
    from borgd.memory.memory import Memory
    from borgd.stores.outcome_columns import KEPT, OutcomeColumns

    columns, others, kept = FoldColumns(), team(), OutcomeColumns(user_paths().state / KEPT)
    path = user_paths().journal("outcomes")
    salt = others.salt if others else ""
    convert = partial(anonymous, salt=salt) if salt else None
    damage = kept.gather(columns, TypedFollower(Journal(path), Outcome), convert, salt)
    complain(f"{path}:{one.line}: {one.reason}" for one in damage if one.lost)
    if others is not None:
        others.gather_outcomes(columns, kept)
        complain(others.problems)
    kept.tidy()
    lessons, people = {lesson.id: lesson for lesson in store}, settings().people
    return Memory.of_columns(lessons, columns, aliases=people.aliases, own=engineer())


def numbers_of(store: LessonStore, lesson: str) -> dict[str, Any]:
    """What memory holds of ``lesson``, for JSON."""
    found = _asked({"lesson": lesson})
    if found:
        return dict(found["lesson"])
    from borgd.memory.summary import numbers

    return numbers(remember(store), lesson)


def trusts(store: LessonStore) -> list[dict[str, Any]]:
    """The trust of everyone who wrote a lesson, by area."""
    found = _asked({"trust": True})
    if found:
        return list(found["trust"])
    from borgd.memory.summary import trust_rows

    return trust_rows(remember(store))


def _asked(parameters: Mapping[str, object]) -> dict[str, Any] | None:
    """The daemon's answer; None where none runs, or one of other files, or one that is still reading the team's."""
    where, config = user_paths(), settings()
    expected = {"data": str(where.data), "team": config.team.directory, "aliases": dict(config.people.aliases)}
    try:
        answer = client.call("memory", msgspec.json.encode({**parameters, **expected}), timeout_s=ASKED_S)
        found = msgspec.json.decode(answer.out, type=dict[str, Any]) if answer.status == 0 else {}
    except (BorgError, msgspec.MsgspecError):
        return None
    return found if found.get("ready") else None


def outcomes_of(lesson: str) -> list[Outcome]:
    """The outcomes of one lesson, oldest first, each once; only the lines that name it are decoded."""
    others = team()
    own = _naming(user_paths().journal("outcomes"), lesson)
    found = {one.id: one for one in own}
    shared = {anonymous(one, others.salt).id for one in own} if others else set()
    for path in others.files("outcomes") if others else ():
        found.update((one.id, one) for one in _naming(path, lesson) if one.id not in shared)
    return sorted(found.values(), key=lambda outcome: (outcome.ms, outcome.id))


def _naming(path: Path, lesson: str) -> list[Outcome]:
    try:
        data = path.read_bytes()
    except OSError:  # said by whoever folded it
        return []
    name, lines, end = msgspec.json.encode(lesson), list[bytes](), 0
    while (at := data.find(name, end)) >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) + 1 or len(data)
        lines.append(data[start:end].rstrip(b"\n") + b"\n")
    found = Parser(Outcome, str(path)).records(b"".join(lines)) if lines else []
    return [one for one in found if one.lesson == lesson]


def told(found: Mapping[str, Any]) -> str:
    """What memory holds of a lesson, as ``numbers`` says it, for a person."""
    belief, uses = found["belief"], found["uses"]
    state = ", ".join(name for name in ("dormant", "consolidated") if found[name])
    rows = [
        ("belief", f"{belief['mean']:.2f} (95 %: {belief['low']:.2f} to {belief['high']:.2f})"),
        ("activation", f"{found['activation']:.2f}{f', {state}' if state else ''}"),
        ("uses", f"{uses['sessions']} sessions, {uses['repositories']} repositories, {uses['engineers']} engineers"),
        ("trust", f"{found['trust']:.2f}"),
        ("hidden by", ", ".join(found["hidden_by"])),
    ]
    return "\n".join(f"  {name:<12} {value}" for name, value in rows if value)
