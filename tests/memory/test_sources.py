"""Each source of outcomes, with what it must and must not take for evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.memory.records import Decision, PoolEntry
from borgd.memory.sources.answers import answers
from borgd.memory.sources.changes import change_evidence, code_names
from borgd.memory.sources.judge import (
    WorkChanges,
    judge_answers,
    judge_correction,
    judge_disagreement,
    judge_early,
    judge_end,
    judge_reverted,
    judge_tests,
    judge_veto,
)
from borgd.memory.sources.suite_runs import suite_run

IDS = ["L1", "L12", "retry-cap"]


@pytest.mark.parametrize(
    ("line", "name", "applies", "why"),
    [
        ("L1: applies - adds a cap", "L1", True, "adds a cap"),
        ("L1: skip - not streaming", "L1", False, "not streaming"),
        ("- **L1**: applies — adds a cap", "L1", True, "adds a cap"),
        ("* `L12`: skip – no queue here", "L12", False, "no queue here"),
        ("1. L12 - applies: caps it", "L12", True, "caps it"),
        ("**L1: applies** - caps it", "L1", True, "caps it"),
        ("| L1 | applies | caps it |", "L1", True, "caps it"),
        ("L1：适用", "L1", True, ""),
        ("L1：不适用 - 没有服务器", "L1", False, "没有服务器"),
        ("L1：applies - 上限を追加", "L1", True, "上限を追加"),
        ("L1 : s'applique - plafond", "L1", True, "plafond"),
        ("> retry-cap: N/A (no retries)", "retry-cap", False, "(no retries)"),
        ("[L1] → Skipped, already there", "L1", False, "already there"),
        ("l1: Applies", "L1", True, ""),
        ("- [x] L1: applies - done", "L1", True, "done"),
        ("L1: does not apply - no server", "L1", False, "no server"),
        ("L1: doesn’t apply", "L1", False, ""),
        ("L1: nothing here", "L1", None, ""),
        ("L13: applies - other", "L1", None, ""),
        ("see L1: applies somewhere", "L1", None, ""),
        ("L1: appliesx", "L1", None, ""),
        ("L1: notable", "L1", None, ""),
    ],
)
def test_an_answer_is_read_in_any_shape(line: str, name: str, applies: bool | None, why: str) -> None:
    found = answers(f"Thinking.\n{line}\nDone.", IDS).get(name)
    assert (found.applies if found else None) == applies
    if found and why:
        assert found.why == why


def test_the_last_answer_counts_and_the_longest_id_wins() -> None:
    found = answers("L1: applies - x\nL1: skip - y\nL12: applies - z", IDS)
    assert (found["L1"].applies, found["L12"].applies) == (False, True)


@given(st.text(max_size=400), st.lists(st.sampled_from(IDS), max_size=3))
def test_answers_are_total(text: str, ids: list[str]) -> None:
    assert set(answers(text, ids)) <= set(ids)


LESSON = Lesson(
    id="L1",
    question="Does `cut_points.toml` move with the score, and is FlushLimit kept?",
    consequence="Scores shift without anyone deciding.",
    situations=("editing scorer/http.py", "passing --no-cap", "changing the flush logic"),
)


def test_names_spelled_as_code_are_found_and_words_are_not() -> None:
    assert code_names(LESSON) == {"cut_points.toml", "FlushLimit", "scorer/http.py", "--no-cap"}


@pytest.mark.parametrize(
    ("paths", "lines", "found"),
    [
        (["guard/scorer/http.py"], [], True),
        (["guard/scorer/https.py"], [], False),
        ([], ["limit = FlushLimit(3)"], True),
        ([], ["limit = FlushLimits(3)"], False),
        (["docs/flush.md"], ["the flush logic moves the score"], False),
        ([], [], False),
    ],
)
def test_only_a_whole_name_in_a_change_is_evidence(paths: list[str], lines: list[str], found: bool) -> None:
    assert bool(change_evidence(LESSON, paths, lines)) is found


@pytest.mark.parametrize(
    ("command", "is_run"),
    [
        ("pytest -q tests", True),
        ("cd app && npm run test -- --watch=false", True),
        ("cargo nextest run", True),
        ("go test ./...", True),
        ("make check", True),
        ("./gradlew :app:test", True),
        ("cat tests/readme.md", False),
        ("git commit -m 'add a test'", False),
        ("make build", False),
        ("python -m unittest", True),
    ],
)
def test_a_suite_run_is_told_from_other_commands(command: str, is_run: bool) -> None:
    assert (suite_run(command, failed=False) is not None) is is_run


def entry(name: str, *, shown: bool = False, held: bool = False) -> PoolEntry:
    return PoolEntry(id=name, score=1, base=1, share=1, rank=0, draw=0.5, mean=0.5, p=0.95, shown=shown, held=held)


DECISION = Decision(
    id="d1",
    ms=1,
    agent="claude-code",
    session="s",
    channel="stop",
    engineer="mira",
    repo="team/guard",
    pool=(entry("L1", shown=True), entry("L2", shown=True), entry("L3", held=True), entry("L4")),
)
LESSONS = {"L1": LESSON, "L2": Lesson(id="L2", question="q?", consequence="c", area="data")}


def test_answers_become_outcomes() -> None:
    given_answers = answers("L1: applies - moved it", ["L1", "L2"])
    found = {one.lesson: one for one in judge_answers(DECISION, given_answers, LESSONS, WorkChanges(), ms=9)}
    assert (found["L1"].kind, found["L2"].kind) == ("changed", "ignored")
    assert set(found) == {"L1", "L2"}
    assert all(one.evidence and one.decision == "d1" and one.engineer == "mira" for one in found.values())


def test_an_unanswered_lesson_whose_name_was_changed_is_changed() -> None:
    changes = WorkChanges(paths=("a/scorer/http.py",))
    assert {one.lesson: one.kind for one in judge_answers(DECISION, {}, LESSONS, changes, ms=9)}["L1"] == "changed"
    assert [one.lesson for one in judge_early(DECISION, LESSONS, changes, ms=9)] == ["L1"]
    assert judge_early(DECISION, LESSONS, WorkChanges(paths=("other.py",)), ms=9) == []


def test_a_correction_reaches_shown_and_held_out_lessons_only() -> None:
    found = judge_correction(DECISION, ["L1", "L3", "L4"], LESSONS, rule="en.no", ms=9)
    assert [(one.lesson, one.held) for one in found] == [("L1", False), ("L3", True)]


def test_shared_results_split_their_credit() -> None:
    for found in (judge_veto(DECISION, "wrong", LESSONS, ms=9), judge_tests(DECISION, "pytest", LESSONS, ms=9)):
        assert [one.credit for one in found] == [0.5, 0.5]
    assert [one.credit for one in judge_reverted(DECISION, "a" * 40, "b" * 40, 0.5, LESSONS, ms=9)] == [0.25, 0.25]
    assert judge_reverted(DECISION, "a", "b", 0.0, LESSONS, ms=9) == []


def test_the_end_judges_what_nothing_else_did_and_says_why() -> None:
    found = judge_end(DECISION, ["L1"], LESSONS, reason="the session ended", ms=9)
    assert [(one.lesson, one.kind, one.held) for one in found] == [
        ("L2", "not_corrected", False),
        ("L3", "not_corrected", True),
    ]


def test_a_disagreement_is_settled_by_the_side_a_correction_agrees_with() -> None:
    found = judge_disagreement(DECISION, [["L1", "L2"], ["L4", "L5"]], "L2", LESSONS, ms=9)
    assert {one.lesson: one.kind for one in found} == {"L1": "contradicted", "L2": "changed"}


def test_the_same_judgement_twice_is_one_record() -> None:
    first = judge_veto(DECISION, "x", LESSONS, ms=9)
    assert [one.id for one in first] == [one.id for one in judge_veto(DECISION, "x", LESSONS, ms=99)]
