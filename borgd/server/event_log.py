"""The last events in numbers and names, for ``borg tail``; never a word of what was said."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

import anyio

from borgd import clock
from borgd.agents.event import Event

KEPT = 1000
"""guard: events remembered."""


class EventLog:
    """A ring of events, numbered from 1."""

    def __init__(self) -> None:
        self._events: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._number = 0
        self._news = anyio.Event()

    def add(self, event: Event, out: Mapping[str, Any], micros: int, told: Collection[str] = ()) -> None:
        """Note one answered event. ``micros``: microseconds from its parse to its answer; ``told``: ids of lessons."""
        self._number += 1
        self._events.append(
            {
                "number": self._number,
                "ms": clock.now_ms(),
                "agent": event.agent,
                "event": event.name,
                "session": event.session,
                "subagent": event.subagent,
                "tool": event.tool.name if event.tool else "",
                "answer": said(out),
                "chars": chars(out),
                "micros": micros,
                "lessons": list(told),
            }
        )
        self._news.set()
        self._news = anyio.Event()

    def forget(self, takes: Callable[[str, int], bool], lessons: Collection[str] = ()) -> None:
        """Take out the events of which ``takes(session, ms)`` holds, and the ids of ``lessons``."""
        kept = [event for event in self._events if not takes(event["session"], event["ms"])]
        for event in kept:
            event["lessons"] = [name for name in event["lessons"] if name not in lessons]
        self._events.clear()
        self._events.extend(kept)

    async def after(self, since: int, wait_s: float) -> dict[str, Any]:
        """Events numbered above ``since`` (negative: none of the past), waiting up to ``wait_s`` for the first."""
        if since < 0:
            since = self._number
        if since >= self._number:
            with anyio.move_on_after(wait_s):
                await self._news.wait()
        return {"last": self._number, "events": [event for event in self._events if event["number"] > since]}


def said(out: Mapping[str, Any]) -> str:
    """What kind of answer it was: nothing, context, block, deny, input."""
    specific = out.get("hookSpecificOutput", {})
    if out.get("decision") == "block":
        return "block"
    if specific.get("permissionDecision") == "deny":
        return "deny"
    if "updatedInput" in specific:
        return "input"
    return "context" if "additionalContext" in specific else "nothing"


def chars(out: Mapping[str, Any]) -> int:
    """Characters that reach the model."""
    specific = out.get("hookSpecificOutput", {})
    return sum(
        len(str(text))
        for text in (
            out.get("reason", ""),
            specific.get("additionalContext", ""),
            specific.get("permissionDecisionReason", ""),
        )
    )
