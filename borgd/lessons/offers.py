"""What teammates' records offer for own lessons: a newer version, a retirement, a successor. A person takes it, or not.

Pure. An offer changes nothing by itself. Its id is the same as long as what is
offered is the same, so that a refusal holds.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import msgspec

from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore

OfferKind = Literal["version", "retirement", "successor"]

OWN = frozenset(
    {"id", "version", "ms", "source", "engineers", "repo", "reach", "supersedes", "origin", "support", "history", "retired",
     "peer", "claimed"}
)  # fmt: skip
"""design: fields of a lesson that no teammate's version changes: whose it is, where it reaches, how it came about."""
ID_CHARS = 8


class Offer(NamedTuple):
    """``mine`` is the own lesson; ``theirs`` the teammate's, None where it was forgotten there."""

    id: str
    kind: OfferKind
    mine: Lesson
    theirs: Lesson | None
    owner: str

    def changes(self) -> dict[str, Any]:
        """Fields of the own lesson that the teammate's version has otherwise."""
        return _differing(self.mine, self.theirs) if self.kind == "version" and self.theirs is not None else {}


def offers(store: LessonStore, refused: Iterable[str] = ()) -> list[Offer]:
    """What waits for a person's word, by lesson; without those that were ``refused`` or taken before."""
    found = [offer for record in store.beside_own() if (offer := _of(store, record.id, record.owner, record.lesson))]
    for theirs in store:
        if theirs.peer and not theirs.retired:
            mine = (store.get(key) for key in theirs.supersedes)
            live = [lesson for lesson in mine if lesson is not None and not lesson.peer and not lesson.retired]
            found += [_offer("successor", lesson, theirs, store.owner(theirs.id)) for lesson in live]
    gone = set(refused)
    return sorted(
        (offer for offer in found if offer.id not in gone), key=lambda offer: (offer.mine.id, offer.kind, offer.id)
    )


def _of(store: LessonStore, key: str, owner: str, theirs: Lesson | None) -> Offer | None:
    mine = store.get(key)
    if mine is None or mine.peer or mine.retired:
        return None
    if theirs is None or theirs.retired:
        return _offer("retirement", mine, theirs, owner)
    return _offer("version", mine, theirs, owner) if theirs.version > mine.version and _differing(mine, theirs) else None


def _offer(kind: OfferKind, mine: Lesson, theirs: Lesson | None, owner: str) -> Offer:
    said = {"kind": kind, "mine": mine.id, "theirs": theirs.id if theirs else "", "changes": {}}
    if theirs is not None and kind == "version":
        said["changes"] = _differing(mine, theirs)
    digest = hashlib.sha256(msgspec.json.encode(said, order="deterministic")).digest()
    return Offer(f"O{base64.b32encode(digest).decode().lower()[:ID_CHARS]}", kind, mine, theirs, owner)


def _differing(mine: Lesson, theirs: Lesson | None) -> dict[str, Any]:
    if theirs is None:
        return {}
    ours, other = msgspec.to_builtins(mine), msgspec.to_builtins(theirs)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in other.items()
        if name not in OWN and value != ours[name]
    }


def told(offer: Offer) -> str:
    """An offer for a person: whose it is, of which lesson, what would change, with both texts."""
    who = offer.owner or "a teammate"
    rows: list[tuple[str, object]] = [("yours", offer.mine.question)]
    if offer.kind == "retirement":
        head = f"offer {offer.id}: {who} {'retired' if offer.theirs else 'forgot'} lesson {offer.mine.id}; retire yours?"
    elif offer.kind == "successor" and offer.theirs is not None:
        head = f"offer {offer.id}: {who} would replace lesson {offer.mine.id} by {offer.theirs.id}"
        rows += [("theirs", offer.theirs.question), ("consequence", offer.theirs.consequence)]
    else:
        head = f"offer {offer.id}: {who} has another version of lesson {offer.mine.id}"
        rows += [(name, ", ".join(map(str, value)) if isinstance(value, list) else value) for name, value in _sorted(offer)]
    return head + "".join(f"\n  {name:<12} {value}" for name, value in rows)


def _sorted(offer: Offer) -> list[tuple[str, Any]]:
    return sorted(offer.changes().items(), key=lambda item: (item[0] != "question", item[0]))
