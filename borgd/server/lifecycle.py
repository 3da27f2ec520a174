"""A daemon's life: claim, serve, notice when to end, drain, end. Signals, idleness, the watchdog, a socket that was lost.

Promises to end clean on SIGTERM, SIGINT and SIGHUP: no new client, those who came are answered, the service is flushed.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import anyio
import anyio.abc

from borgd.config.schema import DaemonConfig
from borgd.errors import EXIT_FORESEEN
from borgd.paths import Paths
from borgd.server.listen import Claim, claim
from borgd.server.server import RequestHandler, Server
from borgd.server.systemd import notify, watchdog_interval_s

DRAIN_S = 5.0
"""guard: seconds that requests in flight get after the end was asked for."""
GRACE_S = 0.3
"""guard: seconds that a client gets whose request is not whole when the end was asked for."""
CLOSE_S = 10.0
"""guard: seconds that the service gets to flush."""
DRAIN_STEP_S = 0.01
"""method: how often it is looked whether they are done."""
CHECK_S = 5.0
"""guard: how often it is looked whether clients still find us at our path."""

logger = logging.getLogger("borgd.lifecycle")


class _Life:
    def __init__(self, server: Server, held: Claim, config: DaemonConfig, env: Mapping[str, str]) -> None:
        self.server = server
        self.held = held
        self.config = config
        self.env = env
        self.exit_code = 0

    def end(self, why: str, exit_code: int = 0) -> None:
        if not self.server.stopping.is_set():
            logger.info("ending: %s", why)
            self.exit_code = exit_code
            self.server.stopping.set()

    async def signals(self, scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
            async for number in received:
                if self.server.stopping.is_set():
                    scope.cancel()
                self.end(signal.Signals(number).name)

    async def watchdog(self, interval_s: float) -> None:
        while True:
            notify(self.env, "WATCHDOG=1")
            await anyio.sleep(interval_s)

    async def idle(self, limit_s: float) -> None:
        while True:
            left = self.server.last_activity + limit_s - time.monotonic()
            if left <= 0 and not self.server.stats.open:
                return self.end(f"no request for {limit_s:g} s")
            await anyio.sleep(max(left, DRAIN_STEP_S))

    async def presence(self) -> None:
        while True:
            await anyio.sleep(CHECK_S)
            if not self.held.still_ours():
                return self.end("the socket or its lock was removed or replaced; a new daemon can start", EXIT_FORESEEN)

    async def drain(self, tasks: anyio.abc.TaskGroup) -> None:
        notify(self.env, "STOPPING=1")
        self.held.withdraw()
        began = time.monotonic()
        stats = self.server.stats
        with anyio.move_on_after(DRAIN_S):
            while True:
                waiting = 0 if self.held.activated else self.server.accept_waiting(tasks)
                late = time.monotonic() - began > GRACE_S
                if not waiting and not stats.in_flight and (late or not stats.open):
                    break
                await anyio.sleep(DRAIN_STEP_S)


async def serve(
    service: RequestHandler, places: Paths, config: DaemonConfig, *, env: Mapping[str, str], held: Claim | None = None
) -> int:
    """Serve until told to end; the exit code.

    :param held: the claim, where it was made before (so that clients queue while the rest is imported).
    :raises AlreadyServingError: another process is the daemon.
    :raises BorgError: the places cannot be used.
    """
    held = claim(places, env) if held is None else held
    server = Server(service, held.listener, held.path)
    life = _Life(server, held, config, env)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(life.signals, tasks.cancel_scope)
            await service.start(tasks)
            async with _flushed(service), anyio.create_task_group() as clients:
                clients.start_soon(server.accept_forever, clients)
                _start_watches(life, clients)
                notify(env, "READY=1")
                logger.info("serving on %s", held.path)
                await server.stopping.wait()
                await life.drain(clients)
                clients.cancel_scope.cancel()
            tasks.cancel_scope.cancel()
    finally:
        held.close()
    logger.info("ended")
    return life.exit_code


@asynccontextmanager
async def _flushed(service: RequestHandler) -> AsyncIterator[None]:
    """Close ``service`` at the end, also where the end is a crash of its own background work."""
    try:
        yield
    finally:
        with anyio.move_on_after(CLOSE_S, shield=True) as scope:
            await service.close()
        if scope.cancelled_caught:
            logger.error("what was to be flushed at the end was not within %g s", CLOSE_S)


def _start_watches(life: _Life, tasks: anyio.abc.TaskGroup) -> None:
    tasks.start_soon(life.presence)
    interval_s = watchdog_interval_s(life.env)
    if interval_s is not None:
        tasks.start_soon(life.watchdog, interval_s)
    if life.config.idle_exit_s:
        tasks.start_soon(life.idle, life.config.idle_exit_s)
