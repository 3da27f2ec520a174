"""What ``borg assimilate`` has read already, and what it must never bring back because it was forgotten.

A small JSON file in the state directory, replaced whole. Losing it costs a second reading and nothing else, except that
what was forgotten would be found again; so it is never thrown away when it cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from borgd.errors import InputError
from borgd.files import replace_file
from borgd.lessons.episodes import Episode
from borgd.paths import fnv1a, private_dir, user_paths

DOUBTFUL = 200
"""guard: doubtful corrections that are kept."""


class ForgottenSpans(msgspec.Struct, kw_only=True):
    """``sessions`` as hashes, ``episodes`` as ids, ``spans`` of time as [from, to] in ms."""

    sessions: list[str] = []
    episodes: list[str] = []
    spans: list[tuple[int, int]] = []


class ReadTranscript(msgspec.Struct, frozen=True):
    """A transcript that was read up to ``offset``, from which to go on; it had ``size`` bytes then."""

    offset: int
    size: int


class AssimilateState(msgspec.Struct, kw_only=True):
    """The whole file. ``files``: by path."""

    version: int = 1
    files: dict[str, ReadTranscript] = {}
    forgotten: ForgottenSpans = msgspec.field(default_factory=ForgottenSpans)
    doubtful: list[Episode] = []
    """What may have been corrections, the newest; each becomes an episode when a lesson is proposed from it."""

    def doubt(self, episodes: Sequence[Episode]) -> None:
        """Keep ``episodes`` too, and of all of them the newest that were not forgotten."""
        known = {one.id: one for one in (*self.doubtful, *episodes) if self.may_keep(one)}
        self.doubtful = sorted(known.values(), key=lambda one: (one.ms, one.id))[-DOUBTFUL:]

    def may_keep(self, episode: Episode) -> bool:
        """Whether ``episode`` was not forgotten."""
        gone = self.forgotten
        return not (
            episode.id in gone.episodes
            or session_hash(episode.session) in gone.sessions
            or any(start <= episode.ms <= end for start, end in gone.spans)
        )


def session_hash(session: str) -> str:
    """A session's name as the file holds it."""
    return f"{fnv1a(session.encode('utf-8', 'surrogatepass')):016x}"


def state_path() -> Path:
    """Where the state is."""
    return user_paths().state / "assimilate.json"


def load() -> AssimilateState:
    """The state; an empty one where there is none yet.

    :raises InputError: it cannot be read; the text says what to do.
    """
    path = state_path()
    try:
        return msgspec.json.decode(path.read_bytes(), type=AssimilateState)
    except FileNotFoundError:
        return AssimilateState()
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise InputError(
            str(path),
            f"cannot be used ({error}); it also lists what was forgotten: fix it, or remove it and read all again",
        ) from None


def save(state: AssimilateState) -> None:
    """Replace the file by ``state``."""
    path = private_dir(user_paths().state) / "assimilate.json"
    replace_file(path, msgspec.json.encode(state))
