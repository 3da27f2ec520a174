"""Serves the socket: one request and one answer per connection. Knows frames, not what travels in them.

Promises that every connection of ours is answered or closed within bounds, that a hook's answer is always exactly one
JSON object, and that nothing a request or the service behind it does ends the daemon. Must not know sessions or lessons.
"""

from __future__ import annotations

import logging
import os
import socket
import time
import traceback
from collections import OrderedDict
from contextlib import suppress
from typing import Protocol

import anyio
import anyio.abc
import msgspec
from anyio.lowlevel import checkpoint

from borgd import __version__, clock
from borgd.agents import kind_of
from borgd.errors import EXIT_FORESEEN, EXIT_UNFORESEEN, BorgError, ProtocolError
from borgd.protocol import frames as wire
from borgd.protocol.frames import ReplyFrame
from borgd.protocol.peer import peer_uid
from borgd.server.latency import LatencyTable
from borgd.server.log import places_of
from borgd.server.request import NothingSaidError, Request, RequestReader
from borgd.server.status_text import lines, page

CHUNK = 1 << 16
"""method: bytes per read."""
READ_S = 5.0
"""guard: a request must be whole this long after its connection."""
WRITE_S = 5.0
"""guard: a client must have taken its answer within this."""
HOOK_S = 30.0
"""guard: a hook still unanswered then is answered {}; its client has long gone."""
CALL_S = 300.0
"""guard: as HOOK_S, for a command that a person waits for."""
MAX_CONNECTIONS = 512
"""guard: connections served at once; one more is told so and closed."""
ACCEPT_BATCH = 64
"""method: connections taken before others get their turn."""
NO_DESCRIPTORS_S = 0.05
"""guard: pause after accept() failed for want of descriptors or memory."""
POISON_MEMORY = 256
"""guard: different crashes remembered, so that each is logged once."""
SILENT = b"{}"
NOTHING_ASKED = ReplyFrame(EXIT_FORESEEN, SILENT, b"the request does not start with a borg/1 header line: nothing came")

logger = logging.getLogger("borgd.server")


class RequestHandler(Protocol):
    """What the daemon is behind its socket. An optional ``status() -> dict`` is shown by the method ``status``; an optional
    ``undelivered(agent, event, body)`` hears of the hooks whose clients did not take the answer.
    """

    async def hook(self, agent: str, event: str, body: bytes, words: tuple[str, ...] = ()) -> bytes:
        """Exactly one JSON object for one event; ``body`` is the agent's JSON object as it came.

        :param words: what the client says of the agent's host, as ``name.value``; those that are not known say nothing.
        """
        ...

    async def call(self, method: str, body: bytes) -> ReplyFrame:
        """One command. :raises BorgError: foreseen; its text is for the person."""
        ...

    async def start(self, tasks: anyio.abc.TaskGroup) -> None:
        """Begin background work; nothing is served before this returns."""
        ...

    async def close(self) -> None:
        """Drain and flush; no request comes after it."""
        ...


class StatusParameters(msgspec.Struct, frozen=True):
    """Parameters of the method ``status``."""

    text: bool = False
    """Lines for a person in place of one JSON object."""
    all: bool = False
    """Every fact, in place of one screen."""


