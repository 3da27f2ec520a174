"""What is left of a record once a lesson, a session or a span of time is forgotten. Pure.

A forgotten lesson leaves a tombstone and nothing else. Charges of the interrupt budget stay as numbers, because a budget
must not be refilled by forgetting; the words in them go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from borgd.lessons.store import TOMBSTONE

FORGOTTEN = "[forgotten]"
"""design: stands where words were that a record cannot lose."""

WORDS = frozenset({"question", "options", "fallback", "text", "reason", "key", "source", "session", "numbers"})
"""design: the fields of a charge or an ask that hold words or a name."""

RULINGS = frozenset({"excluded", "retracted"})
"""design: a person's standing decisions about sources; forgetting a time must not undo them."""


def _in(value: object, names: Collection[str]) -> bool:
    """Whether ``value``, of which a damaged record may have made anything, is one of ``names``."""
    return isinstance(value, str) and value in names


class ForgetTarget(NamedTuple):
    """What shall be forgotten. ``since_ms``: everything from then on; negative: nothing by time."""

    lessons: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    episodes: frozenset[str] = frozenset()
    proposals: frozenset[str] = frozenset()
    since_ms: int = -1

    def recent(self, record: Mapping[str, Any]) -> bool:
        """Whether ``record`` is from the span of time."""
        ms = record.get("ms")
        return self.since_ms >= 0 and isinstance(ms, int) and ms >= self.since_ms

    def names(self, record: Mapping[str, Any]) -> bool:
        """Whether ``record`` is a session's that is forgotten, or from the span of time."""
        return _in(record.get("session"), self.sessions) or self.recent(record)


def widened(
    target: ForgetTarget, episodes: Iterable[Mapping[str, Any]], proposals: Iterable[Mapping[str, Any]]
) -> ForgetTarget:
    """``target`` with the corrections and proposals that it takes along.

    A session takes its episodes and what was proposed from them; a lesson the proposal that became it and the episode that
    one came from. A lesson that was merged into another takes nothing along: the other lives.
    """
    gone = {str(one.get("id")) for one in episodes if target.names(one)}
    records = list(proposals)
    kept = [one for one in records if one.get("verdict") == "keep"]
    became = {str(one.get("id")) for one in kept if _in(one.get("lesson"), target.lessons)}
    gone |= {str(one["episode"]) for one in records if _in(one.get("id"), became) and one.get("episode")}
    gone |= target.episodes
    proposed = {str(one.get("id")) for one in records if "verdict" not in one and _in(one.get("episode"), gone)}
    return target._replace(episodes=frozenset(gone), proposals=target.proposals | became | proposed)


def emptied(records: Iterable[Mapping[str, Any]], target: ForgetTarget) -> frozenset[str]:
    """Ids of lessons of which no version is left."""
    left: dict[str, bool] = {}
    for record in records:
        if record.get("kind") != TOMBSTONE and isinstance(key := record.get("id"), str):
            left[key] = left.get(key, False) or remains("lessons", record, target) is not None
    return frozenset(key for key, any_left in left.items() if not any_left)


def remains(journal: str, record: Mapping[str, Any], target: ForgetTarget) -> Mapping[str, Any] | None:
    """What stays of ``record`` in ``journal`` (its name without ending); None: nothing."""
    if journal == "lessons":
        keep = record.get("kind") == TOMBSTONE or not (_in(record.get("id"), target.lessons) or target.recent(record))
        return record if keep else None
    if journal == "decisions":
        return None if target.names(record) else _without_lessons(record, target)
    if journal == "outcomes":
        return None if _in(record.get("lesson"), target.lessons) or target.names(record) else record
    if journal == "episodes":
        return None if _in(record.get("id"), target.episodes) or target.names(record) else record
    if journal == "proposals":
        gone = _in(record.get("id"), target.proposals | target.episodes) or _in(record.get("lesson"), target.lessons)
        return None if gone or target.recent(record) else record
    if journal == "commits":
        return None if target.names(record) else record
    return _without_words(record, target)


def _without_lessons(record: Mapping[str, Any], target: ForgetTarget) -> Mapping[str, Any] | None:
    pool = record.get("pool")
    if not target.lessons or not isinstance(pool, list):
        return record
    left = [entry for entry in pool if not (isinstance(entry, dict) and _in(entry.get("id"), target.lessons))]
    if len(left) == len(pool):
        return record
    return {**record, "pool": left} if left else None


def _without_words(record: Mapping[str, Any], target: ForgetTarget) -> Mapping[str, Any]:
    if _in(record.get("kind"), RULINGS):
        return record
    inner = record.get("ask")
    if isinstance(inner, dict) and target.names(inner):
        return {**record, "ask": _silent(inner)}
    return _silent(record) if target.names(record) else record


def _silent(record: Mapping[str, Any]) -> dict[str, Any]:
    def blank(value: Any) -> Any:
        return [FORGOTTEN for _ in value] if isinstance(value, list) else FORGOTTEN if value else value

    return {name: blank(value) if name in WORDS else value for name, value in record.items()}
