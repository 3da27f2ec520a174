"""What the command line may ask of a running service: one function per method, each takes parameters and gives JSON values.

Imported with the first call. Must not answer hooks.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

import anyio
import msgspec

from borgd.errors import ProtocolError
from borgd.lessons.redact import redact
from borgd.server.assembly import Assembly
from borgd.server.event_log import EventLog
from borgd.server.forgetting import ForgetRequest, uncount, unshare, without_lessons
from borgd.server.memory_call import memory
from borgd.sessions.session import Key, Session
from borgd.sessions.sessions import Sessions

LONGEST_WAIT_S = 60.0
"""guard: how long a call may wait for something to happen."""

Parameters = dict[str, Any]


class AnsweringService(Protocol):
    """What the methods below need of the service."""

    event_log: EventLog
    assembly: Assembly | None
    sessions: Sessions
    loaded: anyio.Event
    locks: OrderedDict[Key, anyio.Lock]

    def let_go(self, session: Session) -> None:
        """Forget a session's state, in memory and on disk."""

    def refresh(self) -> None:
        """Read what is new on disk."""


async def answer(service: AnsweringService, method: str, body: bytes) -> Parameters:
    """The method's answer.

    :raises ProtocolError: no such method, or parameters that are not as expected.
    """
    if method not in METHODS:
        raise ProtocolError(f"no method {method!r}; the command line and the daemon may be of different versions")
    try:
        parameters = msgspec.json.decode(body or b"{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ProtocolError(f"{method}: expected a JSON object of parameters: {error}") from None
    return await METHODS[method](service, parameters)


async def tail(service: AnsweringService, parameters: Parameters) -> Parameters:
    """Events after number ``since`` (default: only what comes), waiting up to ``wait`` seconds for one."""
    since = int(parameters.get("since", -1))
    wait = min(LONGEST_WAIT_S, max(0.0, float(parameters.get("wait", 0))))
    return await service.event_log.after(since, wait)


async def remembered(service: AnsweringService, parameters: Parameters) -> Parameters:
    """What is remembered; see memory_call."""
    return memory(service.assembly, parameters)


async def session(service: AnsweringService, parameters: Parameters) -> Parameters:
    """What is known of the sessions whose id starts with ``id``."""
    prefix = str(parameters.get("id", ""))
    return {"sessions": [summary(one) for one in service.sessions.live.values() if one.id.startswith(prefix)]}


async def forget(service: AnsweringService, parameters: Parameters) -> Parameters:
    """Drop sessions unjudged and lessons from the others; how many were dropped. The caller cleans the journals."""
    await service.loaded.wait()
    try:
        target = msgspec.convert(parameters, ForgetRequest)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"forget: {error}") from None
    dropped = 0
    for one in list(service.sessions.live.values()):
        async with service.locks.setdefault(one.key, anyio.Lock()):
            if target.takes(one):
                service.let_go(one)
                one.file.path.unlink(missing_ok=True)
                dropped += 1
            else:
                without_lessons(one, target.lessons)
    service.event_log.forget(lambda name, ms: name in target.sessions or 0 <= target.since_ms <= ms, target.lessons)
    if service.assembly is not None:
        unshare(service.assembly.knowledge, target)
        with suppress(OSError):
            uncount(service.assembly.knowledge, target)
        service.refresh()
    return {"sessions": dropped}


async def turn_lines(service: AnsweringService, parameters: Parameters) -> Parameters:
    """The lines that the session ``session`` changed in its turn ``turn``, secrets taken out; none where that is over."""
    name, number = str(parameters.get("session", "")), parameters.get("turn")
    turns = [turn for one in service.sessions.live.values() if one.id == name for turn in (one.turns.now, one.turns.before)]
    return {"lines": redact("\n".join(next((turn.lines for turn in turns if turn.number == number), []))).split("\n")}


def summary(session: Session) -> Parameters:
    """A session in numbers and names, no text of it."""
    return {
        "agent": session.agent,
        "session": session.id,
        "subagent": session.subagent,
        "cwd": session.cwd,
        "repository": session.remote,
        "prompts": len(session.prompts),
        "touches": len(session.touches),
        "topics": sorted(session.topics),
        "delivered": sorted(session.delivered),
        "asked": sorted(session.asked),
        "tokens": msgspec.to_builtins(session.usage),
        "last_ms": session.last_ms,
    }


METHODS: dict[str, Callable[[AnsweringService, Parameters], Awaitable[Parameters]]] = {
    "tail": tail,
    "memory": remembered,
    "session": session,
    "forget": forget,
    "turn_lines": turn_lines,
}
