"""``borg debug simulate``: journals of a world whose truth is known, for everything that reads journals."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from borgd.errors import BorgError, UsageError
from borgd.journal import Journal
from borgd.paths import private_dir
from borgd.replay.simulate import Records, simulate, world

BATCH = 200
"""method: sessions that are appended together."""


def run(argv: list[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="borg debug simulate", description=__doc__)
    parser.add_argument("--out", required=True, metavar="DIR", help="a directory for the journals; made where missing")
    parser.add_argument("--sessions", type=int, default=1000, metavar="N")
    parser.add_argument("--lessons", type=int, default=60, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    arguments = parser.parse_args(argv)
    if arguments.sessions < 1 or arguments.lessons < 1 or arguments.seed < 0:
        raise UsageError("--sessions and --lessons: expected 1 or more; --seed: expected 0 or more")
    out = private_dir(Path(arguments.out))
    names = ("lessons", "decisions", "outcomes", "truth")
    for name in names:
        if (out / f"{name}.jsonl").exists():
            raise BorgError(f"{out / name}.jsonl exists; name another directory, or remove it first")
    journals = {name: Journal(out / f"{name}.jsonl") for name in names}
    journals["lessons"].append(list(world(arguments.seed, arguments.lessons).lessons.values()))
    written, batch = [0, 0], []
    for records in simulate(arguments.sessions, arguments.seed, arguments.lessons):
        batch.append(records)
        if len(batch) == BATCH:
            _append(journals, batch, written)
            batch = []
    _append(journals, batch, written)
    print(f"{written[0]:,} decisions and {written[1]:,} outcomes of {arguments.sessions:,} sessions in {out}")
    print(f"borg debug ope --decisions {out}/decisions.jsonl --outcomes {out}/outcomes.jsonl --set relative=0.7")
    return 0


def _append(journals: dict[str, Journal], batch: Sequence[Records], written: list[int]) -> None:
    decisions = [decision for records in batch for decision in records.decisions]
    outcomes = [outcome for records in batch for outcome in records.outcomes]
    known: list[msgspec.Struct] = [each for records in batch for each in records.known]
    for name, records in (("decisions", decisions), ("outcomes", outcomes), ("truth", known)):
        if records:
            journals[name].append(list(records))
    written[0] += len(decisions)
    written[1] += len(outcomes)
