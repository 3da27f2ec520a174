"""kill -9 at every step between reserve and commit: no charge is lost, none invented, no ask dropped.

A child runs meter and then delivered or failed on a file layer that kills the process at its n-th call to the operating
system, before or after the call is made; n goes up until the child gets through. A pipe holds what the child had told the
world by then.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.config.schema import Config, InterruptsConfig
from borgd.journal import FileLayer
from borgd.limits.interrupts.ledger import RESERVATION_MS
from borgd.limits.interrupts.verdict import Ask, AskOption, InterruptVerdict
from borgd.stores.interrupt_store import InterruptStore

NOON = 1_767_182_400_000
ONE = Config(interrupts=InterruptsConfig(daily_interrupt_budget=1))
CALLS = (
    "open",
    "close",
    "stat",
    "fstat",
    "pread",
    "write",
    "truncate",
    "sync",
    "sync_directory",
    "rename",
    "unlink",
    "try_lock",
    "unlock",
)
ASK = Ask(
    scope="o/r",
    confidence=0.9,
    stakes=0,
    question="Which?",
    options=(AskOption("a"), AskOption("b")),
    recommended=0,
    session="s1",
)


class _Killing(FileLayer):
    """Kills this process at call ``step``, before it (``after`` False) or after it; a write is made in two halves."""

    def __init__(self, step: int, *, after: bool) -> None:
        super().__init__()
        self.left, self.after = step, after

    def call(self, real: Callable[..., Any], *arguments: Any) -> Any:
        self.left -= 1
        if self.left < 0 and not self.after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments)
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def write(self, descriptor: int, data: memoryview) -> int:
        half = max(1, len(data) // 2)
        return int(self.call(super().write, descriptor, data[:half]))


def _counted(name: str) -> Callable[..., Any]:
    def method(self: _Killing, *arguments: Any) -> Any:
        return self.call(getattr(super(_Killing, self), name), *arguments)

    return method


for _name in CALLS:
    if _name != "write":
        setattr(_Killing, _name, _counted(_name))


def _child(directory: Path, step: int, *, after: bool, then: str) -> tuple[bool, list[str]]:
    """Whether the child got through, and what it had said when it ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reader)
            store = InterruptStore(directory, ONE, layer=_Killing(step, after=after))
            verdict = store.meter(ASK, NOON)
            os.write(writer, f"{verdict.outcome}\n".encode())
            if then != "nothing":
                getattr(store, then)(verdict, NOON)
                os.write(writer, f"{then}\n".encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as said:
        lines = said.read().split()
    status = os.waitpid(child, 0)[1]
    assert status == 0 or os.WIFSIGNALED(status), f"the child failed by itself at step {step}: {status}"
    return status == 0, lines


def _spent(directory: Path, now: int = NOON) -> int:
    rows = InterruptStore(directory, ONE).status(now)["scopes"]
    assert isinstance(rows, dict)
    return int(rows["__global__"]["spent"])


def _again(directory: Path) -> InterruptVerdict:
    store = InterruptStore(directory, ONE)
    verdict = store.meter(ASK, NOON)
    if verdict.admitted:
        store.delivered(verdict, NOON)
    return verdict


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("then", ["nothing", "delivered", "failed"])
def test_kill_at_every_step_loses_no_charge_and_invents_none(tmp_path: Path, then: str, after: bool) -> None:
    steps = killed_while_open = 0
    through = False
    while not through:
        directory = tmp_path / f"step{steps}"
        directory.mkdir()
        through, said = _child(directory, steps, after=after, then=then)
        steps += 1
        spent = _spent(directory)
        assert spent in (0, 1)
        if "failed" in said:
            assert spent == 0, "what was given back stays given back"
        elif "admit" in said and then != "failed":
            assert spent == 1, "a verdict that was told keeps its charge"
        killed_while_open += not through and spent
        store = InterruptStore(directory, ONE)
        store.tick(NOON + RESERVATION_MS)
        assert _spent(directory) == spent, "recovery neither charges nor gives back"
        again = _again(directory)
        assert again.outcome == "admit", "the same ask comes through, charged once in all"
        assert _spent(directory) == 1
        other = InterruptStore(directory, ONE).meter(Ask(confidence=0.9, stakes=0, question="Another?"), NOON)
        assert other.outcome == "defer", "and the budget of 1 is spent"
        entries = InterruptStore(directory, ONE)
        entries.status(NOON)
        assert sorted(entry.ask.question for entry in entries.journals.inbox.waiting()) == ["Another?", "Which?"], (
            "no ask is dropped"
        )
    assert steps > 20, "the child was killed at many steps"
    assert killed_while_open > 3, "some of them between reserve and commit"


def test_kill_while_answers_are_handed_over_never_loses_one(tmp_path: Path) -> None:
    """Handed over twice is allowed (the process died before it could say so); never handed over is not."""
    steps, through = 0, False
    while not through:
        directory = tmp_path / f"step{steps}"
        directory.mkdir()
        store = InterruptStore(directory, Config())
        number = store.meter(Ask(question="Which?", session="s1", confidence=0.1), NOON).number
        from borgd.stores.inbox_store import InboxStore

        InboxStore(store.journals).answer(number, "blue", NOON)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                told = InterruptStore(directory, Config(), layer=_Killing(steps, after=True)).answers("s1", "", now_ms=NOON)
                os.write(writer, f"{len(told)}".encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as said:
            first = int(said.read() or 0)
        through = os.WIFEXITED(os.waitpid(child, 0)[1])
        steps += 1
        later = len(InterruptStore(directory, Config()).answers("s1", "", now_ms=NOON))
        journaled = any('"told"' in line for line in (directory / "inbox.jsonl").read_text().splitlines())
        assert first + later == 1 or journaled
    assert steps > 10