class Server:
    """``accept_forever`` on a listening socket; ``stopping`` is set by the method ``stop``."""

    def __init__(self, service: RequestHandler, listener: socket.socket, path: str) -> None:
        self.stats = LatencyTable()
        self.stopping = anyio.Event()
        self.last_activity = time.monotonic()
        self._service = service
        self._listener = listener
        self._path = path
        self._started = time.monotonic()
        self._poison: OrderedDict[str, int] = OrderedDict()
        self._refused_uids: set[int] = set()

    async def accept_forever(self, tasks: anyio.abc.TaskGroup) -> None:
        """Take connections until cancelled; each is served in ``tasks``."""
        failing = False
        while True:
            await anyio.wait_readable(self._listener)
            try:
                self.accept_waiting(tasks)
                failing = False
            except OSError as error:  # descriptors, memory: what is open ends soon
                if not failing:
                    logger.error("cannot accept: %s", error.strerror)
                failing = True
                await anyio.sleep(NO_DESCRIPTORS_S)
            await checkpoint()

    def accept_waiting(self, tasks: anyio.abc.TaskGroup) -> int:
        """Take what the kernel holds for us, at most ACCEPT_BATCH; how many there were."""
        for count in range(ACCEPT_BATCH):
            try:
                sock, _ = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return count
            sock.setblocking(False)
            self.stats.connections += 1
            self.last_activity = time.monotonic()
            refusal = self._refusal(sock)
            if refusal is None:
                self.stats.open += 1
                tasks.start_soon(self._serve, sock)
                continue
            self.stats.refused += 1
            with sock:
                try:
                    sock.send(wire.pack(refusal))
                except OSError:
                    continue
        return ACCEPT_BATCH

    def _refusal(self, sock: socket.socket) -> ReplyFrame | None:
        uid = peer_uid(sock)
        if uid is not None and uid != os.getuid():
            if uid not in self._refused_uids:
                self._refused_uids.add(uid)
                logger.warning("refused a connection of uid %d", uid)
            return ReplyFrame(EXIT_FORESEEN, SILENT, f"this daemon serves uid {os.getuid()} only, not {uid}".encode())
        if self.stats.open >= MAX_CONNECTIONS:
            return ReplyFrame(EXIT_FORESEEN, SILENT, b"the daemon is busy: too many connections at once")
        return None

    async def _serve(self, sock: socket.socket) -> None:
        answer = request = None
        try:
            with sock:
                request = await self._request(sock)
                answer = await self._answer(request) if isinstance(request, Request) else request
                await _send(sock, wire.pack(answer))
        except (OSError, TimeoutError):
            self.stats.abandoned += answer is not NOTHING_ASKED
            if isinstance(request, Request) and request.header.kind == "hook" and request.body:
                await self._undelivered(request)
        finally:
            self.stats.open -= 1
            self.last_activity = time.monotonic()

    async def _undelivered(self, request: Request) -> None:
        told = getattr(self._service, "undelivered", None)
        if not callable(told):
            return
        agent, event = request.header.words[:2]
        try:
            await told(agent, event, request.body)
        except BorgError as error:
            logger.warning("what a client did not take could not be taken back: %s", error)
        except Exception as error:
            self._crash(f"undelivered {kind_of(agent, event)}", error)

    async def _request(self, sock: socket.socket) -> Request | ReplyFrame:
        """What is asked, or the answer to what is not a request."""
        try:
            return await _receive(sock)
        except TimeoutError:
            self.stats.malformed += 1
            return ReplyFrame(EXIT_FORESEEN, SILENT, f"the request was not whole after {READ_S:g} s".encode())
        except NothingSaidError:
            return NOTHING_ASKED
        except ProtocolError as error:
            self.stats.malformed += 1
            return ReplyFrame(EXIT_FORESEEN, SILENT, str(error).encode())

    async def _answer(self, request: Request) -> ReplyFrame:
        header, body = request
        self.stats.requests += 1
        self.stats.in_flight += 1
        try:
            if header.kind == "hook":
                return await self._hook(header.words[0], header.words[1], body, header.words[2:])
            return await self._call(header.words[0], body)
        finally:
            self.stats.in_flight -= 1

    async def _hook(self, agent: str, event: str, body: bytes, words: tuple[str, ...]) -> ReplyFrame:
        if not body:
            return ReplyFrame(0, SILENT, b"")
        begin, kind = time.perf_counter(), kind_of(agent, event)
        try:
            with anyio.fail_after(HOOK_S):
                out = (await self._service.hook(agent, event, body, words)).strip()
        except BorgError as error:
            return ReplyFrame(error.exit_code, SILENT, str(error).encode())
        except Exception as error:
            return ReplyFrame(EXIT_UNFORESEEN, SILENT, self._crash(f"hook {kind}", error))
        self.stats.record(kind, (time.perf_counter() - begin) * 1e6)
        if out[:1] != b"{" or out[-1:] != b"}":
            logger.error("hook %s was answered with something that is not a JSON object", kind)
            return ReplyFrame(EXIT_UNFORESEEN, SILENT, b"the daemon's own answer was not a JSON object")
        return ReplyFrame(0, out, b"")

    async def _call(self, method: str, body: bytes) -> ReplyFrame:
        try:
            if method == "ping":
                return ReplyFrame(0, msgspec.json.encode(self._ping()))
            if method == "status":
                return ReplyFrame(0, self._status(body))
            if method == "stop":
                logger.info("ending: asked to")
                self.stopping.set()
                return ReplyFrame(0, msgspec.json.encode({"pid": os.getpid(), "stopping": True}))
            with anyio.fail_after(CALL_S):
                return await self._service.call(method, body)
        except BorgError as error:
            return ReplyFrame(error.exit_code, b"", str(error).encode())
        except msgspec.MsgspecError as error:
            return ReplyFrame(EXIT_FORESEEN, b"", f"the parameters of {method} cannot be used: {error}".encode())
        except Exception as error:
            return ReplyFrame(EXIT_UNFORESEEN, b"", self._crash(f"call {method}", error))

    def _identity(self) -> dict[str, object]:
        return {"version": __version__, "protocol": wire.VERSION, "pid": os.getpid()}

    def _ping(self) -> dict[str, object]:
        """Who answers, and whether all that it needs is loaded; ``problem`` says why not where that is final."""
        ready = getattr(self._service, "ready", None)
        loaded, problem = ready() if callable(ready) else (True, "")
        return {**self._identity(), "loaded": loaded, "problem": problem}

    def status(self) -> dict[str, object]:
        """What the method ``status`` answers: identity, uptime, counters, latencies, and the service's own part."""
        status = getattr(self._service, "status", None)
        return {
            **self._identity(),
            "uptime_s": round(time.monotonic() - self._started, 3),
            "socket": self._path,
            **self.stats.summary(),
            "service": status() if callable(status) else {},
        }

    def _status(self, body: bytes) -> bytes:
        wanted = msgspec.json.decode(body or b"{}", type=StatusParameters)
        if not wanted.text:
            return msgspec.json.encode(self.status())
        text = (lines if wanted.all else page)(self.status(), clock.now_ms())
        return "\n".join(text).encode()

    def _crash(self, what: str, error: Exception) -> bytes:
        """Log a crash, the same one once, and the text for the caller: first line without any text of the payload."""
        self.stats.crashes += 1
        summary = f"{what} crashed: {places_of(error)}"
        if summary in self._poison:
            self._poison.move_to_end(summary)
        else:
            logger.error("%s", summary)
            if len(self._poison) >= POISON_MEMORY:
                self._poison.popitem(last=False)
        self._poison[summary] = self._poison.get(summary, 0) + 1
        return (summary + "\n" + "".join(traceback.format_exception(error))).encode("utf-8", "replace")


async def _receive(sock: socket.socket) -> Request:
    """One request.

    :raises ProtocolError: not a request, too large, or it ended too early.
    :raises TimeoutError: it was not whole in time.
    """
    reader = RequestReader()
    with suppress(BlockingIOError):  # most often all of it is here: no timer then, and no turn of the loop
        request = reader.take(sock.recv(CHUNK))
        if request is not None:
            return request
    with anyio.fail_after(READ_S):
        while True:
            await anyio.wait_readable(sock)
            with suppress(BlockingIOError):
                request = reader.take(sock.recv(CHUNK))
                if request is not None:
                    return request


async def _send(sock: socket.socket, data: bytes) -> None:
    """:raises TimeoutError: the client did not take it in time."""
    view = memoryview(data)
    with suppress(BlockingIOError):
        view = view[sock.send(view) :]
    if not view:
        return
    with anyio.fail_after(WRITE_S):
        while view:
            await anyio.wait_writable(sock)
            with suppress(BlockingIOError):
                view = view[sock.send(view) :]
