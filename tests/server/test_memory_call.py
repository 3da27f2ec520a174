"""What a command says of memory is the same whether a daemon was asked or the files were folded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.memory.records import Outcome
from borgd.protocol.client import call
from tests.server.support import lesson, running_daemon, write_config, write_lessons

SALT = "00112233445566778899aabbccddeeff"


def outcome(number: int, kind: str = "changed") -> Outcome:
    return Outcome(
        id=f"o{number}", ms=number, lesson=f"L{number % 3}", kind=kind, evidence="e", session=f"s{number % 7}",  # type: ignore[arg-type]
        agent="a", repo=f"r{number % 2}", engineer=f"engineer{number % 3}",
    )  # fmt: skip


@pytest.fixture
def files(home: Path) -> Path:
    """A home with a team, retired lessons among its own."""
    shared = home / "shared"
    shared.mkdir()
    (shared / "team.json").write_text(json.dumps({"salt": SALT, "version": 1}))
    write_config(home, f'[team]\ndirectory = "{shared}"\n[people]\nengineer = "mira"\naliases = {{ "m" = "mira" }}\n')
    write_lessons(
        home,
        lesson("L0", "Is it?", engineers=["m"], area="tests"),
        lesson("L1", "Was it?", engineers=["tobin"], retired=True),
        lesson("L2", "Will it?", engineers=["mira"], supersedes=["L0"]),
    )
    Journal(home / ".local/share/borgd/outcomes.jsonl").append([outcome(n) for n in range(9)])
    Journal(shared / "tobin@box.outcomes.jsonl").append([outcome(n, "corrected") for n in range(20, 31)])
    return home


def said(home: Path, *words: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "borgd", *words, "--json"]
    done = subprocess.run(
        command, env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, capture_output=True, timeout=240, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


COMMANDS = [("lesson", "show", "L0"), ("lesson", "show", "L2"), ("trust",)]


@pytest.mark.slow
def test_with_a_daemon_and_without_one_the_same_is_said(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn in range(2):
        alone = [said(files, *words) for words in COMMANDS]
        with running_daemon(files) as env:
            asked = [said(files, *words) for words in COMMANDS]
            assert asked == alone
            for name, value in env.items():
                monkeypatch.setenv(name, value)
            meant = {"data": str(files / ".local/share/borgd"), "team": str(files / "shared"), "aliases": {"m": "mira"}}
            answer = json.loads(call("memory", json.dumps({**meant, "lesson": "L0"}).encode()).out)
            assert answer == {"ready": True, "lesson": alone[0]["memory"]}
        Journal(files / "shared/tobin@box.outcomes.jsonl").append([outcome(40 + turn, "vetoed")])
    assert said(files, "lesson", "show", "L2") != alone[1]


@pytest.mark.parametrize("other", [{"data": "/elsewhere"}, {"team": ""}, {"aliases": {}}])
def test_a_daemon_of_other_files_says_so(files: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]) -> None:
    meant = {"data": str(files / ".local/share/borgd"), "team": str(files / "shared"), "aliases": {"m": "mira"}}
    with running_daemon(files) as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        body = json.dumps({**meant, **other, "trust": True}).encode()
        assert json.loads(call("memory", body).out) == {"ready": False}
        assert call("memory", b'{"data": 5}').status == 1


def test_what_belongs_to_a_lesson_is_found_by_its_line(files: Path) -> None:
    own = Outcome(id="own", ms=5, lesson="L2", kind="changed", evidence='says "L0"', session="s1", agent="a")
    path = files / "shared/tobin@box.outcomes.jsonl"
    Journal(files / ".local/share/borgd/outcomes.jsonl").append([own])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    rows = said(files, "lesson", "show", "L0")["outcomes"]
    assert [row["id"] for row in rows] == ["o0", "o3", "o6", "o21", "o24", "o27", "o30"]
    assert "own" in [row["id"] for row in said(files, "lesson", "show", "L2")["outcomes"]]
