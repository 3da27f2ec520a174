"""Which events of a host are one event told twice: hooks that are registered twice are called twice."""

from __future__ import annotations

from borgd.agents.event import Event, Moment
from borgd.paths import fnv1a
from borgd.sessions.session import PROMPT_CHARS, Session

REPEAT_MS = 1000
"""design: the same words without any id to tell them apart, sooner than this, are the same event sent twice."""
SAME_PROMPT_MS = 2000
"""design: the same words under the same id, sooner than this, are the same prompt sent twice; nobody types that fast."""
SAME_START_MS = 5000
"""design: a session that begins, or goes on after a compaction, twice in a row within this did so once."""


def is_repeated(session: Session, event: Event, now_ms: int) -> bool:
    """Whether the host sent this event before: hooks that are registered twice are called twice. Remembers it."""
    began, session.began = session.began, ("", 0)
    if event.moment is Moment.SESSION_START:
        session.began = (event.source, now_ms)
        return began[0] == event.source and now_ms - began[1] < SAME_START_MS
    key = duplicate_key(event)
    if key is not None:
        return not session.first_seen(*key)
    if event.moment is Moment.PROMPT:
        (words, id, at), session.said = session.said, (event.prompt[:PROMPT_CHARS], event.prompt_id, now_ms)
        soon = SAME_PROMPT_MS if id else REPEAT_MS
        return session.said[:2] == (words, id) and now_ms - at < soon
    if event.moment is Moment.STOP and session.open_ask and not event.stop_again:
        words, at = session.blocked_at
        return event.last_message[:PROMPT_CHARS] == words and (bool(words) or now_ms - at < REPEAT_MS)
    return False


def duplicate_key(event: Event) -> tuple[str, ...] | None:
    """What makes ``event`` the same as one before: its tool call, by its id or by the host's time. None: it carries none."""
    if event.tool is None:
        return None
    if event.tool.id:
        return (event.name, event.tool.id)
    given = fnv1a(repr(event.tool.input).encode("utf-8", "replace"))
    return (event.name, event.stamp, event.tool.name, f"{given:016x}") if event.stamp else None


def event_mark(event: Event) -> tuple[str, ...]:
    """Names an event among those that follow each other in a session."""
    words = f"{hash(event.prompt)} {hash(event.last_message)}"
    return (event.name, event.prompt_id, event.tool.id if event.tool is not None else "", words)
