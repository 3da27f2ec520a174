"""How ``borg doctor`` tells that an event went to the daemon and back: its session's id says so and comes back.

An event of such a session goes all the way through the client and the agent's reader, and leaves no trace behind.
"""

from __future__ import annotations

PROBE_SESSION = "borgd-doctor-"


def probe_answer(session: str) -> bytes | None:
    """The answer to an event of ``borg doctor``; None: it is of somebody at work."""
    word = session.removeprefix(PROBE_SESSION)
    plain = word != session and word.isascii() and word.isalnum()
    return f'{{"systemMessage":"{session}"}}'.encode() if plain else None
