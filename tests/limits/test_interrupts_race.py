"""64 threads and 8 processes on a budget of 1 admit exactly 1, whoever shares a desk and whoever has one of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from borgd.config.schema import Config, InterruptsConfig, ScopeConfig
from borgd.limits.interrupts.verdict import Ask
from borgd.stores.interrupt_store import InterruptStore

NOON = 1_767_182_400_000
ONE = Config(interrupts=InterruptsConfig(daily_interrupt_budget=1))

WORKER = """
import sys, threading, time
from pathlib import Path
from borgd.config.schema import Config, InterruptsConfig
from borgd.stores.interrupt_store import InterruptStore
from borgd.limits.interrupts.verdict import Ask

directory, name = Path(sys.argv[1]), sys.argv[2]
config = Config(interrupts=InterruptsConfig(daily_interrupt_budget=1))
print("ready", flush=True)
sys.stdin.readline()
admitted = []

def ask(place):
    question = Ask(scope=f"a/{name}", confidence=0.9, stakes=0, question=f"{name} {place}")
    verdict = InterruptStore(directory, config).meter(question, 1767182400000)
    admitted.append(verdict.admitted)

threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(admitted), len(admitted), flush=True)
"""


def _all_at_once(count: int, work: Callable[[int], bool]) -> list[bool]:
    gate, done = threading.Barrier(count), [False] * count

    def one(place: int) -> None:
        gate.wait()
        done[place] = work(place)

    threads = [threading.Thread(target=one, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def _ask(place: int, scope: str = "a", **fields: object) -> Ask:
    return Ask(scope=scope, confidence=0.9, stakes=0, question=f"Question {place}?", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("shared", [True, False])
def test_64_threads_on_a_budget_of_1_admit_exactly_1(tmp_path: Path, shared: bool) -> None:
    one = InterruptStore(tmp_path, ONE)

    def work(place: int) -> bool:
        store = one if shared else InterruptStore(tmp_path, ONE)
        return store.meter(_ask(place), NOON).admitted

    assert _all_at_once(64, work).count(True) == 1
    fresh = InterruptStore(tmp_path, ONE)
    status = fresh.status(NOON)
    assert status["waiting"] == {"pending": 1, "deferred": 63}
    assert sorted(fresh.journals.inbox.entries) == list(range(1, 65))


def test_8_processes_of_8_threads_on_a_budget_of_1_admit_exactly_1(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path), f"p{place}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for place in range(8)
    ]
    try:
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        counts = []
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        for worker in workers:
            out, _ = worker.communicate(timeout=120)
            counts.append(tuple(int(word) for word in out.split()))
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    assert [asked for _, asked in counts] == [8] * 8
    assert sum(admitted for admitted, _ in counts) == 1
    lines = [json.loads(line) for line in (tmp_path / "interrupts.jsonl").read_text().splitlines()]
    assert sorted(line["number"] for line in lines) == list(range(1, 65))
    assert [line["outcome"] for line in lines].count("admit") == 1


def test_threads_in_sibling_scopes_never_pass_their_parents_ceiling(tmp_path: Path) -> None:
    config = Config(
        interrupts=InterruptsConfig(
            daily_interrupt_budget=20, scopes={"p": ScopeConfig(ceiling=3), "p/0": ScopeConfig(weight=Decimal("0.1"))}
        )
    )
    admitted = _all_at_once(
        32, lambda place: InterruptStore(tmp_path, config).meter(_ask(place, f"p/{place % 4}"), NOON).admitted
    )
    rows = InterruptStore(tmp_path, config).status(NOON)["scopes"]
    assert isinstance(rows, dict)
    assert rows["p"]["spent"] == admitted.count(True) <= 3
    assert rows["p"]["spent"] == sum(rows[path]["spent"] for path in rows if path.startswith("p/"))


def test_the_same_ask_from_16_threads_is_charged_once_and_all_get_its_number(tmp_path: Path) -> None:
    store = InterruptStore(tmp_path, Config())
    numbers: list[int] = []

    def work(place: int) -> bool:
        verdict = store.meter(_ask(0, key="same"), NOON)
        numbers.append(verdict.number)
        return verdict.charged

    assert _all_at_once(16, work).count(True) == 1
    assert set(numbers) == {1}
