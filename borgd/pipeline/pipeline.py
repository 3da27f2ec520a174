"""One event's way, without turning back: session, limits, recall, reply. This is the whole of it."""

from __future__ import annotations

from borgd.agents.event import Event, Moment, Reply
from borgd.pipeline.correction_stage import Listening
from borgd.pipeline.limits_stage import Limiting
from borgd.pipeline.outcome_stage import Learning
from borgd.pipeline.recall_stage import Recalling
from borgd.recall.render import width
from borgd.sessions.session import PROMPT_CHARS, REMEMBERED_EVENTS, Session, apply_event, is_end, is_of_a_person, is_repeated

BETWEEN = "\n\n"
"""design: what stands between two texts for the agent."""


class Pipeline:
    """The stages in their order. ``handle`` is called for one event of a session at a time."""

    def __init__(self, limiting: Limiting, recalling: Recalling, learning: Learning, listening: Listening) -> None:
        self.limiting = limiting
        self.recalling = recalling
        self.learning = learning
        self.listening = listening
        self.not_enforced: dict[str, int] = {}
        """Calls that ran although they were denied, by agent and tool: there its limits are advice."""

    async def handle(self, session: Session, event: Event, now_ms: int) -> Reply:
        """What the agent is to be told about ``event``; a duplicate is told nothing and changes nothing."""
        if event.moment is Moment.OTHER or is_repeated(session, event, now_ms):
            return Reply()
        apply_event(session, event, now_ms)
        match event.moment:
            case Moment.SESSION_START:
                return Reply(context=self.compacted(session) if event.source == "compact" else "")
            case Moment.PROMPT:
                return await self.prompt(session, event, now_ms)
            case Moment.BEFORE_TOOL:
                return await self.before_tool(session, event, now_ms)
            case Moment.MODEL_SWITCH:
                return await self.limiting.metering.before_switch(event, now_ms)
            case Moment.AFTER_TOOL:
                return await self.after_tool(session, event, now_ms)
            case Moment.STOP:
                return await self.stop(session, event, now_ms)
            case Moment.PERMISSION | Moment.NOTIFICATION:
                await self.limiting.observe(session, event, now_ms)
            case Moment.SUBAGENT_STOP:
                await self.limiting.subagent_stop(event, now_ms)
                await self.learning.at_stop(session, event, now_ms)
            case Moment.SESSION_END if is_end(event):
                await self.learning.ended(session, f"the session ended ({event.source or 'no reason given'})", now_ms)
                if session.decisions:
                    session.write(("#borg-ended", str(now_ms)))
        return Reply()

    def compacted(self, session: Session) -> str:
        """What the agent was told and no longer sees; told once, whether a hook or the transcript speaks of it first."""
        session.compactions_answered = max(session.compactions_answered + 1, session.compactions)
        return self.recalling.after_compaction(session)

    async def prompt(self, session: Session, event: Event, now_ms: int) -> Reply:
        """A person spoke: what it corrects, what it opens, what it brings up, what waits to be handed over."""
        if not is_of_a_person(event):
            return Reply()
        if session.compactions > session.compactions_answered and (again := self.compacted(session)):
            session.tell_later(again)
        heard = await self.listening.prompt(session, event, now_ms)
        await self.limiting.prompt(event, now_ms)
        return await self.context(session, event, heard, now_ms)

    async def before_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """May the call go on? What was denied is remembered, for hosts that let it run all the same."""
        reply = await self.limiting.before_tool(session, event, now_ms)
        self.learning.may_commit(session, event)
        if reply.deny and event.tool is not None and event.tool.id:
            session.denied[event.tool.id] = None
            while len(session.denied) > REMEMBERED_EVENTS:
                session.denied.popitem(last=False)
        return reply

    async def after_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """A tool call is over: what it changed and cost, what it names for the first time."""
        if event.tool is not None and event.tool.id in session.denied and not event.tool.failed:
            del session.denied[event.tool.id]
            what = f"{event.agent} {event.tool.name}"
            self.not_enforced[what] = self.not_enforced.get(what, 0) + 1
        await self.limiting.after_tool(session, event, now_ms)
        self.learning.saw_tool(session, event, changing=self.limiting.changes(event))
        await self.learning.tests_turned(session, event, now_ms)
        await self.learning.committed(session, event, now_ms)
        heard = await self.listening.tool(session, event, now_ms)
        return await self.context(session, event, heard, now_ms)

    async def stop(self, session: Session, event: Event, now_ms: int) -> Reply:
        """The agent is about to finish: judge what it was asked before, then ask, at most once a prompt."""
        if event.background:  # the agent waits for something it started: the turn is not over
            return Reply()
        await self.limiting.stop(event)
        await self.learning.at_stop(session, event, now_ms)
        if self.limiting.nothing_new(session):
            return Reply()
        block = await self.recalling.stop(session, event, now_ms)
        if block:
            session.blocked_at = (event.last_message[:PROMPT_CHARS], now_ms)
        return Reply(block=block)

    async def context(self, session: Session, event: Event, heard: str, now_ms: int) -> Reply:
        """What was heard, people's answers, what waited, what comes up now: as much as the host takes; the rest waits."""
        texts = [text for text in (heard, *await self.limiting.waiting(session, now_ms), *session.free) if text]
        room = self.recalling.policy.host_chars
        fitting = 0
        for text in texts:
            room -= width(text) + len(BETWEEN)
            if room < 0 and fitting:
                break
            fitting += 1
        session.free = texts[fitting:]
        early = "" if session.free else await self.recalling.early(session, event, now_ms, room)
        return Reply(context=BETWEEN.join([*texts[:fitting], *([early] if early else [])]))
