"""No record of a teammate's changes an own lesson, whatever comes first; what it says is at most offered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.lessons.offers import offers
from borgd.lessons.store import LessonStore, tombstone
from borgd.memory.memory import Memory

OWNERS = ["", "me@other", "mallory@box", "mira@desk"]
OTHERS = ("mallory@box", "mira@desk")


def record(key: str, version: int = 1, **fields: Any) -> dict[str, Any]:
    return {"id": key, "version": version, "question": f"{key} {version}?", "consequence": "It breaks."} | fields


lines = st.builds(
    record,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from([1, 2, 3, 10**9]),
    question=st.sampled_from(["Is it closed?", "Is it open?", "Is it read?"]),
    retired=st.booleans(),
    supersedes=st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
    engineers=st.lists(st.sampled_from(["me", "mallory", "mira"]), max_size=2),
    ms=st.sampled_from([0, 5, 10**12]),
) | st.builds(tombstone, st.sampled_from(["a", "b", "c"]), st.sampled_from([0, 10**12]))
histories = st.lists(st.tuples(st.sampled_from(OWNERS), lines), max_size=14)


def fed(history: list[tuple[str, dict[str, Any]]]) -> LessonStore:
    store = LessonStore()
    for owner, line in history:
        store.apply([line], owner or "lessons.jsonl", peer=owner in OTHERS, owner=owner)
    return store


def own(store: LessonStore) -> list[Lesson]:
    return [lesson for lesson in store if not lesson.peer]


def hidden(store: LessonStore) -> set[str]:
    known = {lesson.id: lesson for lesson in store}
    return {key for key in Memory(known).succession().successors if not known[key].peer}


@given(histories, st.randoms(use_true_random=False))
@example([("", record("a")), ("mallory@box", record("a", 10**9, retired=True))], None)
@example([("", record("a")), ("mira@desk", record("b", supersedes=["a"]))], None)
@example([("mira@desk", tombstone("a", 10**12)), ("", record("a"))], None)
def test_own_lessons_are_what_own_records_say(history: list[tuple[str, dict[str, Any]]], rand: Any) -> None:
    alone = fed([(owner, line) for owner, line in history if owner not in OTHERS])
    if rand is not None:
        rand.shuffle(history)
    together = fed(history)
    assert own(together) == own(alone)
    assert together.forgotten == alone.forgotten
    assert hidden(together) == hidden(alone)


@given(histories, st.randoms(use_true_random=False))
def test_the_order_changes_neither_lessons_nor_offers(history: list[tuple[str, dict[str, Any]]], rand: Any) -> None:
    one = fed(history)
    peers = [entry for entry in history if entry[0] in OTHERS and "question" not in entry[1]]
    rest = [entry for entry in history if entry not in peers]
    rand.shuffle(rest)
    two = fed([*peers, *rest])
    assert list(one) == list(two) == list(fed([*history, *history]))
    assert offers(one) == offers(two)


@given(histories)
def test_a_teammates_lesson_is_by_the_person_whose_file_it_is(history: list[tuple[str, dict[str, Any]]]) -> None:
    store = fed(history)
    for lesson in store:
        if lesson.peer:
            assert lesson.engineers == (store.owner(lesson.id).partition("@")[0],)
            assert not set(lesson.engineers) & set(lesson.claimed)
            assert not {"peer", "claimed"} & store.record(lesson).keys()


def test_what_a_file_spells_is_the_persons_own_spelling() -> None:
    store = fed([("Ada-Lovelace@box", record("a", engineers=["me", "Ada Lovelace"]))])
    store.apply([record("b", engineers=["me", "Ada Lovelace"])], "x", peer=True, owner="Ada-Lovelace@box")
    lesson = store.get("b")
    assert lesson is not None
    assert (lesson.engineers, lesson.claimed) == (("Ada Lovelace",), ("me",))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (record("a", 2, question="Newer?"), "version"),
        (record("a", 2, retired=True), "retirement"),
        (tombstone("a", 5), "retirement"),
        (record("z", supersedes=["a"]), "successor"),
    ],
)
def test_each_is_an_offer_once(line: dict[str, Any], kind: str) -> None:
    store = fed([("", record("a")), ("mira@desk", line)])
    (offer,) = offers(store)
    assert (offer.kind, offer.mine.id, offer.owner) == (kind, "a", "mira@desk")
    assert offers(store, [offer.id]) == []


@pytest.mark.parametrize("line", [record("a"), record("a", 2, question="a 1?"), record("a", ms=9)])
def test_what_says_the_same_is_no_offer(line: dict[str, Any]) -> None:
    assert offers(fed([("", record("a")), ("mira@desk", line)])) == []
    assert offers(fed([("", record("a", retired=True)), ("mira@desk", record("a", 2, question="x?"))])) == []
