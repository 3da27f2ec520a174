"""A person sees what a veto, a retirement or forgetting would do before it happens, and can take the last of them back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.errors import BorgError
from borgd.journal import Journal
from borgd.memory.records import Decision, PoolEntry
from borgd.paths import private_dir, user_paths
from borgd.stores import forgotten_lessons
from tests.cli.terminal import in_a_terminal

Borg = Callable[..., Any]


def lesson(borg: Borg, question: str) -> str:
    made = borg("lesson", "add", "--question", question, "--consequence", "The sluice jams.", "--json")
    return str(made["id"])


def told(number: int, session: str, *names: str) -> None:
    pool = tuple(
        PoolEntry(id=name, score=1, base=1, share=1, rank=0, draw=0.5, mean=0.5, p=0.9, shown=True) for name in names
    )
    made = Decision(id=f"d{number}", ms=number, agent="claude-code", session=session, channel="early", pool=pool)
    Journal(user_paths().journal("decisions")).append([made])


def belief(borg: Borg, name: str) -> tuple[float, float]:
    found = borg("lesson", "show", name, "--json")["memory"]["belief"]
    return found["alpha"], found["beta"]


def test_one_lesson_by_its_id_gets_the_whole_veto(borg: Borg) -> None:
    one, two = lesson(borg, "Is the sluice closed?"), lesson(borg, "Is the sluice greased?")
    told(1, "s1", one, two)
    told(2, "s2", two)
    made = borg("no", one[:5], "we", "sold", "it", "--json")
    assert [(each["lesson"], each["credit"], each["session"]) for each in made["vetoed"]] == [(one, 1.0, "s1")]
    assert made["vetoed"][0]["evidence"] == "vetoed: we sold it"
    assert belief(borg, one) == (1, 4)
    assert belief(borg, two) == (1, 1)
    unshown = lesson(borg, "Is the sluice painted?")
    with pytest.raises(BorgError, match="not shown"):
        borg("no", unshown)


def test_undo_takes_back_one_step_after_the_other(borg: Borg) -> None:
    name = lesson(borg, "Is the sluice closed?")
    told(1, "s1", name)
    borg("lesson", "edit", name, "--area", "water", "--question", "Is the sluice shut?")
    borg("no", name)
    borg("lesson", "retire", name)
    would = borg("undo", "--dry-run")
    assert "retirement" in would
    assert borg("lesson", "show", name, "--json")["retired"] is True
    assert borg("undo", "--json")["undone"] == "retire"
    assert borg("lesson", "show", name, "--json")["retired"] is False
    assert belief(borg, name) == (1, 4)
    assert borg("undo", "--json")["undone"] == "veto"
    assert belief(borg, name) == (1, 1)
    assert borg("undo", "--json")["undone"] == "edit"
    shown = borg("lesson", "show", name, "--json")
    assert (shown["question"], shown["area"]) == ("Is the sluice closed?", "")
    with pytest.raises(BorgError, match="nothing to undo"):
        borg("undo")


def test_a_veto_that_was_taken_back_may_be_said_again(borg: Borg) -> None:
    name = lesson(borg, "Is the sluice closed?")
    told(1, "s1", name)
    for _ in range(3):
        assert borg("no", name, "--json")["new"] == 1
        assert borg("no", name, "--json")["new"] == 0
        assert belief(borg, name) == (1, 4)
        borg("undo")
        assert belief(borg, name) == (1, 1)


@pytest.mark.parametrize("version", [1, 2])
def test_a_forgotten_lesson_comes_back_where_it_was_confirmed(borg: Borg, version: int) -> None:
    name = lesson(borg, "Is the sluice closed?")
    if version == 2:
        borg("lesson", "edit", name, "--area", "water")
    borg("forget", name, "--yes")
    assert borg("lesson", "list").count("sluice") == 0
    borg("undo")
    assert "Is the sluice closed?" in borg("lesson", "list")
    assert borg("lesson", "show", name, "--json")["question"] == "Is the sluice closed?"
    assert not (user_paths().state / forgotten_lessons.FILE).exists()


@pytest.mark.parametrize("more", [[], ["--yes", "--for-good"]])
def test_unconfirmed_or_for_good_nothing_of_it_stays(borg: Borg, home: Path, more: list[str]) -> None:
    name = lesson(borg, "Is UNIQUEWORD closed?")
    borg("forget", name, *more)
    assert not any("UNIQUEWORD" in path.read_text() for path in home.rglob("*") if path.is_file())
    with pytest.raises(BorgError, match="nothing to undo"):
        borg("undo")


def test_what_is_kept_of_it_goes_when_its_time_is_over(home: Path) -> None:
    state = private_dir(user_paths().state)
    forgotten_lessons.keep(state, 1000, [{"id": "L1"}])
    assert oct((state / forgotten_lessons.FILE).stat().st_mode)[-3:] == "600"
    assert forgotten_lessons.kept(state, 1000 + 9 * 60_000) == [{"id": "L1"}]
    assert forgotten_lessons.kept(state, 1000 + 10 * 60_000) == []
    assert not (state / forgotten_lessons.FILE).exists()


def test_the_third_veto_asks_once_whether_to_retire(borg: Borg, home: Path) -> None:
    name = lesson(borg, "Is the sluice closed?")
    for number in range(5):
        told(number, f"s{number}", name)
        said = borg("no", name, "--session", f"s{number}")
        assert (f"borg lesson retire {name}" in said) == (number == 2)


def test_a_person_at_a_terminal_sees_the_text_and_is_asked(borg: Borg, home: Path) -> None:
    one, two = lesson(borg, "Is the sluice closed?"), lesson(borg, "Is the gate greased?")
    told(1, "s1", one, two)
    seen, code = in_a_terminal(["no"], [("[n]o", "n")], home)
    assert code == 1
    assert "Is the sluice closed?" in seen
    assert "The sluice jams." in seen
    assert belief(borg, one) == belief(borg, two) == (1, 1)
    seen, code = in_a_terminal(["no"], [("only that one", "2")], home)
    assert (code, belief(borg, one), belief(borg, two)) == (0, (1, 1), (1, 4))
    seen, code = in_a_terminal(["forget", one], [("[n]o", "n")], home)
    assert code == 1
    assert "Is the sluice closed?" in seen
    assert "lessons.jsonl" in seen
    seen, code = in_a_terminal(["lesson", "retire", one], [("[n]o", "n")], home)
    assert "Is the sluice closed?" in seen
    assert borg("lesson", "show", one, "--json")["retired"] is False
    _, code = in_a_terminal(["forget", one], [("[n]o", "y")], home)
    assert code == 0
    borg("undo")
    assert "Is the sluice closed?" in borg("lesson", "list")


def test_the_third_veto_at_a_terminal(borg: Borg, home: Path) -> None:
    name = lesson(borg, "Is the sluice closed?")
    for number in range(2):
        told(number, f"s{number}", name)
        borg("no", name, "--session", f"s{number}")
    told(9, "s9", name)
    _, code = in_a_terminal(["no", name], [("[n]o", "y"), ("Retire it?", "y")], home)
    assert code == 0
    assert borg("lesson", "show", name, "--json")["retired"] is True
    borg("undo")
    assert borg("lesson", "show", name, "--json")["retired"] is False
