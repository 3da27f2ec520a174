"""Files for a replay: which ones, their lines in the order of time, progress on a terminal, and a state to take up again.

Promises to hold one chunk of lines at a time, to write nothing but its own state file, and to say nothing on a stderr
that is not a terminal.
"""

from __future__ import annotations

import hashlib
import heapq
import multiprocessing
import os
import re
import sys
import time
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO

import msgspec
import numpy as np

from borgd.cli.lesson import lesson_files
from borgd.config.schema import load
from borgd.errors import BorgError, InputError
from borgd.lessons.lesson import Lesson
from borgd.lessons.team import parse_name
from borgd.paths import private_dir, user_paths
from borgd.replay import state
from borgd.replay.candidates import CandidatePolicy
from borgd.replay.engine import Ready, Replay
from borgd.replay.headline import NO_SCOPE
from borgd.replay.outcomes import Outcomes
from borgd.replay.records import LATEST_MS
from borgd.replay.rewards import Reward
from borgd.stores.team import CARD, read_card

CHUNK_LINES = 2048
"""method: lines that are decoded together."""
LONGEST_LINE = 16 << 20
"""guard: a longer line is damage; it is skipped without being held whole."""
LONG_BYTES = 32 << 20
"""design: from this size on other processes read ahead."""
AHEAD = 2
"""tuned (tests/perf/bench_replay): processes that read ahead on two cores; adding up is a third of the work."""
SAVE_S = 10.0
"""design: a replay that takes longer than this saves its state as often."""
FORGOTTEN_S = 30 * 24 * 3600.0
"""design: a saved state that nobody took up is removed after so long."""
PROGRESS_S = 0.2
"""design: seconds between two updates of the progress line."""


class _When(msgspec.Struct, gc=False):
    ms: int = 0


_WHEN = msgspec.json.Decoder(_When)
_HEAD = re.compile(rb'\{"id":"[^"\\]{0,200}","ms":([0-9]{1,15})[,}]')
"""How a line begins that we wrote ourselves."""


def decision_files(given: Sequence[str]) -> list[Path]:
    """The files named, or this machine's own journal.

    :raises InputError: a named file is not there.
    """
    files = [Path(name) for name in given] or [user_paths().journal("decisions")]
    _must_exist(files if given else [])
    return [file for file in files if file.exists()]


@dataclass(frozen=True)
class OutcomeFiles:
    """Where outcomes are: ``own`` journals, and files of a team, which see sessions and decisions hashed under its
    ``salt``."""

    own: list[Path]
    shared: list[Path]
    salt: str = ""


def outcome_files(given: Sequence[str], *, team: bool = True) -> OutcomeFiles:
    """The files named, or this machine's journal and the team's. A file in a team's directory is a team's.

    :raises InputError: a named file is not there.
    """
    if given:
        files = [Path(name) for name in given]
        _must_exist(files)
        shared = [file for file in files if parse_name(file.name) is not None and (file.parent / CARD).exists()]
        salt = read_card(shared[0].parent).salt if shared else ""
        return OutcomeFiles([file for file in files if file not in shared], shared, salt)
    own = user_paths().journal("outcomes")
    directory = team_directory() if team else None
    if directory is None:
        return OutcomeFiles([own] if own.exists() else [], [])
    named = [(path, parse_name(path.name)) for path in sorted(directory.iterdir())]
    shared = [path for path, name in named if name is not None and name.kind == "outcomes"]
    return OutcomeFiles([own] if own.exists() else [], shared, read_card(directory).salt)


def team_directory() -> Path | None:
    """The team's directory, where one is configured and there."""
    file = user_paths().config_file
    configured = load(file.read_bytes() if file.exists() else None, str(file)).team.directory
    directory = Path(configured).expanduser() if configured else None
    return directory if directory is not None and (directory / CARD).is_file() else None


def _must_exist(files: list[Path]) -> None:
    for file in files:
        if not file.is_file():
            raise InputError(str(file), "expected a file of JSON lines; there is none")


def read_outcomes(files: OutcomeFiles, *, beliefs: bool) -> Outcomes:
    """All outcomes of these files; ``beliefs``: will be asked of them."""
    outcomes = Outcomes(beliefs=beliefs, salt=files.salt)
    for file in [*files.own, *files.shared]:
        with file.open("rb") as stream:
            outcomes.add(_lines(stream), shared=file in files.shared)
    return outcomes.seal()


