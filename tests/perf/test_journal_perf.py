"""The journal beside what it is made of: bare decoding, a bare pread at the end, a bare write with fdatasync."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from borgd.journal import Follower, GroupCommit, Journal, encode
from borgd.memory.records import Outcome
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

LINES = sized(200_000, 20_000)
REPEATS = sized(200, 20)
BYTES = sized(200_000_000, 20_000_000)
WRITERS, EACH = sized((16, 60), (8, 20))


def outcome(n: int, machine: str = "m") -> dict[str, Any]:
    record = Outcome(
        id=f"{machine}-{n}", ms=1_700_000_000_000 + n, lesson=f"L{n % 977}", kind="changed", evidence="the diff"
    )
    return {**msgspec.to_builtins(record), "agent": "claude-code", "session": "s", "machine": machine}


def cpu_seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def median_us(work: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    times = []
    for _ in range(REPEATS):
        before()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def test_reading_beside_bare_decoding(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(encode(outcome(n) for n in range(LINES)))
    journal, bare = Journal(path), msgspec.json.Decoder(dict[str, Any])
    base = cpu_seconds(lambda: bare.decode_lines(path.read_bytes()))
    typed, plain = cpu_seconds(lambda: journal.read(Outcome)), cpu_seconds(journal.read)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    slow = cpu_seconds(journal.read)
    print(
        f"\n{LINES} lines, of bare decode_lines: dicts {plain / base:.2f}, typed {typed / base:.2f}, CRLF {slow / base:.2f}"
    )
    assert len(journal.read(Outcome).records) == LINES


def test_following_a_large_file_beside_a_bare_pread(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    line = encode([{"n": 0, "text": "x" * 5000}])
    path.write_bytes(line * (BYTES // len(line)))
    journal, bare = Journal(path), msgspec.json.Decoder(dict[str, Any])
    follower = Follower(journal)
    follower.read()

    def ten_more() -> None:
        with path.open("ab") as file:
            file.write(line * 10)

    def bare_read() -> None:
        descriptor = os.open(path, os.O_RDONLY)
        size = os.fstat(descriptor).st_size
        assert len(bare.decode_lines(os.pread(descriptor, 10 * len(line), size - 10 * len(line)))) == 10
        os.close(descriptor)

    new = median_us(follower.read, ten_more)
    base = median_us(bare_read, ten_more)
    follower.read()
    nothing = median_us(follower.read)
    print(
        f"\nten new 5 KB lines after {BYTES // 10**6} MB: {new / base:.2f} of a bare pread and decode; "
        f"nothing new: {nothing / base:.2f}"
    )
    assert follower.offset == path.stat().st_size


def test_appending_beside_a_bare_write_and_fdatasync(tmp_path: Path) -> None:
    line = encode([outcome(1)])
    descriptor = os.open(tmp_path / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def bare() -> None:
        os.write(descriptor, line)
        os.fdatasync(descriptor)

    journal, record = Journal(tmp_path / "j.jsonl"), outcome(1)
    base, append = median_us(bare), median_us(lambda: journal.append([record]))
    os.close(descriptor)
    print(f"\nappend: {append / base:.2f} of write + fdatasync")
    assert len(journal.read().records) == REPEATS


def test_group_commit_beside_writers_that_each_wait_for_the_disk(tmp_path: Path) -> None:
    alone, together = Journal(tmp_path / "alone.jsonl"), Journal(tmp_path / "together.jsonl")
    record = outcome(1)

    def one_writer() -> None:
        for _ in range(EACH):
            alone.append([record])

    async def grouped() -> int:
        async def caller() -> None:
            for _ in range(EACH):
                await commit.append(together, [record])

        async with GroupCommit() as commit, anyio.create_task_group() as tasks:
            for _ in range(WRITERS):
                tasks.start_soon(caller)
        return commit.batches

    threads = [threading.Thread(target=one_writer) for _ in range(WRITERS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    base = time.perf_counter() - start
    start = time.perf_counter()
    batches = anyio.run(grouped)
    group = time.perf_counter() - start
    total = WRITERS * EACH
    print(
        f"\n{WRITERS} writers, {total} records: group commit {base / group:.1f} times as fast, {batches} fsyncs for {total}"
    )
    assert len(alone.read().records) == len(together.read().records) == total
