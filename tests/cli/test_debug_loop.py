"""``borg debug loop``: the figures of hearing by kind and language, and weights made anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.errors import InputError, UsageError

DATA = Path(__file__).resolve().parents[1] / "data"


def case(name: str, kind: str, *events: dict[str, Any]) -> str:
    return json.dumps({"id": name, "system": "x", "kind": kind, "episode": {"cwd": "/w", "remote": "", "events": events}})


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    work = (
        {"e": "prompt", "text": "Add a retry to the uploader."},
        {"e": "edit", "path": "up.py", "old": "a", "new": "retry()"},
    )
    stop = {"e": "stop", "text": "The uploader retries three times now."}
    path = tmp_path / "cases.jsonl"
    rows = (
        case("1", "explicit", *work, stop, {"e": "prompt", "text": "No, that's wrong. We never retry an upload here."}),
        case("2", "midturn", *work, {"e": "prompt", "midturn": True, "text": "stop, we never retry an upload in here"}),
        case("3", "rejection", *work, {"e": "reject", "text": "never touch up.py, it is generated"}),
        case("4", "implicit", *work, stop, {"e": "prompt", "text": "thanks, commit it"}),
    )
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    lines = (DATA / "talk-more.jsonl").read_text("utf-8").splitlines()
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(lines[::12]) + "\n", "utf-8")
    return path


def test_the_figures_by_kind_and_language(cases: Path, talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["debug", "loop", "--cases", str(cases), "--talk", str(talk), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["heard"] == {"all": 0.75, "explicit": 1, "implicit": 0, "midturn": 1, "rejection": 1}
    assert found["line"] == found["heard"]
    for key in ("talk_heard", "talk_line", "false_episode", "false_line"):
        assert {"all"} < set(found[key])
    assert {"de", "en"} < set(found["false_line_by_language"])
    assert "cross_fit" not in found


@pytest.mark.slow
def test_cross_fitting_tells_what_unseen_authors_meet(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["debug", "loop", "--talk", str(talk), "--cross-fit", "--json"]) == 0
    fitted = json.loads(capsys.readouterr().out)["cross_fit"]
    assert set(fitted["left_out_author"]) == set("ABCDE")
    assert 0.5 < fitted["pairs"]["alone"]["area"] < 1
    assert dispatch(["debug", "loop", "--talk", str(talk), "--cross-fit"]) == 0
    assert "left out author" in capsys.readouterr().out


def test_without_a_set_it_says_what_it_needs() -> None:
    with pytest.raises(UsageError, match="--cases or --talk"):
        dispatch(["debug", "loop"])


@pytest.mark.parametrize("option", ["--cases", "--talk"])
def test_a_damaged_line_is_named(tmp_path: Path, option: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('\n{"id": 3}\n')
    with pytest.raises(InputError, match=r"set\.jsonl:2: expected"):
        dispatch(["debug", "loop", option, str(path)])
