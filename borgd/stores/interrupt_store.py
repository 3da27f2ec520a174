"""Where agents' questions come to: each is metered, charged before it is shown, and its answer handed back.

Promises: over any number of processes and threads an ask is decided and charged in one step; the line of its verdict is
durable before anyone acts on it; what could not be shown gives its charge back and waits in the inbox. Calls block on the
disk: run them in a worker thread. Must not show anything itself but a notification that sums up what waits.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from borgd import clock
from borgd.config.schema import Config
from borgd.errors import LimitError
from borgd.journal import REAL, FileLayer
from borgd.lessons.redact import seal
from borgd.lessons.sanitize import clean
from borgd.limits.audit import AuditEntry
from borgd.limits.interrupts import inbox_text, scopes
from borgd.limits.interrupts.records import (
    MAX_ANSWER,
    MAX_OPTION,
    MAX_QUESTION,
    AnswerTold,
    ApprovalUsed,
    Asked,
    Digested,
    InboxRecord,
    InterruptClosed,
    InterruptRecord,
    Observed,
    Queued,
    SessionOver,
    Settled,
    content_of,
    key_of,
    name,
    numbers_of,
    record,
)
from borgd.limits.interrupts.stakes import without_tag
from borgd.limits.interrupts.threshold import fullest, threshold_at
from borgd.limits.interrupts.verdict import Ask, InterruptVerdict, decide
from borgd.stores.inbox_store import exclusion_rows, expired
from borgd.stores.interrupt_journals import InterruptJournals

Audit = Callable[[AuditEntry], None]
Notify = Callable[[str, str], bool]


class TickResult(NamedTuple):
    """What the passing of time did: asks that expired, charges kept after a crash, whether a digest was shown."""

    expired: list[int]
    recovered: list[int]
    digest: bool


class InterruptStore:
    """The agents' side of the interrupt budget and the inbox."""

    def __init__(
        self,
        directory: Path,
        config: Config,
        *,
        zone: str = "UTC",
        audit: Audit | None = None,
        notify: Notify | None = None,
        layer: FileLayer = REAL,
    ) -> None:
        """:param directory: of the journals, made by the caller; ``zone``: the machine's IANA zone; ``audit``: gets the line
        of every verdict; ``notify``: shows a title and a text on the desktop and says whether it could.

        :raises ConfigError: the settings of [interrupts] cannot be used.
        """
        self.journals = InterruptJournals(directory, config, zone, layer)
        self._audit = audit
        self._notify = notify

    def configure(self, config: Config) -> None:
        """Judge by ``config`` from now on; what is spent stays spent.

        :raises ConfigError: it cannot be used; the one before stays.
        """
        self.journals.configure(config)

    def meter(self, ask: Ask, now_ms: int | None = None) -> InterruptVerdict:
        """The verdict on ``ask``, recorded and, where it is admitted, charged.

        ``verdict.text`` is what the agent is told where it is not admitted. Call ``delivered`` or ``failed`` next.

        :raises JournalError: nothing was decided.
        """
        now = clock.now_ms() if now_ms is None else now_ms
        with self.journals.lock:
            verdict, asked = self.journals.write_interrupts(now, lambda: self._decide(ask, now))
            new: list[InboxRecord] = [Queued(ask=one) for one in asked if one.outcome != "excluded" and not one.joined]
            if verdict.rule == "approved":
                new = [ApprovalUsed(number=verdict.number, ms=now)]
            if new:
                self.journals.write_inbox(lambda: (new, None))
        if self._audit is not None:
            self._audit(verdict.entry(ask))
        return verdict

    def _decide(self, ask: Ask, now: int) -> tuple[list[InterruptRecord], tuple[InterruptVerdict, list[Asked]]]:
        """The verdict on a call, and a line for each of its questions: the first is charged, the others go with it."""
        journals = self.journals
        verdict = replace(decide(journals.ledger, ask, journals.policy, now), id=uuid.uuid4().hex[:16])
        approved = journals.inbox.approved(name(ask.session), ask.kind, content_of(ask))
        if verdict.outcome == "excluded":
            verdict = self._told(verdict, ask)
            return self._lines([(ask, verdict)], now)
        if approved is not None:
            return self._lines([(ask, _approved(verdict, approved.ask))], now)
        fresh = journals.ledger.last_number
        parts: list[tuple[Ask, InterruptVerdict]] = []
        for one in ask.parts:
            same = journals.inbox.open_with(key_of(one, verdict.scope))
            fresh += same is None
            judged = replace(verdict, number=fresh if same is None else same.number)
            if same is not None and not (judged.admitted and same.state == "deferred" and _anew(judged, one, same.ask)):
                judged = _joined(judged, same.ask)
            parts.append((one, judged))
        new = next((judged for _, judged in parts if not judged.joined), parts[0][1])
        verdict = self._told(replace(new, numbers=tuple(judged.number for _, judged in parts)), ask)
        parts.sort(key=lambda part: part[1] is not new)  # what is charged stands first
        return self._lines([(one, verdict if judged is new else judged) for one, judged in parts], now)

    def _told(self, verdict: InterruptVerdict, ask: Ask) -> InterruptVerdict:
        """``verdict`` with what the agent and the person are told where it is not admitted."""
        if verdict.admitted:
            return verdict
        return replace(
            verdict, text=inbox_text.deferral(verdict, ask, self.journals.policy), note=inbox_text.note(verdict, ask)
        )

    def _lines(
        self, parts: list[tuple[Ask, InterruptVerdict]], now: int
    ) -> tuple[list[InterruptRecord], tuple[InterruptVerdict, list[Asked]]]:
        expires = now + round(self.journals.config.inbox.expiry_hours * inbox_text.HOUR_MS)
        lead = parts[0][1]
        lines = [record(parts[0][0], lead, now, self.journals.window, expires)]
        for one, judged in parts[1:]:
            further, id = "" if judged.joined else lead.id, uuid.uuid4().hex[:16]
            lines.append(record(one, judged, now, self.journals.window, expires, id=id, lead=further))
        return list(lines), (lead, lines)

    def delivered(self, verdict: InterruptVerdict, now_ms: int | None = None) -> None:
        """``verdict``'s ask was shown; its charge is final."""
        self._settle(verdict, "delivered", now_ms)

    def failed(self, verdict: InterruptVerdict, now_ms: int | None = None) -> None:
        """``verdict``'s ask could not be shown: the charge is given back, the ask waits in the inbox."""
        self._settle(verdict, "failed", now_ms)

    def _settle(self, verdict: InterruptVerdict, how: Literal["delivered", "failed"], now_ms: int | None) -> None:
        if not (verdict.charged or verdict.counted) or verdict.joined:
            return
        now = clock.now_ms() if now_ms is None else now_ms

        def settle() -> tuple[list[InterruptRecord], None]:
            if verdict.id not in self.journals.ledger.open:
                return [], None
            return [Settled(id=verdict.id, ms=now, how=how)], None

        with self.journals.lock:
            self.journals.write_interrupts(now, settle)
            if how == "failed":
                self.journals.refresh(now)

    def answers(self, session: str, scope: str, *, starting: bool = False, now_ms: int | None = None) -> list[str]:
        """Texts for ``session`` of answers to its asks that it has not been told, each handed over once.

        :param starting: the session has just begun: answers to earlier sessions of ``scope`` that never came back, too.
        """
        now, session = clock.now_ms() if now_ms is None else now_ms, name(session)
        journals = self.journals
        with self.journals.lock:
            journals.refresh(now)
            try:
                path = scopes.parse(scope)
            except LimitError:
                path, starting = scopes.ROOT, False
            if not journals.inbox.owed(session, path, starting=starting):
                return []

            def hand_over() -> tuple[list[InboxRecord], list[str]]:
                owed = journals.inbox.owed(session, path, starting=starting)
                told: list[InboxRecord] = [AnswerTold(number=entry.number, ms=now, session=session) for entry in owed]
                return told, [inbox_text.answer(entry, now, session) for entry in owed]

            return journals.write_inbox(hand_over)

    def close_elsewhere(
        self, session: str, tool_use_id: str, answers: str = "", now_ms: int | None = None, *, each: Mapping[str, str] = {}
    ) -> int:
        """The tool call's questions were answered in its session: their entries close. The first's number, 0: none was open.

        :param answers: what was answered, all in one; ``each``: by question, where that is known.
        """
        now = clock.now_ms() if now_ms is None else now_ms
        journals = self.journals
        with journals.lock:
            journals.refresh(now)
            numbers = journals.ledger.numbers_of(name(session), name(tool_use_id))
            said = {seal(without_tag(question), MAX_QUESTION): text for question, text in each.items()}

            def close() -> tuple[list[InboxRecord], int]:
                held = [journals.inbox.entries[number] for number in numbers if number in journals.inbox.entries]
                closing = [entry for entry in held if entry.open]
                records: list[InboxRecord] = [
                    InterruptClosed(
                        number=entry.number, ms=now, text=seal(said.get(entry.ask.question, answers), MAX_ANSWER)
                    )
                    for entry in closing
                ]
                return records, closing[0].number if closing else 0

            return journals.write_inbox(close) if numbers else 0

    def sessions(self, now_ms: int) -> set[tuple[str, str]]:
        """(agent, session) of every session that still has an open ask or an approval in the inbox."""
        with self.journals.lock:
            self.journals.refresh(now_ms)
            return self.journals.inbox.sessions()

    def end_session(self, session: str, now_ms: int | None = None) -> list[int]:
        """The session is gone, and its open asks and unused approvals with it; their numbers."""
        now, session = clock.now_ms() if now_ms is None else now_ms, name(session)
        journals = self.journals

        def end() -> tuple[list[InboxRecord], list[int]]:
            numbers = [entry.number for entry in journals.inbox.left_by(session)]
            return [SessionOver(number=number, ms=now) for number in numbers], numbers

        with journals.lock:
            journals.refresh(now)
            return journals.write_inbox(end) if session and journals.inbox.left_by(session) else []

    def observe(
        self, kind: str, session: str, tool_use_id: str = "", now_ms: int | None = None, *, possible: bool = False
    ) -> bool:
        """A prompt that the agent's host shows by itself (``permission``, ``notification``): counted once with the tool
        call that caused it, on an account of its own, never answered. Whether it was counted now.

        :param possible: the host may show it, or not; a later notification says that it did.
        """
        now = clock.now_ms() if now_ms is None else now_ms
        journals = self.journals
        seen = Observed(
            ms=now,
            what=clean(kind, 40),
            window=str(journals.window),
            session=name(session),
            tool_use_id=name(tool_use_id),
            possible=possible,
        )

        def count() -> tuple[list[InterruptRecord], bool]:
            counted = journals.ledger.counted(seen)
            return ([] if counted else [seen]), not counted

        return journals.write_interrupts(now, count)

    def tick(self, now_ms: int | None = None) -> TickResult:
        """What is due: expiries with their fallback, reservations a crash left open, the digest. Call it every minute."""
        now = clock.now_ms() if now_ms is None else now_ms
        journals = self.journals
        with journals.lock:
            journals.refresh(now)
            recovered = journals.write_interrupts(now, lambda: self._recover(now)) if journals.ledger.stale(now) else []
            expired = journals.write_inbox(lambda: self._expire(now)) if journals.inbox.due(now) else []
            return TickResult(expired, recovered, self._digest(now))

    def _recover(self, now: int) -> tuple[list[InterruptRecord], list[int]]:
        stale = self.journals.ledger.stale(now)
        return [Settled(id=asked.id, ms=now, how="recovered") for asked in stale], [asked.number for asked in stale]

    def _expire(self, now: int) -> tuple[list[InboxRecord], list[int]]:
        return expired(self.journals, now), [entry.number for entry in self.journals.inbox.due(now)]

    def _digest(self, now: int) -> bool:
        journals = self.journals

        def claim() -> tuple[list[InboxRecord], str]:
            waiting, last = journals.inbox.waiting(), journals.inbox.last_digest_ms
            if not waiting or not inbox_text.digest_due(journals.config.inbox.digest_hours, journals.policy.zone, now, last):
                return [], ""
            return [Digested(ms=now, waiting=len(waiting))], inbox_text.digest(waiting)

        if self._notify is None or not journals.config.inbox.notify or not claim()[1]:
            return False
        text = journals.write_inbox(claim)
        count = len(journals.inbox.waiting())
        return bool(text) and self._notify(f"{count} ask{' waits' if count == 1 else 's wait'} for you", text)

    def status(self, now_ms: int | None = None) -> dict[str, object]:
        """The account now: per scope what is spent, its ceiling and its bar; what waits; what a person should look at."""
        now = clock.now_ms() if now_ms is None else now_ms
        journals = self.journals
        with journals.lock:
            journals.refresh(now)
            waiting = journals.inbox.waiting()
            rows = scope_rows(journals, now)
            return {
                "policy": journals.policy.hash,
                "window": str(journals.window),
                "scopes": rows,
                "observed": journals.ledger.observed.spent[scopes.ROOT],
                "possible": journals.ledger.possible.spent[scopes.ROOT],
                "open_reservations": len(journals.ledger.open),
                "waiting": {
                    "pending": sum(entry.state == "pending" for entry in waiting),
                    "deferred": sum(entry.state == "deferred" for entry in waiting),
                },
                "counted": {what: account.spent[scopes.ROOT] for what, account in journals.ledger.counted_asks.items()},
                "verdicts": dict(sorted(journals.ledger.outcomes.items())),
                "exclusions": exclusion_rows(journals, now),
                "damaged": journals.damaged,
                "alarms": [
                    f"high stakes passed {row['bypass']} times in {path}, more than its ceiling of {row['ceiling']}"
                    for path, row in rows.items()
                    if int(str(row["bypass"])) > int(str(row["ceiling"]))
                ],
            }


