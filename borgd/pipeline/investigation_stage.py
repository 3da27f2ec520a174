"""Investigations and specialists in a session's course: both accounts judge a tool call, the verdicts go to the trail.

Turns and tokens come from the transcript as it is read; they are held back until the next call, prompt or Stop of the
session, so that one record on the disk serves for all of it, and each message counts once however often it is read.
The accounts block on the disk, so they are asked in worker threads.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread

from borgd import clock
from borgd.agents.event import Event, Reply, ToolCall
from borgd.agents.transcript import TranscriptFact
from borgd.config.schema import Config
from borgd.errors import BorgError
from borgd.limits.investigation.ledger import MessageUsage
from borgd.paths import Paths
from borgd.sessions.session import Session
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.escalations import EscalationStore, matches
from borgd.stores.investigations import InvestigationStore
from borgd.stores.repository import name as repository_name
from borgd.stores.repository_config import AllowedFiles, RepositoryConfigs

HELD_BACK = 4_096
"""guard: messages and calls held back per session until its next event, and sessions they are held back for."""

T = TypeVar("T")


class _SessionUsage:
    """What the transcript told of one session and is not recorded yet."""

    def __init__(self) -> None:
        self.messages: OrderedDict[str, MessageUsage] = OrderedDict()
        self.announced: OrderedDict[str, ToolCall] = OrderedDict()
        self.ran: OrderedDict[str, ToolCall] = OrderedDict()


class InvestigationStage:
    """The pipeline's side of the two accounts."""

    def __init__(self, where: Paths, config: Config, trail: AuditTrail | None = None) -> None:
        self.trail = trail or AuditTrail(where)
        self.own = RepositoryConfigs(AllowedFiles(where.data))
        self.config = config
        self.store = InvestigationStore(
            where.state / "investigations", config.investigation, repository=repository_name, own=self.own.limits_of
        )
        self.escalations = EscalationStore(where, config.escalation)
        self.problem = ""
        """Why nothing can be counted now; empty where it can."""
        self.uncounted = 0
        """Events that the limits could not count because the disk refused."""
        self._usage: OrderedDict[tuple[str, str, str], _SessionUsage] = OrderedDict()

    def configure(self, config: Config) -> None:
        """Settings changed."""
        self.config = config
        self.store.configure(config.investigation)
        self.escalations.configure(config.escalation)

    async def before_tool(self, event: Event, now_ms: int) -> Reply:
        """Nothing, a reason why the call may not run, or once, in passing, that a budget is reached."""
        return await self._said(Reply(), self._before, event, self._use(event), now_ms)

    def _before(self, event: Event, use: list[MessageUsage], now_ms: int) -> Reply:
        if self.escalations.specialist(event):
            self.store.report(event.session, use)
            use = []
            judged = self.escalations.before_tool(event, self.store.ledger(event.session), now_ms)
            if judged is not None:
                self.trail.later([judged.audit], now_ms)
                if judged.deny_reason:
                    return Reply(deny=judged.deny_reason)
        verdict = self.store.before_tool(event, use, now_ms, self.trail.background.put)
        if verdict.audit is not None:
            self.trail.later([verdict.audit], now_ms)
        return Reply(deny=verdict.deny_reason, context=verdict.context, note=verdict.note)

    async def before_switch(self, event: Event, now_ms: int) -> Reply:
        """Nothing, or a reason why the session may not change to the model that ``event`` names."""
        return await self._said(Reply(), self._before_switch, event, self._use(event), now_ms)

    def _before_switch(self, event: Event, use: list[MessageUsage], now_ms: int) -> Reply:
        self.store.report(event.session, use)
        judged = self.escalations.before_switch(event, event.model, self.store.ledger(event.session), now_ms)
        if judged is None:
            return Reply()
        self.trail.later([judged.audit], now_ms)
        return Reply(deny=judged.deny_reason)

    async def stopped_elsewhere(self, event: Event, now_ms: int) -> None:
        """Another limit denied the call that this one had allowed."""
        await self._said(None, self.store.released, event, now_ms)

    async def after_tool(self, event: Event, now_ms: int) -> None:
        """The call is over; one nobody announced is counted, from its hook or from the transcript."""
        ran = self._of(event).ran
        calls = list(ran.values())
        ran.clear()

        def work() -> None:
            self.store.after_tool(event, now_ms)
            for call in calls:
                self.store.saw_call(event, call, now_ms)

        await self._said(None, work)

    async def prompt(self, event: Event, now_ms: int) -> None:
        """A person's prompt: what came before it belongs to the investigation before, then a new one opens."""
        use = self._use(event)

        def work() -> None:
            self.store.report(event.session, use)
            self.store.prompt(event, now_ms)

        await self._said(None, work)

    async def stop(self, event: Event) -> None:
        """The agent is about to finish: what it used is recorded."""
        await self._said(None, self.store.report, event.session, self._use(event))

    async def subagent_stop(self, event: Event, now_ms: int) -> None:
        """A subagent is over: what it used is recorded, its investigation ends."""
        use = self._use(event)

        def work() -> None:
            self.store.report(event.session, use)
            self.store.subagent_stop(event, now_ms)

        await self._said(None, work)

    async def _said(self, otherwise: T, work: Callable[..., T], *arguments: Any) -> T:
        """What ``work`` in a worker thread says; ``otherwise`` where the disk refuses, which stops nothing else."""
        try:
            said = await _blocking(work, *arguments)
        except (BorgError, OSError) as error:
            if self.problem != str(error):
                logging.getLogger("borgd.pipeline").warning("not counted by the limits: %s", error)
            self.problem = str(error)
            self.uncounted += 1
            return otherwise
        if work == self._before:
            self.problem = ""
        return said

    def let_go(self, session: Session) -> None:
        """Keep nothing of the session in memory."""
        self._usage.pop(session.key, None)
        if not session.subagent:
            self.store.let_go(session.id)

    def saw_fact(self, session: Session, fact: TranscriptFact, now_ms: int) -> None:
        """The transcript told of a message's tokens or of a call that has run. A session hears of its own only."""
        if fact.subagent != session.subagent:
            return
        heard = self._usage_of(session.agent, session.id, session.subagent)
        if fact.kind == "usage" and fact.total is not None:
            heard.messages[fact.id] = MessageUsage(
                id=fact.id,
                subagent=fact.subagent,
                context=fact.total.input_tokens + fact.total.cache_creation_input_tokens,
                model=fact.total.output_tokens,
                cached=fact.total.cache_read_input_tokens,
                specialist=matches(fact.model, self.config.escalation.specialists),
                ms=now_ms,
            )
        elif fact.kind == "call" and fact.id:
            heard.announced[fact.id] = ToolCall(name=fact.tool, id=fact.id, input=fact.input)
        elif fact.kind == "result" and fact.id in heard.announced:
            call = heard.announced.pop(fact.id)
            if not fact.failed:
                heard.ran[fact.id] = call
        _bound(heard.messages, heard.announced, heard.ran)

    def _usage_of(self, agent: str, session: str, subagent: str) -> _SessionUsage:
        key = (agent, session, subagent)
        heard = self._usage.setdefault(key, _SessionUsage())
        self._usage.move_to_end(key)
        _bound(self._usage)
        return heard

    def _of(self, event: Event) -> _SessionUsage:
        return self._usage_of(event.agent, event.session, event.subagent)

    def _use(self, event: Event) -> list[MessageUsage]:
        heard = self._of(event)
        use = list(heard.messages.values())
        heard.messages.clear()
        return use

    def status(self) -> dict[str, Any]:
        """For ``borg status``."""
        now_ms = clock.now_ms()
        holding = self.escalations.store.effective()
        verdicts = self.trail.counts()
        return {
            "policy": {"hash": holding.policy.hash, "source": holding.source, "problems": list(holding.problems)},
            "investigations": {**self.store.summary(now_ms), "denied": verdicts.get("investigation", {}).get("deny", 0)},
            "verdicts": verdicts,
            "repositories": list(self.own.problems.values()),
            "uncounted": self.uncounted + self.trail.background.failed,
            "disk": self.problem or self.trail.background.problem,
        }


def _bound(*kept: OrderedDict[Any, Any]) -> None:
    for one in kept:
        while len(one) > HELD_BACK:
            one.popitem(last=False)


async def _blocking(work: Callable[..., T], *arguments: Any) -> T:
    return await anyio.to_thread.run_sync(partial(work, *arguments))
