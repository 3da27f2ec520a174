"""Interruptions in a session's course: what an agent wants to ask goes through the desk, and answers find their way back.

An admitted ask is answered with nothing at all, so that the agent's own picker comes up untouched. A deferred one is
denied with a reason, and its person told where the host has a place for it. Permission dialogs are counted, and answered
only where the settings meter them. An approval of a plan reaches the session that asked, for that plan, and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread

from borgd.agents.event import Event, Moment, Reply
from borgd.config.schema import Config
from borgd.files import open_regular
from borgd.limits.escalation.effort import Ladder
from borgd.limits.interrupts.presence import Presence, asks_to_be_asked, presence
from borgd.limits.interrupts.scopes import default_scope
from borgd.limits.interrupts.tools import ask_of, permission_of
from borgd.limits.interrupts.verdict import Ask, InterruptVerdict
from borgd.limits.investigation.tools import SPAWNING
from borgd.paths import session_file_name
from borgd.sessions.attendance import LINE, Attendance
from borgd.sessions.session import Session
from borgd.sessions.sessions import Sessions
from borgd.stores.interrupt_store import InterruptStore
from borgd.stores.repository import branch

NEVER_SHOWN = ("no such tool available", "is disabled for this session", "unavailable in")
"""host: how a question tool's error reads where the host has nobody to ask."""
ANSWER_CHARS = 2000
"""guard: characters kept of an answer given in the session."""
OPEN_CALLS = 256
"""guard: tool calls remembered between their announcement and their end."""

PLAN_BYTES = 200_000
"""guard: bytes of a plan's file that are read."""

Mark = tuple[int, int, int]


