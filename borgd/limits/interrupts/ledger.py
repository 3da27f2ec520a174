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
from borgd.limits.interrupts.windows import Window, named

NOTIFICATION = "notification"
"""design: how ``what`` begins for a prompt that only says that another one has been waiting."""
SAME_PROMPT_MS = 120_000
"""guard: how long a prompt that names no tool call is taken for the one before it."""
RESERVATION_MS = 300_000
"""guard: an open reservation older than this is settled as recovered: whoever held it is gone."""


class InterruptLedger:
    """The state that ``interrupts.decide`` reads."""

    def __init__(self, window: Window, exclusions: Iterable[Exclusion] = ()) -> None:
        self.account = InterruptAccount(window)
        self.observed = InterruptAccount(window)
        self.operator = Exclusions(exclusions)
        self.temporary = Exclusions()
        self.open: dict[str, Asked] = {}
        self.last_number = 0
        self.to_queue: dict[int, Asked] = {}
        """Inbox number -> its latest verdict, until ``queued`` says that the inbox has it."""
        self.outcomes: Counter[str] = Counter()
        """Verdicts by rule since the journal began."""
        self._charges: dict[str, int] = {}
        self._calls: dict[tuple[str, str], int] = {}
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
        self.account.advance(now_ms, window)
        self.observed.advance(now_ms, window)

    def counted(self, observed: Observed) -> bool:
        """Whether the prompt is counted already, as an ask or as observed.

        By its tool call where it names one. Without: a notification belongs to the session's last prompt, a permission
        request to its last ask (some agents raise one for their own question), if that is no older than SAME_PROMPT_MS.
        """
        session = observed.session
        if observed.tool_use_id:
            return (session, observed.tool_use_id) in self._calls
        last_ms = (self._last_prompt_ms if observed.what.startswith(NOTIFICATION) else self._last_ask_ms).get(session)
        return last_ms is not None and 0 <= observed.ms - last_ms < SAME_PROMPT_MS

    def number_of(self, session: str, tool_use_id: str) -> int:
        """The inbox number that this tool call asked, or joined; 0: none."""
        return self._calls.get((session, tool_use_id), 0)

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
        self.outcomes["joined" if asked.joined else asked.rule] += 1
        self._prompted(asked.session, asked.tool_use_id, asked.ms, asked.number)
        if asked.session:
            self._last_ask_ms[asked.session] = asked.ms
        if asked.outcome == "excluded" or asked.joined:
            return
        self.to_queue[asked.number] = asked
        if asked.charged and asked.id not in self._charges:
            self._charges[asked.id] = self.account.charge(asked.ms, chain_of(asked), bypass=asked.bypass)
            self.open[asked.id] = asked

    def _settled(self, settled: Settled) -> None:
        asked = self.open.pop(settled.id, None)
        if asked is not None and settled.how == "failed":
            self.account.give_back(self._charges[settled.id])
            self.to_queue[asked.number] = not_shown(asked)

    def _observed(self, observed: Observed) -> None:
        if self.counted(observed):
            return
        self._prompted(observed.session, observed.tool_use_id, observed.ms)
        self.observed.advance(observed.ms, named(observed.window))
        self.observed.charge(observed.ms, (ROOT,), bypass=False)

    def _prompted(self, session: str, tool_use_id: str, ms: int, number: int = 0) -> None:
        if session:
            self._last_prompt_ms[session] = ms
        if tool_use_id:
            self._calls[session, tool_use_id] = number
