"""What a session works on, as recall reads it. A value; building it from a session is the daemon's."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from borgd.lessons.patterns import PatternHits


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """``text`` is the work: prompts, touched paths, plan and last message, joined by newlines, no bookkeeping lines.

    ``cwd`` and ``remote`` (the git remote's ``owner/repository``) say where the session works; they name scopes too.
    ``repos`` are the names by which lessons know its repository: as it is, and as a team's files hash it.
    ``moment`` is ``early`` or ``stop``. ``code`` are the stems of what was edited, written and run, ``hits`` the lessons'
    patterns that matched it (and, at Stop, the closing words), ``said`` those that matched the prompts. ``turn`` is the
    current prompt's work alone, where the session had other prompts before it.
    """

    text: str
    cwd: str = ""
    remote: str = ""
    repos: tuple[str, ...] = ()
    moment: str = "stop"
    code: frozenset[str] = frozenset()
    hits: Mapping[str, PatternHits] = {}
    said: Mapping[str, PatternHits] = {}
    turn: Context | None = None
