"""``borg debug recall`` and ``borg debug bm25`` as their user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.errors import InputError
from borgd.recall.evidence import MATCH_FLOOR

LESSONS = [
    {
        "id": "A1",
        "question": "Does the new write endpoint take an idempotency key, so that a retry creates no second record?",
        "situations": ["adding a POST endpoint"],
        "consequence": "The customer is charged twice.",
        "scope": ["Orion"],
    },
    {
        "id": "B1",
        "question": "Does the test wait for a condition instead of sleeping?",
        "situations": ["flaky tests"],
        "consequence": "The suite fails on a busy runner.",
    },
    {"id": "A0", "question": "Is the write endpoint closed at night?", "consequence": "Noise.", "scope": ["Orion"]},
]
LESSONS[0]["supersedes"] = ["A0"]
CONTEXTS = [
    {
        "id": "C1",
        "moment": "early",
        "cwd": "~/src/orion",
        "text": "add a POST endpoint for refunds, with an idempotency key and a retry",
        "relevant": {"A1": 3},
        "kind": "hit",
    },
    {
        "id": "C2",
        "cwd": "~/src/orion",
        "prompts": ["the flaky tests sleep for a fixed time", "make them stable"],
        "relevant": {"B1": 2},
        "kind": "hit",
    },
    {"id": "C3", "cwd": "~/x", "text": "a haiku about autumn", "relevant": {}, "kind": "unrelated", "why": "no lesson"},
]


def write(path: Path, records: list[dict[str, Any]], *more: bytes) -> str:
    path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records) + b"".join(more))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path / "L.jsonl", LESSONS), write(tmp_path / "C.jsonl", CONTEXTS)


def scored(capsys: pytest.CaptureFixture[str], lessons: str, contexts: str, *more: str) -> dict[str, Any]:
    assert dispatch(["debug", "recall", "--lessons", lessons, "--contexts", contexts, "--json", *more]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_set_is_scored(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    document = scored(capsys, *files)
    assert document["contexts"] == 3
    assert document["lessons"] == 2
    assert document["floor"] == MATCH_FLOOR
    assert document["ndcg5"] == 1.0
    assert document["hit_recall"] == 1.0
    assert document["precision"] == 1.0
    assert document["silent"] == {"hit": 0.0, "unrelated": 1.0}
    assert document["left_out"] == []
    assert document["moments"]["early"]["contexts"] == 1


def test_at_floor_one_all_is_silent(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    document = scored(capsys, *files, "--floor", "1", "--curve", "--prior", "shipped")
    assert document["hit_recall"] == 0.0
    assert document["precision"] is None
    assert document["ndcg5"] == 1.0
    shares = [at["hit_recall"] for at in document["curve"]]
    assert shares == sorted(shares, reverse=True)


def test_bad_lines_are_named_and_the_rest_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lessons = write(
        tmp_path / "L.jsonl", LESSONS, b'{"id": 7, "question": "x", "consequence": "y"}\r\n', b"{\n", b"\xff\xfe\n"
    )
    contexts = write(tmp_path / "C.jsonl", CONTEXTS, b'{"id": "C9", "relevant": {"A1": "much"}}\n', b"[1]\n", b"\n")
    document = scored(capsys, lessons, contexts)
    assert document["contexts"] == 3
    assert document["hit_recall"] == 1.0
    wrong = document["left_out"]
    assert [sentence.split(": ")[0] for sentence in wrong] == [
        f"{lessons}:4",
        f"{lessons}:5",
        f"{lessons}:6",
        f"{contexts}:4",
        f"{contexts}:5",
    ]
    assert ": id: " in wrong[0]
    assert ": relevant" in wrong[3]
    assert dispatch(["debug", "recall", "--lessons", lessons, "--contexts", contexts]) == 0
    assert f"{contexts}:5" in capsys.readouterr().err


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_small_stores_and_empty_sets_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int) -> None:
    lessons = write(tmp_path / "L.jsonl", LESSONS[:count])
    for contexts in (CONTEXTS, []):
        file = write(tmp_path / "C.jsonl", contexts)
        document = scored(capsys, lessons, file)
        assert document["contexts"] == len(contexts)
        assert dispatch(["debug", "recall", "--lessons", lessons, "--contexts", file, "--curve"]) == 0
        assert "contexts" in capsys.readouterr().out
    if count:
        assert scored(capsys, lessons, write(tmp_path / "C.jsonl", CONTEXTS[:1]))["hit_recall"] == 1.0


def test_a_set_without_kinds_is_told_apart_by_its_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = [{key: value for key, value in context.items() if key != "kind"} for context in CONTEXTS]
    document = scored(capsys, write(tmp_path / "L.jsonl", LESSONS), write(tmp_path / "C.jsonl", bare))
    assert document["silent"] == {"hit": 0.0, "silent": 1.0}
    assert document["hit_recall"] == 1.0


def test_a_file_that_is_not_there_is_a_sentence(files: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        dispatch(["debug", "recall", "--lessons", "/nowhere/L.jsonl", "--contexts", files[1]])


def test_the_text_stands_beside_rank_bm25(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["debug", "recall", "--lessons", files[0], "--contexts", files[1]]) == 0
    out = capsys.readouterr().out
    assert "rank-bm25" in out
    assert "early: recall" in out
    assert "stop: recall" in out


def test_bm25_shows_terms_and_what_each_adds(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    query = ["debug", "bm25", "--lessons", files[0], "retrying", "the", "endpoint", "zeppelin"]
    assert dispatch([*query, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [term["term"] for term in document["terms"]] == ["retri", "the", "endpoint", "zeppelin"]
    assert [term["lessons"] for term in document["terms"]] == [1, 3, 2, 0]
    best = document["scores"][0]
    assert best["id"] == "A1"
    assert sum(best["terms"].values()) == pytest.approx(best["score"])
    assert dispatch(query) == 0
    assert "A1" in capsys.readouterr().out


def test_bm25_on_a_first_run_says_what_to_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert home.exists()
    assert dispatch(["debug", "bm25", "anything"]) == 0
    assert "borg lesson add" in capsys.readouterr().out
