"""The limits stage of an event: may it go on? Investigations, interruptions of people, specialists."""

from __future__ import annotations

from borgd import clock
from borgd.agents.claude_code.transcript import Fact
from borgd.agents.event import Event, Reply
from borgd.clock import machine_zone
from borgd.config.schema import Config
from borgd.limits.audit import Entry
from borgd.limits.investigation.convergence import Stop, nothing_new
from borgd.limits.investigation.tools import count
from borgd.paths import Places
from borgd.pipeline.interrupt_stage import Interrupting
from borgd.pipeline.investigation_stage import Metering
from borgd.sessions.session import Session
from borgd.stores.audit_trail import AuditTrail
from borgd.stores.desktop_notice import notify
from borgd.stores.interrupt_store import InterruptDesk

KEPT_STOPS = 4
"""guard: Stops of a session that are compared."""


class Limiting:
    """Asks the three accounts before a tool call, and tells them what happened. Every verdict goes into one trail."""

    def __init__(self, where: Places, config: Config) -> None:
        self.trail = AuditTrail(where)
        desk = InterruptDesk(
            where.data,
            config,
            zone=machine_zone(),
            audit=self._record,
            notify=notify if config.inbox.notify else None,
        )
        self.interrupting = Interrupting(desk, config, where.journal("inbox"))
        self.metering = Metering(where, config, self.trail)

    def _record(self, entry: Entry) -> None:
        self.trail.record([entry], clock.now_ms())

    def configure(self, config: Config) -> None:
        """Settings changed.

        :raises BorgError: they cannot be used; what was before stays.
        """
        self.interrupting.configure(config)
        self.metering.configure(config)

    async def before_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """Allowed (nothing is said), or denied with what was spent and what to do now."""
        judged = await self.metering.before_tool(event, now_ms)
        if judged.deny:
            return judged
        asked = await self.interrupting.before_tool(session, event, now_ms)
        if asked.deny:
            await self.metering.stopped_elsewhere(event, now_ms)
        return Reply(context=judged.context, deny=asked.deny, input=asked.input)

    async def after_tool(self, session: Session, event: Event, now_ms: int) -> None:
        """The call is over: settle what was reserved, count what was missed."""
        await self.metering.after_tool(event, now_ms)
        await self.interrupting.after_tool(session, event, now_ms)

    async def prompt(self, event: Event, now_ms: int) -> None:
        """A prompt opens an investigation."""
        await self.metering.prompt(event, now_ms)

    async def stop(self, event: Event) -> None:
        """The agent is about to finish: what it used is recorded."""
        await self.metering.stop(event)

    async def observe(self, session: Session, event: Event, now_ms: int) -> None:
        """A permission dialog or a notification: counted, never answered."""
        await self.interrupting.observe(session, event, now_ms)

    async def subagent_stop(self, event: Event, now_ms: int) -> None:
        """A subagent is over."""
        await self.metering.subagent_stop(event, now_ms)

    async def waiting(self, session: Session, now_ms: int) -> list[str]:
        """Answers of people that wait for this session."""
        return await self.interrupting.waiting(session, now_ms)

    def nothing_new(self, session: Session) -> bool:
        """Whether this Stop has nothing that the last one had not: no change, no question, no answer."""
        now = Stop(
            work=frozenset({f"{session.prompt_id} {session.edits}"}),
            asked=frozenset(session.asked),
            answered=frozenset(name for _, name in session.judged),
        )
        session.stops = [*session.stops[-KEPT_STOPS + 1 :], now]
        return nothing_new(session.stops)

    def saw_fact(self, session: Session, fact: Fact) -> None:
        """The transcript told of tokens or of a call that no hook announced."""
        self.metering.saw_fact(session, fact, clock.now_ms())

    def changes(self, event: Event) -> bool:
        """Whether a finished tool call changed state, as far as can be told from the call."""
        return event.tool is not None and count(event.agent, event.tool, event.cwd).kind == "change"
