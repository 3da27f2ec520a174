"""What the commands of the limits share: who is asking, which session is meant, the time. Must not decide anything."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping

from borgd.errors import LimitError, UsageError

AGENT_MARKS = ("CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE", "COPILOT_CLI")
"""host: variables that coding agents set for the commands they run."""


def person(action: str, env: Mapping[str, str] = os.environ) -> str:
    """The name of the person at the keyboard, for the record.

    This keeps honest agents honest; it is not a lock against one that hides what it is.

    :param action: what is to be done, for the refusal.
    :raises LimitError: a coding agent runs this.
    """
    mark = next((name for name in AGENT_MARKS if env.get(name)), None)
    if mark is not None:
        raise LimitError(
            f"{action} is for a person to do: run it in a terminal of your own ({mark} says an agent runs this one)"
        )
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid{os.getuid()}"


def session_of(named: str, known: list[str]) -> str:
    """The session that is meant: the one whose id starts with ``named``, or the last active one where none is named.

    :param known: ids, the last active first.
    :raises UsageError: none, or several.
    """
    if not named:
        if not known:
            raise UsageError("no session has been seen yet; name one with --session")
        return known[0]
    found = [name for name in known if name.startswith(named)]
    if named in known or not found:
        return named
    if len(found) > 1:
        raise UsageError(f"--session {named}: {len(found)} sessions start with it: {', '.join(found[:5])}")
    return found[0]
