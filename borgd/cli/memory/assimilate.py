"""``borg assimilate``: corrections in past sessions of every agent become episodes. Shows first; ``--apply`` stores.

Resumable: what was read is remembered per file, so that a second run reads only what is new. One line in memory at a time.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import msgspec

from borgd.agents.transcripts import SESSION_FILES
from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import append, complain, print_json, records, settings
from borgd.cli.lesson.verdicts import episodes
from borgd.cli.terminal_text import count
from borgd.errors import BorgError
from borgd.lessons.corrections.detect import own_rules
from borgd.lessons.corrections.languages import PatternRule
from borgd.lessons.episodes import Episode
from borgd.lessons.mining import LINE_BYTES, MinedEpisode, Miner
from borgd.lessons.proposals import table, unheard
from borgd.lessons.sanitize import clean
from borgd.stores import repository
from borgd.stores.past import assimilate_state, session_files
from borgd.stores.past.assimilate_state import AssimilateState, ReadTranscript
from borgd.stores.past.session_files import PastFile

BATCH = 100
"""design: episodes stored together, and files after which the state is saved."""
SHOWN = 40
"""design: corrections printed, the newest."""
SHOWN_CHARS = 160
"""design: characters of each."""
BAR = 24
"""design: width of the progress bar."""


def run(argv: list[str]) -> int:
    """Read what is new in the transcripts."""
    parser = CommandParser(prog="borg assimilate", description="Mine past transcripts for corrections; shows first.")
    parser.add_argument("path", nargs="*", type=Path, help="transcripts or directories (those of every agent)")
    parser.add_argument("--agent", action="append", default=[], choices=list(SESSION_FILES), help="only of this agent")
    parser.add_argument("--apply", action="store_true", help="store the corrections and remember what was read")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args(argv)
    state = assimilate_state.load()
    home = str(Path.home())
    if arguments.path:
        places = session_files.given_places(arguments.path, os.environ, home)
    else:
        places = session_files.own_places(os.environ, home, arguments.agent)
    wanted = [one for one in places if not arguments.agent or one[0] in arguments.agent]
    if not arguments.path and not wanted:
        raise BorgError(f"no sessions of {_looked_for(arguments.agent, home)}; name a file or a directory with some")
    sources = list(session_files.unread(wanted, state.files))
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


def _looked_for(agents: list[str], home: str) -> str:
    """The agents and where their sessions would be."""
    places = {agent: files.place(os.environ, home) for agent, files in SESSION_FILES.items()}
    return ", ".join(f"{agent} in {places[agent]}" for agent in agents or places)


class _Work:
    def __init__(
        self,
        sources: list[PastFile],
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
        self.agents: Counter[str] = Counter()
        self.bytes = self.files = self.damaged = self.seen = 0
        self._total = sum(_bytes(source) for source in sources) or 1
        self._repository = cache(repository.name)

    def run(self) -> None:
        for source in self.sources:
            self._one(source)
            self.files += 1
            if self.files % BATCH == 0:
                self._store()

    def _one(self, source: PastFile) -> None:
        miner = Miner(
            source.name, self._repository, self.own, offset=source.start, agent=source.agent, ms=_changed_ms(source.path)
        )
        miner.begin(session_files.first_lines(source))
        done = source.start
        try:
            for line in session_files.lines(source, LINE_BYTES):
                if not line.endswith(b"\n") and len(line) <= LINE_BYTES:
                    break  # still being written; the next run reads it
                done += len(line)
                self._take(miner.line(line))
                self._progress(0 if source.session else len(line))
            self._take(miner.finish())
        except OSError as error:
            self._take(miner.finish())
            complain([f"{source.path} cannot be read: {error.strerror}"])
            return
        finally:
            self.damaged += miner.damaged
            self.agents[source.agent] += 1
            if self.apply:
                whole = source.session or source.path.suffix != ".jsonl"  # such a one is read anew when it changes
                self.state.files[source.key] = ReadTranscript(0 if whole else miner.safe, source.size if whole else done)

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
            "agents": dict(sorted(self.agents.items())),
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
        of = f" ({', '.join(f'{agent} {number}' for agent, number in sorted(self.agents.items()))})" if self.files else ""
        found = f"{count(self.counts.total(), 'correction')} in {count(self.files, 'transcript')}{of}"
        print(f"{f'and {more} before these; ' if more else ''}{found}")
        if self.doubtful:
            print(f"{count(len(self.doubtful), 'more message')} may be one; --json shows them.")
        if not self.counts and not self.doubtful:
            print("Nothing new.")
        elif self.apply:
            print("Stored. borg lesson ratify makes lessons of them.")
        else:
            print("Nothing is stored yet; --apply does.")


def _bytes(source: PastFile) -> int:
    return 0 if source.session else source.size - source.start


def _changed_ms(path: Path) -> int:
    """When the file last changed: the time of rows that name none."""
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0
