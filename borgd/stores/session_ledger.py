"""One session's journal of investigations and the ledger read from it; decided and recorded in one step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

from borgd.journal import Journal, TypedFollower, TypedReading
from borgd.limits.investigation.ledger import InvestigationLedger, InvestigationRecord
from borgd.limits.investigation.runaway import RunawayGuard

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

T = TypeVar("T")
Write = Callable[[InvestigationRecord], None]


def file_name(session: str) -> str:
    """The name of a session's journal."""
    if _PLAIN.fullmatch(session):
        return f"{session}.jsonl"
    return f"s-{sha256(session.encode('utf-8', 'replace')).hexdigest()[:32]}.jsonl"


def _follow(journal: Journal) -> TypedFollower[InvestigationRecord]:
    return TypedFollower(journal, cast("type[InvestigationRecord]", InvestigationRecord))


class SessionLedger:
    """One session's journal and the ledger read from it."""

    def __init__(self, path: Path) -> None:
        self.journal = Journal(path)
        self.follower = _follow(self.journal)
        self.ledger = InvestigationLedger()
        self.lock = Lock()
        self.guard = RunawayGuard()
        self.extensions = 0

    def take(self, reading: TypedReading[InvestigationRecord]) -> None:
        """Take in what is new in the file."""
        if reading.replaced:
            self.ledger = InvestigationLedger()
        for record in reading.records:
            self.ledger.apply(record)

    def refresh(self) -> InvestigationLedger:
        """The ledger as the file has it now."""
        with self.lock:
            self.take(self.follower.read())
            return self.ledger

    def decide(self, judge: Callable[[InvestigationLedger, Write], T]) -> T:
        """Judge on what the file holds and record the outcome, with nobody in between.

        ``judge`` gets the ledger and what to record with; a record counts at once for the rest of the judgement.

        :raises JournalError: nothing was recorded; the ledger is read anew next time.
        """
        written: list[InvestigationRecord] = []

        def write(record: InvestigationRecord) -> None:
            self.ledger.apply(record)
            written.append(record)

        def step(reading: TypedReading[InvestigationRecord]) -> tuple[Sequence[InvestigationRecord], T]:
            self.take(reading)
            value = judge(self.ledger, write)
            return written, value

        with self.lock:
            try:
                return self.journal.transact(self.follower, step)
            except BaseException:
                self.follower = _follow(self.journal)
                self.ledger = InvestigationLedger()
                raise
