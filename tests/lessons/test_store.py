"""Whatever the order of lines and files, the same lessons come out; a bad line costs nothing but itself."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import BorgError, InputError
from borgd.lessons.lesson import Lesson
from borgd.lessons.store import LessonStore, lesson_id, narrower, parse, tombstone, visible


def record(key: str = "a", version: int = 1, **fields: Any) -> dict[str, Any]:
    return {"id": key, "version": version, "question": f"{key} v{version}?", "consequence": "It breaks."} | fields


def new(question: str = "Is it closed?", **fields: Any) -> Lesson:
    return Lesson(id="", question=question, consequence="It leaks.", **fields)


def fed(*records: dict[str, Any]) -> LessonStore:
    store = LessonStore()
    assert store.apply(records).errors == ()
    return store


records = st.builds(
    record,
    st.sampled_from(["a", "b", "c"]),
    st.integers(1, 3),
    consequence=st.sampled_from(["one", "two", "three"]),
    repo=st.sampled_from(["", "acme/x"]),
    extra=st.sampled_from([1, 2]),
) | st.builds(tombstone, st.sampled_from(["b", "c"]), st.integers(0, 3))


@given(st.lists(records, max_size=12), st.lists(st.booleans(), min_size=12, max_size=12), st.randoms(use_true_random=False))
def test_order_split_and_repetition_change_nothing(lines: list[dict[str, Any]], peers: list[bool], rng: Any) -> None:
    pairs = list(zip(lines, peers, strict=False))
    first = LessonStore()
    for line, peer in pairs:
        first.apply([line], peer=peer)
    shuffled = pairs + pairs[:3]
    rng.shuffle(shuffled)
    second = LessonStore()
    for peer in (True, False):
        second.apply([line for line, of in shuffled if of is peer], peer=peer)
    assert list(first) == list(second)
    assert first.forgotten == second.forgotten


def test_the_latest_version_wins_and_equal_versions_by_hash() -> None:
    store = fed(record(version=2, consequence="second"), record(version=1, consequence="first"))
    assert store.get("a").consequence == "second"  # type: ignore[union-attr]
    one, other = record(consequence="one"), record(consequence="two")
    assert list(fed(one, other)) == list(fed(other, one))


def test_our_own_copy_of_the_same_version_is_no_peer_and_keeps_its_repository() -> None:
    own, shared = record(repo="acme/x", reach="repo"), record(repo="hash:1234", reach="repo")
    for peers_first in (True, False):
        store = LessonStore()
        for peer in (peers_first, not peers_first):
            store.apply([shared if peer else own], peer=peer)
        lesson = store.get("a")
        assert lesson is not None
        assert (lesson.repo, lesson.peer) == ("acme/x", False)


@pytest.mark.parametrize(
    ("bad", "field", "expected"),
    [
        ({"id": "a", "consequence": "c"}, "question", "expected a value, the field is missing"),
        (record(question=3), "question", "expected `str`, got `int`"),
        (record(situations=["x", 3]), "situations[1]", "expected `str`, got `int`"),
        (record(scope="Orion"), "scope", "expected `array`, got `str`"),
        (record(source="rumour"), "source", "invalid enum value 'rumour'"),
        (record(question="\u200b\u2028 "), "question", "expected visible text, got none"),
        (record(key="../../x"), "id", "expected letters, digits, - and _, at most 40 characters"),
        (record(key="a\n"), "id", "expected letters, digits, - and _, at most 40 characters"),
        (record(version=0), "version", "expected 1 to 1000000000, got 0"),
        (record(version=10**30), "version", None),
        (record(kind="sermon"), "kind", "expected lesson or tombstone"),
        ({"kind": "tombstone", "id": 3}, "id", "expected letters, digits, - and _, at most 40 characters"),
    ],
)
def test_a_bad_line_names_file_line_field_and_the_rest_works(bad: dict[str, Any], field: str, expected: str | None) -> None:
    store = LessonStore()
    applied = store.apply([record("b"), bad, record("c")], "team/ada.lessons.jsonl", lines=[3, 7, 9])
    assert [lesson.id for lesson in store] == ["b", "c"]
    (error,) = applied.errors
    assert (error.source, error.line, error.field) == ("team/ada.lessons.jsonl", 7, field)
    assert expected is None or error.expected == expected
    assert str(error).startswith(f"team/ada.lessons.jsonl:7: {field}: ")


def test_what_changed_is_reported_line_by_line() -> None:
    store = fed(record("a"), record("b"))
    assert store.apply([record("a"), record("b", 2), record("c"), record("c", 2)]).changed == ("b", "c")
    assert store.apply([tombstone("b", 5), tombstone("zz", 5)]).changed == ("b",)


def test_text_is_cleaned_as_it_is_read() -> None:
    lesson = fed(record(question="a\u2028b\u202e?", scope=["Ori\u200bon", "Orion", ""])).get("a")
    assert lesson is not None
    assert (lesson.question, lesson.scope) == ("a b?", ("Orion",))


def test_a_forgotten_lesson_stays_forgotten_whatever_comes() -> None:
    store = fed(tombstone("a", 1), record("a", 9))
    assert len(store) == 0
    with pytest.raises(BorgError, match="it was forgotten"):
        store.find("a")


def test_ids_are_stable_short_and_follow_the_rule() -> None:
    key = lesson_id("Is it closed?", ["Orion", "Vega"])
    assert key == lesson_id("is  it closed?", ["vega", "ORION"])
    assert key != lesson_id("Is it closed?", ["Orion"])
    assert len(key) == 9
    assert lesson_id("Is it closed?", ["Orion", "Vega"], [key]).startswith(key)
    assert parse(record(key), "x").id == key


def test_add_makes_a_record_that_reads_back() -> None:
    store = LessonStore()
    line = store.add(new(scope=("Orion",), ms=5))
    assert len(store) == 0
    store.apply([msgspec.json.decode(msgspec.json.encode(line))])
    (lesson,) = store
    assert (lesson.question, lesson.scope, lesson.version, lesson.ms) == ("Is it closed?", ("Orion",), 1, 5)
    assert "peer" not in line


def test_adding_the_same_again_says_so_and_a_retired_one_comes_back() -> None:
    store = LessonStore()
    store.apply([store.add(new())])
    (lesson,) = store
    with pytest.raises(BorgError, match=f"borg lesson edit {lesson.id}"):
        store.add(new("is it CLOSED?"))
    store.apply([store.retire(lesson.id, ms=9, engineer="ada", reason="Obsolete.")])
    assert store.current() == []
    store.apply([store.add(new())])
    assert [(lesson.version, lesson.retired) for lesson in store.current()] == [(3, False)]


def test_a_new_lesson_never_takes_an_edited_or_forgotten_ones_id() -> None:
    store = LessonStore()
    store.apply([store.add(new())])
    (first,) = store
    store.apply([store.edit(first.id, {"question": "Is it open?"}, ms=1)])
    second = store.add(new())
    assert second["id"] != first.id
    store.apply([tombstone(first.id, 1)])
    assert store.add(new())["id"] != first.id


def test_an_edit_keeps_unknown_keys_and_says_who_changed_what() -> None:
    store = fed(record(version=4, engineers=["ada"], ticket="X-1", nested={"a": [1]}))
    line = store.edit("a", {"consequence": "It burns."}, ms=77, engineer="bo")
    assert (line["version"], line["ms"], line["consequence"], line["engineers"]) == (5, 77, "It burns.", ["ada", "bo"])
    assert (line["ticket"], line["nested"]) == ("X-1", {"a": [1]})
    assert line["history"] == [{"version": 4, "ms": 77, "engineer": "bo", "fields": ["consequence"]}]
    with pytest.raises(InputError, match="reach"):
        store.edit("a", {"reach": "galaxy"}, ms=1)
    with pytest.raises(BorgError, match="borg lesson list"):
        store.edit("zz", {"area": "x"}, ms=1)


def test_retiring_twice_says_so() -> None:
    store = fed(record())
    line = store.retire("a", ms=1, reason="Wrong since v2")
    assert line["retired"] is True
    assert line["history"][-1]["reason"] == "Wrong since v2"
    store.apply([line])
    with pytest.raises(BorgError, match="retired already"):
        store.retire("a", ms=2)


def test_no_secret_gets_into_a_record() -> None:
    key = "ghp_" + "a1B2" * 9
    store = fed(record(note=f"see {key}"))
    lines = [store.add(new(f"Is {key} gone?", situations=(key,), origin=f"x {key}")), store.edit("a", {"area": key}, ms=1)]
    assert "a1B2" not in str(lines)


def test_find_takes_the_start_of_an_id() -> None:
    store = fed(record("Labc"), record("Labd"), record("Lx"))
    assert store.find("lx").id == "Lx"
    with pytest.raises(BorgError, match="Labc, Labd"):
        store.find("La")
    with pytest.raises(BorgError, match="no lesson ''"):
        store.find("")


def test_reach() -> None:
    def lesson(**fields: Any) -> Lesson:
        return Lesson(id="a", question="q", consequence="c", **fields)

    assert visible(lesson(), "", "ada")
    assert visible(lesson(reach="repo", repo="acme/x"), "acme/x", "ada")
    assert not visible(lesson(reach="repo", repo="acme/x"), "other/x", "ada")
    assert not visible(lesson(reach="repo"), "", "ada")
    assert visible(lesson(reach="personal", engineers=("ada",)), "acme/x", "ada")
    assert not visible(lesson(reach="personal", engineers=("ada",)), "acme/x", "bo")
    assert visible(lesson(reach="personal"), "", "bo")
    assert not visible(lesson(reach="personal", peer=True), "", "bo")
    assert narrower("team", "repo") == narrower("repo", "team") == "repo"
    assert narrower("repo", "personal") == "personal"
