"""inbox.jsonl folded: every deferred or shown ask with its options, fallback, expiry and answer.

States: ``pending`` (shown to the person, no answer yet) and ``deferred`` (waits here) are open; ``answered``, ``dismissed``,
``expired``, ``closed elsewhere`` and ``session over`` are ends. The first end in journal order stands, with one exception:
an answer after the expiry is taken, kept as late, and told; after the session's end only one about a way of working is.
An approval is of one session and one plan: it never reaches another session, serves once, and ends with its session.
Mutable, pure, in journal order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from borgd.errors import LimitError
from borgd.limits.interrupts.records import (
    Answered,
    AnswerTold,
    ApprovalUsed,
    Asked,
    Digested,
    Dismissed,
    Expired,
    GaveUp,
    InboxRecord,
    InterruptClosed,
    Queued,
    SessionOver,
    Worth,
)
from borgd.limits.interrupts.tools import APPROVE, without_mark

EntryState = Literal["pending", "deferred", "answered", "dismissed", "expired", "closed elsewhere", "session over"]
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
    used: bool = False
    """An approval that has served, or is void: its session is over."""
    session_over: bool = False

    @property
    def approves(self) -> bool:
        """Whether it lets exactly what it is about through, once."""
        return self.ask.approval and self.state == "answered" and self.answer in APPROVE and not self.used

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
        self._of_session: dict[str, list[InboxEntry]] = {}
        """What a session still has here: open asks, and answers that may yet serve it."""

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
        self,
        entry: InboxEntry,
        record: Answered | Dismissed | Expired | GaveUp | InterruptClosed | SessionOver | ApprovalUsed | Worth | AnswerTold,
    ) -> None:
        match record:
            case Worth():
                entry.worth = record.yes
            case AnswerTold():
                entry.told.add(record.session)
                if record.session == entry.ask.session:
                    self._owed.pop(entry.number, None)
            case ApprovalUsed():
                entry.used = True
            case SessionOver():
                entry.session_over = entry.used = True
                self._of_session.pop(entry.ask.session, None)
                if entry.open:
                    self._end(entry, "session over", record.ms)
            case GaveUp() if entry.open:
                entry.state, entry.fallback_taken = "deferred", True
            case Answered() if takes_answer(entry):
                entry.late = not entry.open
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
            if ask.session:
                self._of_session.setdefault(ask.session, []).append(entry)
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

        Its own ones always; at its start also those about a way of working in ``scope`` whose session has not come back for
        them. Never an approval, never what is about one change.
        """
        owed = [
            entry
            for entry in self._owed.values()
            if (session and entry.ask.session == session and not entry.session_over)
            or (starting and entry.ask.standing and entry.ask.scope == scope and not entry.told)
        ]
        return sorted(owed, key=lambda entry: entry.ended_ms)

    def approved(self, session: str, what: str, content: str) -> InboxEntry | None:
        """The approval of exactly this plan or permission in ``session`` that has not served yet."""
        mine = self._of_session.get(session, []) if session and content else []
        same = [one for one in mine if one.approves and (one.ask.what, one.ask.content) == (what, content)]
        return same[-1] if same else None

    def sessions(self) -> set[tuple[str, str]]:
        """(agent, session) of every session that still has an open ask or an approval here."""
        return {(one.ask.agent, name) for name in self._of_session for one in self.left_by(name)}

    def left_by(self, session: str) -> list[InboxEntry]:
        """What ends with ``session``: its open asks, its approvals that have not served."""
        return [one for one in self._of_session.get(session, []) if one.open or one.approves]


def takes_answer(entry: InboxEntry) -> bool:
    """Whether an answer is taken: while it is open; late after its expiry, or about a way of working after its session."""
    if entry.open:
        return True
    if entry.state == "expired":
        return not entry.session_over
    return entry.state == "session over" and entry.ask.standing


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
    if takes_answer(entry):
        return
    if entry.session_over and entry.state in ("session over", "expired"):
        what = {"plan": "plan", "permission": "call"}.get(entry.ask.what, "question")
        raise LimitError(f"the session of ask #{entry.number} is over, and its {what} with it; nothing was changed")
    who = f" by {entry.by}" if entry.by else ""
    what = {
        "answered": f"was answered{who} before: {entry.answer}",
        "dismissed": f"was dismissed{who} before",
        "closed elsewhere": f"was answered in its session before: {entry.answer}" if entry.answer else "is closed elsewhere",
    }[entry.state]
    raise LimitError(f"ask #{entry.number} {what}; nothing was changed")


def chosen(entry: InboxEntry, text: str, *, free: bool = False) -> str:
    """``text`` as an answer: a number or the label's letters in any case pick an option, anything else is free text.

    Where several may be chosen, numbers or labels with commas between them. Numbers that are not options, and what says
    neither yes nor no to an approval in a word, are refused.

    :param free: take it as it is, even where it reads like a number.
    :raises LimitError: it is empty, or no option and no free text.
    """
    text = text.strip()
    if not text:
        raise LimitError(f"an answer is an option or a text; ask #{entry.number} got none")
    options = entry.ask.options
    if free or not options:
        return text
    picked = _option(entry, text)
    if picked:
        return picked
    parts = [part for part in re.split(r"\s*[,;+&]\s*|\s+and\s+", text) if part]
    several = [_option(entry, part) for part in parts]
    if len(parts) > 1 and all(several):
        if entry.ask.multiple:
            return ", ".join(dict.fromkeys(several))
        raise LimitError(f"ask #{entry.number} takes one of its options, got {len(parts)}; {_way_out(entry, text)}")
    if not re.search(r"[^\W\d_].*[^\W_]|[^\x00-\u02ff]", text) or all(
        option or _is_number(part) for option, part in zip(several, parts, strict=True)
    ):
        raise LimitError(
            f"{text[:40]!r} is none of the {len(options)} options of ask #{entry.number}; {_way_out(entry, text)}"
        )
    return text


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[+#-]?\d+[.)]?", text))


def _option(entry: InboxEntry, text: str) -> str:
    """The option that ``text`` names by its number or its label, with or without a mark of recommendation; "" for none."""
    options = entry.ask.options
    if _is_number(text):
        number = int(text.strip("#.)")[:6])
        return options[number - 1] if 1 <= number <= len(options) else ""
    said = without_mark(text).casefold()
    for option in options:
        if said and said in (option.casefold(), without_mark(option).casefold()):
            return option
    if entry.ask.approval and len(options) == 2:
        yes, no = said in _YES, said in _NO
        return options[1] if yes else options[0] if no else ""
    return ""


def _way_out(entry: InboxEntry, text: str) -> str:
    """How to answer it."""
    labels = "; ".join(f"{place} {option}" for place, option in enumerate(entry.ask.options, start=1))
    return f"choose from {labels}, or answer in words of your own: borg inbox answer {entry.number} --text {text[:40]!r}"


_YES = frozenset({"approve", "approved", "yes", "y", "ok", "allow", "allow once", "go", "approve plan"})
_NO = frozenset({"no", "n", "deny", "reject", "keep", "refuse", "disapprove"})
