"""Sessions of an earlier life of the daemon that nobody took up again: found by their files, ended once, removed in time.

Lists the sessions directory, so it runs in a worker thread now and then, never for an event.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from borgd.daemon.session import Session
from borgd.daemon.session_lines import apply_line
from borgd.daemon.state_file import StateFile

KEPT_MS = 30 * 24 * 3600 * 1000
"""design: how long the state of a silent session is kept, should it be taken up again; what was learned is in journals."""


class Sweep:
    """Looks at the state files of ``directory``; ``idle_ms`` is how long a session may be silent before it is over."""

    def __init__(self, directory: Path, idle_ms: int) -> None:
        self.directory = directory
        self.idle_ms = idle_ms
        self._known: dict[str, int] = {}

    def silent(self, live: Collection[Path], now_ms: int) -> list[Session]:
        """The sessions not in ``live`` that are over and were not ended yet. Removes the state files that are too old."""
        found: list[Session] = []
        known: dict[str, int] = {}
        for path, written_ms in self._files():
            if path in live or now_ms - written_ms <= self.idle_ms:
                continue
            if now_ms - written_ms > max(KEPT_MS, self.idle_ms):
                with suppress(OSError):
                    path.unlink()
                continue
            known[path.name] = written_ms
            if self._known.get(path.name) == written_ms:
                continue
            session = Session(("", path.stem, ""), StateFile(path))
            for kind, text in session.file.load():
                apply_line(session, kind, text)
            if session.decisions and not session.ended:
                found.append(session)
        self._known = known
        return found

    def _files(self) -> list[tuple[Path, int]]:
        files: list[tuple[Path, int]] = []
        with suppress(OSError), os.scandir(self.directory) as entries:
            for entry in entries:
                if entry.name.endswith(".ctx"):
                    with suppress(OSError):
                        files.append(
                            (self.directory / entry.name, entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000)
                        )
        return files
