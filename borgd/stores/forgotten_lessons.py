"""The text of lessons that a person has just forgotten, kept for a few minutes so that they can take it back.

One private file in the state directory, replaced as a whole; it goes when it is taken back, when the time is over (the
daemon and every command that looks see to that) and with the next thing that is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from borgd.files import replace_file
from borgd.paths import private_dir

KEPT_MINUTES = 10
"""design: how long the text of a forgotten lesson is kept for ``borg undo``."""
FILE = "undo.json"


class ForgottenLessons(msgspec.Struct, frozen=True):
    """undo.json: the records of lessons that were forgotten at ``ms``."""

    ms: int
    lessons: list[dict[str, Any]]


def keep(state: Path, ms: int, lessons: Iterable[Mapping[str, Any]]) -> None:
    """Keep what is about to be forgotten, in place of what was kept."""
    found = ForgottenLessons(ms, [dict(record) for record in lessons])
    drop(state)
    if found.lessons:
        replace_file(private_dir(state) / FILE, msgspec.json.encode(found), mode=0o600)


def kept(state: Path, ms: int) -> list[dict[str, Any]]:
    """What is kept at the time ``ms``; what is kept too long goes."""
    try:
        found = msgspec.json.decode((state / FILE).read_bytes(), type=ForgottenLessons)
    except (OSError, msgspec.DecodeError):
        return []
    if found.ms <= ms < found.ms + KEPT_MINUTES * 60_000:
        return found.lessons
    drop(state)
    return []


def drop(state: Path) -> None:
    """Keep nothing any more."""
    (state / FILE).unlink(missing_ok=True)
