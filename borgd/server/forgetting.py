"""Forgetting in a running daemon: what it still remembers of it goes unjudged, so that nothing is written down again.

The journals are the command's to clean; this takes from memory, from what waits to be written or shared, and with a session
its state file, or its next event would read that again.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from borgd.lessons.store import TOMBSTONE
from borgd.sessions.session import Session
from borgd.stores.knowledge import Knowledge


class ForgetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the call ``forget``. ``since_ms``: every session heard of from then on; negative: none by time.

    ``counted``: per session whose words were counted, those words.
    """

    sessions: frozenset[str] = frozenset()
    lessons: frozenset[str] = frozenset()
    since_ms: int = -1
    counted: tuple[frozenset[str], ...] = ()

    def takes(self, session: Session) -> bool:
        """Whether all of ``session`` is to be forgotten."""
        return (bool(session.id) and session.id in self.sessions) or 0 <= self.since_ms <= session.last_ms


def without_lessons(session: Session, names: Collection[str]) -> None:
    """Take the lessons ``names`` out of what ``session`` was told, waits to be told and waits to be judged for."""
    if not names:
        return
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w-])")
    for told in (session.asked, session.delivered, session.withheld, session.acted):
        told.difference_update(names)
    left = []
    for decision in session.decisions:
        pool = tuple(entry for entry in decision.pool if entry.id not in names)
        if pool:
            left.append(decision if len(pool) == len(decision.pool) else msgspec.structs.replace(decision, pool=pool))
    session.decisions = left
    if not any(decision.id == session.open_ask for decision in left):
        session.open_ask = ""
    session.judged = {pair for pair in session.judged if pair[1] not in names}
    session.free = [text for text in session.free if not pattern.search(text)]
    session.pending = [(kind, pattern.sub(lambda found: "-" * len(found[0]), text)) for kind, text in session.pending]


def unshare(knowledge: Knowledge, target: ForgetRequest) -> None:
    """Take out of what waits to be published to the team what must not be."""
    with knowledge.lock:
        knowledge.unpublished_outcomes = [
            one
            for one in knowledge.unpublished_outcomes
            if not (one.lesson in target.lessons or one.session in target.sessions or 0 <= target.since_ms <= one.ms)
        ]
        knowledge.unpublished_lessons = [
            one
            for one in knowledge.unpublished_lessons
            if one.get("id") not in target.lessons or one.get("kind") == TOMBSTONE
        ]


def uncount(knowledge: Knowledge, target: ForgetRequest) -> None:
    """Take the share of the forgotten sessions out of the machine's counts of words.

    :raises OSError: they cannot be written; memory has it right, and the next minute tries again.
    """
    with knowledge.lock:
        for words in target.counted:
            knowledge.counts.take_back(words)
        knowledge.counts.save()
