"""Sessions of an earlier life of the daemon that nobody took up again: found by their files, ended once, removed in time.

Lists the sessions directory, so it runs in a worker thread: now and then, and when a session ends, for its subagents.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from borgd.paths import session_file_name
from borgd.sessions.lines import apply_line
from borgd.sessions.session import Key, Session
from borgd.sessions.state_file import StateFile

KEPT_MS = 30 * 24 * 3600 * 1000
"""design: how long the state of a silent session is kept, should it be taken up again; what was learned is in journals."""

LOOK = 500
"""guard: state files read in one look; what is left waits for the next."""


class Expiry:
    """Looks at the state files of ``directory``; ``idle_ms`` is how long a session may be silent before it is over."""

    def __init__(self, directory: Path, idle_ms: int) -> None:
        self.directory = directory
        self.idle_ms = idle_ms
        self.left = False
        """Whether the last look stopped before its end."""
        self._known: set[int] = set()
        """Hashes of names and times of files that were looked at: there may be ten thousands of them."""

    def silent(self, live: Collection[Path], now_ms: int) -> list[Session]:
        """The sessions not in ``live`` that are over and were not ended yet, at most LOOK files read for it.

        Removes the state files that are too old, once their sessions have ended.
        """
        found: list[Session] = []
        known: set[int] = set()
        names = {path.name for path in live}
        read, self.left = 0, False
        for name, written_ms in self._files():
            age_ms = now_ms - written_ms
            if name in names or age_ms <= self.idle_ms:
                continue
            path, mark = self.directory / name, hash((name, written_ms))
            if mark not in self._known:
                if read >= LOOK:
                    self.left = True
                    continue
                read += 1
                session = _load(path, ("", path.stem, ""))
                if session.decisions and not session.ended:
                    found.append(session)
                    continue
            if age_ms > max(KEPT_MS, self.idle_ms):
                with suppress(OSError):
                    if _written_ms(path) == written_ms:  # else its session was taken up again since the listing
                        path.unlink()
            else:
                known.add(mark)
        self._known = known
        return found

    def children(self, agent: str, session: str, live: Collection[Path]) -> list[Session]:
        """The subagents of a session that are not in ``live`` and were not ended yet."""
        start = session_file_name(agent, session).removesuffix("ctx")
        own, names = f"{start}ctx", {path.name for path in live}
        wanted = [name for name, _ in self._files() if name.startswith(start) and name != own and name not in names]
        found = [_load(self.directory / name, (agent, session, name[len(start) : -len(".ctx")])) for name in wanted]
        return [one for one in found if one.decisions and not one.ended]

    def _files(self) -> Iterator[tuple[str, int]]:
        """Names of state files and when each was written, one by one: a list of them all would be megabytes."""
        with suppress(OSError), os.scandir(self.directory) as entries:
            for entry in entries:
                if entry.name.endswith(".ctx"):
                    with suppress(OSError):
                        yield entry.name, entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000


def _written_ms(path: Path) -> int:
    return path.lstat().st_mtime_ns // 1_000_000


def _load(path: Path, key: Key) -> Session:
    session = Session(key, StateFile(path))
    for kind, text in session.file.load():
        apply_line(session, kind, text)
    return session
