"""What the state files of past sessions say: what each worked on, and what may have been a correction in it.

Reads files that the daemon writes, whether it runs or not. Promises bounded reading and nothing raised for a damaged file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from borgd.lessons.episodes import Episode
from borgd.paths import Paths, session_file_name
from borgd.recall.context import Context
from borgd.stores import repository
from borgd.stores.state_lines import KINDS, parse

READ_BYTES = 256 << 10
"""guard: of each file the last bytes are read."""
FILES = 100
"""guard: past sessions that are read, the newest."""
WEEKS_MS = 21 * 86_400_000
"""design: how far back a past session counts."""
WORK_LINES = 40
"""design: work lines of a session that count, the last."""
DOUBTFUL = "#borg-doubtful"
CODE = "#borg-code"


class PastSession(NamedTuple):
    """``name`` is the state file's name."""

    name: str
    context: Context


def past_sessions(paths: Paths, now_ms: int) -> list[PastSession]:
    """What the main sessions of the last weeks worked on, newest first."""
    found = []
    for path in _newest(paths.sessions, now_ms - WEEKS_MS):
        work: list[str] = []
        code: set[str] = set()
        cwd = ""
        for kind, text in parse(_lines(path)):
            if kind == "#borg-cwd":
                cwd = text
            elif kind == CODE:
                code.update(text.split())
            elif kind in KINDS:
                work.append(text)
        if work:
            text = "\n".join(work[-WORK_LINES:])
            found.append(
                PastSession(
                    path.name, Context(text=text, cwd=cwd, remote=_remote(cwd), moment="early", code=frozenset(code))
                )
            )
    return found


def find_doubtful(paths: Paths, session: str, turn: int) -> Episode | None:
    """What may have been a correction in this turn of the session, as it was kept for the agent to file; None: nothing."""
    suffix = session_file_name("", session)
    for path in sorted(paths.sessions.glob("*.ctx")) if paths.sessions.is_dir() else ():
        if path.name.endswith(suffix):
            for kind, text in parse(_lines(path, whole=True)):
                number, _, record = text.partition(" ")
                if kind == DOUBTFUL and number == str(turn) and (found := _episode(record)) is not None:
                    return found
    return None


def _episode(record: str) -> Episode | None:
    try:
        return msgspec.json.decode(record, type=Episode)
    except (msgspec.DecodeError, RecursionError):
        return None


def _newest(directory: Path, since_ms: int) -> Iterator[Path]:
    dated = []
    for path in directory.glob("*.ctx") if directory.is_dir() else ():
        try:
            ms = path.stat().st_mtime_ns // 1_000_000
        except OSError:
            continue
        if ms >= since_ms and "." not in path.stem:  # a subagent's has its id after a dot
            dated.append((ms, path))
    return (path for _, path in sorted(dated, reverse=True)[:FILES])


def _lines(path: Path, *, whole: bool = False) -> list[str]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            start = 0 if whole else max(0, size - READ_BYTES)
            file.seek(start)
            data = file.read(size - start)
    except OSError:
        return []
    return data.decode("utf-8", "replace").split("\n")[1 if start else 0 :]


def _remote(cwd: str) -> str:
    return repository.name(cwd) if cwd and Path(cwd).is_dir() else ""
