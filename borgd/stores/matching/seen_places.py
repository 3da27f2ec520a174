"""Where this machine's sessions worked: directories and remotes of repositories, kept in the state directory.

A teammate's scope name counts where it is known, and a repository that was seen makes its own name known. Of a directory
only what lies in its repository is kept, outside one only its last part: "home" and "src" above it name no system.
Losing the file costs that a teammate's lesson waits until its repository is seen again, or until its name is confirmed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from borgd.files import replace_file
from borgd.lessons.redact import redact
from borgd.lessons.store import LessonStore
from borgd.recall.text.scope import parts_of, places
from borgd.stores.repository import find

FILE = "places.json"
KEPT = 500
"""guard: places kept, those seen last."""
FILE_BYTES = 1 << 20
"""guard: bytes read back."""
PLACE_CHARS = 400
"""guard: characters kept of a directory or remote."""
REMEMBERED = 1 << 10
"""guard: working directories that are known to have been taken in."""


class Place(NamedTuple):
    """``directory``: from the repository's own on, or a directory's last part; ``remote``: ``owner/repository`` or empty."""

    directory: str
    remote: str


def place_of(cwd: str, remote: str) -> Place:
    """The place of a session in ``cwd`` whose repository is called ``remote``."""
    path = Path(cwd)
    git = find(cwd) if cwd else None
    top = git.parent if git is not None and git.name == ".git" else None
    directory = path.name
    if top is not None:
        with suppress(OSError, ValueError, RuntimeError):
            directory = str(path.resolve().relative_to(top.parent))
    shown = "" if remote.startswith("local/") else remote  # a directory's name, with a hash: said by the directory
    return Place(redact(directory)[-PLACE_CHARS:], redact(shown)[-PLACE_CHARS:])


class SeenPlaces:
    """The places, the last seen at the end, and which of the names that were asked for they name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[Place, None] = {}
        self._taken: dict[tuple[str, str], None] = {}
        self._asked: set[str] = set()
        self._named: set[str] = set()
        self._dirty = False
        with suppress(OSError, msgspec.MsgspecError, RecursionError):
            if path.stat().st_size <= FILE_BYTES:
                found = msgspec.json.decode(path.read_bytes(), type=list[Place])
                self._places = dict.fromkeys(found[-KEPT:])

    def saw(self, cwd: str, remote: str) -> bool:
        """Take in where a session works; whether that was new. Cheap where it was not."""
        if (cwd, remote) in self._taken:
            return False
        while len(self._taken) >= REMEMBERED:
            del self._taken[next(iter(self._taken))]
        self._taken[cwd, remote] = None
        place = place_of(cwd, remote)
        new = place not in self._places and any(place)
        if any(place):
            self._places.pop(place, None)
            self._places[place] = None
            self._dirty = True
        while len(self._places) > KEPT:
            del self._places[next(iter(self._places))]
        if new:
            self._named.update(places(self._asked, *place))
        return new

    def named(self, names: Collection[str]) -> set[str]:
        """Those of ``names`` that a place names."""
        if not self._asked.issuperset(names):
            self._asked.update(names)
            for place in self._places:
                self._named.update(places(self._asked, *place))
        return self._named.intersection(names)

    def save(self) -> None:
        """Write down what was seen since the last time.

        :raises OSError: it cannot be written; the places go on in memory.
        """
        if self._dirty:
            replace_file(self.path, msgspec.json.encode(list(self._places)))
            self._dirty = False


def unknown_scopes(store: LessonStore, confirmed: Iterable[str], seen: SeenPlaces) -> frozenset[str]:
    """Scope names that teammates' lessons bring and nothing here knows: they count for nothing yet.

    Known are the names of own lessons and ``confirmed`` ones, however they are spelled, and of repositories that were seen.
    """
    theirs = {name for lesson in store if lesson.peer and not lesson.retired for name in lesson.scope}
    if not theirs:
        return frozenset()
    own = {name for lesson in store if not lesson.peer for name in lesson.scope}
    keys = {"".join(parts_of(name)) for name in own.union(confirmed)}
    strange = {name for name in theirs if "".join(parts_of(name)) not in keys}
    return frozenset(strange - seen.named(strange))
