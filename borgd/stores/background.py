"""Work on the disk that nobody waits for: done in its order by one thread, soon after it was said.

What fails is counted and logged, and costs nothing else. ``flush`` waits for all that was put before it; what is still there
when the process ends in order is done first.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread

from borgd.errors import BorgError

Work = Callable[[], object]

END_S = 5.0
"""guard: seconds that the end of the process waits for what is still to be written."""


class BackgroundWriter:
    """One thread, started with the first piece of work."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Work | Event] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self.failed = 0
        """Pieces of work that the disk refused."""
        self.problem = ""
        """The last refusal, in words; empty after work that succeeded."""

    def put(self, work: Work) -> None:
        """Have ``work`` done, after all that was put before."""
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="borgd-background", daemon=True)
                self._thread.start()
                atexit.register(self.flush, END_S)
        self._queue.put(work)

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until everything put so far is done; False where that took longer than ``timeout_s``."""
        if self._thread is None or not self._thread.is_alive():
            return True
        done = Event()
        self._queue.put(done)
        return done.wait(timeout_s)

    def _run(self) -> None:
        while True:
            work = self._queue.get()
            if isinstance(work, Event):
                work.set()
                continue
            try:
                work()
                self.problem = ""
            except (BorgError, OSError) as error:
                self.failed += 1
                if self.problem != str(error):
                    logging.getLogger("borgd.stores").warning("not written down: %s", error)
                self.problem = str(error)
            except Exception:
                self.failed += 1
                logging.getLogger("borgd.stores").exception("work in the background failed")
