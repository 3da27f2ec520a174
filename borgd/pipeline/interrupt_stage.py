"""Interruptions in a session's course: what an agent wants to ask goes through the desk, and answers find their way back.

An admitted ask is answered with nothing at all, so that the agent's own picker comes up untouched. A deferred one is
denied with a reason. Permission dialogs are counted, never answered.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio.to_thread

from borgd.agents.event import Event, Moment, Reply
from borgd.config.schema import Config
from borgd.limits.escalation.effort import Ladder
from borgd.limits.interrupts.scopes import default_scope
from borgd.limits.interrupts.tools import ask_of
from borgd.limits.interrupts.verdict import InterruptVerdict
from borgd.limits.investigation.tools import SPAWNING
from borgd.sessions.session import Session
from borgd.stores.interrupt_store import InterruptStore
from borgd.stores.repository import branch

NEVER_SHOWN = ("no such tool available", "is disabled for this session", "unavailable in")
"""host: how a question tool's error reads where the host has nobody to ask."""
ANSWER_CHARS = 2000
"""guard: characters kept of an answer given in the session."""
OPEN_CALLS = 256
"""guard: tool calls remembered between their announcement and their end."""

Mark = tuple[int, int, int]


class InterruptStage:
    """The desk's side of the pipeline. The desk blocks on the disk, so it is called in worker threads."""

    def __init__(self, store: InterruptStore, config: Config, inbox: Path) -> None:
        self.store = store
        self._inbox = inbox
        self._asked: dict[tuple[str, str], InterruptVerdict] = {}
        self._calls: dict[tuple[str, str], str] = {}
        self._looked: dict[tuple[str, str, str], Mark] = {}
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
        while len(self._calls) > OPEN_CALLS:
            del self._calls[next(iter(self._calls))]
        ask = ask_of(tool.name, tool.input)
        if ask is None:
            return self._clamp(event) if tool.name in SPAWNING else Reply()
        source = f"{event.agent}/{event.subagent_type}" if event.subagent_type else event.agent
        ask = replace(
            ask, scope=self.scope(session), source=source, session=session.id, agent=event.agent, tool_use_id=tool.id
        )
        verdict = await anyio.to_thread.run_sync(self.store.meter, ask, now_ms)
        if not verdict.admitted:
            return Reply(deny=verdict.text or verdict.reason)
        self._asked[(session.id, tool.id)] = verdict
        return Reply()

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
            return
        verdict = self._asked.pop((session.id, tool.id), None)
        shown = not (tool.failed and any(text in tool.error.casefold() for text in NEVER_SHOWN))
        if verdict is not None:
            settle = self.store.delivered if shown else self.store.failed
            await anyio.to_thread.run_sync(settle, verdict, now_ms)
        if shown and not tool.failed:
            close = partial(self.store.close_elsewhere, session.id, tool.id, answers_in(tool.response), now_ms)
            await anyio.to_thread.run_sync(close)

    async def observe(self, session: Session, event: Event, now_ms: int) -> None:
        """A dialog that the agent's host shows by itself: counted once with the call that caused it."""
        cause = self._cause(session, event)
        verdict = self._asked.get((session.id, cause))
        if verdict is not None:  # the dialog is the question's own picker: it was charged already
            await anyio.to_thread.run_sync(self.store.delivered, verdict, now_ms)
            return
        kind = "permission" if event.moment is Moment.PERMISSION else f"notification {event.source}".strip()
        if event.moment is Moment.PERMISSION or cause:
            await anyio.to_thread.run_sync(self.store.observe, kind, session.id, cause, now_ms)

    def _cause(self, session: Session, event: Event) -> str:
        """The announced call, not over yet, that the dialog is about: the last one of its tool, else the last one."""
        mine = [(call, name) for (owner, call), name in self._calls.items() if owner == session.id]
        named = [call for call, name in mine if event.tool is not None and name == event.tool.name]
        return next(reversed(named or [call for call, _ in mine]), "")

    async def waiting(self, session: Session, now_ms: int) -> list[str]:
        """Answers that wait for this session; the inbox is looked at only where it changed since."""
        starting = session.key not in self._looked and not session.subagent
        mark = self._mark()
        if mark is None or self._looked.get(session.key) == mark:
            return []
        look = partial(self.store.answers, session.id, self.scope(session), starting=starting, now_ms=now_ms)
        texts = await anyio.to_thread.run_sync(look)
        self._looked[session.key] = self._mark() or mark
        while len(self._looked) > OPEN_CALLS:
            del self._looked[next(iter(self._looked))]
        return texts

    def _mark(self) -> Mark | None:
        try:
            info = self._inbox.stat()
        except OSError:
            return None
        return info.st_ino, info.st_size, info.st_mtime_ns


def answers_in(response: object) -> str:
    """The answers in a question tool's response, as one text."""
    answers = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(answers, dict):
        return ""
    return "; ".join(f"{question}: {answer}" for question, answer in answers.items())[:ANSWER_CHARS]
