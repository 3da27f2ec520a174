"""One event's way, without turning back: session, limits, recall, reply. This is the whole of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from borgd.agents import takes_context
from borgd.agents.event import Event, Moment, Reply
from borgd.limits.investigation import convergence
from borgd.limits.investigation.convergence import StopState
from borgd.limits.investigation.tools import count
from borgd.pipeline.correction_stage import CorrectionStage
from borgd.pipeline.interrupt_stage import InterruptStage
from borgd.pipeline.investigation_stage import InvestigationStage
from borgd.pipeline.outcome_stage import OutcomeStage
from borgd.pipeline.recall_stage import RecallStage
from borgd.recall.render import width
from borgd.sessions.other_work import began, called, expanded
from borgd.sessions.repeats import is_repeated
from borgd.sessions.session import PROMPT_CHARS, REMEMBERED_EVENTS, Session, apply_event, is_end, is_of_a_person

KEPT_STOPS = 4
"""guard: Stops of a session that are compared."""
POSTPONED_MS = 900_000
"""guard: a Stop waits this long for agents in the background; then it is taken as one."""
NEW_SESSIONS = ("", "startup")
"""host: what agents call the start of a session that is new; some say nothing."""
BETWEEN = "\n\n"
"""design: what stands between two texts for the agent."""


class Pipeline:
    """The stages in their order. ``handle`` is called for one event of a session at a time."""

    def __init__(
        self,
        investigations: InvestigationStage,
        interrupts: InterruptStage,
        recall: RecallStage,
        outcomes: OutcomeStage,
        corrections: CorrectionStage,
    ) -> None:
        self.investigations = investigations
        self.interrupts = interrupts
        self.recall = recall
        self.outcomes = outcomes
        self.corrections = corrections
        self.greet: Callable[[int], Awaitable[str]] = _nobody
        """What to tell the person at a session's start."""
        self._waits: dict[tuple[str, ...], int] = {}
        """By turn: since when its Stop waits for agents in the background."""
        self.not_enforced: dict[str, int] = {}
        """Calls that ran although they were denied, by agent and tool: there its limits are advice."""

    async def handle(self, session: Session, event: Event, now_ms: int) -> Reply:
        """What the agent is to be told about ``event``; a duplicate is told nothing and changes nothing."""
        if event.moment is Moment.OTHER or is_repeated(session, event, now_ms):
            return Reply()
        await self.take(session, event, now_ms)
        reply = await self.answer(session, event, now_ms)
        reply.told = tuple(entry.id for decision in session.choices for entry in decision.pool if entry.shown)
        return reply

    async def answer(self, session: Session, event: Event, now_ms: int) -> Reply:
        """The stage of the event's moment."""
        match event.moment:
            case Moment.SESSION_START:
                return await self.begin(session, event, now_ms)
            case Moment.PROMPT:
                return await self.prompt(session, event, now_ms)
            case Moment.SUBAGENT_START | Moment.EXPANSION:
                return await self.other_work(session, event, now_ms)
            case Moment.BEFORE_TOOL:
                return await self.before_tool(session, event, now_ms)
            case Moment.MODEL_SWITCH:
                return await self.investigations.before_switch(event, now_ms)
            case Moment.AFTER_TOOL:
                return await self.after_tool(session, event, now_ms)
            case Moment.STOP:
                return await self.stop(session, event, now_ms)
            case Moment.PERMISSION | Moment.NOTIFICATION:
                return await self.interrupts.observe(session, event, now_ms)
            case Moment.SUBAGENT_STOP:
                await self.investigations.subagent_stop(event, now_ms)
                await self.outcomes.at_stop(session, event, now_ms)
            case Moment.SESSION_END if is_end(event):
                await self.outcomes.ended(session, f"the session ended ({event.source or 'no reason given'})", now_ms)
                if session.decisions:
                    session.write(("#borg-ended", str(now_ms)))
        return Reply()

    async def take(self, session: Session, event: Event, now_ms: int) -> None:
        """Take ``event`` into the session; where a turn begins with it whose prompt was lost, budgets begin anew as well.

        A session that is gone takes what it asked with it.
        """
        turn = session.turns.now.number
        apply_event(session, event, now_ms)
        self.recall.knowledge.works_in(session.cwd, session.remote)
        if session.turns.now.number != turn and event.moment is not Moment.PROMPT:
            await self.investigations.prompt(event, now_ms)
        if event.moment is Moment.SESSION_END and event.source != "resume":
            await self.interrupts.ended(session, now_ms)

    async def begin(self, session: Session, event: Event, now_ms: int) -> Reply:
        """A session starts or goes on: for the agent what compaction took away, for the person what there was last time."""
        if event.source == "compact":
            return Reply(context=self.compacted(session))
        is_new = event.source in NEW_SESSIONS and not self.is_quiet(session)
        return Reply(note=await self.greet(now_ms) if is_new else "")

    def let_go(self, session: Session) -> None:
        """The session is silent for long: its file and journals have what is known of it, memory keeps nothing."""
        self.investigations.let_go(session)
        self.interrupts.let_go(session)

    def compacted(self, session: Session) -> str:
        """What the agent was told and no longer sees; told once, whether a hook or the transcript speaks of it first."""
        session.compactions_answered = max(session.compactions_answered + 1, session.compactions)
        return "" if self.is_quiet(session) else self.recall.after_compaction(session)

    def is_quiet(self, session: Session) -> bool:
        """Whether the repository that the session works in wants no lesson and no hint; limits stay."""
        own = self.investigations.own.of(session.cwd)
        return own is not None and own.off

    async def prompt(self, session: Session, event: Event, now_ms: int) -> Reply:
        """A person spoke: what it corrects, what it opens, what it brings up, what waits to be handed over."""
        if not is_of_a_person(event):
            return Reply()
        if session.compactions > session.compactions_answered and (again := self.compacted(session)):
            session.tell_later(again)
        await self.interrupts.heard(session, event, now_ms)
        heard = await self.corrections.prompt(session, event, now_ms)
        await self.investigations.prompt(event, now_ms)
        return await self.context(session, event, heard, now_ms)

    async def other_work(self, session: Session, event: Event, now_ms: int) -> Reply:
        """Work that no person typed: what a slash command or a subagent is to do."""
        if event.moment is Moment.EXPANSION:
            expanded(session, event)
        else:
            began(session, event)
        return await self.context(session, event, "", now_ms) if session.new_work else Reply()

    async def before_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """May the call go on? What was denied is remembered, for hosts that let it run all the same."""
        reply = await self.limits(session, event, now_ms)
        self.outcomes.may_commit(session, event)
        hears = takes_context(event)
        if not reply.deny:
            called(session, event)
            if not hears:
                told = ""  # it comes when the call is over
            elif session.new_work:  # the transcript told of it after the prompt
                told = (await self.context(session, event, "", now_ms)).context
            else:
                told = await self.recall.before_edit(session, event, now_ms)
            reply.context = BETWEEN.join(text for text in (reply.context, told) if text)
        if reply.context and not hears:
            session.tell_later(reply.context)
            reply.context = ""
        if reply.deny and event.tool is not None and event.tool.id:
            session.denied[event.tool.id] = None
            while len(session.denied) > REMEMBERED_EVENTS:
                session.denied.popitem(last=False)
        return reply

    async def limits(self, session: Session, event: Event, now_ms: int) -> Reply:
        """Nothing, or a denial: by the investigation's budget first, then by the account of interruptions."""
        judged = await self.investigations.before_tool(event, now_ms)
        if judged.deny:
            return judged
        asked = await self.interrupts.before_tool(session, event, now_ms)
        if asked.deny:
            await self.investigations.stopped_elsewhere(event, now_ms)
        return Reply(context=judged.context, deny=asked.deny, input=asked.input, note=asked.note)

    async def after_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """A tool call is over: what it changed and cost, what it names for the first time."""
        if event.tool is not None and event.tool.id in session.denied and not event.tool.failed:
            del session.denied[event.tool.id]
            what = f"{event.agent} {event.tool.name}"
            self.not_enforced[what] = self.not_enforced.get(what, 0) + 1
        await self.investigations.after_tool(event, now_ms)
        await self.interrupts.after_tool(session, event, now_ms)
        self.outcomes.saw_tool(session, event, changing=changes(event))
        await self.outcomes.tests_turned(session, event, now_ms)
        await self.outcomes.committed(session, event, now_ms)
        heard = await self.corrections.tool(session, event, now_ms)
        return await self.context(session, event, heard, now_ms)

    async def stop(self, session: Session, event: Event, now_ms: int) -> Reply:
        """The agent is about to finish: judge what it was asked before, then ask, at most once a prompt."""
        await self.investigations.stop(event)
        if self.postponed(session, event, now_ms):
            await self.outcomes.at_stop(session, event, now_ms, goes_on=True)
            return Reply()
        await self.outcomes.at_stop(session, event, now_ms)
        if nothing_new(session):
            return Reply()
        block = "" if self.is_quiet(session) else await self.recall.stop(session, event, now_ms)
        if block:
            session.blocked_at = (event.last_message[:PROMPT_CHARS], now_ms)
        return Reply(block=block)

    def postponed(self, session: Session, event: Event, now_ms: int) -> bool:
        """Whether the turn goes on after this Stop: agents that it started still work, and have not for too long."""
        turn = (*session.key, session.prompt_id)
        if not event.running:
            self._waits.pop(turn, None)
            return False
        began_ms = self._waits.setdefault(turn, now_ms)
        while len(self._waits) > REMEMBERED_EVENTS:
            del self._waits[next(iter(self._waits))]
        return now_ms - began_ms < POSTPONED_MS

    async def context(self, session: Session, event: Event, heard: str, now_ms: int) -> Reply:
        """What was heard, people's answers, what waited, what comes up now: as much as the host takes; the rest waits.

        Where the host drops what it is told with this event, all of it waits.
        """
        if quiet := self.is_quiet(session):
            heard, session.free = "", []
        if not takes_context(event):
            if heard:
                session.tell_later(heard)
            return Reply()
        texts = [text for text in (heard, *await self.interrupts.waiting(session, now_ms), *session.free) if text]
        room = self.recall.policy.host_chars
        fitting = 0
        for text in texts:
            room -= width(text) + len(BETWEEN)
            if room < 0 and fitting:
                break
            fitting += 1
        session.free = texts[fitting:]
        event, session.new_work = _brought_up(event, session.new_work), []
        early = "" if session.free or quiet else await self.recall.early(session, event, now_ms, room)
        return Reply(context=BETWEEN.join([*texts[:fitting], *([early] if early else [])]))


async def _nobody(_: int) -> str:
    """Nothing."""
    return ""


def _brought_up(event: Event, work: list[str]) -> Event:
    """``event`` as recall sees it: where it brought new work, as the prompt that this is."""
    if not work:
        return event
    return msgspec.structs.replace(event, moment=Moment.PROMPT, prompt="\n".join([*work, event.prompt]).strip())


def nothing_new(session: Session) -> bool:
    """Whether this Stop has nothing that the last one had not: no change, no question, no answer."""
    now = StopState(
        work=frozenset({f"{session.prompt_id} {session.edits}"}),
        asked=frozenset(session.asked),
        answered=frozenset(name for _, name in session.judged),
    )
    session.stops = [*session.stops[-KEPT_STOPS + 1 :], now]
    return convergence.nothing_new(session.stops)


def changes(event: Event) -> bool:
    """Whether a finished tool call changed state, as far as can be told from the call."""
    return event.tool is not None and count(event.agent, event.tool, event.cwd).kind == "change"
