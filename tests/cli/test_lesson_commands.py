"""A person writes, lists, changes and retires lessons from the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from borgd.cli import dispatch
from borgd.errors import BorgError, UsageError
from borgd.journal import Journal
from borgd.paths import user_paths

Borg = Callable[..., str]


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    work = home / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (home / ".config/borgd").mkdir(parents=True)
    (home / ".config/borgd/config.toml").write_text('[people]\nengineer = "ada"\n')

    def call(*argv: str) -> str:
        assert dispatch(["lesson", *argv]) == 0
        return capsys.readouterr().out

    return call


ADD = ("add", "--question", "Is it closed?", "--consequence", "It leaks.")


def test_the_way_of_a_lesson(borg: Borg) -> None:
    assert "borg lesson add" in borg("list")
    added = json.loads(borg(*ADD, "--scope", "Orion", "--situation", "opening", "--situation", "closing", "--json"))
    assert added.pop("trial")["advice"]
    assert added["scope"] == ["Orion"]
    assert added["situations"] == ["opening", "closing"]
    assert added["engineers"] == ["ada"]
    key = added["id"]
    assert borg("list") == f"{key}  Orion: Is it closed?\n"
    assert json.loads(borg("list", "--json"))["lessons"] == [added]
    assert "It leaks." in borg("show", key[:5])
    edited = json.loads(borg("edit", key, "--consequence", "It floods.", "--json"))
    assert (edited["version"], edited["consequence"], edited["question"]) == (2, "It floods.", "Is it closed?")
    assert "--revive" in borg("retire", key, "--reason", "fixed for good")
    assert "--all" in borg("list")
    assert borg("list", "--all") == f"{key}  Orion: Is it closed? [retired]\n"
    assert json.loads(borg("edit", key, "--revive", "--json"))["retired"] is False
    assert json.loads(borg("show", key, "--json"))["version"] == 4


def test_sorting_and_scope(borg: Borg) -> None:
    for question, scope in (("b?", "Vega"), ("a?", "Orion")):
        borg("add", "--question", question, "--consequence", "c", "--scope", scope)
    assert [line.split("  ")[1] for line in borg("list", "--sort", "question").splitlines()] == ["Orion: a?", "Vega: b?"]
    assert borg("list", "--scope", "vega").endswith("Vega: b?\n")


def test_what_a_person_gets_wrong_is_said(borg: Borg) -> None:
    borg(*ADD)
    with pytest.raises(BorgError, match="asks this already"):
        borg(*ADD)
    with pytest.raises(UsageError, match="--question: expected text"):
        borg("add", "--question", " ", "--consequence", "c")
    with pytest.raises(UsageError, match="inside a git repository"):
        borg("add", "--question", "q", "--consequence", "c", "--reach", "repo")
    with pytest.raises(UsageError, match="nothing to change"):
        borg("edit", "L")
    with pytest.raises(UsageError, match="expected one of add"):
        borg("learn")
    with pytest.raises(BorgError, match="no lesson 'Lx'"):
        borg("retire", "Lx")


def test_two_repositories_of_one_directory_name_never_mix(borg: Borg, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner in ("acme", "other"):
        repository = home / owner / "shop"
        repository.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        subprocess.run(["git", "-C", str(repository), "remote", "add", "origin", f"git@host:{owner}/shop.git"], check=True)
        monkeypatch.chdir(repository)
        borg("add", "--question", f"{owner}?", "--consequence", "c", "--reach", "repo")
    assert [lesson["repo"] for lesson in json.loads(borg("list", "--sort", "question", "--json"))["lessons"]] == [
        "acme/shop",
        "other/shop",
    ]


def test_damage_and_bad_lines_are_named_and_the_rest_is_listed(borg: Borg, capsys: pytest.CaptureFixture[str]) -> None:
    borg(*ADD)
    path = user_paths().journal("lessons")
    path.write_bytes(b'garbage\n\n{"id": "Lx", "question": 3, "consequence": "c"}\n' + path.read_bytes())
    assert dispatch(["lesson", "list"]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("Is it closed?\n")
    assert f"{path}:1: not a record" in err
    assert f"{path}:3: question: expected `str`, got `int`" in err


def test_nothing_hidden_and_no_secret_reaches_the_file(borg: Borg) -> None:
    key = "ghp_" + "a1B2" * 9
    borg("add", "--question", f"Is {key}\u2028gone\u202e?", "--consequence", f"password=hunter2 {key}")
    data = user_paths().journal("lessons").read_text()
    assert "a1B2" not in data
    assert "hunter2" not in data
    assert "\u202e" not in data
    assert "Is [redacted] gone?" in data
    assert user_paths().journal("lessons").stat().st_mode & 0o777 == 0o600


def test_without_a_terminal_or_a_configuration(tmp_path: Path) -> None:
    """The console script as a person runs it: errors on one line of standard error, exit code 1 or 2."""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-m", "borgd", "lesson", *ADD], capture_output=True, text=True, env=env, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(
        [sys.executable, "-m", "borgd", "lesson", *ADD], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("borg: lesson L")
    done = subprocess.run(
        [sys.executable, "-m", "borgd", "lesson", "edit"], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 2


def test_terminals_at_once_lose_no_version(borg: Borg, home: Path) -> None:
    key = json.loads(borg(*ADD, "--json"))["id"]
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "borgd", "lesson", "edit", key, "--area"]
    running = [subprocess.Popen([*command, f"area{number}"], env=env, stdout=subprocess.DEVNULL) for number in range(6)]
    assert [process.wait(60) for process in running] == [0] * 6
    records = Journal(user_paths().journal("lessons")).read().records
    assert sorted(record["version"] for record in records) == [1, 2, 3, 4, 5, 6, 7]
