"""Deadlines and counters of the server, in one process with the limits turned down."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc
import pytest

from borgd.config.schema import DaemonConfig
from borgd.errors import LimitError
from borgd.paths import Paths, user_paths
from borgd.protocol import frames as wire
from borgd.protocol.frames import ReplyFrame
from borgd.server import lifecycle, server
from borgd.server.latency import MAX_KEYS, LatencyHistogram, LatencyTable
from borgd.server.log import LOG_BYTES, LogFile, close_log, open_log

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """The claim sets the process's umask; other tests keep theirs."""
    old = os.umask(0o022)
    yield
    os.umask(old)


class Scripted:
    """A service whose next answer the test chooses."""

    def __init__(self) -> None:
        self.closed = False
        self.hanging = anyio.Event()

    async def hook(self, agent: str, event: str, body: bytes, words: tuple[str, ...] = ()) -> bytes:
        if event == "foreseen":
            raise LimitError("a bad path")
        if event == "hang":
            self.hanging.set()
            await anyio.sleep_forever()
        return b" {}\n"

    async def call(self, method: str, body: bytes) -> ReplyFrame:
        if method == "foreseen":
            raise LimitError("a bad number")
        return ReplyFrame(7, b"out", b"err")

    async def start(self, tasks: anyio.abc.TaskGroup) -> None:
        tasks.start_soon(anyio.sleep_forever)

    async def close(self) -> None:
        self.closed = True


@asynccontextmanager
async def serving(service: Scripted) -> AsyncIterator[Paths]:
    where = user_paths()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: lifecycle.serve(service, where, DaemonConfig(), env=os.environ))
        with anyio.fail_after(120):
            while not where.socket.exists():  # noqa: ASYNC110 (it is another process's file, in principle)
                await anyio.sleep(0.005)
        yield where
        await ask(where, b"borg/1 call stop\n")
    assert service.closed


async def ask(where: Paths, data: bytes, *, close: bool = True) -> ReplyFrame:
    async with await anyio.connect_unix(where.socket) as stream:
        await stream.send(data)
        if close:
            await stream.send_eof()
        reply = b""
        try:
            while True:
                reply += await stream.receive()
        except anyio.EndOfStream:
            return wire.unpack(reply)


async def test_a_request_that_is_never_whole_is_answered_at_its_deadline(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(Scripted()) as where:
        monkeypatch.setattr(server, "READ_S", 0.05)
        for begun in (b"borg", b"borg/1 hook a b\n", b'borg/1 hook a b\n{"a"', b"borg/1 call x\n"):
            answer = await ask(where, begun, close=False)
            assert (answer.status, answer.out) == (1, b"{}")
            assert b"not whole after" in answer.err
        monkeypatch.setattr(server, "READ_S", 60.0)  # for the request to stop


async def test_a_hook_that_hangs_is_answered_at_its_deadline(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HOOK_S", 0.05)
    async with serving(Scripted()) as where:
        answer = await ask(where, b"borg/1 hook a hang\n{}")
        assert (answer.status, answer.out) == (3, b"{}")
        assert b"TimeoutError" in answer.err


async def test_a_hook_that_hangs_does_not_hold_up_the_end_for_ever(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "DRAIN_S", 0.1)
    service = Scripted()
    async with serving(service) as where:
        stream = await anyio.connect_unix(where.socket)
        await stream.send(b"borg/1 hook a hang\n{}")
        await service.hanging.wait()
    await stream.aclose()


async def test_a_client_that_does_not_take_its_answer_is_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Long(Scripted):
        async def call(self, method: str, body: bytes) -> ReplyFrame:
            return ReplyFrame(0, b"x" * (8 << 20), b"")

    monkeypatch.setattr(server, "WRITE_S", 0.05)
    async with serving(Long()) as where:
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.connect(str(where.socket))
            deaf.send(b"borg/1 call long\n[]")
            while b'"abandoned":0' in (await ask(where, b"borg/1 call status\n")).out:  # noqa: ASYNC110
                await anyio.sleep(0.01)


async def test_foreseen_errors_keep_their_sentence_and_an_answer_its_code(home: Path) -> None:
    async with serving(Scripted()) as where:
        assert await ask(where, b"borg/1 hook a foreseen\n{}") == ReplyFrame(1, b"{}", b"a bad path")
        assert await ask(where, b"borg/1 call foreseen\n") == ReplyFrame(1, b"", b"a bad number")
        assert await ask(where, b"borg/1 call any\n") == ReplyFrame(7, b"out", b"err")
        assert await ask(where, b"borg/1 hook a b\n{}") == ReplyFrame(0, b"{}", b"")


async def test_a_crash_of_background_work_still_flushes_the_service(home: Path) -> None:
    class Failing(Scripted):
        async def start(self, tasks: anyio.abc.TaskGroup) -> None:
            async def fail() -> None:
                await anyio.sleep(0.02)
                raise OSError("made to fail")

            tasks.start_soon(fail)

    service = Failing()
    with pytest.raises(ExceptionGroup, match="unhandled"):
        await lifecycle.serve(service, user_paths(), DaemonConfig(), env=os.environ)
    assert service.closed
    assert not user_paths().socket.exists()


def test_percentiles_are_within_a_bucket_of_the_true_ones() -> None:
    latency = LatencyHistogram()
    assert latency.summary() == {"count": 0, "p50_ms": 0, "p95_ms": 0, "p99_ms": 0, "max_ms": 0}
    for microseconds in range(1, 10_001):
        latency.add(float(microseconds))
    for share in (0.5, 0.95, 0.99):
        true = share * 10_000
        assert true <= latency.percentile_us(share) <= true * 2 ** (1 / 8)
    assert latency.percentile_us(1.0) == 10_000
    latency.add(1e12)
    assert latency.summary()["max_ms"] == 1e9


def test_kinds_of_events_are_bounded() -> None:
    stats = LatencyTable()
    for number in range(MAX_KEYS * 3):
        stats.record(f"agent event{number}", 100.0)
    hooks = stats.summary()["hooks"]
    assert isinstance(hooks, dict)
    assert len(hooks) == MAX_KEYS + 1
    assert hooks["other"]["count"] == MAX_KEYS * 2


def test_the_log_is_bounded_private_and_without_messages_of_exceptions(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    handler = open_log(path)
    logger = logging.getLogger("borgd.test")
    try:
        try:
            raise ValueError("the canary 4711")
        except ValueError:
            logger.exception("it\x1b[31m failed\nsecond line")
        logging.getLogger("asyncio").error("Task exception was never retrieved\nfuture: <Task 4711>")
        text = path.read_text()
        assert "4711" not in text
        assert "\x1b" not in text
        assert "ValueError at test_server_deadlines.py:" in text
        assert len(text.splitlines()) == 2
        assert path.stat().st_mode & 0o777 == 0o600
        for _ in range(3 * LOG_BYTES // 1000):
            logger.info("x" * 1000)
        assert path.stat().st_size <= LOG_BYTES + 2000
        assert (tmp_path / "daemon.log.1").stat().st_size <= LOG_BYTES + 2000
        assert len(list(tmp_path.iterdir())) == 2
    finally:
        close_log(handler)
    assert handler not in logging.getLogger("borgd").handlers


def test_a_full_disk_costs_lines_and_not_the_daemon() -> None:
    handler = LogFile(Path("/dev/full"))
    handler.emit(logging.LogRecord("borgd", logging.ERROR, "", 0, "text", None, None))
    handler.close()
