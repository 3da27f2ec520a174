"""What a session works on, as recall reads it. A value; building it from a session is the daemon's."""

from __future__ import annotations

import msgspec


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """``text`` is the work: prompts, touched paths, plan and last message, joined by newlines, no bookkeeping lines.

    ``cwd`` and ``remote`` (the git remote's ``owner/repository``) say where the session works; they name scopes too.
    ``moment`` is ``early`` or ``stop``.
    """

    text: str
    cwd: str = ""
    remote: str = ""
    moment: str = "stop"
