"""A lesson is changed in the person's editor; the list is searched, sorted by use and cut to the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.cli import dispatch
from borgd.cli.lesson.editor import changes_in, editor_named, text_of
from borgd.cli.lesson.list import holds
from borgd.errors import BorgError
from borgd.lessons.lesson import Lesson
from tests.cli.conftest import Borg
from tests.cli.terminal import in_a_terminal
from tests.server.support import write_lessons

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(str.strip)
LESSONS = st.builds(
    Lesson,
    id=st.just("L1"),
    question=WORDS,
    consequence=WORDS,
    scope=st.lists(TEXT, max_size=3).map(tuple),
    signs=st.lists(TEXT | st.just(r"\bfoo\d+'s"), max_size=3).map(tuple),
    situations=st.lists(TEXT, max_size=3).map(tuple),
    area=TEXT,
)


@pytest.fixture
def key(borg: Borg, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    found = borg("lesson", "add", "--question", "Is it closed?", "--consequence", "It leaks.", "--sign", r"open\(", "--json")
    return str(found["id"])


@given(LESSONS)
def test_what_is_left_as_it_is_changes_nothing(lesson: Lesson) -> None:
    assert changes_in(text_of(lesson).encode(), lesson, "x") == {}


@given(LESSONS, LESSONS)
def test_what_is_changed_is_what_comes_back(before: Lesson, after: Lesson) -> None:
    found = changes_in(text_of(after).encode(), before, "x")
    fields = ("question", "consequence", "scope", "signs", "situations", "area")
    assert found == {
        name: list(value) if isinstance(value := getattr(after, name), tuple) else value
        for name in fields
        if getattr(after, name) != getattr(before, name)
    }


def test_the_editor_of_the_person_changes_the_lesson(borg: Borg, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "sed -i -e s/closed/shut/ -e s/^area.*/area='\"api\"'/")
    edited = borg("lesson", "edit", key, "--json")
    assert (edited["question"], edited["area"], edited["version"]) == ("Is it shut?", "api", 2)
    assert edited["signs"] == [r"open\("]


def test_visual_comes_before_editor_and_nothing_changed_is_no_version(
    borg: Borg, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.setenv("EDITOR", "false")
    assert borg("lesson", "edit", key) == "nothing was changed\n"
    assert borg("lesson", "show", key, "--json")["version"] == 1


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        ("false", "ended with 1"),
        ("no-such-editor-here", "cannot be run"),
        ("sed -i s/^scope/scopes/", "scopes: there is no such setting"),
        ("sed -i s/^question.*/question='\"\"'/", "question: expected text"),
        ("sed -i s/^area.*/area=3/", "area"),
        ("truncate -s 3", "question"),
        ("rm", "cannot be read after the editor"),
        ("'", "not a command"),
    ],
)
def test_what_cannot_be_taken_changes_nothing_and_is_named(
    borg: Borg, key: str, editor: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(BorgError, match=said):
        dispatch(["lesson", "edit", key])
    assert borg("lesson", "show", key, "--json")["version"] == 1
    if editor not in ("rm", "'"):
        (kept,) = tmp_path.glob("borg-lesson-*/*.toml")
        assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_without_a_terminal_and_without_an_editor_nothing_is_opened(borg: Borg, key: str) -> None:
    with pytest.raises(BorgError, match="EDITOR"):
        dispatch(["lesson", "edit", key])
    assert editor_named({"VISUAL": " ", "EDITOR": "code --wait"}) == ["code", "--wait"]


def test_the_list_is_searched_in_every_field() -> None:
    lesson = Lesson(
        id="Labc",
        question="Is the CAP raised?",
        consequence="It hammers.",
        scope=("Orion",),
        situations=("raising retries",),
    )
    for words in ([], ["cap"], ["orion", "RAISED"], ["retries", "hammers"], ["labc"]):
        assert holds(lesson, words), words
    for words in (["vega"], ["cap", "vega"], ["orionretries"]):
        assert not holds(lesson, words), words


def test_the_list_has_what_is_used_most_first(borg: Borg, home: Path) -> None:
    from tests.server.support import lesson

    write_lessons(home, *(lesson(f"L{number}", f"Question {number}?") for number in range(1, 5)))
    assert [line[:2] for line in borg("lesson", "list").splitlines()] == ["L1", "L2", "L3", "L4"]
    rows = [("L3", "a"), ("L3", "b"), ("L4", "a"), ("L4", "a"), ("L2", "c"), ("L4", "d"), ("L4", "e")]
    told = [
        {
            "id": f"o{number}", "ms": 1000 + number, "lesson": name, "kind": "changed", "evidence": "answered",
            "session": session, "agent": "claude-code", "decision": f"d{number}",
        }
        for number, (name, session) in enumerate(rows)
    ]  # fmt: skip
    (home / ".local/share/borgd/outcomes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in told))
    assert [line[:2] for line in borg("lesson", "list").splitlines()] == ["L4", "L3", "L2", "L1"]
    assert [line[:2] for line in borg("lesson", "list", "--sort", "id").splitlines()] == ["L1", "L2", "L3", "L4"]
    assert borg("lesson", "list", "question", "3").startswith("L3")


def test_lines_are_cut_to_the_terminal_and_nowhere_else(borg: Borg, home: Path) -> None:
    long = "Is every one of the very many words of this question read by whoever lists lessons, to its end?"
    borg("lesson", "add", "--question", long, "--consequence", "It wraps.")
    assert long in borg("lesson", "list")
    seen, code = in_a_terminal(["lesson", "list"], [], home)
    (line,) = [one.rstrip("\r") for one in seen.split("\n") if one.strip()]
    assert code == 0
    assert len(line) <= 80
    assert line.endswith("…")
