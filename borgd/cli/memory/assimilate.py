"""``borg assimilate``: corrections in past transcripts of Claude Code become episodes. Shows first; ``--apply`` stores.

Resumable: what was read is remembered per file, so that a second run reads only what is new. One line in memory at a time.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from borgd.cli.lesson.lesson_files import append, complain, print_json, records, settings
from borgd.cli.lesson.verdicts import episodes
from borgd.cli.terminal_text import count
from borgd.errors import BorgError, InputError
from borgd.lessons.corrections.detect import own_rules
from borgd.lessons.corrections.languages import PatternRule
from borgd.lessons.episodes import Episode
from borgd.lessons.mining import LINE_BYTES, MinedEpisode, Miner
from borgd.lessons.proposals import table, unheard
from borgd.lessons.sanitize import clean
from borgd.stores import repository
from borgd.stores.past import assimilate_state
from borgd.stores.past.assimilate_state import AssimilateState, ReadTranscript

BATCH = 100
"""design: episodes stored together, and files after which the state is saved."""
SHOWN = 40
"""design: corrections printed, the newest."""
SHOWN_CHARS = 160
"""design: characters of each."""
BAR = 24
"""design: width of the progress bar."""


class TranscriptSource(NamedTuple):
    """A transcript and how far to read it."""

    path: Path
    start: int
    size: int


def run(argv: list[str]) -> int:
    """Read what is new in the transcripts."""
    parser = argparse.ArgumentParser(
        prog="borg assimilate", description="Mine past transcripts for corrections; shows first."
    )
    parser.add_argument("path", nargs="*", type=Path, help="transcripts or directories (all of Claude Code's)")
    parser.add_argument("--apply", action="store_true", help="store the corrections and remember what was read")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args(argv)
    state = assimilate_state.load()
    if not arguments.path and not _projects().is_dir():
        raise BorgError(f"no transcripts of Claude Code in {_projects()}; name a file or a directory with some")
    sources = list(_sources(arguments.path or [_projects()], state))
    known = {str(record.get("id")) for record in records("episodes")}
    work = _Work(sources, state, own_rules(settings().capture.patterns), known, apply=arguments.apply)
    try:
        work.run()
    finally:
        work.finish()
    if arguments.json:
        print_json(work.result())
    else:
        work.say()
    return 0


def _projects() -> Path:
    base = os.environ.get("CLAUDE_CONFIG_DIR") or str(Path.home() / ".claude")
    return Path(base) / "projects"


def _sources(paths: list[Path], state: AssimilateState) -> Iterator[TranscriptSource]:
    for given in paths:
        if given.is_dir():
            found = sorted(
                Path(base) / name for base, _, names in os.walk(given) for name in names if _is_transcript(base, name)
            )
        elif given.exists():
            found = [given]
        else:
            raise InputError(str(given), "expected a transcript or a directory of them, there is nothing")
        for path in found:
            with suppress(OSError):
                size = path.stat().st_size
                read = state.files.get(str(path.absolute()))
                if read is None or read.size > size:
                    yield TranscriptSource(path, 0, size)
                elif read.size < size:
                    yield TranscriptSource(path, read.offset, size)


def _is_transcript(base: str, name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith("agent-") and Path(base).name != "subagents"


class _Work:
    def __init__(
        self,
        sources: list[TranscriptSource],
        state: AssimilateState,
        own: tuple[PatternRule, ...],
        known: set[str],
        *,
        apply: bool,
    ) -> None:
        self.sources = sources
        self.state = state
        self.own = own
        self.known = known
        self.apply = apply
        self.counts: Counter[str] = Counter()
        self.doubtful: list[Episode] = []
        self.filed = {str(record.get("episode", "")) for record in records("proposals")}
        self.shown: list[Episode] = []
        self.waiting: list[Episode] = []
        self.bytes = self.files = self.damaged = self.seen = 0
        self._total = sum(source.size - source.start for source in sources) or 1
        self._repository = cache(repository.name)

    def run(self) -> None:
        for source in self.sources:
            self._one(source)
            self.files += 1
            if self.files % BATCH == 0:
                self._store()

    def _one(self, source: TranscriptSource) -> None:
        miner = Miner(source.path.stem, self._repository, self.own, offset=source.start)
        done = source.start
        try:
            with source.path.open("rb") as file:
                file.seek(source.start)
                while line := file.readline(LINE_BYTES + 1):
                    if not line.endswith(b"\n") and len(line) <= LINE_BYTES:
                        break  # still being written; the next run reads it
                    done += len(line)
                    self._take(miner.line(line))
                    self._progress(len(line))
            self._take(miner.finish())
        except OSError as error:
            complain([f"{source.path} cannot be read: {error.strerror}"])
            return
        finally:
            self.damaged += miner.damaged
            if self.apply:
                self.state.files[str(source.path.absolute())] = ReadTranscript(miner.safe, done)

    def _take(self, found: list[MinedEpisode]) -> None:
        for episode, sure in found:
            if not self.state.may_keep(episode):
                continue
            if episode.id in self.known:
                self.seen += 1
                continue
            self.known.add(episode.id)
            if not sure:
                self.doubtful = [*self.doubtful, episode][-SHOWN:]
                if self.apply:
                    self.state.doubt([episode])
                continue
            self.counts[episode.rule] += 1
            self.shown = [*self.shown, episode][-SHOWN:]
            if self.apply:
                self.waiting.append(episode)
                if len(self.waiting) >= BATCH:
                    self._store()

    def _store(self) -> None:
        """Episodes first, then how far they were read: a crash between the two reads again and stores nothing twice."""
        if self.apply:
            append("episodes", self.waiting)
            self.waiting = []
            assimilate_state.save(self.state)

    def finish(self) -> None:
        if sys.stderr.isatty():
            print(file=sys.stderr)
        self._store()

    def _progress(self, size: int) -> None:
        before, self.bytes = self.bytes, self.bytes + size
        total = self._total
        if sys.stderr.isatty() and before * 200 // total != self.bytes * 200 // total:
            done = min(BAR, self.bytes * BAR // total)
            bar = "#" * done + "-" * (BAR - done)
            text = f"\r[{bar}] {self.bytes * 100 // total:3} %  {self.files}/{len(self.sources)} files  "
            print(f"{text}{self.counts.total()} corrections", end="", file=sys.stderr, flush=True)

    def result(self) -> dict[str, object]:
        return {
            "applied": self.apply,
            "files": self.files,
            "bytes": self.bytes,
            "damaged_lines": self.damaged,
            "corrections": self.counts.total(),
            "known": self.seen,
            "rules": dict(sorted(self.counts.items())),
            "episodes": [msgspec.to_builtins(episode) for episode in self.shown],
            "doubtful": [msgspec.to_builtins(episode) for episode in self._doubtful()],
            "waiting": [msgspec.to_builtins(episode) for episode in self._waiting()],
        }

    def _doubtful(self) -> list[Episode]:
        """What was not sure, found now or before, and what nobody made a proposal of."""
        kept = [one for one in self.state.doubtful if self.state.may_keep(one)]
        found = {one.id: one for one in (*kept, *self.doubtful) if one.id not in self.filed}
        return list(found.values())[-SHOWN:]

    def _waiting(self) -> list[Episode]:
        """The episodes that nobody made a proposal of or decided on, found now or before, the newest."""
        proposals = records("proposals")
        found = unheard([*episodes().values(), *self.shown], proposals, table(proposals).verdicts)
        return found[-SHOWN:]

    def say(self) -> None:
        for episode in self.shown:
            print(f"{episode.id}  {clean(episode.correction, SHOWN_CHARS)}  ({episode.rule}: {episode.reason})")
        more = self.counts.total() - len(self.shown)
        found = f"{count(self.counts.total(), 'correction')} in {count(self.files, 'transcript')}"
        print(f"{f'and {more} before these; ' if more else ''}{found}")
        if self.doubtful:
            print(f"{count(len(self.doubtful), 'more message')} may be one; --json shows them.")
        if not self.counts and not self.doubtful:
            print("Nothing new.")
        elif self.apply:
            print("Stored. borg lesson ratify makes lessons of them.")
        else:
            print("Nothing is stored yet; --apply does.")
