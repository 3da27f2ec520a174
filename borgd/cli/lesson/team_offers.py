"""What teammates offer for own lessons, asked about and taken by ``borg lesson ratify``; nothing is taken unasked."""

from __future__ import annotations

from collections.abc import Collection

from borgd.cli.lesson.lesson_files import change, edit, engineer, load
from borgd.cli.lesson.terminal import key_press
from borgd.cli.lesson.verdicts import decide
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.lesson import Lesson
from borgd.lessons.offers import Offer, offers, told

KEYS = "[t]ake it  [d]rop  [s]kip  [q]uit"


def waiting_offers(decided: Collection[str]) -> list[Offer]:
    """The offers that nobody decided on here."""
    return offers(load(), decided)


def as_json(offer: Offer) -> dict[str, object]:
    """An offer for JSON."""
    return {
        "id": offer.id,
        "kind": offer.kind,
        "lesson": offer.mine.id,
        "by": offer.owner,
        "changes": offer.changes(),
        "successor": offer.theirs.id if offer.kind == "successor" and offer.theirs else "",
    }


def find(waiting: list[Offer], key: str) -> Offer | None:
    """The offer ``key`` names, or the only one whose id starts so."""
    near = [one for one in waiting if one.id == key] or [one for one in waiting if key and one.id.startswith(key)]
    return near[0] if len(near) == 1 else None


def take(offer: Offer) -> Lesson:
    """Make what is offered this person's own: the next version of their lesson, its retirement, or its successor.

    :raises BorgError: the lesson is gone or retired meanwhile.
    """
    author = offer.owner.partition("@")[0]
    if offer.kind == "version":
        fields = offer.changes() | {"engineers": [*offer.mine.engineers, author, engineer()]}
        (lesson,) = change(lambda store: [edit(store, offer.mine.id, fields)])
    elif offer.kind == "successor" and offer.theirs is not None:
        theirs, supersedes = offer.theirs.id, list(offer.theirs.supersedes)
        (lesson,) = change(lambda store: [edit(store, theirs, {"supersedes": supersedes})])
    else:
        why, name = f"as {offer.owner} did", engineer()
        (lesson,) = change(lambda store: [store.retire(offer.mine.id, ms=now_ms(), engineer=name, reason=why)])
    decide(offer.id, "keep", lesson.id)
    return lesson


def ask(waiting: list[Offer]) -> bool:
    """One key for each; False: the person has had enough."""
    for offer in waiting:
        print(f"\n{told(offer)}")
        key = key_press(KEYS, "tdsq")
        try:
            if key == "t":
                print(f"lesson {take(offer).id}")
            elif key == "d":
                decide(offer.id, "drop")
        except BorgError as error:
            print(f"borg: {error}")
        if key == "q":
            return False
    return True
