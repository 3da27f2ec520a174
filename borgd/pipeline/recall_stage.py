"""The recall stage of an event: early when a system is first named, at Stop, and what is handed over free.

Nothing is shown that could not be logged: the decision is durable before its text leaves. At most one block a prompt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import chain, islice
from typing import TypeVar

import anyio.to_thread
import msgspec

from borgd.agents.event import Event, Moment
from borgd.config.schema import Config
from borgd.journal import GroupCommit, Journal
from borgd.lessons.lesson import Lesson
from borgd.lessons.patterns import TEXT_CHARS, PatternHits
from borgd.lessons.redact import redact
from borgd.memory.records import Decision
from borgd.paths import fnv1a
from borgd.recall import render
from borgd.recall.by_cost import choose_block, choose_line
from borgd.recall.choose import Choice, choose_early, choose_stop
from borgd.recall.code_seen import code_stems
from borgd.recall.context import Context
from borgd.recall.early import ANY
from borgd.recall.evidence import Match
from borgd.recall.explain import with_parts
from borgd.recall.policy import RecallPolicy
from borgd.recall.text.scope import named_scopes
from borgd.sessions.session import PROMPTS, Session, touched
from borgd.sessions.work_so_far import command_text, written
from borgd.stores.grader import GRADER_LESSONS, Grader
from borgd.stores.knowledge import Knowledge
from borgd.stores.occasions import OccasionStore

BLOCKS_PER_PROMPT = 1
"""guard: blocks of one user prompt."""
TOPIC_TRIES = 8
"""guard: how often a named system whose lessons did not come up yet is looked at again in one session."""
THREAD_LESSONS = 2000
"""tuned: from this many lessons on a choice is made in a worker thread, so that other hooks do not wait for it."""

CHOICE_MARKS = ("#borg-early", "#borg-asked", "#borg-blocked")
"""Lines of the state file that say what was told. Coins that were thrown stay thrown, told or not."""

T = TypeVar("T")
Choose = Callable[[list[Match], str], Choice]

SCRUBBED_CHARS = 2 * TEXT_CHARS
"""guard: characters of a written text from which secrets are taken out before its first TEXT_CHARS are read; a key of
several lines that begins in those ends in these."""


class RecallStage:
    """Decides what a session hears. ``machine`` names this machine in the records."""

    def __init__(
        self,
        knowledge: Knowledge,
        config: Config,
        commit: GroupCommit,
        decisions: Journal,
        occasions: OccasionStore,
        *,
        machine: str,
        policy: RecallPolicy,
    ) -> None:
        self.knowledge = knowledge
        self.commit = commit
        self.decisions = decisions
        self.occasions = occasions
        self.machine = machine
        self.policy = policy
        self.fixed = config.recall.holdout
        self.never_withheld = frozenset(config.recall.never_withheld)
        self.grader = Grader(config.recall.grader)
        self.undelivered = 0
        """Decisions whose text came too late for the agent."""
        self._count = 0

    def configure(self, config: Config, policy: RecallPolicy) -> None:
        """Settings changed."""
        self.policy = policy
        self.fixed = config.recall.holdout
        self.never_withheld = frozenset(config.recall.never_withheld)
        self.grader.command = config.recall.grader

    async def read(self, session: Session, event: Event) -> bool:
        """Take in what a prompt names, what a tool call writes or runs, once, and closing words.

        :returns: whether code was written just now.
        """
        tool, patterns = event.tool, self.knowledge.index.patterns
        if event.moment is Moment.PROMPT:
            asked = await self._locked(partial(patterns.match, event.prompt, clock=time.perf_counter))
            session.work.ask(asked)
            session.write(*_hit_lines("#borg-asked-signs", asked))
            return False
        if tool is not None:
            new, whole = written(tool)
            command = "" if whole else command_text(tool)
            if not (whole or command) or not session.work.is_new(tool.id):
                return False
        elif event.moment is Moment.STOP and event.last_message:
            new, whole, command = "", session.own_words(), ""
        else:
            return False
        hits = await self._locked(partial(patterns.match, whole, clock=time.perf_counter)) if whole else {}
        gained = session.work.add(code_stems(redact((new or command)[:SCRUBBED_CHARS])), hits)
        lines = [("#borg-code", " ".join(gained))] if gained else []
        session.write(*lines, *_hit_lines("#borg-signs", hits))
        return tool is not None and bool(whole)

    async def early(self, session: Session, event: Event, now_ms: int, room: int) -> str:
        """What a prompt or a tool call brings up, as the agent reads it; empty: nothing.

        :param room: characters that the host still takes with this event.
        """
        edit = await self.read(session, event)
        topics = self._topics(session, event)
        by_cost = self.policy.rule == "cost"
        if not (topics or (by_cost and (edit or event.moment is Moment.PROMPT))):
            return ""
        policy, lines_left = self._room(session, room)
        done = session.told()
        withhold = partial(self.holdout, session.whole)

        def choose(matches: list[Match], decision: str) -> Choice:
            knowledge = self.knowledge
            if not by_cost:
                return choose_early(
                    matches, knowledge.lessons, knowledge.memory, topics=topics, done=done, session=seed_of(session),
                    decision_id=decision, now_ms=now_ms, policy=policy, withhold=withhold,
                )  # fmt: skip
            return choose_line(
                matches, knowledge.lessons, knowledge.memory, topics=topics, done=done, session=seed_of(session),
                decision_id=decision, now_ms=now_ms, policy=policy, withhold=withhold, edit=edit, lines_left=lines_left,
            )  # fmt: skip

        choice = await self._choose(session, "early", choose, now_ms, judge=by_cost)
        came = choice is not None and bool(choice.shown or choice.held)
        if choice is not None and choice.decision is not None:
            await self._log(session, choice, "#borg-early")
            call = event.tool.id if event.tool is not None and event.moment is Moment.BEFORE_TOOL else ""
            session.written.told(choice.decision.id, call)
        for topic in topics:
            session.topics[topic] = TOPIC_TRIES if came or by_cost else session.topics.get(topic, 0) + 1
            session.write(("#borg-topic", f"{session.topics[topic]} {topic}"))
        if choice is None or not choice.text:
            return ""
        session.delivered.update(choice.shown)
        return choice.text

    async def before_edit(self, session: Session, event: Event, now_ms: int) -> str:
        """What an edit that is about to land brings up; empty: nothing, or the event is not an edit."""
        if self.policy.rule != "cost" or event.tool is None or not written(event.tool)[0]:
            return ""
        return await self.early(session, event, now_ms, self.policy.host_chars)

    def _room(self, session: Session, room: int) -> tuple[RecallPolicy, int]:
        """The policy with the characters that a line may still take here, and the lines that the session may still have."""
        policy = self.policy
        early = [one for one in session.decisions if one.channel == "early"]
        told = sum(entry.shown for one in early for entry in one.pool)
        if policy.rule == "cost":
            room = min(room, policy.session_line_chars - sum(one.chars for one in early))
        if room < policy.early_chars:
            policy = msgspec.structs.replace(policy, early_chars=max(0, room))
        return policy, max(0, policy.session_lines - told)

    def _topics(self, session: Session, event: Event) -> list[str]:
        """Systems this event names and whose lessons have not come yet; ANY at the first prompt."""
        names = self.knowledge.scope_names()
        if event.moment is Moment.PROMPT:
            text = "\n".join((event.prompt, session.cwd, session.remote))
        else:
            text = "\n".join(touched(event))
        again = [name for name, tries in session.topics.items() if 0 < tries < TOPIC_TRIES and name != ANY]
        topics = [name for name in named_scopes(names, text) if session.topics.get(name, 0) < TOPIC_TRIES]
        if event.moment is Moment.PROMPT and len(session.prompts) <= 1 and ANY not in session.topics:
            topics.append(ANY)
        return list(dict.fromkeys([*topics, *again])) if topics or event.moment is Moment.PROMPT else []

    async def stop(self, session: Session, event: Event, now_ms: int) -> str:
        """The reason to go on instead of stopping; empty: let it stop."""
        if event.stop_again or not session.changed:
            return ""
        if session.blocked.get(session.prompt_id, 0) >= BLOCKS_PER_PROMPT:
            return ""
        done = session.asked | session.withheld | session.whole.withheld | (session.delivered & session.acted)
        withhold = partial(self.holdout, session.whole)
        await self.read(session, event)
        grades = await self.grader.grade(session.work_text(), await self._offered(session, done))
        by_cost = grades is None and self.policy.rule == "cost"

        def choose(matches: list[Match], decision: str) -> Choice:
            knowledge = self.knowledge
            if by_cost:
                return choose_block(
                    matches, knowledge.lessons, knowledge.memory, done=done, delivered=set(session.delivered),
                    session=seed_of(session), decision_id=decision, now_ms=now_ms, policy=self.policy, withhold=withhold,
                    handled={match.id for match in matches if match.handled},
                )  # fmt: skip
            return choose_stop(
                matches, knowledge.lessons, knowledge.memory, done=done, delivered=set(session.delivered),
                session=seed_of(session), decision_id=decision, now_ms=now_ms, policy=self.policy, withhold=withhold,
                grades=grades,
            )  # fmt: skip

        choice = await self._choose(session, "stop", choose, now_ms, judge=by_cost)
        if choice is None or choice.decision is None:
            return ""
        await self._log(session, choice, "#borg-asked" if choice.blocks else "#borg-early")
        if not choice.blocks:
            session.delivered.update(choice.free)
            if choice.text:
                session.tell_later(choice.text)
            return ""
        session.asked.update(choice.shown)
        session.open_ask = choice.decision.id
        session.block(session.prompt_id)
        session.write(("#borg-blocked", session.prompt_id))
        return choice.text

    def holdout(self, whole: Session, name: str) -> float:
        """With which probability this lesson is withheld now: the coin is thrown at the first contact of a session with it.

        Never at the first contact after it was ratified, which is not an occasion: its person has just asked for it.
        """
        lesson = self.knowledge.lessons.get(name)
        if lesson is None or name in whole.contacts or name in self.never_withheld:
            return 0.0
        last_ms = self.occasions.last_contact(name)
        if last_ms is None or (not lesson.peer and last_ms < lesson.ms):
            return 0.0
        return self.occasions.holdout(name) if self.fixed is None else self.fixed

    def take_back(self, session: Session) -> list[Decision]:
        """The agent has gone on without the answer of its last event: what was chosen in it was never told. Returns that."""
        gone = list(session.choices)
        session.choices.clear()
        session.pending = [line for line in session.pending if not gone or line[0] not in CHOICE_MARKS]
        for decision in gone:
            self.undelivered += 1
            session.untell(decision)
            session.write(("#borg-untold", decision.id), *(("#borg-topic", f"1 {topic}") for topic in decision.topics))
        return gone

    def after_compaction(self, session: Session) -> str:
        """What was delivered early, once more: compaction took it out of the agent's sight."""
        lessons = [self.knowledge.lessons[name] for name in sorted(session.delivered) if name in self.knowledge.lessons]
        lines = [(lesson, render.line(lesson, render.early_shape(self.policy))) for lesson in lessons]
        if not lines:
            return ""
        return render.compose(render.early_head([]), lines, [], self.policy.early_chars, seed_of(session))

    async def _choose(
        self,
        session: Session,
        moment: str,
        choose: Choose,
        now_ms: int,
        *,
        judge: bool,
    ) -> Choice | None:
        knowledge = self.knowledge
        if not knowledge.lessons:
            return None
        context = _context(session, moment, knowledge.names_of(session.remote))
        self._count += 1
        decision_id = f"d{fnv1a(f'{session.key}/{moment}/{now_ms}/{self._count}'.encode()):016x}"

        def decide() -> Choice:
            started = time.perf_counter_ns()
            find = knowledge.index.judge if judge else knowledge.index.match
            matches = [match for match in find(context, knowledge.prior) if self._reaches(match, session)]
            choice = choose(matches, decision_id)
            if choice.decision is None:
                return choice
            decision = choice.decision
            if judge:
                decision = with_parts(decision, {match.id: match.parts for match in matches})
            micros = (time.perf_counter_ns() - started) // 1000
            return msgspec.structs.replace(choice, decision=self._signed(decision, session, micros))

        return await self._locked(decide)

    async def _locked(self, work: Callable[[], T]) -> T:
        """``work`` while knowledge stands still, in a worker thread where there are many lessons."""

        def locked() -> T:
            with self.knowledge.lock:
                return work()

        return await anyio.to_thread.run_sync(locked) if len(self.knowledge.lessons) >= THREAD_LESSONS else locked()

    async def _offered(self, session: Session, done: Collection[str]) -> list[Lesson]:
        """What a grader may choose from: lessons in scope that reach this work and are not done, the best matches first."""
        if not self.grader.command:
            return []
        knowledge = self.knowledge
        context = _context(session, "stop", knowledge.names_of(session.remote))

        def find() -> list[Lesson]:
            place = knowledge.index.work(context, knowledge.prior).place
            matched = [match.id for match in knowledge.index.match(context, knowledge.prior)]
            in_scope = (one.id for one in knowledge.lessons.values() if not one.scope or place(one.scope) > 0)
            found = (knowledge.lessons[name] for name in dict.fromkeys(chain(matched, in_scope)) if name not in done)
            return list(islice((one for one in found if knowledge.reaches(one, session.remote)), GRADER_LESSONS))

        return await self._locked(find)

    def _reaches(self, match: Match, session: Session) -> bool:
        return self.knowledge.reaches(self.knowledge.lessons[match.id], session.remote)

    def _signed(self, decision: Decision, session: Session, micros: int) -> Decision:
        return msgspec.structs.replace(
            decision,
            agent=session.agent,
            session=session.id,
            subagent=session.subagent,
            prompt_id=session.prompt_id,
            repo=session.remote,
            engineer=self.knowledge.engineer,
            machine=self.machine,
            micros=micros,
        )

    async def _log(self, session: Session, choice: Choice, mark: str) -> None:
        """Make the decision durable, then note it with the session.

        :raises JournalError: it could not be stored, so it must not be shown.
        """
        decision = choice.decision
        assert decision is not None
        await self.commit.append(self.decisions, [decision])
        told = [msgspec.structs.replace(entry, parts={}) for entry in decision.pool if entry.shown or entry.held]
        kept = msgspec.structs.replace(decision, pool=tuple(told))
        session.decide(kept)
        session.choices.append(kept)
        session.touch_lessons(kept)
        for name in (*choice.shown, *choice.held):
            self.occasions.saw(name, decision.ms)
        if session.whole is not session:
            session.whole.write(("#borg-occasion", msgspec.json.encode(kept).decode()))
        session.write(
            (mark, f"{decision.id} {' '.join(choice.shown)}"),
            ("#borg-held", f"{decision.id} {' '.join(choice.held)}"),
            ("#borg-pool", msgspec.json.encode(kept).decode()),
        )


