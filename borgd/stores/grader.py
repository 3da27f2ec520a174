"""The optional grader: a command of the user's that reads JSON and answers grades. Off by default, never waited for long.

In: ``{"context": text, "lessons": [{"id", "question", "consequence"}]}``. Out: ``{"<id>": 1|2|3}``; ids left out: 0.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import anyio
import anyio.abc
import msgspec

from borgd.lessons.lesson import Lesson

GRADER_SECONDS = 0.6
"""guard: a Stop waits this long; the client's own deadline is 1 s."""
GRADER_LESSONS = 200
"""guard: lessons offered to the grader."""
ANSWER_BYTES = 1 << 20
"""guard: of a grader's answer."""
MISSES = 3
"""guard: failures in a row after which it is left alone."""
REST_S = 300.0
"""guard: for how long; then it is tried once."""

INSIDE = "BORGD_INSIDE"
"""method: set for what we start: where it is, our hooks say nothing, so that a grader which is an agent calls no grader."""


class Grader:
    """Runs ``command`` (empty: none) in a process group of its own, which is ended with all that it started.

    ``failures`` counts answers that did not come or were not grades. After MISSES of them in a row it is left alone for a
    while, so that no Stop pays for a command that hangs. ``monotonic_s``: the clock that the pause goes by.
    """

    def __init__(self, command: tuple[str, ...], monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self.command = command
        self.failures = 0
        self._monotonic_s = monotonic_s
        self._missed = 0
        self._rests_until = 0.0

    @property
    def resting(self) -> bool:
        """Whether it is left alone now."""
        return self._monotonic_s() < self._rests_until

    def status(self) -> dict[str, Any]:
        """For ``borg status`` and doctor."""
        return {"command": " ".join(self.command), "failures": self.failures, "resting": self.resting}

    async def grade(self, context: str, lessons: Sequence[Lesson]) -> dict[str, int] | None:
        """Grades by lesson id; None: no grader, nothing to grade, or it failed: the words decide alone."""
        if not self.command or not lessons or self.resting:
            return None
        offered = [{"id": one.id, "question": one.question, "consequence": one.consequence} for one in lessons]
        body = msgspec.json.encode({"context": context, "lessons": offered})
        try:
            with anyio.fail_after(GRADER_SECONDS):
                grades = msgspec.json.decode(await answer_of(self.command, body), type=dict[str, int])
        except (OSError, TimeoutError, msgspec.DecodeError):
            self._failed()
            return None
        self._missed = 0
        known = {one.id for one in lessons}
        return {name: grade for name, grade in grades.items() if name in known and 1 <= grade <= 3}

    def _failed(self) -> None:
        self.failures += 1
        self._missed += 1
        if self._missed >= MISSES:
            self._rests_until = self._monotonic_s() + REST_S
            self._missed = MISSES - 1  # after the pause one more failure is enough for the next


async def answer_of(command: Sequence[str], body: bytes) -> bytes:
    """What ``command`` prints for ``body``; it and all that it started are ended when this returns, however it does.

    :raises OSError: it cannot be started, or ended with another code than 0.
    """
    process = await anyio.open_process(
        list(command), stderr=subprocess.DEVNULL, env={**os.environ, INSIDE: "1"}, start_new_session=True
    )
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_feed, process, body)
            out = await _read(process)
            code = await process.wait()
    except BaseExceptionGroup as group:
        raise OSError("the grader's answer could not be read") from group
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await process.aclose()
    if code != 0:
        raise OSError(f"the grader ended with code {code}")
    return out


async def _feed(process: anyio.abc.Process, body: bytes) -> None:
    assert process.stdin is not None
    with suppress(anyio.BrokenResourceError, OSError):  # it need not read
        await process.stdin.send(body)
    with suppress(OSError):
        await process.stdin.aclose()


async def _read(process: anyio.abc.Process) -> bytes:
    assert process.stdout is not None
    out = b""
    with suppress(anyio.EndOfStream):
        while len(out) <= ANSWER_BYTES:
            out += await process.stdout.receive()
    return out
