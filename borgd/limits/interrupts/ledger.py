"""interrupts.jsonl folded: spend per scope, open reservations, exclusions, the asks.

A reservation counts from the moment its line is durable. One that was neither delivered nor failed (a crash in between)
keeps its charge: the question may have been shown, and a charge is given back only by a line that says so. Nothing else
charges, so none is lost and none invented. Mutable, pure, in journal order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from borgd.limits.interrupts.accounts import InterruptAccount
from borgd.limits.interrupts.exclusions import Exclusion, Exclusions
from borgd.limits.interrupts.records import (
    Asked,
    Excluded,
    InterruptRecord,
    Observed,
    Retracted,
    Settled,
    chain_of,
    not_shown,
)
from borgd.limits.interrupts.scopes import ROOT
from borgd.limits.interrupts.verdict import AskKind
from borgd.limits.interrupts.windows import Window, named

NOTIFICATION = "notification"
"""design: how ``what`` begins for a prompt that only says that another one has been waiting."""
SAME_PROMPT_MS = 120_000
"""guard: how long a prompt that names no tool call is taken for the one before it."""
UNSEEN = 1000
"""guard: sessions whose announced dialogs are remembered until they are seen."""
RESERVATION_MS = 300_000
"""guard: an open reservation older than this is settled as recovered: whoever held it is gone."""


class InterruptLedger:
    """The state that ``interrupts.decide`` reads."""

    def __init__(self, window: Window, exclusions: Iterable[Exclusion] = ()) -> None:
        self.account = InterruptAccount(window)
        self.observed = InterruptAccount(window)
        """Dialogs of the agents' own hosts that were seen, and ``possible`` ones that were only announced."""
        self.possible = InterruptAccount(window)
        self.counted_asks: dict[AskKind, InterruptAccount] = {
            what: InterruptAccount(window) for what in ("question", "plan", "permission")
        }
        """Asks that were shown without asking the budget."""
        self.operator = Exclusions(exclusions)
        self.temporary = Exclusions()
        self.open: dict[str, Asked] = {}
        self.last_number = 0
        self.to_queue: dict[int, Asked] = {}
        """Inbox number -> its latest verdict, until ``queued`` says that the inbox has it."""
        self.outcomes: Counter[str] = Counter()
        """Verdicts by rule since the journal began."""
        self._charges: dict[str, tuple[InterruptAccount, int]] = {}
        self._calls: dict[tuple[str, str], tuple[int, ...]] = {}
        self._unseen: dict[str, dict[str, tuple[int, int]]] = {}
        """Session -> call -> (when, its charge on ``possible``), until a notification says that its dialog was seen."""
        self._further: dict[str, list[Asked]] = {}
        """The further questions of calls under way, by the id of the first one's verdict."""
        self._last_prompt_ms: dict[str, int] = {}
        self._last_ask_ms: dict[str, int] = {}

    def spent(self, scope: str) -> int:
        """Charges of ``scope`` and below it in the current window."""
        return self.account.spent[scope]

    def bypassed(self, scope: str) -> int:
        """Of these, the ones that high stakes let through."""
        return self.account.bypassed[scope]

    def excluded(self, source: str, now_ms: int) -> Exclusion | None:
        return self.operator.excluded(source, now_ms) or self.temporary.excluded(source, now_ms)

    def exclusions(self, now_ms: int) -> list[Exclusion]:
        """Every exclusion in force."""
        return [*self.operator.all(now_ms), *self.temporary.all(now_ms)]

    def advance(self, now_ms: int, window: Window) -> None:
        """Make the counters those of ``window`` at ``now_ms``."""
        for account in (self.account, self.observed, self.possible, *self.counted_asks.values()):
            account.advance(now_ms, window)

    def counted(self, observed: Observed) -> bool:
        """Whether the prompt is counted already, as an ask or as observed.

        By its tool call where it names one. Without: a notification belongs to the session's last prompt, a permission
        request to its last ask (some agents raise one for their own question), if that is no older than SAME_PROMPT_MS.
        A notification that says of a possible dialog that it was seen is news.
        """
        session = observed.session
        if observed.what.startswith(NOTIFICATION) and self._announced(observed):
            return False
        if observed.tool_use_id:
            return (session, observed.tool_use_id) in self._calls
        last_ms = (self._last_prompt_ms if observed.what.startswith(NOTIFICATION) else self._last_ask_ms).get(session)
        return last_ms is not None and 0 <= observed.ms - last_ms < SAME_PROMPT_MS

    def numbers_of(self, session: str, tool_use_id: str) -> tuple[int, ...]:
        """The inbox numbers of what this tool call asked, or joined."""
        return tuple(number for number in self._calls.get((session, tool_use_id), ()) if number)

    def queued(self, asked: Asked) -> None:
        """The inbox has ``asked``."""
        if self.to_queue.get(asked.number) == asked:
            del self.to_queue[asked.number]

    def stale(self, now_ms: int) -> list[Asked]:
        """Reservations whose holder is gone."""
        return [asked for asked in self.open.values() if not 0 <= now_ms - asked.ms < RESERVATION_MS]

    def apply(self, record: InterruptRecord) -> None:
        """Fold one line in."""
        match record:
            case Asked():
                self._asked(record)
            case Settled():
                self._settled(record)
            case Observed():
                self._observed(record)
            case Excluded():
                self.temporary.exclude(
                    Exclusion(
                        source=record.source,
                        tier=record.tier,
                        cause=record.cause,
                        since_ms=record.ms,
                        expires_ms=record.expires_ms,
                    )
                )
            case Retracted():
                self.temporary.retract(record.source, record.cause)

    def _asked(self, asked: Asked) -> None:
        self.advance(asked.ms, named(asked.window))
        self.last_number = max(self.last_number, asked.number)
        if not asked.lead:
            self.outcomes["joined" if asked.joined else asked.rule] += 1
        self._prompted(asked.session, asked.tool_use_id, asked.ms, asked.number)
        if asked.session:
            self._last_ask_ms[asked.session] = asked.ms
        if asked.outcome == "excluded" or asked.joined:
            return
        self.to_queue[asked.number] = asked
        if (asked.charged or asked.counted) and asked.id not in self._charges:
            account = self.counted_asks[asked.what] if asked.counted else self.account
            account.advance(asked.ms, named(asked.window))
            self._charges[asked.id] = (account, account.charge(asked.ms, chain_of(asked), bypass=asked.bypass))
            self.open[asked.id] = asked
        elif asked.lead and asked.outcome == "admit":
            self._further.setdefault(asked.lead, []).append(asked)

    def _settled(self, settled: Settled) -> None:
        asked = self.open.pop(settled.id, None)
        if asked is not None and settled.how == "failed":
            account, charge = self._charges[settled.id]
            account.give_back(charge)
            for one in (asked, *self._further.get(asked.id, ())):
                self.to_queue[one.number] = not_shown(one)
        if asked is not None:
            self._further.pop(asked.id, None)

    def _observed(self, observed: Observed) -> None:
        if self.counted(observed):
            return
        session, window = observed.session, named(observed.window)
        self._prompted(session, observed.tool_use_id, observed.ms)
        account = self.possible if observed.possible else self.observed
        if observed.what.startswith(NOTIFICATION) and (call := self._announced(observed)):
            self.possible.advance(observed.ms, window)
            self.possible.give_back(self._unseen[session].pop(call)[1])
        account.advance(observed.ms, window)
        charge = account.charge(observed.ms, (ROOT,), bypass=False)
        if observed.possible and session:
            waiting = self._unseen.pop(session, {})
            recent = {call: one for call, one in waiting.items() if abs(observed.ms - one[0]) < SAME_PROMPT_MS}
            self._unseen[session] = {**recent, observed.tool_use_id or str(charge): (observed.ms, charge)}
            while len(self._unseen) > UNSEEN:
                del self._unseen[next(iter(self._unseen))]

    def _announced(self, notification: Observed) -> str:
        """The call whose possible dialog ``notification`` says was seen: the one it names, else the last; empty: none."""
        unseen = self._unseen.get(notification.session, {})
        recent = [call for call, (ms, _) in unseen.items() if 0 <= notification.ms - ms < SAME_PROMPT_MS]
        return notification.tool_use_id if notification.tool_use_id in recent else next(reversed(recent), "")

    def _prompted(self, session: str, tool_use_id: str, ms: int, number: int = 0) -> None:
        if session:
            self._last_prompt_ms[session] = ms
        if tool_use_id:
            mine = self._calls.get((session, tool_use_id), ())
            self._calls[session, tool_use_id] = mine if number in mine else (*mine, number)
