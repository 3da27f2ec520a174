"""Where the person answers: list, answer, dismiss, mark, mute. Works with or without a daemon, on the same journals.

Promises that of two terminals that answer at once one wins and the other is told what was answered.
"""

from __future__ import annotations

from collections.abc import Callable

from borgd.errors import LimitError
from borgd.lessons.redact import seal
from borgd.lessons.sanitize import clean
from borgd.limits.interrupts.inbox import Entry, check_answerable, chosen
from borgd.limits.interrupts.records import (
    MAX_ANSWER,
    MAX_OPTION,
    Answered,
    Dismissed,
    Excluded,
    Expired,
    InboxRecord,
    InterruptRecord,
    Retracted,
    Told,
    Worth,
)
from borgd.limits.interrupts.windows import instant
from borgd.stores.interrupt_journals import Books


class InboxDesk:
    """The person's side of the inbox. ``by`` is who answers."""

    def __init__(self, books: Books, by: str = "") -> None:
        self.books = books
        self.by = clean(by, MAX_OPTION)

    def entries(self, now_ms: int, *, everything: bool = False) -> list[Entry]:
        """What waits, the most urgent first; with ``everything`` the ended ones after it, the newest first."""
        with self.books.lock:
            self._up_to_date(now_ms)
            inbox = self.books.inbox
            ended = sorted((entry for entry in inbox.entries.values() if not entry.open), key=lambda entry: -entry.ended_ms)
            return [*inbox.waiting(), *(ended if everything else [])]

    def entry(self, number: int, now_ms: int) -> Entry:
        """Ask ``number`` as it is now.

        :raises LimitError: there is none.
        """
        with self.books.lock:
            self._up_to_date(now_ms)
            return self.books.inbox.entry(number)

    def answer(self, number: int, text: str, now_ms: int) -> Entry:
        """Answer with an option (its number or label) or free text.

        :raises LimitError: no such ask, no text, or somebody was first; the text says who and what.
        """

        def write(entry: Entry) -> InboxRecord:
            check_answerable(entry)
            return Answered(number=number, ms=now_ms, text=seal(chosen(entry, text), MAX_ANSWER), by=self.by)

        return self._write(number, now_ms, write)

    def dismiss(self, number: int, now_ms: int) -> Entry:
        """Close without an answer: the asker's fallback stands.

        :raises LimitError: no such ask, or it has ended.
        """

        def write(entry: Entry) -> InboxRecord:
            if not entry.open:
                check_answerable(entry)
                raise LimitError(f"ask #{number} has expired already; its fallback was {entry.ask.fallback or 'none'}")
            return Dismissed(number=number, ms=now_ms, by=self.by)

        return self._write(number, now_ms, write)

    def worth(self, number: int, yes: bool, now_ms: int) -> Entry:
        """Mark whether it was worth asking.

        :raises LimitError: no such ask.
        """
        return self._write(number, now_ms, lambda _: Worth(number=number, ms=now_ms, yes=yes))

    def told(self, number: int, session: str, now_ms: int) -> Entry:
        """The answer was handed over by the caller itself."""
        return self._write(number, now_ms, lambda _: Told(number=number, ms=now_ms, session=session))

    def gave_up(self, number: int, now_ms: int) -> Entry:
        """The asker stopped waiting and goes on with its fallback."""

        def write(entry: Entry) -> InboxRecord | None:
            return Expired(number=number, ms=now_ms, fallback=entry.ask.fallback) if entry.open else None

        return self._write(number, now_ms, write)

    def mute(self, source: str, cause: str, expires_ms: int | None, now_ms: int) -> None:
        """Exclude ``source`` until ``expires_ms`` (None: until it is unmuted), for ``cause``."""
        entry = Excluded(
            source=clean(source, MAX_OPTION),
            tier="transient",
            cause=clean(cause, MAX_OPTION),
            ms=now_ms,
            expires_ms=expires_ms,
        )
        self.books.write_interrupts(now_ms, lambda: ([entry], None))

    def unmute(self, source: str, cause: str, now_ms: int) -> None:
        """Lift what ``mute`` did for the same cause; permanent exclusions and other causes stay.

        :raises LimitError: nothing of the kind is in force.
        """
        source, cause = clean(source, MAX_OPTION), clean(cause, MAX_OPTION)

        def lift() -> tuple[list[InterruptRecord], None]:
            held = [
                entry for entry in self.books.ledger.lattice.all(now_ms) if (entry.source, entry.cause) == (source, cause)
            ]
            if not held:
                raise LimitError(f"{source!r} is not muted for {cause!r}; borg inbox muted lists what is")
            return [Retracted(source=source, cause=cause, ms=now_ms)], None

        self.books.write_interrupts(now_ms, lift)

    def muted(self, now_ms: int) -> list[dict[str, str | None]]:
        """The sources that may not ask now, as ``exclusion_rows`` has them."""
        with self.books.lock:
            self.books.refresh(now_ms)
            return exclusion_rows(self.books, now_ms)

    def _up_to_date(self, now_ms: int) -> None:
        """What others wrote, and what has expired by now."""
        self.books.refresh(now_ms)
        if self.books.inbox.due(now_ms):
            self.books.write_inbox(lambda: (expired(self.books, now_ms), None))

    def _write(self, number: int, now_ms: int, decide: Callable[[Entry], InboxRecord | None]) -> Entry:
        books = self.books
        with books.lock:
            self._up_to_date(now_ms)

            def decided() -> tuple[list[InboxRecord], None]:
                record = decide(books.inbox.entry(number))
                return ([] if record is None else [record]), None

            books.write_inbox(decided)
            return books.inbox.entry(number)


def expired(books: Books, now_ms: int) -> list[InboxRecord]:
    """The lines for what has expired by now."""
    return [Expired(number=entry.number, ms=now_ms, fallback=entry.ask.fallback) for entry in books.inbox.due(now_ms)]


def exclusion_rows(books: Books, now_ms: int) -> list[dict[str, str | None]]:
    """The exclusions in force: source, tier, cause, expires (ISO 8601 or None)."""
    return [
        {
            "source": entry.source,
            "tier": entry.tier,
            "cause": entry.cause,
            "expires": None if entry.expires_ms is None else instant(entry.expires_ms),
        }
        for entry in books.ledger.exclusions(now_ms)
    ]
