"""kill -9 under load, again and again on the same journals: every acknowledged record is there exactly once, whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Follower, Journal

WRITER = Path(__file__).with_name("journal_writer.py")
ROUNDS = 200


class Checker:
    """Follows the journals and keeps account of what was promised."""

    def __init__(self, path: Path) -> None:
        self.journals = [Journal(path), Journal(path.with_name("second.jsonl"))]
        self.followers = [Follower(journal) for journal in self.journals]
        self.begun: set[int] = set()
        self.acknowledged: set[int] = set()
        self.found: Counter[int] = Counter()

    def hear(self, line: str) -> None:
        (self.begun if line[0] == "+" else self.acknowledged).add(int(line[1:]))

    def append_as_peer(self, n: int) -> None:
        """What a command line would do at that moment: it meets the dying writer's lock and torn tails."""
        self.begun.add(n)
        self.journals[n % 2].append([{"n": n, "end": n}])
        self.acknowledged.add(n)

    def check_new(self) -> None:
        for follower in self.followers:
            reading = follower.read()
            assert (reading.damage, reading.replaced) == ([], False)
            self.take(reading.records)
        self.compare()

    def check_all(self) -> None:
        self.found.clear()
        for journal in self.journals:
            reading = journal.read()
            assert reading.damage == []
            self.take(reading.records)
        self.compare()

    def take(self, records: list[dict[str, Any]]) -> None:
        for record in records:
            assert record["n"] == record["end"]
            self.found[record["n"]] += 1

    def compare(self) -> None:
        assert [n for n, times in self.found.items() if times != 1] == []
        assert self.acknowledged - self.found.keys() == set()
        assert self.found.keys() - self.begun == set()


@pytest.mark.slow
def test_two_hundred_kills_under_load_lose_and_invent_nothing(tmp_path: Path) -> None:
    chance = random.Random(20)
    checker = Checker(tmp_path / "first.jsonl")
    command = [sys.executable, str(WRITER), str(tmp_path / "first.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as spawner:
        assert spawner.stdin is not None
        assert spawner.stdout is not None
        for number in range(ROUNDS):
            spawner.stdin.write(f"{number} {chance.randrange(1 << 30)} {'sync' if number % 2 else 'group'}\n")
            victim: int | None = None
            kill_after = chance.randint(0, 40)
            for line in spawner.stdout:
                if line == "dead\n":
                    break
                if line[0] in "+=":
                    checker.hear(line)
                else:
                    victim = int(line)
                kill_after -= 1
                if victim is not None and kill_after <= 0:
                    os.kill(victim, signal.SIGKILL)
                    victim = None
                    checker.append_as_peer(-number - 1)
            checker.check_new()
        spawner.stdin.close()
    checker.check_all()
    for journal in checker.journals:
        journal.append([{"n": 0}])
        assert (journal.read().damage, journal.read().torn) == ([], False)
    assert len(checker.acknowledged) > ROUNDS
    torn = sum(len(journal.quarantined()) for journal in checker.journals)
    print(f"{ROUNDS} kills, {len(checker.acknowledged)} records acknowledged, {torn} torn lines")
