"""Follows the agents' session files: one bounded read with each event and each change, the rest in the background.

A file that is longer than one read is read on in small steps, one file after the other, with a pause after each in which
hooks are served. What a file gains between a read and the next look of the watcher is news to the watcher.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio

from borgd.agents.transcript import TranscriptFact
from borgd.agents.transcripts import line_reader_of
from borgd.journal.watch import Watcher
from borgd.sessions.facts import apply_fact, forget_rows
from borgd.sessions.session import Key, Session
from borgd.sessions.transcript_tail import READ_BYTES, STEP_BYTES, TranscriptTail

PAUSE_S = 0.005
"""design: seconds between two steps in the background, for hooks."""


class Transcripts:
    """The files of the live sessions. ``saw`` is told of each fact after the session has taken it in."""

    def __init__(self, watcher: Watcher, saw: Callable[[Session, TranscriptFact], None]) -> None:
        self._watcher = watcher
        self._saw = saw
        self._behind: dict[Key, Session] = {}
        self._wake = anyio.Event()

    def read(self, session: Session, name: str) -> None:
        """Read on in the file ``name`` for an event of ``session``; a name that is not an absolute path is none."""
        path = Path(name)
        reader = line_reader_of(session.agent)
        if reader is None or not path.is_absolute():
            return
        if session.tail is None or session.tail.path != path:
            self.drop(session)
            session.tail = TranscriptTail(path, reader)
            forget_rows(session)
            self._watcher.track(path, lambda _: self._step(session, READ_BYTES))
        self._watcher.ours(path)  # before it is read: what comes later is news
        self._step(session, READ_BYTES)

    def drop(self, session: Session) -> None:
        """No longer follow the file of ``session``."""
        self._behind.pop(session.key, None)
        if session.tail is not None:
            self._watcher.untrack(session.tail.path)

    def _step(self, session: Session, limit: int) -> None:
        tail = session.tail
        if tail is None:
            return
        beginnings = tail.beginnings
        facts = tail.read(limit)
        if tail.beginnings != beginnings:
            forget_rows(session)
        for fact in facts:
            apply_fact(session, fact)
            self._saw(session, fact)
        if tail.more:
            self._behind[session.key] = session
            self._wake.set()
        else:
            self._behind.pop(session.key, None)

    async def run(self) -> None:
        """Read on where there is more, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            while self._behind:
                for session in list(self._behind.values()):
                    await anyio.sleep(PAUSE_S)
                    if self._behind.get(session.key) is session:
                        self._step(session, STEP_BYTES)
