"""Episodes as what their lessons are matched by besides, on this machine alone: stems, read from the private journal.

Nothing is kept beside that journal: what is forgotten there is forgotten here with the next ``refresh``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from borgd.journal import Follower, Journal
from borgd.recall.evidence import EpisodeStems, episode_stems


class EpisodeWords:
    """The stems of this machine's episodes, by their ids."""

    def __init__(self, path: Path) -> None:
        self._follower = Follower(Journal(path))
        self._records: dict[str, dict[str, Any]] = {}
        self._stems: dict[str, EpisodeStems] = {}

    def refresh(self) -> set[str]:
        """Take in what the journal gained or lost; the ids of the episodes that are there or gone since.

        :raises JournalError: it cannot be read at all.
        """
        reading = self._follower.read()
        changed: set[str] = set()
        if reading.replaced:
            changed |= self._records.keys()
            self._records.clear()
        for record in reading.records:
            name = record.get("id")
            if not isinstance(name, str):
                continue
            changed.add(name)
            if record.get("kind") == "tombstone":
                self._records.pop(name, None)
            else:
                self._records.setdefault(name, record)
        for name in changed:
            self._stems.pop(name, None)
        return changed

    def stems(self, episode: str) -> EpisodeStems | None:
        """What the episode gives to match by; None: it is not known here."""
        record = self._records.get(episode)
        if record is None:
            return None
        if episode not in self._stems:
            self._stems[episode] = episode_stems(
                task=_text(record, "task"),
                proposal=_text(record, "proposal"),
                correction=_text(record, "correction"),
                paths=_texts(record, "paths"),
                lines=_texts(record, "lines"),
            )
        return self._stems[episode]


def _text(record: dict[str, Any], name: str) -> str:
    found = record.get(name)
    return found if isinstance(found, str) else ""


def _texts(record: dict[str, Any], name: str) -> list[str]:
    found = record.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
