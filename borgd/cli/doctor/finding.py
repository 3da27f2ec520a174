"""What a check of ``borg doctor`` finds: one thing looked at, its verdict, the evidence, the next command."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from borgd.paths import Paths

OK, NOTE, BAD = "ok", "note", "bad"


class DoctorFinding(NamedTuple):
    """``state`` is ok, note (works, but look) or bad; ``todo`` is empty where there is nothing to do."""

    name: str
    state: str
    text: str
    todo: str = ""
    fix: Callable[[], object] | None = None
    """Does what ``todo`` says, where that is safe: it touches only what borgd made."""

    def as_json(self) -> dict[str, Any]:
        """For ``--json``: both names of each field."""
        old = {"name": self.name, "state": self.state, "text": self.text, "todo": self.todo}
        new = {"id": self.name.replace(" ", "-"), "verdict": self.state, "evidence": self.text, "next": self.todo}
        return {**old, **new, "fixable": self.fix is not None}


class Scene(NamedTuple):
    """What the checks look at."""

    where: Paths
    env: dict[str, str]
    directory: Path
    """Where the command was typed: a project's own settings are looked for from here."""


def chmod(path: Path, mode: int) -> Callable[[], None]:
    """A fix: give ``path`` its mode back."""
    return lambda: path.chmod(mode)


def quoted(*words: object) -> str:
    """A command line that a person can paste."""
    return shlex.join(str(word) for word in words)
