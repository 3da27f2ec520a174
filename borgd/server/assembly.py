"""The daemon's parts put together: knowledge, journals, the pipeline's stages. Imports what is slow to import."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio.to_thread

from borgd import clock
from borgd.agents.transcript import TranscriptFact
from borgd.clock import machine_zone
from borgd.config.schema import Config
from borgd.journal import GroupCommit, Journal
from borgd.journal.watch import Watcher
from borgd.lessons.patterns import READ_AT_ONCE
from borgd.lessons.team import owner_name
from borgd.limits.audit import AuditEntry
from borgd.paths import Paths
from borgd.pipeline.correction_stage import CorrectionStage
from borgd.pipeline.interrupt_stage import InterruptStage
from borgd.pipeline.investigation_stage import InvestigationStage
from borgd.pipeline.outcome_stage import OutcomeStage
from borgd.pipeline.pipeline import Pipeline
from borgd.pipeline.recall_stage import RecallStage
from borgd.recall.policy import policy_of
from borgd.server.heap import give_back
from borgd.sessions.session import Session
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.background import END_S
from borgd.stores.desktop_notice import notify
from borgd.stores.installed.command import shown_command
from borgd.stores.interrupt_store import InterruptStore
from borgd.stores.knowledge import Knowledge
from borgd.stores.occasions import OccasionStore
from borgd.stores.team import open_team
from borgd.stores.told.greeting import Greeting
from borgd.stores.told.recently_told import summary, told_by_day, week_before

JOURNALS = ("decisions", "outcomes", "episodes", "proposals", "commits")


class Assembly:
    """Everything behind the service. Building it reads the journals."""

    def __init__(self, where: Paths, config: Config, commit: GroupCommit, *, engineer: str, machine: str) -> None:
        self.where = where
        self.commit = commit
        self._read_with = (str(where.data), config.team.directory, dict(config.people.aliases))
        self.team, self.team_problem = open_team(
            config.team.directory, owner_name(engineer, machine), config.people.machines
        )
        self.knowledge = Knowledge(where, config, engineer, team=self.team)
        self.knowledge.refresh()
        self.journals = {name: Journal(where.journal(name)) for name in JOURNALS}
        self.occasions = OccasionStore(self.journals["decisions"], self.journals["outcomes"], self.team)
        if self.occasions.complete:
            self.occasions.settle(clock.now_ms())
        policy = policy_of(config)
        self.trail = AuditTrail(where)
        self.investigations = InvestigationStage(where, config, self.trail)
        self.interrupts = self._interrupt_stage(config)
        self.recall = RecallStage(
            self.knowledge, config, commit, self.journals["decisions"], self.occasions, machine=machine, policy=policy
        )
        self.outcomes = OutcomeStage(self.knowledge, commit, self.journals, floor=policy.match_floor)
        self.corrections = CorrectionStage(self.outcomes, commit, self.journals, config)
        self.corrections.command = shown_command(where)
        self.greeting = Greeting(where.state, self.journals["decisions"].path, self.journals["outcomes"].path)
        self.greets = config.ui.greet
        self.pipeline = Pipeline(self.investigations, self.interrupts, self.recall, self.outcomes, self.corrections)
        self.pipeline.greet = self.greet

    def _interrupt_stage(self, config: Config) -> InterruptStage:
        def audit(entry: AuditEntry) -> None:
            self.trail.later([entry], clock.now_ms())

        store = InterruptStore(
            self.where.data, config, zone=machine_zone(), audit=audit, notify=notify if config.inbox.notify else None
        )
        return InterruptStage(store, config, self.where.journal("inbox"))

    def serves(self, data: str, team: str, aliases: dict[str, str]) -> bool:
        """Whether these are the files, and the people's names, that memory was folded with."""
        return self._read_with == (data, team, aliases)

    def configure(self, config: Config) -> None:
        """Settings changed.

        :raises BorgError: they cannot be used; what was before stays.
        """
        self.interrupts.configure(config)
        self.investigations.configure(config)
        self.corrections.configure(config)
        self.corrections.command = shown_command(self.where)
        self.recall.configure(config, policy_of(config))
        self.outcomes.floor = self.recall.policy.match_floor
        self.knowledge.confirm(config.team.scopes)
        self.greets = config.ui.greet

    async def greet(self, now_ms: int) -> str:
        """What to tell the person at a session's start; empty: nothing, or it was told today."""
        if not self.greets or not self.greeting.due(now_ms):
            return ""
        return await anyio.to_thread.run_sync(self.greeting.line, now_ms)

    def saw_fact(self, session: Session, fact: TranscriptFact) -> None:
        """A transcript said something that limits count, or that a person said with a rejection."""
        self.investigations.saw_fact(session, fact, clock.now_ms())
        self.corrections.saw_fact(session, fact)

    def watch(self, watcher: Watcher, refresh: Callable[[], None]) -> None:
        """Have the watcher tell what a file sync brings."""
        if self.team is not None:
            watcher.track_directory(self.team.directory, lambda _: refresh())

    async def load_team(self) -> None:
        """Take in the team's outcomes, which may be millions, and read lessons' patterns, while hooks are served already."""
        if self.team is not None:
            self.knowledge.adopt(await anyio.to_thread.run_sync(self.knowledge.load_team))
        while await anyio.to_thread.run_sync(self.knowledge.read_patterns, READ_AT_ONCE):
            pass

    async def every_second(self, now_ms: int) -> None:  # noqa: ARG002 (all periodic work is called alike)
        """What is new here and may be shared goes to the team."""
        if self.knowledge.unpublished_lessons or self.knowledge.unpublished_outcomes:
            await anyio.to_thread.run_sync(self.knowledge.publish)

    async def every_minute(self, now_ms: int) -> None:
        """Occasions that are due for settling, and what is due in the inbox; memory that nothing holds any more."""
        self._save_counts()
        await anyio.to_thread.run_sync(self.corrections.learn)
        await anyio.to_thread.run_sync(self.occasions.settle, now_ms)
        await anyio.to_thread.run_sync(self.occasions.publish, self.knowledge.store.forgotten)
        await anyio.to_thread.run_sync(self.interrupts.store.tick, now_ms)
        await anyio.to_thread.run_sync(self.investigations.store.expire, now_ms)
        await anyio.to_thread.run_sync(give_back)

    async def every_hour(self, now_ms: int) -> None:
        """Regrets since the last look."""
        await self.outcomes.look_back(now_ms)

    async def close(self) -> None:
        """Flush what the parts hold."""
        self._save_counts()
        await anyio.to_thread.run_sync(self.trail.background.flush, END_S)

    def _save_counts(self) -> None:
        with suppress(OSError):  # a little sharpness is lost, nothing else
            self.knowledge.counts.save()
            self.knowledge.seen.save()

    def problems(self) -> list[str]:
        """What cannot be read or counted at the moment, a sentence each."""
        return [*self.knowledge.problems[-10:], *filter(None, [self.investigations.problem, self.occasions.unread])]

    def status(self) -> dict[str, Any]:
        """Counts for ``borg status``."""
        now_ms, told = clock.now_ms(), [self.journals[name].path for name in ("decisions", "outcomes")]
        return {
            "told": summary(told_by_day(told[0], told[1], week_before(now_ms), now_ms), now_ms),
            "interrupts": self.interrupts.store.status(),
            "limits": self.investigations.status(),
            "team": {} if self.team is None else {"directory": str(self.team.directory), "owner": self.team.owner},
            "team_problems": [*filter(None, [self.team_problem]), *(self.team.problems if self.team else [])],
            "lessons": len(self.knowledge.lessons),
            "correction_threshold_shift": self.corrections.shift,
            "outcomes_told": dict(self.outcomes.told),
            "grader_failures": self.recall.grader.failures,
            "grader": self.recall.grader.status() if self.recall.grader.command else {},
            "read_only": {name: journal.read_only for name, journal in self.journals.items() if journal.read_only},
        }
