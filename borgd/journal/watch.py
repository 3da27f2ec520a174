"""Watches files for growth: watchfiles on their directories, a stat on each hook event, a slow rescan as the safety net.

A change is told once, whichever of the three found it first; ``found`` counts by whom, so a watcher that has gone
blind shows in ``borg status``. Directories that go and come are watched again. ``/``, ``/proc`` and HOME never are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import anyio

UNREAD = (-1, -1, -1)
"""method: the mark of a file whose news could not be read."""

logger = logging.getLogger("borgd.watcher")

RESCAN_S = 5.0
"""design: seconds between two rescans."""
STEP_MS = 10
"""tuned: watchfiles' step; measured, one append is noticed in some 16 ms at little CPU."""
DEBOUNCE_MS = 50
"""tuned: longest wait to gather changes; watchfiles' own default piles up under load."""

Mark = tuple[int, int, int]


def _mark(path: Path) -> Mark | None:
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns


def _forbidden(directory: Path) -> bool:
    resolved = directory.resolve()
    return resolved in (Path("/"), Path.home().resolve()) or resolved.is_relative_to("/proc")


class Watcher:
    """Tells ``on_change`` of a tracked file when it changed. Callbacks must be quick; one that raises is logged."""

    def __init__(self) -> None:
        self.found = {"watch": 0, "hook": 0, "rescan": 0}
        self.rearmed = 0
        self._files: dict[Path, tuple[Mark | None, Callable[[Path], None]]] = {}
        self._directories: dict[Path, Callable[[Path], None]] = {}
        self._armed: set[Path] = set()
        self._stop = anyio.Event()

    def track(self, path: Path, on_change: Callable[[Path], None]) -> None:
        """Watch ``path`` (it need not exist yet). What is in it now is not a change."""
        if path in self._files:
            return
        self._files[path] = (_mark(path), on_change)
        if path.parent not in self._armed:
            self._stop.set()

    def track_directory(self, directory: Path, on_change: Callable[[Path], None]) -> None:
        """Watch every file of ``directory`` (not below it), those to come as well."""
        self._directories[directory] = on_change
        self._stop.set()

    def untrack(self, path: Path) -> None:
        """No longer watch ``path``."""
        self._files.pop(path, None)

    def look(self, path: Path, *, by: str = "hook") -> bool:
        """Whether ``path`` changed since it was last looked at; tells its callback when so. Two microseconds when not."""
        entry = self._files.get(path)
        if entry is None:
            return False
        mark = _mark(path)
        if mark == entry[0]:
            return False
        self._files[path] = (mark, entry[1])
        self.found[by] += 1
        try:
            entry[1](path)
        except OSError as error:  # a shortage of descriptors, a disk that was away: it is news again at the next look
            self._files[path] = (UNREAD, entry[1])
            logger.warning("what changed in a watched file could not be read yet: %s", error.strerror)
        except Exception:  # whatever stands in a file, the others are watched on
            logger.exception("what changed in a watched file could not be taken in")
        return True

    def ours(self, path: Path) -> None:
        """We wrote ``path`` ourselves: what is in it now is no news."""
        entry = self._files.get(path)
        if entry is not None:
            self._files[path] = (_mark(path), entry[1])

    def rescan(self, by: str = "rescan") -> None:
        """Look at every tracked file and at every file of the tracked directories."""
        for path in list(self._files):
            self.look(path, by=by)
        for directory, on_change in list(self._directories.items()):
            try:
                entries = list(directory.iterdir())
            except OSError:
                continue
            for path in entries:
                if path not in self._files:
                    self._adopt(path, on_change, by)

    def _adopt(self, path: Path, on_change: Callable[[Path], None], by: str) -> None:
        self._files[path] = (None, on_change)
        self.look(path, by=by)

    def _parents(self) -> set[Path]:
        wanted = {path.parent for path in self._files} | set(self._directories)
        return {directory for directory in wanted if directory.is_dir() and not _forbidden(directory)}

    async def run(self) -> None:
        """Watch until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._rescans)
            tasks.start_soon(self._release)
            while True:
                self._stop = anyio.Event()
                self._armed = self._parents()
                await self._watch(self._armed)

    async def _release(self) -> None:
        """Let the waiting thread go when we are cancelled; it would sit out watchfiles' timeout of five seconds."""
        try:
            await anyio.sleep_forever()
        finally:
            self._stop.set()

    async def _rescans(self) -> None:
        known = self._parents()
        while True:
            await anyio.sleep(RESCAN_S)
            self.rescan()
            now = self._parents()
            if now != known:  # a directory went or came: the old watch may be blind
                known = now
                self.rearmed += 1
                self._stop.set()

    async def _watch(self, directories: set[Path]) -> None:
        if not directories:
            await self._stop.wait()
            return
        from watchfiles import awatch  # costs 50 ms: not before the daemon serves

        try:
            async for changes in awatch(
                *directories,
                watch_filter=None,
                step=STEP_MS,
                debounce=DEBOUNCE_MS,
                recursive=False,
                stop_event=self._stop,
            ):
                for _, name in changes:
                    self._tell(Path(name))
        except (OSError, RuntimeError):  # a directory vanished between the check and the watch
            self.rearmed += 1
            await anyio.sleep(0.2)

    def _tell(self, path: Path) -> None:
        on_change = self._directories.get(path.parent)
        if path in self._files:
            self.look(path, by="watch")
        elif on_change is not None:
            self._adopt(path, on_change, "watch")