def hear(replay: Replay, files: OutcomeFiles) -> None:
    """Take in the settled occasions that a team's files tell of; before its decisions are fed."""
    for file in files.shared:
        name = parse_name(file.name)
        with file.open("rb") as stream:
            replay.headline.hear(_lines(stream), name.owner if name is not None else file.name)


def known_lessons() -> list[Lesson]:
    """The lessons of this machine and its team that any of its machines can see."""
    return [lesson for lesson in lesson_files.load() if lesson.reach != "personal"]


def areas_of(lessons: Sequence[Lesson]) -> dict[str, str]:
    """Lesson -> its area."""
    return {lesson.id: lesson.area for lesson in lessons}


def scopes_of(lessons: Sequence[Lesson]) -> dict[str, str]:
    """Lesson -> its systems, joined."""
    return {lesson.id: ", ".join(sorted(lesson.scope)) or NO_SCOPE for lesson in lessons}


def questions_of(lessons: Sequence[Lesson]) -> dict[str, str]:
    """Lesson -> its question."""
    return {lesson.id: lesson.question for lesson in lessons}


def last_ms(files: Sequence[Path]) -> int:
    """The time of the latest decision in these files; 0: there is none."""
    latest = 0
    for file in files:
        with file.open("rb") as stream:
            latest = max(latest, *map(_when, _lines(stream)), 0)
    return latest


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            line = b"{"  # read as one damaged line
        yield line