def _hit_lines(mark: str, hits: Mapping[str, PatternHits]) -> list[tuple[str, str]]:
    if not hits:
        return []
    return [(mark, " ".join(f"{name}={hit.sign_bits},{hit.handled_bits}" for name, hit in hits.items()))]


def _context(session: Session, moment: str, repos: tuple[str, ...]) -> Context:
    work = session.work
    whole = Context(
        text=session.work_text(),
        cwd=session.cwd,
        remote=session.remote,
        repos=repos,
        moment=moment,
        code=work.whole.stems,
        hits=work.whole.hits,
        said=work.whole.said,
    )
    if work.turns < 2:
        return whole
    seen = work.turn
    turn = msgspec.structs.replace(whole, text=_turn_text(session), code=seen.stems, hits=seen.hits, said=seen.said)
    return msgspec.structs.replace(whole, turn=turn)


def _turn_text(session: Session) -> str:
    """As ``work_text``, of the current turn alone."""
    prompts = session.prompts[-min(PROMPTS, session.work.turn_prompts) :] if session.work.turn_prompts else []
    parts = [*prompts, *session.work.turn_touches, session.plan, session.own_words()]
    return "\n".join(part for part in parts if part)


def seed_of(session: Session) -> str:
    """The session as draws are seeded by."""
    return f"{session.agent}:{session.id}"
