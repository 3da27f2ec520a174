"""The investigations of every session, over one small journal per session: the daemon and the command line are peers in it.

Every counted call is decided and recorded in one step under the journal's lock, so what the command line opens, extends or
closes holds from the next call on, and nothing that was spent is forgotten by a restart: the state is the fold of the file.
A session's file is removed when it has been idle for a week. Calls block on the disk: run them in a worker thread.

Must not decide anything itself: ``limits`` does.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from borgd.agents.event import Event, ToolCall
from borgd.config.schema import InvestigationConfig
from borgd.errors import LimitError
from borgd.limits.investigation.ledger import (
    Charged,
    Denied,
    Extended,
    InvestigationClosed,
    InvestigationLedger,
    MessageUsage,
    Opened,
    Released,
    Tokens,
    Turned,
)
from borgd.limits.investigation.profile import Profile, kind_of, profile_for
from borgd.limits.investigation.runaway import REPEATS_TOLD
from borgd.limits.investigation.tools import ToolCount, count
from borgd.limits.investigation.verdict import InvestigationVerdict, runaway_verdict, verdict_of
from borgd.paths import private_dir
from borgd.stores.repository_config import RepositoryFile
from borgd.stores.session_ledger import SessionLedger, Write, file_name

LIVE_BOOKS = 128
"""guard: sessions whose ledger is kept in memory; others are read again when they speak."""

KEPT_MS = 7 * 24 * 3600 * 1000
"""design: how long the file of a silent session is kept."""

T = TypeVar("T")
Use = Turned | Tokens | MessageUsage
Later = Callable[[Callable[[], None]], None]
Own = Callable[[str], RepositoryFile | None]
Repository = Callable[[str], str]


def _at_once(work: Callable[[], None]) -> None:
    work()


class InvestigationStore:
    """All investigations of this user. One per process; several processes may have one."""

    def __init__(
        self,
        directory: Path,
        config: InvestigationConfig,
        *,
        repository: Repository = lambda _: "",
        own: Own = lambda _: None,
    ) -> None:
        """:param directory: of the sessions' journals, created when needed.

        :param repository: the name (owner/name) of the repository a directory is in.
        :param own: the repository's own file, where a person allowed it, for a directory in it.
        """
        self.directory = directory
        self.config = config
        self._repository = repository
        self._own = own
        self._session_ledgers: OrderedDict[str, SessionLedger] = OrderedDict()
        self._lock = Lock()

    def configure(self, config: InvestigationConfig) -> None:
        """Open what comes by ``config``; what is open keeps the profile it was opened with."""
        self.config = config

    def _session_ledger(self, session: str) -> SessionLedger:
        if not session:
            raise LimitError("a session without an id has no investigations; name one with --session")
        with self._lock:
            session_ledger = self._session_ledgers.get(session)
            if session_ledger is None:
                session_ledger = self._session_ledgers[session] = SessionLedger(
                    private_dir(self.directory) / file_name(session)
                )
            self._session_ledgers.move_to_end(session)
            while len(self._session_ledgers) > LIVE_BOOKS:
                self._session_ledgers.popitem(last=False)
            return session_ledger

    def _profile(self, event: Event, *, subagent: bool) -> Profile:
        kind = kind_of(self.config, event.subagent if subagent else "", event.subagent_type)
        own = self._own(event.cwd)
        return profile_for(
            self.config,
            kind,
            repository=self._repository(event.cwd),
            agent=event.agent,
            subagent_type=event.subagent_type if subagent else "",
            own=None if own is None else own.config.investigation,
            own_file="" if own is None else own.path,
        )

    def _opened(self, event: Event, now_ms: int) -> Opened:
        return Opened(
            subagent=event.subagent,
            profile=self._profile(event, subagent=bool(event.subagent)),
            agent=event.agent,
            type=event.subagent_type,
            ms=now_ms,
        )

    # what the agents do

    def prompt(self, event: Event, now_ms: int) -> None:
        """A person's prompt opens the session's investigation anew, unless one that was opened by name is open."""
        if not event.subagent:
            self._session_ledger(event.session).guard.forget()

        def judge(ledger: InvestigationLedger, write: Write) -> None:
            open_by_name = "" in ledger.nodes and ledger.nodes[""].explicit
            if not open_by_name and not event.subagent:
                write(self._opened(event, now_ms))

        self._session_ledger(event.session).decide(judge)

    def before_tool(self, event: Event, usage: Iterable[Use], now_ms: int, later: Later = _at_once) -> InvestigationVerdict:
        """What a tool call gets.

        A denial is decided on what is in memory and recorded afterwards; only what is allowed is recorded before it is said.

        :param usage: turns and tokens that were reported since the last call, any subagent's.
        :param later: takes what is to be written down of a denial.
        :raises JournalError: a call that may run could not be recorded.
        """
        if event.tool is None:
            return InvestigationVerdict()
        counted = count(event.agent, event.tool, event.cwd)
        reported = tuple(usage)
        if counted.kind == "neutral" and not reported:
            return InvestigationVerdict()
        key = event.tool.id or f"{event.subagent}:{event.tool.name}:{now_ms}"
        denied, told = self._denied(event, counted, key, now_ms)
        if denied is not None:
            later(partial(self.record_denial, event, reported, denied.budget, now_ms))
            return denied

        def judge(ledger: InvestigationLedger, write: Write) -> InvestigationVerdict:
            for use in reported:
                write(use)
            if ledger.needs_opening(event.subagent) and counted.kind not in ("neutral", "change"):
                write(self._opened(event, now_ms))
            judged = ledger.judge(counted, key, event.subagent, now_ms)
            for record in judged.records:
                write(record)
            return verdict_of(ledger, event, counted, judged, now_ms)

        verdict = self._session_ledger(event.session).decide(judge)
        if told is None or not verdict.allow:
            return verdict
        context = "\n".join(text for text in (told.context, verdict.context) if text)
        return verdict._replace(context=context, audit=told.audit)

    def _denied(
        self, event: Event, counted: ToolCount, key: str, now_ms: int
    ) -> tuple[InvestigationVerdict | None, InvestigationVerdict | None]:
        """What is denied by what is in memory, and what is said of a loop that is not stopped."""
        assert event.tool is not None
        session_ledger = self._session_ledger(event.session)
        ledger = session_ledger.refresh()
        with session_ledger.lock:
            if ledger.extensions != session_ledger.extensions:
                session_ledger.extensions = ledger.extensions
                session_ledger.guard.forget()
            told = None
            if counted.kind == "change":
                session_ledger.guard.forget(event.subagent)
            elif counted.stoppable and self.config.runaway != "off":
                found = session_ledger.guard.saw(event.subagent, event.tool, now_ms)
                if found is not None:
                    stops = found.stopped and self.config.runaway == "stop"
                    if stops:
                        return runaway_verdict(event, counted, found, stops=True), None
                    if found.times % REPEATS_TOLD == 0:
                        told = runaway_verdict(event, counted, found, stops=False)
            if ledger.needs_opening(event.subagent):
                return None, told
            judged = ledger.judge(counted, key, event.subagent, now_ms)
            if judged.stop is None:
                return None, told
            return verdict_of(ledger, event, counted, judged, now_ms), None

    def record_denial(self, event: Event, usage: Iterable[Use], budget: str, now_ms: int) -> None:
        """Write down a denial that was said, and the usage that was reported with it."""
        if event.tool is None:
            return
        told = tuple(usage)
        key = event.tool.id or f"{event.subagent}:{event.tool.name}:{now_ms}"

        def judge(ledger: InvestigationLedger, write: Write) -> None:
            for use in told:
                write(use)
            if not ledger.knows(key):
                write(Denied(key=key, subagent=event.subagent, budget=budget, ms=now_ms))

        self._session_ledger(event.session).decide(judge)

    def after_tool(self, event: Event, now_ms: int) -> None:
        """A tool call is over. One that no announcement was heard of is counted now."""
        if event.tool is not None:
            self.saw_call(event, event.tool, now_ms)

    def saw_call(self, event: Event, tool: ToolCall, now_ms: int) -> None:
        """A call that has run, from its hook or from the transcript; each call counts once however often it is told."""
        counted = count(event.agent, tool, event.cwd)
        if counted.kind == "neutral" or not tool.id:
            return
        session_ledger = self._session_ledger(event.session)
        ledger = session_ledger.refresh()
        if ledger.knows(tool.id):
            with session_ledger.lock:
                ledger.settle(tool.id, now_ms)
            return

        def judge(ledger: InvestigationLedger, write: Write) -> None:
            if ledger.knows(tool.id):
                return
            if counted.kind != "change":
                if ledger.needs_opening(event.subagent):
                    write(self._opened(event, now_ms))
                write(Charged(key=tool.id, subagent=event.subagent, units=counted.units, ms=now_ms))
            for record in ledger.judge(counted, tool.id, event.subagent, now_ms).records:
                write(record)

        if counted.kind != "change" or event.subagent in ledger.nodes:
            session_ledger.decide(judge)

    def released(self, event: Event, now_ms: int) -> None:
        """The call was allowed here and stopped elsewhere: what was set aside for it is given back."""
        if event.tool is not None and event.tool.id:
            record = Released(key=event.tool.id, subagent=event.subagent, ms=now_ms)

            def judge(ledger: InvestigationLedger, write: Write) -> None:
                if ledger.knows(record.key):
                    write(record)

            self._session_ledger(event.session).decide(judge)

    def subagent_stop(self, event: Event, now_ms: int) -> None:
        """A subagent is over; one that is not known closes nothing."""

        def judge(ledger: InvestigationLedger, write: Write) -> None:
            if event.subagent and event.subagent in ledger.nodes:
                write(InvestigationClosed(subagent=event.subagent, why="done", ms=now_ms))

        self._session_ledger(event.session).decide(judge)

    def report(self, session: str, records: Iterable[Use]) -> None:
        """Turns and tokens that the transcript told of, each once."""
        told = list(records)

        def judge(_: InvestigationLedger, write: Write) -> None:
            for record in told:
                write(record)

        if told:
            self._session_ledger(session).decide(judge)

    # what a person says

    def start(self, session: str, profile: Profile, now_ms: int, *, subagent: str = "", agent: str = "") -> None:
        """Open an investigation by name; it ends by name too."""
        opened = Opened(subagent=subagent, profile=profile, explicit=True, agent=agent, ms=now_ms)
        self._session_ledger(session).decide(lambda _, write: write(opened))

    def extend(self, session: str, more: dict[str, float], now_ms: int, *, subagent: str = "", by: str = "") -> None:
        """Allow ``more`` units by budget; without ``subagent`` to every open investigation of the session.

        :raises LimitError: none is open.
        """

        def judge(ledger: InvestigationLedger, write: Write) -> None:
            _must_be_open(ledger, session, subagent)
            write(Extended(subagent=subagent, more=more, everyone=not subagent, by=by, ms=now_ms))

        self._session_ledger(session).decide(judge)

    def stop(self, session: str, now_ms: int, *, subagent: str = "") -> dict[str, Any]:
        """Close an investigation and say what it used.

        :raises LimitError: it is not open.
        """

        def judge(ledger: InvestigationLedger, write: Write) -> dict[str, Any]:
            _must_be_open(ledger, session, subagent)
            if subagent not in ledger.nodes:
                raise LimitError(f"session {session} has no investigation open of its own; name one with --subagent")
            told = ledger.describe(subagent, now_ms)
            write(InvestigationClosed(subagent=subagent, why="stopped", ms=now_ms))
            return told

        return self._session_ledger(session).decide(judge)

    def status(self, session: str, now_ms: int) -> dict[str, Any]:
        """The open investigations of a session and what it used in all, as JSON values."""
        ledger = self._session_ledger(session).refresh()
        return {
            "session": session,
            "open": [ledger.describe(owner, now_ms) for owner in ledger.nodes],
            "turns": ledger.turns,
            "local_turns": ledger.local_turns,
            "tokens": ledger.spent_tokens,
            "cached_tokens": ledger.cached_tokens,
        }

    def ledger(self, session: str) -> InvestigationLedger:
        """The session's meters, for whoever decides by them. Not to be changed."""
        return self._session_ledger(session).refresh()

    def summary(self, now_ms: int) -> dict[str, Any]:
        """Of the sessions in memory: how many investigations are open, limits that nothing counts for."""
        with self._lock:
            books = list(self._session_ledgers.items())
        told: list[tuple[str, dict[str, Any]]] = []
        for session, session_ledger in books:
            with session_ledger.lock:
                told += [(session, session_ledger.ledger.describe(owner, now_ms)) for owner in session_ledger.ledger.nodes]
        return {
            "open": len(told),
            "unenforceable": [_named(session, one) for session, one in told if one["unenforceable"]],
        }

    def let_go(self, session: str) -> None:
        """Keep nothing of a session in memory; its journal has it, should it speak again."""
        with self._lock:
            self._session_ledgers.pop(session, None)

    def sessions(self) -> list[str]:
        """Ids of sessions that have a journal, the last active first."""
        found: list[tuple[float, str]] = []
        with suppress(OSError):
            for path in self.directory.glob("*.jsonl"):
                with suppress(OSError):
                    found.append((path.stat().st_mtime, path.name.removesuffix(".jsonl")))
        return [name for _, name in sorted(found, reverse=True)]

    def expire(self, now_ms: int) -> int:
        """Remove the files of sessions silent for longer than KEPT_MS; how many."""
        removed = 0
        with suppress(OSError):
            for path in [*self.directory.glob("*.jsonl"), *self.directory.glob("*.lock")]:
                with suppress(OSError):
                    if path.stat().st_mtime * 1000 < now_ms - KEPT_MS:
                        path.unlink()
                        removed += path.suffix == ".jsonl"
        return removed


def _named(session: str, told: dict[str, Any]) -> str:
    owner = f"{session}/{told['subagent']}" if told["subagent"] else session
    return f"{owner}: {', '.join(told['unenforceable'])}"


def _must_be_open(ledger: InvestigationLedger, session: str, subagent: str) -> None:
    if not ledger.nodes or (subagent and subagent not in ledger.nodes):
        whose = f"subagent {subagent} of session {session}" if subagent else f"session {session}"
        raise LimitError(f"{whose} has no investigation open; borg investigate status lists what is")
