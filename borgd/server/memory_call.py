"""The call ``memory``: what this daemon remembers, for commands that need not fold it from the journals again."""

from __future__ import annotations

from typing import Any

import msgspec

from borgd.memory.summary import numbers, trust_rows
from borgd.server.assembly import Assembly


class MemoryQuestion(msgspec.Struct, frozen=True):
    """Whose memory is meant (``data``, ``team`` and ``aliases`` as the caller has them), and what of it."""

    data: str
    team: str
    aliases: dict[str, str]
    lesson: str = ""
    trust: bool = False


def memory(parts: Assembly | None, parameters: dict[str, Any]) -> dict[str, Any]:
    """The answer; ``ready`` is false where this daemon serves other files, or has not read all of them yet.

    :raises msgspec.ValidationError: the parameters are no Question.
    :raises JournalError: a journal cannot be read.
    """
    asked = msgspec.convert(parameters, MemoryQuestion)
    if parts is None or not parts.serves(asked.data, asked.team, asked.aliases) or not parts.knowledge.complete:
        return {"ready": False}
    parts.knowledge.refresh()
    remembered = parts.knowledge.memory
    found: dict[str, Any] = {"ready": True}
    if asked.lesson:
        found["lesson"] = numbers(remembered, asked.lesson)
    if asked.trust:
        found["trust"] = trust_rows(remembered)
    return found
