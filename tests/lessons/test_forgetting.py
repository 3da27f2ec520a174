"""What a record keeps when something is forgotten, and what goes along with it."""

from __future__ import annotations

from typing import Any

import pytest

from borgd.lessons.forgetting import FORGOTTEN, ForgetTarget, emptied, remains, widened
from borgd.lessons.store import tombstone

LESSON = ForgetTarget(lessons=frozenset({"La"}))
SESSION = ForgetTarget(sessions=frozenset({"s1"}))
SINCE = ForgetTarget(since_ms=100)


@pytest.mark.parametrize(
    ("journal", "record", "target", "left"),
    [
        ("lessons", {"id": "La", "ms": 5}, LESSON, None),
        ("lessons", {"id": "Lb", "ms": 5}, LESSON, {"id": "Lb", "ms": 5}),
        ("lessons", tombstone("La", 500), LESSON, tombstone("La", 500)),
        ("lessons", tombstone("La", 500), SINCE, tombstone("La", 500)),
        ("lessons", {"id": "Lb", "ms": 100}, SINCE, None),
        ("outcomes", {"id": "o", "lesson": "La", "session": "s2"}, LESSON, None),
        ("outcomes", {"id": "o", "lesson": "Lb", "session": "s1"}, SESSION, None),
        ("decisions", {"id": "d", "session": "s1", "pool": []}, SESSION, None),
        ("decisions", {"id": "d", "session": "s", "pool": [{"id": "La"}]}, LESSON, None),
        (
            "decisions",
            {"session": "s", "pool": [{"id": "La"}, {"id": "Lb"}]},
            LESSON,
            {"session": "s", "pool": [{"id": "Lb"}]},
        ),
        ("episodes", {"id": "E", "session": "s1", "ms": 1}, SESSION, None),
        ("proposals", {"id": "P", "verdict": "merge", "lesson": "La", "ms": 1}, LESSON, None),
        ("commits", {"id": "c", "session": "s1"}, SESSION, None),
        ("commits", {"id": "c", "session": "s1", "ms": "soon"}, SINCE, {"id": "c", "session": "s1", "ms": "soon"}),
    ],
)
def test_what_stays(journal: str, record: dict[str, Any], target: ForgetTarget, left: dict[str, Any] | None) -> None:
    assert remains(journal, record, target) == left


def test_charges_stay_as_numbers_and_lose_their_words() -> None:
    ask = {
        "kind": "asked",
        "id": "a",
        "number": 3,
        "ms": 5,
        "session": "s1",
        "question": "May I?",
        "options": ["yes", "no"],
        "fallback": "",
    }
    left = remains("interrupts", ask, SESSION)
    assert left == ask | {"session": FORGOTTEN, "question": FORGOTTEN, "options": [FORGOTTEN] * 2}
    ruling = {"kind": "excluded", "source": "linter", "cause": "noise", "ms": 500}
    assert remains("interrupts", ruling, SINCE) == ruling
    assert remains("inbox", {"kind": "queued", "ask": ask}, SESSION) == {"kind": "queued", "ask": left}
    assert remains("inbox", {"kind": "queued", "ask": ask}, LESSON) == {"kind": "queued", "ask": ask}


def test_what_goes_along() -> None:
    episodes = [
        {"id": "E1", "session": "s1", "ms": 1},
        {"id": "E2", "session": "s2", "ms": 1},
        {"id": "E3", "session": "s3", "ms": 1},
    ]
    proposals = [
        {"id": "P1", "episode": "E1", "ms": 2, "question": "q"},
        {"id": "P2", "episode": "E2", "ms": 2, "question": "q"},
        {"id": "P2", "verdict": "keep", "lesson": "La", "ms": 3},
        {"id": "P3", "episode": "E3", "ms": 2, "question": "q"},
        {"id": "P3", "verdict": "merge", "lesson": "La", "ms": 3},
    ]
    of_session = widened(SESSION, episodes, proposals)
    assert (of_session.episodes, of_session.proposals) == (frozenset({"E1"}), frozenset({"P1"}))
    of_lesson = widened(LESSON, episodes, proposals)
    assert (of_lesson.episodes, of_lesson.proposals) == (frozenset({"E2"}), frozenset({"P2"}))


def test_a_lesson_with_an_older_version_left_is_not_buried() -> None:
    records = [{"id": "La", "ms": 5}, {"id": "La", "ms": 500}, {"id": "Lb", "ms": 500}, tombstone("Lc", 1)]
    assert emptied(records, SINCE) == {"Lb"}