class InterruptStage:
    """The desk's side of the pipeline. The desk blocks on the disk, so it is called in worker threads."""

    def __init__(self, store: InterruptStore, config: Config, inbox: Path) -> None:
        self.store = store
        self._inbox = inbox
        self._asked: dict[tuple[str, str], InterruptVerdict] = {}
        self._calls: dict[tuple[str, str], str] = {}
        self._looked: dict[tuple[str, str, str], Mark] = {}
        self._attendance: dict[tuple[str, str], Attendance] = {}
        self._plans: dict[tuple[str, str], str] = {}
        """The file in which a session's agent writes its plan."""
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Settings changed.

        :raises BorgError: they cannot be used; what was before stays.
        """
        models = Ladder(config.effort.models, config.effort.model_ceiling)
        efforts = Ladder(config.effort.efforts, config.effort.effort_ceiling)
        self.store.configure(config)
        self.config, self.models, self.efforts = config, models, efforts

    def scope(self, session: Session) -> str:
        """Where this session's asks are charged."""
        return default_scope(session.remote, branch(session.cwd), self.config.interrupts.paths)

    async def before_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """Meter a question; lower the model or effort that a spawned agent asks for."""
        tool = event.tool
        if tool is None:
            return Reply()
        self._calls[(session.id, tool.id)] = tool.name
        _bound(self._calls)
        ask = ask_of(tool.name, tool.input)
        if ask is None:
            return self._clamp(event) if tool.name in SPAWNING else Reply()
        if ask.kind == "plan":
            ask = replace(ask, body=await anyio.to_thread.run_sync(self._plan, session, tool.input))
        ask = self._of(session, event, ask, now_ms)
        verdict = await anyio.to_thread.run_sync(self.store.meter, ask, now_ms)
        if not verdict.admitted:
            return Reply(deny=verdict.text or verdict.reason, note=verdict.note)
        self._asked[(session.id, tool.id)] = verdict
        _bound(self._asked)
        return Reply()

    def _of(self, session: Session, event: Event, ask: Ask, now_ms: int) -> Ask:
        """``ask`` with whose it is and who is there."""
        there, invited = self.presence(session, event, now_ms)
        return replace(
            ask,
            scope=self.scope(session),
            source=f"{event.agent}/{event.subagent_type}" if event.subagent_type else event.agent,
            session=session.id,
            agent=event.agent,
            tool_use_id=event.tool.id if event.tool is not None else "",
            repository=session.remote,
            attended=there.reason if there.attended else "",
            invited=invited,
        )

    def presence(self, session: Session, event: Event, now_ms: int) -> tuple[Presence, bool]:
        """Who is there, and whether the prompt of this turn asks to be asked. A subagent has its session's person."""
        key, known = (session.agent, session.id), session.attendance
        if session.subagent:
            known = self._attendance.get(key, known)
        else:
            self._attendance[key] = known
            _bound(self._attendance)
        settings = self.config.interrupts
        same_turn = not (event.prompt_id and known.turn) or event.prompt_id == known.turn
        there = presence(event.attended, event.entry, known.wrote_ms, now_ms, settings.attended_s)
        return there, known.invited and same_turn

    async def heard(self, session: Session, event: Event, now_ms: int) -> None:
        """A person wrote: they are there, and what was still before them is answered, whatever they did with it."""
        if session.subagent:
            return
        invites = asks_to_be_asked(event.prompt)
        session.attendance = session.attendance.wrote(now_ms, event.prompt_id, invites=invites)
        session.write((LINE, session.attendance.written()))
        self._attendance[(session.agent, session.id)] = session.attendance
        _bound(self._attendance)
        for owner, call in [key for key in self._asked if key[0] == session.id]:
            verdict = self._asked.pop((owner, call))
            await anyio.to_thread.run_sync(self.store.delivered, verdict, now_ms)
            await anyio.to_thread.run_sync(self.store.close_elsewhere, owner, call, "", now_ms)

    async def ended(self, session: Session, now_ms: int) -> None:
        """The session is gone, and with it what it still asked and what was approved in it and not used."""
        if session.subagent:
            return
        for key in [key for key in self._asked if key[0] == session.id]:
            await anyio.to_thread.run_sync(self.store.delivered, self._asked.pop(key), now_ms)
        await anyio.to_thread.run_sync(self.store.end_session, session.id, now_ms)

    def let_go(self, session: Session) -> None:
        """Keep nothing of the session in memory."""
        self._looked.pop(session.key, None)
        if session.subagent:
            return
        self._attendance.pop((session.agent, session.id), None)
        self._plans.pop((session.agent, session.id), None)
        for call in [call for call in self._calls if call[0] == session.id]:
            del self._calls[call]

    async def end_silent(self, sessions: Sessions, now_ms: int) -> None:
        """Sessions of an earlier life of the daemon that fell silent are gone as well; their state files say since when."""
        live = {key[:2] for key in sessions.live}
        for agent, session in await anyio.to_thread.run_sync(self.store.sessions, now_ms) - live:
            with suppress(OSError):  # one that no hook ever told of: its asks end by their expiry
                info = (sessions.directory / session_file_name(agent, session)).stat()
                if now_ms - info.st_mtime_ns // 1_000_000 > sessions.idle_ms:
                    await anyio.to_thread.run_sync(self.store.end_session, session, now_ms)

    def _plan(self, session: Session, given: Mapping[str, Any]) -> str:
        """The plan that the agent wants approved: as its host gives it, else its file, else what the agent last said."""
        plan = given.get("plan")
        if isinstance(plan, str) and plan.strip():
            return plan
        for path in (given.get("planFilePath"), self._plans.get((session.agent, session.id))):
            if isinstance(path, str) and path.endswith(".md") and (text := _text_of(path)):
                return text
        return session.plan or session.last_message

    def _clamp(self, event: Event) -> Reply:
        assert event.tool is not None
        lowered = dict(event.tool.input)
        for field, ladder in (("model", self.models), ("effort", self.efforts)):
            asked = lowered.get(field)
            if isinstance(asked, str) and asked:
                clamped = ladder.clamp(asked)
                lowered[field] = clamped.level if clamped.changed else asked
        return Reply(input=lowered) if lowered != event.tool.input else Reply()

    async def after_tool(self, session: Session, event: Event, now_ms: int) -> None:
        """A question was put (or could not be): its charge is final (or given back), its inbox entry closes."""
        tool = event.tool
        if tool is None:
            return
        self._calls.pop((session.id, tool.id), None)
        if ask_of(tool.name, tool.input) is None:
            path = tool.input.get("file_path")
            if event.mode == "plan" and not tool.failed and isinstance(path, str) and path.endswith(".md"):
                self._plans[(session.agent, session.id)] = path
                _bound(self._plans)
            return
        verdict = self._asked.pop((session.id, tool.id), None)
        shown = not (tool.failed and any(text in tool.error.casefold() for text in NEVER_SHOWN))
        if verdict is not None:
            settle = self.store.delivered if shown else self.store.failed
            await anyio.to_thread.run_sync(settle, verdict, now_ms)
        if shown and not tool.failed:
            said = answers_in(tool.response)
            text = "; ".join(f"{question}: {answer}" for question, answer in said.items())[:ANSWER_CHARS]
            close = partial(self.store.close_elsewhere, session.id, tool.id, text, now_ms, each=said)
            await anyio.to_thread.run_sync(close)

    async def observe(self, session: Session, event: Event, now_ms: int) -> Reply:
        """A dialog that the agent's host shows by itself: counted once with the call that caused it.

        A request for a permission is a possible dialog until a notification says that it was seen. It is denied only where
        the settings meter permissions, the account is spent and the person has not approved exactly this call.
        """
        cause = self._cause(session, event)
        verdict = self._asked.get((session.id, cause))
        if verdict is not None:  # the dialog is the question's own picker: it was charged already
            await anyio.to_thread.run_sync(self.store.delivered, verdict, now_ms)
            return Reply()
        tool, possible = event.tool, event.moment is Moment.PERMISSION
        if possible and tool is not None and self.config.interrupts.permission == "meter":
            ask = self._of(session, event, permission_of(tool.name, tool.input), now_ms)
            verdict = await anyio.to_thread.run_sync(self.store.meter, ask, now_ms)
            if not verdict.admitted:
                return Reply(deny=verdict.text or verdict.reason, note=verdict.note)
            await anyio.to_thread.run_sync(self.store.delivered, verdict, now_ms)
            return Reply()
        kind = "permission" if possible else f"notification {event.source}".strip()
        if possible or cause:
            count = partial(self.store.observe, kind, session.id, cause, now_ms, possible=possible)
            await anyio.to_thread.run_sync(count)
        return Reply()

    def _cause(self, session: Session, event: Event) -> str:
        """The announced call, not over yet, that the dialog is about: the last of its tool; of all, where it names none.

        Where none was announced, a name made of what the dialog is about, so that the same one counts once.
        """
        mine = [(call, name) for (owner, call), name in self._calls.items() if owner == session.id]
        named = [call for call, name in mine if event.tool is not None and name == event.tool.name]
        known = next(reversed(named if event.tool is not None else [call for call, _ in mine]), "")
        if known or event.tool is None:
            return known
        words = repr(
            (event.prompt_id or session.prompt_id, event.subagent, event.tool.name, sorted(event.tool.input.items()))
        )
        return f"dialog-{hashlib.sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"

    async def waiting(self, session: Session, now_ms: int) -> list[str]:
        """Answers that wait for this session; the inbox is looked at only where it changed since."""
        starting = session.key not in self._looked and not session.subagent
        mark = self._mark()
        if mark is None or self._looked.get(session.key) == mark:
            return []
        look = partial(self.store.answers, session.id, self.scope(session), starting=starting, now_ms=now_ms)
        texts = await anyio.to_thread.run_sync(look)
        self._looked[session.key] = self._mark() or mark
        _bound(self._looked)
        return texts

    def _mark(self) -> Mark | None:
        try:
            info = self._inbox.stat()
        except OSError:
            return None
        return info.st_ino, info.st_size, info.st_mtime_ns


def answers_in(response: object) -> dict[str, str]:
    """The answers in a question tool's response, by question."""
    answers = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(answers, dict):
        return {}
    return {str(question): str(answer) for question, answer in answers.items()}


def _text_of(path: str) -> str:
    """What a regular file holds, its first PLAN_BYTES; empty where it cannot be read."""
    try:
        with open_regular(Path(path)) as file:
            return file.read(PLAN_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _bound(kept: dict[Any, Any]) -> None:
    while len(kept) > OPEN_CALLS:
        del kept[next(iter(kept))]
