"""The one guard that is enforced by default: a loop of identical calls, and reading by the hundred without a change.

Counts the calls of one session that look, each owner's (the session's own, each subagent's) apart, since its last change or
prompt. Real work stays far under it: of five recorded read-only subagents none made a call three times or more than 48 in
all. What repeats is told again every REPEATS_TOLD calls, before it is stopped and while it goes on.

Pure: calls and times in, a verdict out; nothing is kept over a restart, which only gives a runaway a second run.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple

import msgspec

from borgd.agents.event import ToolCall

REPEATS_TOLD = 10
"""design: the same call this often is told; again at each multiple."""

REPEATS_STOPPED = 50
"""design: the same call is stopped from here on; recorded subagents make one at most twice."""

READS_TOLD = 150
"""design: calls that look without a change, at which that is told; again at each multiple."""

READS_STOPPED = 400
"""design: calls that look are stopped from here on; recorded subagents make at most 48."""

PAUSE_MS = 20_000
"""design: the same call after such a pause is a poll, not a loop, and does not count as one more."""

MAX_CALLS = 512
"""guard: different calls remembered per owner."""

MAX_OWNERS = 256
"""guard: owners remembered per session."""


class Runaway(NamedTuple):
    """What is running away: the same call, or reading at large; how often by now; whether it is stopped."""

    kind: Literal["repeats", "reads"]
    times: int
    stopped: bool
    tool: str


@dataclass(slots=True)
class _Owner:
    repeats: OrderedDict[bytes, tuple[int, int]] = field(default_factory=OrderedDict)
    reads: int = 0


def same_call(tool: ToolCall) -> bytes:
    """What two calls share that are the same: tool and input, whatever the order of its keys."""
    try:
        given = msgspec.json.encode(tool.input, order="deterministic")
    except (TypeError, ValueError, RecursionError):
        given = repr(tool.input).encode("utf-8", "replace")
    return sha256(tool.name.encode("utf-8", "replace") + b"\0" + given).digest()


class RunawayGuard:
    """Of one session."""

    def __init__(self) -> None:
        self._owners: OrderedDict[str, _Owner] = OrderedDict()

    def forget(self, owner: str | None = None) -> None:
        """Something changed, a person spoke or allowed more: ``owner`` (None: everybody) starts anew."""
        if owner is None:
            self._owners.clear()
        else:
            self._owners.pop(owner, None)

    def saw(self, owner: str, tool: ToolCall, now_ms: int) -> Runaway | None:
        """A call that looks is about to run: what is to be said of it, or None."""
        own = self._owners.setdefault(owner, _Owner())
        self._owners.move_to_end(owner)
        while len(self._owners) > MAX_OWNERS:
            self._owners.popitem(last=False)
        own.reads += 1
        call = same_call(tool)
        times, last_ms = own.repeats.pop(call, (0, now_ms))
        times += 1 if not times or now_ms - last_ms < PAUSE_MS else 0
        own.repeats[call] = (times, now_ms)
        while len(own.repeats) > MAX_CALLS:
            own.repeats.popitem(last=False)
        if times >= REPEATS_STOPPED:
            return Runaway("repeats", times, True, tool.name)
        if own.reads >= READS_STOPPED:
            return Runaway("reads", own.reads, True, tool.name)
        if times and times % REPEATS_TOLD == 0:
            return Runaway("repeats", times, False, tool.name)
        if own.reads % READS_TOLD == 0:
            return Runaway("reads", own.reads, False, tool.name)
        return None