@dataclass
class Lines:
    """The lines of one or more decision files in the order of their time; ``offset`` counts lines given out.

    Lines of the same moment come in the order of their bytes: how they lie in their files changes nothing.
    """

    files: Sequence[Path]
    given: int = 0
    read_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.files)

    def chunks(self, skip: int) -> Iterator[list[bytes]]:
        """Chunks of lines after the first ``skip`` lines."""
        chunk: list[bytes] = []
        with ExitStack() as stack:
            streams = [stack.enter_context(file.open("rb")) for file in self.files]
            for _, line in heapq.merge(*map(self._in_order, streams)):
                self.given += 1
                if self.given <= skip:
                    continue
                chunk.append(line)
                if len(chunk) == CHUNK_LINES:
                    yield chunk
                    chunk = []
            if chunk:
                yield chunk

    def _in_order(self, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        """(time, line) of one file, sorted; 16 bytes a line are kept of one that is not sorted as it lies there."""
        if _is_sorted(stream):
            for line in _lines(stream):
                self.read_bytes += len(line)
                yield _when(line), line
            return
        times, offsets = array("q"), array("q")
        stream.seek(0)
        at = 0
        for line in _lines(stream):
            times.append(_when(line))
            offsets.append(at)
            at = stream.tell()
        order = np.argsort(np.array(times, dtype=np.int64), kind="stable").tolist()
        for moment, places in groupby(order, key=times.__getitem__):
            for line in sorted(self._line_at(stream, offsets[place]) for place in places):
                self.read_bytes += len(line)
                yield moment, line

    @staticmethod
    def _line_at(stream: IO[bytes], offset: int) -> bytes:
        stream.seek(offset)
        return next(_lines(stream))


def _is_sorted(stream: IO[bytes]) -> bool:
    """Whether the lines lie in the order of their time, and then of their bytes; the stream is at its start afterwards."""
    last, before = -1, b""
    for line in _lines(stream):
        now = _when(line)
        if now < last or (now == last and line < before):
            stream.seek(0)
            return False
        last, before = now, line
    stream.seek(0)
    return True


def _when(line: bytes) -> int:
    head = _HEAD.match(line)
    if head is not None:
        return min(int(head[1]), LATEST_MS)
    try:
        return max(0, min(_WHEN.decode(line).ms, LATEST_MS))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return 0


def run(replay: Replay, files: Sequence[Path], fingerprint: str) -> None:
    """Feed all of ``files``; a long replay that is interrupted goes on from its saved state next time."""
    saved = user_paths().state / "replay" / f"{fingerprint}.state"
    skip = _restore(replay, saved)
    lines, bar = Lines(files), Progress()
    last = time.monotonic()
    given = skip
    for size, ready in _ahead(replay, lines, skip):
        replay.feed(ready)
        given += size
        bar.show(given, lines)
        if time.monotonic() - last > SAVE_S:
            _save(replay, saved, given)
            last = time.monotonic()
    bar.clear()
    saved.unlink(missing_ok=True)


def _ahead(replay: Replay, lines: Lines, skip: int) -> Iterator[tuple[int, Ready]]:
    """(lines, what was read from them) in order; a long log is read by a second process while this one adds up."""
    if lines.total_bytes < LONG_BYTES or (os.cpu_count() or 1) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for chunk in lines.chunks(skip):
            yield len(chunk), replay.read(chunk)
        return
    with ProcessPoolExecutor(AHEAD, multiprocessing.get_context("fork"), _begin, (replay,)) as pool:
        waiting: deque[tuple[int, Future[Ready]]] = deque()
        for chunk in lines.chunks(skip):
            waiting.append((len(chunk), pool.submit(_read, chunk)))
            if len(waiting) > 2 * AHEAD:
                size, future = waiting.popleft()
                yield size, future.result()
        for size, future in waiting:
            yield size, future.result()


_replay: Replay | None = None


def _begin(replay: Replay) -> None:
    global _replay  # noqa: PLW0603 (a worker process has one replay, handed over by fork)
    _replay = replay


def _read(chunk: list[bytes]) -> Ready:
    assert _replay is not None
    return _replay.read(chunk)


def fingerprint(
    files: Sequence[Path], outcomes: Outcomes, candidates: Sequence[CandidatePolicy], extra: Sequence[object]
) -> str:
    """A name for this replay: the same inputs and questions, whatever has been appended to the files since."""
    digest = hashlib.blake2b(digest_size=12)
    for file in files:
        with file.open("rb") as stream:
            digest.update(f"{file.resolve()}\0".encode() + stream.read(4096).split(b"\n", 1)[0] + b"\0")
    digest.update(repr([outcomes.count, outcomes.latest_ms, [(c.name, c.settings) for c in candidates], *extra]).encode())
    return digest.hexdigest()


def _save(replay: Replay, file: Path, lines: int) -> None:
    private_dir(file.parent)
    for other in file.parent.glob("*.state"):
        if time.time() - other.stat().st_mtime > FORGOTTEN_S:
            other.unlink(missing_ok=True)
    data = msgspec.msgpack.encode([lines, state.freeze(replay.state())])
    new = file.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_bytes(data)
    new.replace(file)


def _restore(replay: Replay, file: Path) -> int:
    if not file.exists():
        return 0
    try:
        lines, frozen = msgspec.msgpack.decode(file.read_bytes())
        replay.restore(state.thaw(frozen))
    except (BorgError, msgspec.MsgspecError, ValueError, KeyError) as error:
        file.unlink(missing_ok=True)
        raise BorgError(f"{file} could not be taken up ({error}) and was removed; run the command again") from None
    if sys.stderr.isatty():
        print(f"going on after {lines:,} decisions", file=sys.stderr)
    return int(lines)


class Progress:
    """One line on a terminal's stderr; nothing anywhere else."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._start = self._last = time.monotonic()

    def show(self, decisions: int, lines: Lines) -> None:
        """Say how far it is, a few times a second."""
        now = time.monotonic()
        if not self._on or now - self._last < PROGRESS_S:
            return
        self._last = now
        share = min(1.0, lines.read_bytes / max(1, lines.total_bytes))
        bar = "█" * round(20 * share) + "░" * (20 - round(20 * share))
        print(f"\r{bar} {share:4.0%}  {decisions:,} decisions  {now - self._start:.0f} s ", end="", file=sys.stderr)

    def clear(self) -> None:
        """Take the line away."""
        if self._on:
            print("\r" + " " * 70 + "\r", end="", file=sys.stderr, flush=True)


def rewards(names: Sequence[str]) -> tuple[Reward, ...]:
    """The rewards asked for, in the usual order."""
    from borgd.replay.rewards import REWARDS

    return tuple(reward for reward in REWARDS if reward in names or "all" in names)
