"""Forks a fresh writer for every line of its standard input, so that a round costs no interpreter start.

Line: ``<round> <seed> sync|group``. Answers the writer's pid; the writer then prints ``+<number>`` when it begins to append
a record and ``=<number>`` once the record is acknowledged, until it is killed.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from pathlib import Path
from typing import Any

import anyio

from borgd.journal import Follower, GroupCommit, Journal

THREADS = 4
NUMBERS_PER_ROUND = 1_000_000


class Load:
    def __init__(self, path: Path, first: int, seed: int) -> None:
        self.journals = [Journal(path), Journal(path.with_name("second.jsonl"))]
        self.random = random.Random(seed)
        self.next = first
        self.mutex = threading.Lock()

    def batch(self) -> tuple[Journal, list[dict[str, Any]]]:
        with self.mutex:
            count = self.random.choice([1, 1, 1, 2, 3])
            width = self.random.choice([0, 10, 200, 5_000, 100_000, 400_000])
            numbers = range(self.next, self.next + count)
            self.next += count
            journal = self.random.choice(self.journals)
        say("+", numbers)
        return journal, [{"n": n, "text": "é" * width, "end": n} for n in numbers]


def say(sign: str, numbers: Any) -> None:
    os.write(1, "".join(f"{sign}{n}\n" for n in numbers).encode())


def write_in_threads(load: Load) -> None:
    def work(transacting: bool) -> None:
        followers = {journal.name: Follower(journal) for journal in load.journals}
        while True:
            journal, records = load.batch()
            if transacting:
                journal.transact(followers[journal.name], lambda _, records=records: (records, None))  # type: ignore[misc]
            else:
                journal.append(records)
            say("=", [record["n"] for record in records])

    for number in range(THREADS):
        threading.Thread(target=work, args=(number == 0,)).start()


async def write_in_group(load: Load) -> None:
    async def work() -> None:
        while True:
            journal, records = load.batch()
            await commit.append(journal, records)
            say("=", [record["n"] for record in records])

    async with GroupCommit() as commit, anyio.create_task_group() as tasks:
        for _ in range(2 * THREADS):
            tasks.start_soon(work)


def main() -> None:
    path = Path(sys.argv[1])
    for line in sys.stdin:
        number, seed, mode = line.split()
        pid = os.fork()
        if pid == 0:
            load = Load(path, int(number) * NUMBERS_PER_ROUND, int(seed))
            if mode == "sync":
                write_in_threads(load)
            else:
                anyio.run(write_in_group, load)
            return
        os.write(1, b"%d\n" % pid)
        os.waitpid(pid, 0)
        os.write(1, b"dead\n")


if __name__ == "__main__":
    main()
