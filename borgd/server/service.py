"""What the daemon is behind its socket: hooks go through the pipeline, calls to the methods of the same name.

Knowledge is loaded after serving began; a hook that needs it waits. A session's events are taken one at a time.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc
import anyio.to_thread
import msgspec

from borgd import clock
from borgd.agents import understood
from borgd.agents.event import Event, Moment, Reply
from borgd.agents.transcript import TranscriptFact
from borgd.config.read import engineer_name, machine_name, read_config
from borgd.config.schema import Config
from borgd.errors import BorgError, ConfigError
from borgd.journal import GroupCommit
from borgd.journal.watch import Watcher
from borgd.paths import Paths, private_dir
from borgd.protocol.frames import ReplyFrame
from borgd.protocol.probe import probe_answer
from borgd.server.after_start import settle
from borgd.server.event_log import EventLog
from borgd.server.heard import HeardEvents
from borgd.server.patience import patience_s
from borgd.server.storing import ReportingCommit
from borgd.sessions.expiry import Expiry
from borgd.sessions.lines import apply_line
from borgd.sessions.repeats import event_mark
from borgd.sessions.session import Key, Session, hand_over
from borgd.sessions.sessions import Sessions
from borgd.sessions.transcripts import Transcripts
from borgd.stores import forgotten_lessons
from borgd.stores.off_switch import OffSwitch
from borgd.stores.repository import RepositoryNames

if TYPE_CHECKING:
    from borgd.server.assembly import Assembly

logger = logging.getLogger("borgd.service")

MINUTE_S = 60.0
"""design: seconds between two looks for sessions that idled out and for what is due in the inbox."""
RETRY_S = 1.0
"""design: seconds until what could not be loaded is tried again."""
HOUR_S = 3600.0
"""design: seconds between two looks for regrets."""
SILENT_REPLY = b"{}"
SILENT = "idle for a day, not judged otherwise"


class Service:
    """Build with ``build``; ``start`` before the first request, ``close`` after the last."""

    def __init__(self, where: Paths) -> None:
        self.where = where
        self.event_log = EventLog()
        self.watcher = Watcher()
        self.transcripts = Transcripts(self.watcher, self._saw_fact)
        self.patience_s: Callable[[Moment], float] = patience_s
        self.off = OffSwitch(where.state)
        self.heard = HeardEvents(where)
        self.problems: dict[str, str] = {}
        """What does not work, by its source; gone as soon as that works again."""
        try:
            self.config = read_config(where)
        except ConfigError as error:
            self.config = Config()
            self.problems["settings"] = f"{error}; the defaults serve until it is fixed"
        self.sessions = Sessions(where.sessions, int(self.config.daemon.session_idle_s * 1000))
        self._expiring = anyio.Lock()
        self._expiry = Expiry(where.sessions, self.sessions.idle_ms)
        self.assembly: Assembly | None = None
        self.loaded = anyio.Event()
        self.locks: OrderedDict[tuple[str, str, str], anyio.Lock] = OrderedDict()
        self._repositories = RepositoryNames()
        self._closing = anyio.Event()
        self._closed = anyio.Event()

    async def start(self, tasks: anyio.abc.TaskGroup) -> None:
        """Begin to load and to watch."""
        for directory in (self.where.data, self.where.state, self.where.sessions):
            private_dir(directory)
        commit: GroupCommit = await tasks.start(self._commit)
        tasks.start_soon(self._load, commit, tasks)

    async def _commit(self, *, task_status: anyio.abc.TaskStatus[GroupCommit]) -> None:
        try:
            async with ReportingCommit(self.problems) as commit:
                task_status.started(commit)
                await self._closing.wait()
        finally:
            self._closed.set()

    async def close(self) -> None:
        """Write down what is pending and wait until it is durable."""
        for session in self.sessions.live.values():
            if not session.file.vanished():
                with suppress(OSError):
                    session.save()
        with suppress(OSError):
            self.heard.save()
        if self.assembly is not None:
            await self.assembly.close()
        self._closing.set()
        await self._closed.wait()

    async def _load(self, commit: GroupCommit, tasks: anyio.abc.TaskGroup) -> None:
        while self.assembly is None:
            try:
                self.assembly = await anyio.to_thread.run_sync(self._assemble, commit)
            except (BorgError, OSError) as error:
                self.problems["start"] = f"{error}; hooks are answered with nothing until this is fixed"
                self.loaded.set()
                await anyio.sleep(RETRY_S)
        self.problems.pop("start", None)
        self.loaded.set()
        self._watch()
        if problem := await anyio.to_thread.run_sync(settle, self.where):
            self.problems["client"] = problem
        tasks.start_soon(self.assembly.load_team)
        tasks.start_soon(self.watcher.run)
        tasks.start_soon(self.transcripts.run)
        tasks.start_soon(self._every, MINUTE_S, self._expire)
        tasks.start_soon(self._every, HOUR_S, self._end_silent)
        tasks.start_soon(self._every, 1.0, self.assembly.every_second)
        tasks.start_soon(self._every, MINUTE_S, self.assembly.every_minute)
        tasks.start_soon(self._every, HOUR_S, self.assembly.every_hour)

    def ready(self) -> tuple[bool, str]:
        """(whether all is loaded, what keeps it from serving)."""
        return self.assembly is not None, self.problems.get("start", "")

    def _assemble(self, commit: GroupCommit) -> Assembly:
        from borgd.server.assembly import Assembly

        return Assembly(self.where, self.config, commit, engineer=engineer_name(self.config), machine=machine_name())

    def _watch(self) -> None:
        assert self.assembly is not None
        parts = self.assembly
        for path in parts.knowledge.files.values():
            self.watcher.track(path, lambda _: self.refresh())
        self.watcher.track(self.where.config_file, lambda _: self._reconfigure())
        parts.watch(self.watcher, self.refresh)

    def refresh(self) -> None:
        """Take in what the journals and the team gained; what cannot be read is a problem to report."""
        assert self.assembly is not None
        try:
            self.assembly.knowledge.refresh()
            self.problems.pop("knowledge", None)
        except (BorgError, OSError) as error:
            self.problems["knowledge"] = str(error)

    def _reconfigure(self) -> None:
        """config.toml changed: a good one serves from now on, a broken one changes nothing and is reported."""
        assert self.assembly is not None
        try:
            config = read_config(self.where)
            self.assembly.configure(config)
        except BorgError as error:
            self.problems["settings"] = f"{error}; the settings from before serve on"
            return
        self.config = config
        self.problems.pop("settings", None)

    @staticmethod
    def _take_foreign(session: Session, lines: list[tuple[str, str]]) -> None:
        for kind, text in lines:
            if not kind.startswith("#"):
                apply_line(session, kind, text)

    async def _every(self, seconds: float, work: Callable[[int], Awaitable[None]]) -> None:
        """Do ``work`` now and every so often; what it could not do is a problem to report, not an end."""
        while True:
            try:
                await work(clock.now_ms())
                self.problems.pop(work.__qualname__, None)
            except BorgError as error:
                self.problems[work.__qualname__] = str(error)
            except Exception:  # whatever it was, hooks must go on being answered
                logger.exception("periodic work failed")
            await anyio.sleep(seconds)

    async def _expire(self, now_ms: int) -> None:
        """Let go of the sessions that fell silent; what was shown in them and has no outcome gets its last one."""
        with suppress(OSError):
            await anyio.to_thread.run_sync(self.heard.save)
            forgotten_lessons.kept(self.where.state, now_ms)  # what is kept for too long goes
        gone = self.sessions.expire(now_ms)
        for session in gone:
            self.locks.pop(session.key, None)
            self._untrack(session)
        for session in gone:
            if not session.ended and session.key not in self.sessions.live:  # it may have spoken again meanwhile
                await self._end(session, SILENT, now_ms)

    def _untrack(self, session: Session) -> None:
        self.watcher.untrack(session.file.path)
        self.transcripts.drop(session)
        if self.assembly is not None:
            self.assembly.pipeline.let_go(session)

    def let_go(self, session: Session) -> None:
        """Keep nothing of ``session`` in memory, judge nothing and write nothing: its file is removed."""
        self._untrack(session)
        session.pending.clear()
        session.decisions.clear()
        if self.sessions.live.get(session.key) is session:
            del self.sessions.live[session.key]

    def _make_room(self) -> None:
        for session in self.sessions.surplus():
            self.locks.pop(session.key, None)
            self._untrack(session)
            self._save(session)

    async def _end_silent(self, now_ms: int) -> None:
        """The same for sessions of an earlier life of the daemon, which are known by their files alone."""
        assert self.assembly is not None
        async with self._expiring:
            await self.assembly.interrupts.end_silent(self.sessions, now_ms)
            while True:
                live = {session.file.path for session in self.sessions.live.values()}
                for session in await anyio.to_thread.run_sync(self._expiry.silent, live, now_ms):
                    if not any(one.file.path == session.file.path for one in self.sessions.live.values()):
                        await self._end(session, SILENT, now_ms)
                if not self._expiry.left:
                    return
                await anyio.sleep(MINUTE_S)

    async def _end_children(self, parent: Session, reason: str, now_ms: int) -> None:
        """A session's subagents end with it; those of an earlier life of the daemon are known by their files alone."""
        live = self.sessions.children(parent.agent, parent.id)
        paths = {session.file.path for session in self.sessions.live.values()}
        stored = await anyio.to_thread.run_sync(self._expiry.children, parent.agent, parent.id, paths)

        async def end(child: Session) -> None:
            async with self.locks.setdefault(child.key, anyio.Lock()):
                await self._end(child, reason, now_ms)

        async with anyio.create_task_group() as tasks:
            for child in live:
                tasks.start_soon(end, child)
            for child in stored:
                tasks.start_soon(self._end, child, reason, now_ms)

    async def _end(self, session: Session, reason: str, now_ms: int) -> None:
        if self.assembly is None or session.file.vanished():
            return
        try:
            await self.assembly.pipeline.outcomes.ended(session, reason, now_ms)
            await self.assembly.pipeline.interrupts.ended(session, now_ms)
        except BorgError as error:
            self.problems["endings"] = str(error)
            return
        self.problems.pop("endings", None)
        session.ended = True
        if session.decisions:
            session.write(("#borg-ended", str(now_ms)))
        if session.pending:
            self._save(session)

    async def hook(self, agent: str, event: str, body: bytes, words: tuple[str, ...] = ()) -> bytes:
        """Exactly one JSON object for one event; ``words``: what the client says of the agent's host."""
        started = time.perf_counter_ns()
        module, parsed = self.heard.parse(agent, event, body, words)
        if probed := probe_answer(parsed.session):
            return probed
        self.heard.note(module, parsed)
        if self.off.is_off(parsed.agent, parsed.session, parsed.cwd, clock.now_ms()):
            return SILENT_REPLY
        early = parsed.moment is Moment.SESSION_START and parsed.source != "compact" and not self.loaded.is_set()
        reply = Reply() if early or parsed.moment is Moment.OTHER else await self._noted(parsed, started)
        out = module.render(parsed, reply)
        self.event_log.add(parsed, out, (time.perf_counter_ns() - started) // 1000, reply.told)
        return msgspec.json.encode(out)

    async def _noted(self, event: Event, started: int) -> Reply:
        source = f"hook {event.moment}"
        try:
            reply = await self._handle(event, started)
        except BorgError as error:
            if str(error) not in self.problems.values():
                self.problems[source] = str(error)
            raise
        self.problems.pop(source, None)
        return reply

    def _saw_fact(self, session: Session, fact: TranscriptFact) -> None:
        if self.assembly is not None:
            self.assembly.saw_fact(session, fact)

    async def _handle(self, event: Event, started: int) -> Reply:
        await self.loaded.wait()
        if self.assembly is None or (event.moment is Moment.SUBAGENT_STOP and not self.sessions.knows(event)):
            return Reply()
        now_ms = clock.now_ms()
        session = self._usage_of((event.agent, self.sessions.known_as(event), event.subagent), now_ms)
        lock = self.locks.setdefault(session.key, anyio.Lock())
        async with lock:
            if session.file.vanished():
                self.let_go(session)
            session = self._usage_of(session.key, now_ms)  # forgotten while this event waited: it starts from nothing
            session.choices.clear()
            self._take_foreign(session, session.file.foreign())
            if not session.remote or event.cwd != session.cwd:
                session.remote = self._repositories.name(event.cwd or session.cwd)
            self.transcripts.read(session, event.transcript)
            for path in self.assembly.knowledge.files.values():
                self.watcher.look(path)
            if event.moment is Moment.STOP and not session.subagent:
                self.sessions.take_over(session, event.running)
            if "knowledge" in self.problems:  # it could not be read: a shortage may be over
                self.refresh()
            reply = await self.assembly.pipeline.handle(session, event, now_ms)
            if time.perf_counter_ns() - started > self.patience_s(event.moment) * 1e9:
                await self._take_back(session, now_ms)
            session.answering = event_mark(event) if session.choices else ()
            self._save(session)
            main = self.sessions.live.get((session.agent, session.id, ""))
            if event.moment is Moment.SUBAGENT_STOP and main is not None:
                hand_over(session, main)
        if event.moment is Moment.SESSION_END and session.ended and not session.subagent:
            await self._end_children(session, "the session that it worked for ended", now_ms)
        return reply

    async def _take_back(self, session: Session, now_ms: int) -> None:
        assert self.assembly is not None
        gone = self.assembly.recall.take_back(session)
        await self.assembly.outcomes.undelivered(session, gone, now_ms)

    async def undelivered(self, agent: str, event: str, body: bytes) -> None:
        """The client of this hook was gone before it had the answer: what was chosen for it was never told."""
        _, parsed = understood(agent, event, body)
        key = (parsed.agent, self.sessions.known_as(parsed), parsed.subagent)
        if key not in self.sessions.live or self.assembly is None:
            return
        async with self.locks.setdefault(key, anyio.Lock()):
            session = self.sessions.live.get(key)
            if session is None or session.answering != event_mark(parsed) or session.file.vanished():
                return
            await self._take_back(session, clock.now_ms())
            self._save(session)

    def _usage_of(self, key: Key, now_ms: int) -> Session:
        session = self.sessions.get(*key)
        session.last_ms = now_ms  # from here on it is in use, and does not expire under our hands
        self.watcher.track(session.file.path, lambda _: self._take_foreign(session, session.file.foreign()))
        self._make_room()
        return session

    def _save(self, session: Session) -> None:
        try:
            self._take_foreign(session, session.save())
            self.watcher.ours(session.file.path)
            self.problems.pop("sessions", None)
        except OSError as error:
            told = f"{session.file.path} cannot be written: {error.strerror}; sessions will not survive a restart"
            self.problems["sessions"] = told

    async def call(self, method: str, body: bytes) -> ReplyFrame:
        """One command. :raises ProtocolError: no such method, or parameters that are not as expected."""
        from borgd.server.calls import answer

        return ReplyFrame(out=msgspec.json.encode(await answer(self, method, body)))

    def status(self) -> dict[str, Any]:
        """The service's part of ``borg status``."""
        found: dict[str, Any] = {
            "sessions": len(self.sessions.live),
            "loaded": self.loaded.is_set(),
            "off": [msgspec.structs.asdict(one) for one in self.off.switches(clock.now_ms())],
            **self.heard.status(),
            "watcher": {**self.watcher.found, "rearmed": self.watcher.rearmed},
            "problems": list(dict.fromkeys(self.problems.values())),
        }
        if self.assembly is not None:
            found |= self.assembly.status() | {
                "undelivered": self.assembly.recall.undelivered,
                "not_enforced": dict(self.assembly.pipeline.not_enforced),
            }
            found["problems"] += self.assembly.problems()
        return found


def build(where: Paths) -> Service:
    """The service of this user and machine."""
    return Service(where)
