"""Group commit: appends that arrive together share one lock, one write and one fsync.

An async front: callers wait until their records are durable, the disk is waited for in a worker thread. Each journal has
its own queue, so one that is slow or locked holds up no other. Must not reorder what one caller appends to one journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from borgd.errors import JournalError
from borgd.journal.encoding import Record, encode
from borgd.journal.store import Journal

THREADS = 8
"""guard: journals that are written at the same time; more wait."""
MAX_BATCH_BYTES = 1 << 24
"""guard: bytes per write, so that one failure does not take back everything at once."""


class _Waiting:
    """One caller's records on their way to the disk."""

    __slots__ = ("done", "error", "lines")

    def __init__(self, lines: bytes) -> None:
        self.lines = lines
        self.done = anyio.Event()
        self.error: Exception | None = None


class GroupCommit:
    """Use as an async context manager; leaving it waits until everything accepted is on the disk."""

    def __init__(self) -> None:
        self._queues: dict[tuple[int, str], list[_Waiting]] = {}
        self._tasks: TaskGroup | None = None
        self._stack = AsyncExitStack()
        self.batches = 0
        """Batches tried so far, one fsync each."""
        self.appends = 0
        """Appends acknowledged so far."""

    async def __aenter__(self) -> Self:
        self._threads = anyio.CapacityLimiter(THREADS)
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._tasks = None
        if isinstance(error, Exception):  # let it through as it is, not wrapped into the task group's
            await self._stack.aclose()
            return None
        return await self._stack.__aexit__(kind, error, trace)

    async def append(self, journal: Journal, records: Sequence[Record]) -> None:
        """Store ``records``, together; durable on return.

        A caller that is cancelled leaves all of its records or none: none if their write has not begun.

        :raises JournalError: as ``Journal.append``; or the group has been closed.
        """
        if self._tasks is None:
            raise JournalError(f"{journal.name}: the store is closed; nothing was stored")
        if not records:
            return
        waiting = _Waiting(encode(records))
        key = (id(journal.layer), journal.name)
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = []
            self._tasks.start_soon(self._flush, key, journal)
        queue.append(waiting)
        try:
            await waiting.done.wait()
        except BaseException:
            if waiting in queue:
                queue.remove(waiting)
            raise
        if isinstance(waiting.error, JournalError):
            raise type(waiting.error)(str(waiting.error)) from waiting.error
        if waiting.error is not None:
            raise waiting.error

    async def _flush(self, key: tuple[int, str], journal: Journal) -> None:
        queue = self._queues[key]
        with anyio.CancelScope(shield=True):
            while queue:
                batch = _take(queue)
                error: Exception | None = None
                try:
                    lines = b"".join(waiting.lines for waiting in batch)
                    await anyio.to_thread.run_sync(journal.append_encoded, lines, limiter=self._threads)
                    self.appends += len(batch)
                except Exception as failure:  # whatever it was, its callers must hear of it and the next batch must go on
                    error = failure
                except BaseException:
                    error = JournalError(f"{journal.name}: the program is ending; whether this was stored is not known")
                    raise
                finally:
                    self.batches += 1
                    for waiting in batch:
                        waiting.error = error
                        waiting.done.set()
        del self._queues[key]


def _take(queue: list[_Waiting]) -> list[_Waiting]:
    """Remove and return the oldest entries of ``queue``, as many as fit a batch (one at least)."""
    size = count = 0
    for waiting in queue:
        size += len(waiting.lines)
        if count and size > MAX_BATCH_BYTES:
            break
        count += 1
    batch = queue[:count]
    del queue[:count]
    return batch
