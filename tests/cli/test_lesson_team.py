"""Lessons of teammates in the terminal: shown as peer data, edited into ours, forgotten for everyone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.errors import BorgError
from borgd.journal import Journal
from borgd.lessons.team import hashed
from borgd.memory.records import Outcome
from borgd.paths import user_paths

Borg = Callable[..., Any]
SALT = "00112233445566778899aabbccddeeff"


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    monkeypatch.chdir(home)
    shared = home / "shared"
    shared.mkdir()
    (shared / "team.json").write_text(json.dumps({"salt": SALT, "version": 1}))
    (home / ".config/borgd").mkdir(parents=True)
    (home / ".config/borgd/config.toml").write_text(f'[people]\nengineer = "ada"\n[team]\ndirectory = "{shared}"\n')
    lines: list[dict[str, Any]] = [
        {"id": "Lpeer", "question": "Is it\u202e shut?\u2028", "consequence": "c", "engineers": ["bo"], "area": "tests"},
        {"id": "Lrepo", "question": "Here?", "consequence": "c", "reach": "repo", "repo": hashed(SALT, "repo", "acme/shop")},
    ]
    Journal(shared / "bo@desk.lessons.jsonl").append(lines)
    Journal(shared / "bo@desk.outcomes.jsonl").append(
        [
            Outcome(
                id="h1", ms=1, lesson="Lpeer", kind="changed", evidence="judged on another machine", session="h", agent="a"
            )
        ]
    )

    def call(*argv: str) -> Any:
        assert dispatch([*argv]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in argv else out

    return call


def test_a_teammates_lesson_is_marked_and_cleaned(borg: Borg) -> None:
    assert "Lpeer  anywhere: Is it shut? [peer]\n" in borg("lesson", "list")
    shown = borg("lesson", "show", "Lpeer")
    assert "peer: from a teammate's file" in shown
    assert "belief       0.67" in shown
    assert borg("trust") == "0.50  bo  no area\n0.67  bo  tests\n"


def test_an_edit_makes_it_ours(borg: Borg) -> None:
    edited = borg("lesson", "edit", "Lpeer", "--area", "api", "--json")
    assert (edited["version"], edited["peer"], edited["engineers"], edited["question"]) == (
        2,
        False,
        ["bo", "ada"],
        "Is it shut?",
    )
    (line,) = Journal(user_paths().journal("lessons")).read().records
    assert "peer" not in line


def test_a_lesson_for_a_repository_is_changed_only_there(borg: Borg, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BorgError, match="a teammate's repository"):
        borg("lesson", "edit", "Lrepo", "--area", "api")
    clone = home / "clone"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", "https://host/acme/shop.git"], check=True)
    monkeypatch.chdir(clone)
    assert borg("lesson", "edit", "Lrepo", "--area", "api", "--json")["repo"] == "acme/shop"


def test_forgotten_it_leaves_a_tombstone_here_for_the_team(borg: Borg) -> None:
    assert borg("forget", "Lpeer", "--json")["tombstones"] == ["Lpeer"]
    assert "Lpeer" not in borg("lesson", "list")
    assert "forgotten here or by a teammate: Lpeer" in borg("lesson", "list", "--all")
    (line,) = Journal(user_paths().journal("lessons")).read().records
    assert (line["id"], line["kind"]) == ("Lpeer", "tombstone")


def test_our_own_team_files_forget_too_and_others_stay(borg: Borg, home: Path) -> None:
    from borgd.config.read import machine_name
    from borgd.lessons.team import owner_name

    own = home / "shared" / f"{owner_name('ada', machine_name())}.lessons.jsonl"
    Journal(own).append([{"id": "Lown", "question": "UNIQUE?", "consequence": "c"}])
    added = borg("lesson", "add", "--question", "Fine?", "--consequence", "c", "--json")["id"]
    Journal(own).append([{"id": added, "question": "Fine?", "consequence": "c"}])
    assert borg("forget", added, "--json")["removed"] == {str(user_paths().journal("lessons")): 1, str(own): 1}
    assert "Fine?" not in own.read_text()
    assert "UNIQUE?" in own.read_text()
    before = (home / "shared/bo@desk.lessons.jsonl").read_bytes()
    borg("forget", "Lrepo")
    assert (home / "shared/bo@desk.lessons.jsonl").read_bytes() == before


def test_a_team_that_is_away_stops_nothing(borg: Borg, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "shared").rename(home / "away")
    assert dispatch(["lesson", "add", "--question", "Works?", "--consequence", "c"]) == 0
    assert dispatch(["lesson", "list"]) == 0
    out, err = capsys.readouterr()
    assert "Works?" in out
    assert err.count("the team is not read") <= 1


def test_an_offer_of_a_teammates_is_shown_taken_or_refused_for_good(borg: Borg, home: Path) -> None:
    made = borg("lesson", "add", "--question", "Is the pump primed?", "--consequence", "It runs dry.", "--json")
    key = made["id"]
    newer = {"id": key, "version": 7, "question": "Is the pump primed and vented?", "consequence": "It runs dry."}
    Journal(home / "shared/bo@desk.lessons.jsonl").append([newer, {"id": "Lnew", "question": "Other?", "consequence": "c"}])
    assert borg("lesson", "show", key, "--json")["question"] == "Is the pump primed?"
    (offer,) = borg("lesson", "ratify", "--json")["offers"]
    assert (offer["lesson"], offer["kind"], offer["by"]) == (key, "version", "bo@desk")
    assert "bo@desk has another version" in borg("lesson", "ratify")
    borg("lesson", "ratify", "--keep", offer["id"])
    assert borg("lesson", "show", key, "--json")["question"] == "Is the pump primed and vented?"
    assert borg("lesson", "ratify", "--json")["offers"] == []
    Journal(home / "shared/bo@desk.lessons.jsonl").append([{"id": key, "kind": "tombstone", "ms": 9}])
    (offer,) = borg("lesson", "ratify", "--json")["offers"]
    assert offer["kind"] == "retirement"
    borg("lesson", "ratify", "--drop", offer["id"])
    assert borg("lesson", "ratify", "--json")["offers"] == []
    assert borg("lesson", "show", key, "--json")["retired"] is False
