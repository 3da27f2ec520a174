"""``borg debug simulate``: journals of a world whose truth is known, for everything that reads journals."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path
from typing import TypeVar

from borgd.cli.arguments import CommandParser
from borgd.cli.terminal_text import about
from borgd.errors import BorgError, UsageError
from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome
from borgd.replay.simulate import KnownTruth, SimulatedRecords, simulate, world

BATCH = 200
"""method: sessions that are appended together."""


def run(argv: list[str]) -> int:
    """Run the command."""
    parser = CommandParser(prog="borg debug simulate", description=about(__doc__))
    parser.add_argument("--out", required=True, metavar="DIR", help="a directory for the journals; made where missing")
    parser.add_argument("--sessions", type=int, default=1000, metavar="N")
    parser.add_argument("--lessons", type=int, default=60, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    arguments = parser.parse_args(argv)
    if arguments.sessions < 1 or arguments.lessons < 1 or arguments.seed < 0:
        raise UsageError("--sessions and --lessons: expected 1 or more; --seed: expected 0 or more")
    out = Path(arguments.out)
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = ("lessons", "decisions", "outcomes", "truth")
    for name in names:
        if (out / f"{name}.jsonl").exists():
            raise BorgError(f"{out / name}.jsonl exists; name another directory, or remove it first")
    journals = {name: Journal(out / f"{name}.jsonl") for name in names}
    journals["lessons"].append(list(world(arguments.seed, arguments.lessons).lessons.values()))
    writer = _Writer(journals)
    for number, records in enumerate(simulate(arguments.sessions, arguments.seed, arguments.lessons), 1):
        writer.take(records)
        if number % BATCH == 0:
            writer.write(writer.started_ms)
    writer.write(None)
    print(f"{writer.decisions:,} decisions and {writer.outcomes:,} outcomes of {arguments.sessions:,} sessions in {out}")
    print(f"borg debug ope --decisions {out}/decisions.jsonl --outcomes {out}/outcomes.jsonl --set relative=0.7")
    return 0


class _Writer:
    """Appends in the order of time, as machines do whose sessions overlap."""

    def __init__(self, journals: dict[str, Journal]) -> None:
        self._journals = journals
        self._decisions: list[Decision] = []
        self._outcomes: list[Outcome] = []
        self._known: list[KnownTruth] = []
        self.started_ms = self.decisions = self.outcomes = 0

    def take(self, records: SimulatedRecords) -> None:
        """Take in what a session wrote; sessions come in the order in which they began."""
        self._decisions += records.decisions
        self._outcomes += records.outcomes
        self._known += records.known
        if records.decisions:
            self.started_ms = records.decisions[0].ms

    def write(self, before_ms: int | None) -> None:
        """Append what is older than ``before_ms``, all where it is None."""
        decisions, self._decisions = _split(self._decisions, before_ms)
        outcomes, self._outcomes = _split(self._outcomes, before_ms)
        for name, records in (("decisions", decisions), ("outcomes", outcomes), ("truth", self._known)):
            if records:
                self._journals[name].append(list(records))
        self._known = []
        self.decisions += len(decisions)
        self.outcomes += len(outcomes)


R = TypeVar("R", Decision, Outcome)


def _split(records: list[R], before_ms: int | None) -> tuple[list[R], list[R]]:
    """(older than ``before_ms`` in the order of time, the others)."""
    ordered = sorted(records, key=lambda record: (record.ms, record.id))
    count = len(ordered) if before_ms is None else bisect_left(ordered, before_ms, key=lambda record: record.ms)
    return ordered[:count], ordered[count:]
