"""inbox.jsonl folded: every deferred or shown ask with its options, fallback, expiry and answer.

States: ``pending`` (shown to the person, no answer yet) and ``deferred`` (waits here) are open; ``answered``, ``dismissed``,
``expired`` and ``closed elsewhere`` are ends. The first end in journal order stands, with one exception: an answer after
the expiry is taken, kept as late, and told. Mutable, pure, in journal order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from borgd.errors import LimitError
from borgd.limits.interrupts.records import (
    Answered,
    AnswerTold,
    Asked,
    Digested,
    Dismissed,
    Expired,
    InboxRecord,
    InterruptClosed,
    Queued,
    Worth,
)

EntryState = Literal["pending", "deferred", "answered", "dismissed", "expired", "closed elsewhere"]
OPEN: tuple[EntryState, ...] = ("pending", "deferred")


@dataclass
class InboxEntry:
    """One ask of a person. ``ended_ms`` 0 while it is open; ``told``: the sessions that have its answer."""

    ask: Asked
    state: EntryState
    queued_ms: int
    answer: str = ""
    ended_ms: int = 0
    by: str = ""
    late: bool = False
    fallback_taken: bool = False
    worth: bool | None = None
    told: set[str] = field(default_factory=set)

    @property
    def number(self) -> int:
        return self.ask.number

    @property
    def open(self) -> bool:
        return self.state in OPEN


class Inbox:
    """All entries by number, and when the last digest was shown."""

    def __init__(self) -> None:
        self.entries: dict[int, InboxEntry] = {}
        self.last_digest_ms: int | None = None
        self._by_key: dict[str, int] = {}
        self._open: dict[int, InboxEntry] = {}
        self._owed: dict[int, InboxEntry] = {}
        """Answered ones whose own session has not been told."""

    def apply(self, record: InboxRecord) -> None:
        """Fold one line in; a line that its entry's state does not allow changes nothing."""
        match record:
            case Queued():
                self._queued(record.ask)
            case Digested():
                self.last_digest_ms = record.ms
            case _:
                if record.number in self.entries:
                    self._happened(self.entries[record.number], record)

    def _happened(
        self, entry: InboxEntry, record: Answered | Dismissed | Expired | InterruptClosed | Worth | AnswerTold
    ) -> None:
        match record:
            case Worth():
                entry.worth = record.yes
            case AnswerTold():
                entry.told.add(record.session)
                if record.session == entry.ask.session:
                    self._owed.pop(entry.number, None)
            case Answered() if entry.open or entry.state == "expired":
                entry.late = entry.state == "expired"
                self._end(entry, "answered", record.ms, record.text, record.by)
            case Dismissed() if entry.open:
                self._end(entry, "dismissed", record.ms, "", record.by)
            case Expired() if entry.open:
                entry.fallback_taken = True
                self._end(entry, "expired", record.ms)
            case InterruptClosed() if entry.open:
                self._end(entry, "closed elsewhere", record.ms, record.text)

    def _queued(self, ask: Asked) -> None:
        entry = self.entries.get(ask.number)
        state: EntryState = "pending" if ask.outcome == "admit" else "deferred"
        if entry is None:
            self._by_key[ask.key] = ask.number
            entry = InboxEntry(ask, state, ask.ms, fallback_taken=state == "deferred")
            self.entries[ask.number] = self._open[ask.number] = entry
        elif entry.open:
            entry.ask, entry.state = ask, state

    def _end(self, entry: InboxEntry, state: EntryState, ms: int, answer: str = "", by: str = "") -> None:
        entry.state, entry.ended_ms, entry.answer, entry.by = state, ms, answer, by
        self._open.pop(entry.number, None)
        if state == "answered" and entry.ask.session not in entry.told:
            self._owed[entry.number] = entry

    def lacks(self, ask: Asked) -> bool:
        """Whether ``ask`` is still to be queued: it is not here, or here as shown although it was not."""
        entry = self.entries.get(ask.number)
        return entry is None or (entry.state == "pending" and ask.outcome == "defer" and entry.ask.id == ask.id)

    def waiting(self) -> list[InboxEntry]:
        """Open entries: highest stakes first, then the oldest."""
        return sorted(self._open.values(), key=_urgency)

    def due(self, now_ms: int) -> list[InboxEntry]:
        """Open entries whose expiry has passed."""
        return [entry for entry in self._open.values() if 0 < entry.ask.expires_ms <= now_ms]

    def entry(self, number: int) -> InboxEntry:
        """Entry ``number``.

        :raises LimitError: there is none.
        """
        if number not in self.entries:
            raise LimitError(f"the inbox has no ask #{number}; borg inbox list shows what waits")
        return self.entries[number]

    def open_with(self, key: str) -> InboxEntry | None:
        """The open entry of the same ask, None where there is none."""
        number = self._by_key.get(key)
        entry = None if number is None else self.entries[number]
        return entry if entry is not None and entry.open else None

    def owed(self, session: str, scope: str, *, starting: bool) -> list[InboxEntry]:
        """Answered entries that ``session`` is still to be told, oldest answer first.

        Its own ones always; at its start also those of ``scope`` whose session has not come back for them.
        """
        owed = [
            entry
            for entry in self._owed.values()
            if (session and entry.ask.session == session) or (starting and entry.ask.scope == scope and not entry.told)
        ]
        return sorted(owed, key=lambda entry: entry.ended_ms)


def _urgency(entry: InboxEntry) -> tuple[float, int]:
    numerator, _, denominator = entry.ask.stakes.partition("/")
    try:
        stakes = int(numerator) / int(denominator or 1)
    except (ValueError, ZeroDivisionError):
        stakes = 1.0  # a number that could not be read is looked at first
    return -stakes, entry.number


def check_answerable(entry: InboxEntry) -> None:
    """An answer is taken while the entry is open, and late after its expiry.

    :raises LimitError: somebody was first; says who, how and when to look.
    """
    if entry.open or entry.state == "expired":
        return
    who = f" by {entry.by}" if entry.by else ""
    what = {
        "answered": f"was answered{who} before: {entry.answer}",
        "dismissed": f"was dismissed{who} before",
        "closed elsewhere": f"was answered in its session before: {entry.answer}" if entry.answer else "is closed elsewhere",
    }[entry.state]
    raise LimitError(f"ask #{entry.number} {what}; nothing was changed")


def chosen(entry: InboxEntry, text: str) -> str:
    """``text`` as an answer: a number or the label's letters in any case pick an option, anything else is free text.

    :raises LimitError: it is empty.
    """
    text = text.strip()
    if not text:
        raise LimitError(f"an answer is an option or a text; ask #{entry.number} got none")
    if text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= len(entry.ask.options):
        return entry.ask.options[int(text) - 1]
    for option in entry.ask.options:
        if option.casefold() == text.casefold():
            return option
    return text
