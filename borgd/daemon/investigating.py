"""Investigations and specialists in a session's course: each tool call is judged before it runs, and every verdict is kept.

Both block on the disk, so they are asked together, once per call, in a worker thread. A repository's own ``.borgd.toml`` is
read from where the session works; it can only tighten, and a broken one is reported and does nothing.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio.to_thread

from borgd.agents.event import Event, Reply, ToolCall
from borgd.agents.transcripts.claude_code import Fact
from borgd.config import Config, RepositoryConfig, RepositoryInvestigationConfig, decode
from borgd.daemon.audit_trail import AuditTrail
from borgd.daemon.escalations import Escalations, matches
from borgd.daemon.investigations import Investigations
from borgd.daemon.repository import find
from borgd.daemon.repository import name as repository_name
from borgd.daemon.session import Session
from borgd.errors import ConfigError
from borgd.limits.investigation_ledger import Message
from borgd.limits.tools import count
from borgd.paths import Places

OWN_FILE = ".borgd.toml"
OWN_BYTES = 64 * 1024
"""guard: bytes of a repository's own file."""
OPEN_CALLS = 256
"""guard: calls of a transcript remembered until their result comes."""

Own = tuple[tuple[int, int], RepositoryInvestigationConfig | None]


class Investigating:
    """The two accounts of what a session reads and whom it calls. ``problems`` names repositories' files that are broken."""

    def __init__(self, where: Places, config: Config, trail: AuditTrail) -> None:
        self.trail = trail
        self.problems: dict[str, str] = {}
        self._own: dict[Path, Own] = {}
        self.investigations = Investigations(
            where.state / "investigations", config.investigation, repository=repository_name, own=self.own
        )
        self.escalations = Escalations(where, config.escalation)

    def configure(self, config: Config) -> None:
        """Settings changed."""
        self.investigations.configure(config.investigation)
        self.escalations.configure(config.escalation)

    def own(self, cwd: str) -> RepositoryInvestigationConfig | None:
        """What the repository around ``cwd`` says for itself; None: nothing, or nothing that can be used."""
        git = find(cwd) if cwd else None
        if git is None:
            return None
        path = git.parent / OWN_FILE
        try:
            info = path.stat()
            mark = (info.st_mtime_ns, info.st_size)
            if path in self._own and self._own[path][0] == mark:
                return self._own[path][1]
            with path.open("rb") as file:
                data = file.read(OWN_BYTES)
            found: RepositoryInvestigationConfig | None = decode(data, RepositoryConfig, str(path)).investigation
            self.problems.pop(str(path), None)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.problems[str(path)] = f"{path} cannot be read: {error.strerror}; it tightens nothing"
            return None
        except ConfigError as error:
            self.problems[str(path)] = f"{error}; it tightens nothing until it is mended"
            found = None
        self._own[path] = (mark, found)
        return found

    async def prompt(self, session: Session, event: Event, now_ms: int) -> None:
        """A prompt opens the session's investigation anew."""
        self._report(session)
        await anyio.to_thread.run_sync(self.investigations.prompt, event, now_ms)

    async def before_tool(self, session: Session, event: Event, now_ms: int) -> Reply:
        """Allowed, allowed with a word, or denied with what was spent and what to do now."""
        reported, session.reported = session.reported, []
        return await anyio.to_thread.run_sync(self._judge, event, reported, now_ms)

    def _judge(self, event: Event, reported: list[Message], now_ms: int) -> Reply:
        verdict = self.investigations.before_tool(event, reported, now_ms)
        entries = [verdict.audit] if verdict.audit is not None else []
        deny = verdict.deny_reason
        if verdict.allow:
            judgement = self.escalations.before_tool(event, self.investigations.ledger(event.session), now_ms)
            if judgement is not None:
                entries.append(judgement.audit)
                deny = judgement.deny_reason
            if deny:
                self.investigations.released(event, now_ms)
        self.trail.record(entries, now_ms)
        return Reply(deny=deny, context="" if deny else verdict.context)

    async def released(self, event: Event, now_ms: int) -> None:
        """Another limit stopped the call: what was set aside for it is given back."""
        await anyio.to_thread.run_sync(self.investigations.released, event, now_ms)

    async def after_tool(self, session: Session, event: Event, now_ms: int) -> None:
        """The call has run; so have calls that only the transcript tells of."""
        calls, session.finished_calls = session.finished_calls, []
        await anyio.to_thread.run_sync(partial(self._settle, event, calls, now_ms))

    def _settle(self, event: Event, calls: list[ToolCall], now_ms: int) -> None:
        self.investigations.after_tool(event, now_ms)
        for call in calls:
            self.investigations.saw_call(event, call, now_ms)

    async def subagent_stop(self, session: Session, event: Event, now_ms: int) -> None:
        """A subagent is over; its last tokens count too."""
        self._report(session)
        await anyio.to_thread.run_sync(self.investigations.subagent_stop, event, now_ms)

    def _report(self, session: Session) -> None:
        reported, session.reported = session.reported, []
        self.investigations.report(session.id, reported)

    def saw_fact(self, session: Session, fact: Fact) -> None:
        """Tokens of a message, a call, or the result of one, as the transcript tells them."""
        if fact.subagent and fact.subagent != session.subagent:
            return
        if fact.kind == "usage" and fact.total is not None:
            specialist = matches(fact.model, self.escalations.config.specialists)
            session.reported.append(message_of(session, fact, specialist=specialist))
            del session.reported[:-OPEN_CALLS]
        elif fact.kind == "call":
            session.calls[fact.id] = ToolCall(name=fact.tool, id=fact.id, input=fact.input)
            while len(session.calls) > OPEN_CALLS:
                del session.calls[next(iter(session.calls))]
        elif fact.kind == "result" and fact.id in session.calls:
            session.finished_calls.append(session.calls.pop(fact.id))
            del session.finished_calls[:-OPEN_CALLS]

    @staticmethod
    def changes(event: Event) -> bool:
        """Whether a finished tool call changed state, as far as can be told from the call."""
        return event.tool is not None and count(event.agent, event.tool, event.cwd).kind == "change"

    def status(self) -> dict[str, object]:
        """What ``borg status`` says of the policy and of broken files."""
        holding = self.escalations.store.effective()
        return {"policy": holding.policy.hash, "problems": [*holding.problems, *self.problems.values()]}


def message_of(session: Session, fact: Fact, *, specialist: bool) -> Message:
    """One assistant message's tokens so far; input that came from the provider's cache counts apart."""
    assert fact.total is not None
    return Message(
        subagent=session.subagent,
        ms=session.last_ms,
        id=fact.id,
        context=fact.total.input_tokens + fact.total.cache_creation_input_tokens,
        model=fact.total.output_tokens,
        cached=fact.total.cache_read_input_tokens,
        specialist=specialist,
    )
