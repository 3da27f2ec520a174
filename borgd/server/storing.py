"""The daemon's appends: grouped, and remembered where they fail, so that a status shows what cannot be stored."""

from __future__ import annotations

from collections.abc import Sequence

from borgd.errors import JournalError
from borgd.journal import GroupCommit, Journal, Record


class ReportingCommit(GroupCommit):
    """Appends that note in ``problems`` which journal cannot be written, until it can."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__()
        self._problems = problems

    async def append(self, journal: Journal, records: Sequence[Record]) -> None:
        """As ``GroupCommit.append``."""
        try:
            await super().append(journal, records)
        except JournalError as error:
            self._problems[journal.name] = str(error)
            raise
        if records:
            self._problems.pop(journal.name, None)
