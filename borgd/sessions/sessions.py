"""All live sessions of this machine: found by key, loaded from their state files, let go when they fall silent."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from pathlib import Path

from borgd.agents.event import Event
from borgd.paths import session_file_name
from borgd.sessions.lines import apply_line
from borgd.sessions.session import Key, Session, hand_over
from borgd.sessions.state_file import StateFile

LIVE = 2000
"""guard: sessions in memory; past them the longest silent are read from their files again when they speak."""


class Sessions:
    """All live sessions of this machine, found by key, loaded from their state file on first sight."""

    def __init__(self, directory: Path, idle_ms: int) -> None:
        self.directory = directory
        self.idle_ms = idle_ms
        self.live: OrderedDict[Key, Session] = OrderedDict()

    def get(self, agent: str, session: str, subagent: str = "") -> Session:
        """The session's state; a session not in memory is read from its state file, where there is one."""
        key = (agent, session, subagent)
        found = self.live.get(key)
        if found is None:
            found = Session(key, StateFile(self.directory / session_file_name(agent, session, subagent)))
            for kind, text in found.file.load():
                apply_line(found, kind, text)
            self.live[key] = found
        if subagent:
            found.main = self.get(agent, session)
        self.live.move_to_end(key)
        return found

    def known_as(self, event: Event) -> str:
        """The id under which the event's conversation is known: a host may change it midway, the transcript stays."""
        key = (event.agent, event.session, "")
        if event.subagent or not event.transcript or key in self.live or (self.directory / session_file_name(*key)).exists():
            return event.session
        same = [
            one.id
            for one in self.live.values()
            if one.agent == event.agent and not one.subagent and one.transcript == event.transcript
        ]
        return same[-1] if same else event.session

    def knows(self, event: Event) -> bool:
        """Whether a subagent is said to have stopped that we ever heard of: hosts report some of their own as well."""
        key = (event.agent, event.session, event.subagent)
        return bool(event.subagent) and (key in self.live or (self.directory / session_file_name(*key)).exists())

    def expire(self, now_ms: int) -> list[Session]:
        """Forget the sessions idle for longer than allowed, and return them."""
        gone = [session for session in self.live.values() if now_ms - session.last_ms > self.idle_ms]
        for session in gone:
            del self.live[session.key]
        return gone

    def surplus(self) -> list[Session]:
        """Let the longest silent go of more sessions than LIVE, and return them; their files remember them."""
        return [self.live.popitem(last=False)[1] for _ in range(len(self.live) - LIVE)]

    def take_over(self, main: Session, running: Collection[str]) -> None:
        """``main`` comes to a Stop: what its subagents changed that are gone without a word is its own work.

        :param running: ids of the subagents that still work.
        """
        for child in self.children(main.agent, main.id):
            if child.subagent not in running and child.changed:
                main.changed_paths.extend(child.changed_paths)
                main.changed_lines.extend(child.changed_lines)
                main.written.wrote(len(child.changed_paths), len(child.changed_lines))
                child.changed_paths.clear()
                child.changed_lines.clear()
                hand_over(child, main)

    def children(self, agent: str, session: str) -> list[Session]:
        """The live subagents of a session."""
        return [one for key, one in self.live.items() if key[:2] == (agent, session) and key[2]]
