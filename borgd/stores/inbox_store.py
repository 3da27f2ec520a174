"""Where the person answers: list, answer, dismiss, mark, mute. Works with or without a daemon, on the same journals.

Promises that of two terminals that answer at once one wins and the other is told what was answered.
"""

from __future__ import annotations

from collections.abc import Callable

from borgd.errors import LimitError
from borgd.lessons.redact import seal
from borgd.lessons.sanitize import clean
from borgd.limits.interrupts.inbox import InboxEntry, check_answerable, chosen
from borgd.limits.interrupts.records import (
    MAX_ANSWER,
    MAX_OPTION,
    Answered,
    AnswerTold,
    Dismissed,
    Excluded,
    Expired,
    GaveUp,
    InboxRecord,
    InterruptRecord,
    Retracted,
    Worth,
)
from borgd.limits.interrupts.windows import instant
from borgd.stores.interrupt_journals import InterruptJournals


class InboxStore:
    """The person's side of the inbox. ``by`` is who answers."""

    def __init__(self, journals: InterruptJournals, by: str = "") -> None:
        self.journals = journals
        self.by = clean(by, MAX_OPTION)

    def entries(self, now_ms: int, *, everything: bool = False) -> list[InboxEntry]:
        """What waits, the most urgent first; with ``everything`` the ended ones after it, the newest first."""
        with self.journals.lock:
            self._up_to_date(now_ms)
            inbox = self.journals.inbox
            ended = sorted((entry for entry in inbox.entries.values() if not entry.open), key=lambda entry: -entry.ended_ms)
            return [*inbox.waiting(), *(ended if everything else [])]

    def entry(self, number: int, now_ms: int) -> InboxEntry:
        """Ask ``number`` as it is now.

        :raises LimitError: there is none.
        """
        with self.journals.lock:
            self._up_to_date(now_ms)
            return self.journals.inbox.entry(number)

    def answer(self, number: int, text: str, now_ms: int, *, free: bool = False) -> InboxEntry:
        """Answer with an option (its number or label) or free text; ``free``: as it is, even where it reads like a number.

        :raises LimitError: no such ask, no text, or somebody was first; the text says who and what.
        """

        def write(entry: InboxEntry) -> InboxRecord:
            check_answerable(entry)
            return Answered(number=number, ms=now_ms, text=seal(chosen(entry, text, free=free), MAX_ANSWER), by=self.by)

        return self._write(number, now_ms, write)

    def dismiss(self, number: int, now_ms: int) -> InboxEntry:
        """Close without an answer: the asker's fallback stands.

        :raises LimitError: no such ask, or it has ended.
        """

        def write(entry: InboxEntry) -> InboxRecord:
            if not entry.open:
                check_answerable(entry)
                raise LimitError(f"ask #{number} has expired already; its fallback was {entry.ask.fallback or 'none'}")
            return Dismissed(number=number, ms=now_ms, by=self.by)

        return self._write(number, now_ms, write)

    def worth(self, number: int, yes: bool, now_ms: int) -> InboxEntry:
        """Mark whether it was worth asking.

        :raises LimitError: no such ask.
        """
        return self._write(number, now_ms, lambda _: Worth(number=number, ms=now_ms, yes=yes))

    def told(self, number: int, session: str, now_ms: int) -> InboxEntry:
        """The answer was handed over by the caller itself."""
        return self._write(number, now_ms, lambda _: AnswerTold(number=number, ms=now_ms, session=session))

    def gave_up(self, number: int, now_ms: int) -> InboxEntry:
        """The asker stopped waiting and goes on with its fallback; the ask waits on in the inbox."""

        def write(entry: InboxEntry) -> InboxRecord | None:
            return GaveUp(number=number, ms=now_ms) if entry.open else None

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
        self.journals.write_interrupts(now_ms, lambda: ([entry], None))

    def unmute(self, source: str, cause: str, now_ms: int) -> None:
        """Lift what ``mute`` did for the same cause; permanent exclusions and other causes stay.

        :raises LimitError: nothing of the kind is in force.
        """
        source, cause = clean(source, MAX_OPTION), clean(cause, MAX_OPTION)

        def lift() -> tuple[list[InterruptRecord], None]:
            held = [
                entry
                for entry in self.journals.ledger.temporary.all(now_ms)
                if (entry.source, entry.cause) == (source, cause)
            ]
            if not held:
                raise LimitError(f"{source!r} is not muted for {cause!r}; borg inbox muted lists what is")
            return [Retracted(source=source, cause=cause, ms=now_ms)], None

        self.journals.write_interrupts(now_ms, lift)

    def muted(self, now_ms: int) -> list[dict[str, str | None]]:
        """The sources that may not ask now, as ``exclusion_rows`` has them."""
        with self.journals.lock:
            self.journals.refresh(now_ms)
            return exclusion_rows(self.journals, now_ms)

    def _up_to_date(self, now_ms: int) -> None:
        """What others wrote, and what has expired by now."""
        self.journals.refresh(now_ms)
        if self.journals.inbox.due(now_ms):
            self.journals.write_inbox(lambda: (expired(self.journals, now_ms), None))

    def _write(self, number: int, now_ms: int, decide: Callable[[InboxEntry], InboxRecord | None]) -> InboxEntry:
        journals = self.journals
        with journals.lock:
            self._up_to_date(now_ms)

            def decided() -> tuple[list[InboxRecord], None]:
                record = decide(journals.inbox.entry(number))
                return ([] if record is None else [record]), None

            journals.write_inbox(decided)
            return journals.inbox.entry(number)


def expired(journals: InterruptJournals, now_ms: int) -> list[InboxRecord]:
    """The lines for what has expired by now."""
    return [Expired(number=entry.number, ms=now_ms, fallback=entry.ask.fallback) for entry in journals.inbox.due(now_ms)]


def exclusion_rows(journals: InterruptJournals, now_ms: int) -> list[dict[str, str | None]]:
    """The exclusions in force: source, tier, cause, expires (ISO 8601 or None)."""
    return [
        {
            "source": entry.source,
            "tier": entry.tier,
            "cause": entry.cause,
            "expires": None if entry.expires_ms is None else instant(entry.expires_ms),
        }
        for entry in journals.ledger.exclusions(now_ms)
    ]