def scope_rows(journals: InterruptJournals, now_ms: int) -> dict[str, dict[str, object]]:
    """Counters of every scope that is configured or was charged in this window, the root first."""
    policy, ledger = journals.policy, journals.ledger
    charged = {path for path, spent in ledger.account.spent.items() if spent}
    rows: dict[str, dict[str, object]] = {}
    for path in sorted({scopes.ROOT, *policy.local, *charged}):
        chain = scopes.chain(path)
        full = fullest([ledger.spent(step) for step in chain], policy.ceilings(chain))
        elapsed = journals.window.elapsed(now_ms)
        rows[scopes.shown(path)] = {
            "spent": ledger.spent(path),
            "ceiling": policy.ceiling(path),
            "bypass": ledger.bypassed(path),
            "bar": float(threshold_at(policy.threshold_kind, policy.base, policy.cap, full.ratio, elapsed)),
            "configured": path in policy.local or path == scopes.ROOT,
        }
    return rows


def _anew(verdict: InterruptVerdict, ask: Ask, first: Asked) -> bool:
    """Whether ``ask`` is put to the person although it repeats one that waits: somebody is there by now, it comes with
    other numbers, or the first could not be shown.
    """
    return verdict.counted or first.numbers != clean(numbers_of(ask), MAX_OPTION)


def _approved(verdict: InterruptVerdict, first: Asked) -> InterruptVerdict:
    """``verdict`` as that of what the person approved in the inbox, uncharged: it was asked for once."""
    reason = f"the person approved ask #{first.number}"
    return replace(
        verdict, outcome="admit", rule="approved", reason=reason, number=first.number, numbers=(first.number,),
        joined=first.id, bypass=False,
    )  # fmt: skip


def _joined(verdict: InterruptVerdict, first: Asked) -> InterruptVerdict:
    """``verdict`` as that of the ask it repeats, uncharged."""
    return replace(
        verdict,
        outcome=first.outcome,
        rule="joined",
        reason=f"the same ask waits as #{first.number}; {first.reason}",
        joined=first.id,
        bypass=False,
    )
