"""Files of outcomes as columns; those of files that did not change are kept in the state directory and not read again.

What is kept only saves time: anything about it that differs, cannot be read or does not fit together makes the file be
read anew, and the result is the same. Kept as npz without pickle, 0600, replaced as a whole.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from borgd.errors import BorgError
from borgd.journal import Damage, Position, TypedFollower
from borgd.memory.columns import FORMAT, FoldColumns, Packed
from borgd.memory.records import Outcome, SettledOutcome
from borgd.paths import fnv1a, private_dir

LEAST_BYTES = 1 << 18
"""tuned: smaller files are read faster than what is kept of them."""
SUFFIX = ".npz"
KEPT = "columns"
"""design: the directory in the state directory."""
_ARRAYS = ("begun", "loose", "pairs", "values", "uses")

_UNUSABLE = (
    OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, MemoryError,
    zipfile.BadZipFile, msgspec.MsgspecError,
)  # fmt: skip
"""Whatever reading damaged bytes as an npz raises."""

Convert = Callable[[Outcome], Outcome]
AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


class _Head(msgspec.Struct, frozen=True, array_like=True):
    """What is kept beside the arrays. ``key`` names file, format and conversion, ``position`` the state of the file."""

    key: str
    position: Position
    damage: list[Damage]
    lessons: list[str]
    sessions: list[str]
    repos: list[str]
    places: list[tuple[int, list[str], list[str]]]


class OutcomeColumns:
    """Columns of files, some kept in ``directory``, which is created when something is kept."""

    def __init__(self, directory: Path, least: int = LEAST_BYTES) -> None:
        self.directory = directory
        self.read = 0
        """Files that were read, not taken from what was kept."""
        self._least = least
        self._used: set[str] = set()

    def gather(
        self, columns: FoldColumns, follower: TypedFollower[AnyOutcome], convert: Convert | None = None, salt: str = ""
    ) -> list[Damage]:
        """All outcomes in the file of a ``follower`` that has read nothing yet, into ``columns``; what is damaged in it.

        Settled occasions are left out. Afterwards the follower is past it. ``convert`` is applied to each outcome; ``salt``
        names what it does.

        :raises JournalError: the file cannot be read.
        """
        path = follower.journal.path
        key = f"{FORMAT}\n{path}\n{salt}"
        kept = self.directory / f"{fnv1a(f'{path} {salt}'.encode()):016x}{SUFFIX}"
        self._used.add(kept.name)
        found = _load(kept, key)
        if found is not None and follower.resume(found[0]):
            columns.take(found[2])
            return found[1]
        self.read += 1
        reading = follower.read()
        told = (one for one in reading.records if not (isinstance(one, SettledOutcome) and one.coin_ms))
        outcomes: Iterable[Outcome] = told if convert is None else map(convert, told)
        if reading.offset < self._least:
            columns.extend(outcomes)
            return reading.damage
        own = FoldColumns()
        own.extend(outcomes)
        packed = own.packed()
        columns.take(packed)
        position = follower.position
        if position is not None:
            self._keep(kept, key, position, reading.damage, packed)
        return reading.damage

    def tidy(self) -> None:
        """Remove what was kept of files that are not gathered any more."""
        with suppress(OSError):
            for path in self.directory.iterdir():
                if path.name not in self._used:
                    path.unlink(missing_ok=True)

    def _keep(self, path: Path, key: str, position: Position, damage: list[Damage], packed: Packed) -> None:
        head = _Head(key, position, damage, packed.lessons, packed.sessions, packed.repos, packed.places)
        arrays = {name: getattr(packed, name) for name in _ARRAYS}
        temporary = ""
        try:
            descriptor, temporary = tempfile.mkstemp(dir=private_dir(self.directory))
            with os.fdopen(descriptor, "wb") as file:
                np.savez(file, head=np.frombuffer(msgspec.msgpack.encode(head), dtype=np.uint8), **arrays)
            Path(temporary).replace(path)
        except (OSError, BorgError):  # a full disk: the next command reads the file again
            if temporary:
                with suppress(OSError):
                    Path(temporary).unlink()


def _load(path: Path, key: str) -> tuple[Position, list[Damage], Packed] | None:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            head = msgspec.msgpack.decode(stored["head"].tobytes(), type=_Head)
            arrays = {name: stored[name] for name in _ARRAYS}
    except _UNUSABLE:
        return None
    packed = Packed(lessons=head.lessons, sessions=head.sessions, repos=head.repos, places=head.places, **arrays)
    if head.key != key or not packed.sound():
        return None
    return head.position, head.damage, packed
