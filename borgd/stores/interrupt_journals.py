"""The two journals of the interrupt budget as one state in memory: interrupts.jsonl (charges) and inbox.jsonl (asks).

Promises that every write is decided on all that other processes and threads wrote before it. The interrupts' lock is always
taken before the inbox's. An ask that a crash kept from the inbox is put there by whoever looks next.
Must not decide anything about an ask.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar, cast

from borgd.config.schema import Config
from borgd.journal import REAL, Damage, FileLayer, Journal, TypedFollower, TypedReading
from borgd.limits.interrupts.ceilings import policy
from borgd.limits.interrupts.exclusions import configured
from borgd.limits.interrupts.inbox import Inbox
from borgd.limits.interrupts.ledger import InterruptLedger
from borgd.limits.interrupts.records import InboxRecord, InterruptRecord, Queued
from borgd.limits.interrupts.windows import window_of

R = TypeVar("R")
T = TypeVar("T")


class _Decided(NamedTuple, Generic[R, T]):
    records: Sequence[R]
    value: T


PROBLEMS = 20
"""guard: damaged places that are remembered."""


class InterruptJournals:
    """Ledger and inbox of one user. Safe between threads and between processes."""

    def __init__(self, directory: Path, config: Config, zone: str, layer: FileLayer = REAL) -> None:
        """:param directory: where the journals are, made by the caller; ``zone``: the machine's IANA zone.

        :raises ConfigError: [interrupts] cannot be used.
        """
        self.lock = threading.RLock()
        self._interrupts = Journal(directory / "interrupts.jsonl", layer)
        self._inbox = Journal(directory / "inbox.jsonl", layer)
        self._zone = zone
        self.damaged = 0
        """Places in the two files that could not be read as they should."""
        self.problems: list[str] = []
        """Where those places are, and what is wrong there."""
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Judge by ``config`` from now on; what is spent stays spent.

        :raises ConfigError: it cannot be used; the one before stays.
        """
        new = policy(config.interrupts, self._zone)
        exclusions = configured(config.interrupts.exclusions)
        window = window_of(new)
        with self.lock:
            self.config, self.policy, self.window, self._exclusions = config, new, window, exclusions
            self._forget_interrupts()
            self._forget_inbox()

    def _forget_interrupts(self) -> None:
        self.ledger = InterruptLedger(self.window, self._exclusions)
        kind = cast("type[InterruptRecord]", InterruptRecord)  # a union: a type to the decoder, none to the checker
        self._interrupts_follower: TypedFollower[InterruptRecord] = TypedFollower(self._interrupts, kind)

    def _forget_inbox(self) -> None:
        self.inbox = Inbox()
        kind = cast("type[InboxRecord]", InboxRecord)
        self._inbox_follower: TypedFollower[InboxRecord] = TypedFollower(self._inbox, kind)

    def refresh(self, now_ms: int) -> None:
        """Read what others wrote; the counters are those of ``now_ms`` then."""
        with self.lock:
            self._fold_interrupts(self._interrupts_follower.read())
            self._catch_up(now_ms)

    def write_interrupts(self, now_ms: int, decide: Callable[[], tuple[Sequence[InterruptRecord], T]]) -> T:
        """Append what ``decide`` returns, decided on everything written so far and on the inbox as it is.

        :raises JournalError: nothing was written.
        """

        def locked(reading: TypedReading[InterruptRecord]) -> tuple[Sequence[InterruptRecord], _Decided[InterruptRecord, T]]:
            self._fold_interrupts(reading)
            self._catch_up(now_ms)
            decided = _Decided(*decide())
            return decided.records, decided

        with self.lock:
            decided = self._interrupts.transact(self._interrupts_follower, locked)
            for record in decided.records:
                self.ledger.apply(record)
            return decided.value

    def write_inbox(self, decide: Callable[[], tuple[Sequence[InboxRecord], T]]) -> T:
        """Append what ``decide`` returns to the inbox, decided on everything written to it so far.

        :raises JournalError: nothing was written.
        """

        def locked(reading: TypedReading[InboxRecord]) -> tuple[Sequence[InboxRecord], _Decided[InboxRecord, T]]:
            self._fold_inbox(reading)
            decided = _Decided(*decide())
            return decided.records, decided

        with self.lock:
            decided = self._inbox.transact(self._inbox_follower, locked)
            self._apply_inbox(decided.records)
            return decided.value

    def _catch_up(self, now_ms: int) -> None:
        self.ledger.advance(now_ms, self.window)
        self._fold_inbox(self._inbox_follower.read())
        if self._unqueued():
            self.write_inbox(lambda: (self._unqueued(), None))

    def _unqueued(self) -> Sequence[InboxRecord]:
        missing = []
        for ask in list(self.ledger.to_queue.values()):
            if self.inbox.lacks(ask):
                missing.append(Queued(ask=ask))
            else:
                self.ledger.queued(ask)
        return missing

    def _note(self, path: Path, damage: Sequence[Damage]) -> None:
        self.damaged += len(damage)
        self.problems += [f"{path}:{one.line}: {one.reason}" for one in damage[:PROBLEMS]]
        del self.problems[:-PROBLEMS]

    def _fold_interrupts(self, reading: TypedReading[InterruptRecord]) -> None:
        self._note(self._interrupts.path, reading.damage)
        if reading.replaced:
            self.ledger = InterruptLedger(self.window, self._exclusions)
        for record in reading.records:
            self.ledger.apply(record)

    def _fold_inbox(self, reading: TypedReading[InboxRecord]) -> None:
        self._note(self._inbox.path, reading.damage)
        if reading.replaced:
            self.inbox = Inbox()
        self._apply_inbox(reading.records)

    def _apply_inbox(self, records: Iterable[InboxRecord]) -> None:
        for record in records:
            self.inbox.apply(record)
