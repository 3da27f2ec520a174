"""Forgetting leaves a tombstone and nothing else; a veto reaches what was shown last; memory is shown as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.cli.memory.forget import since
from borgd.config.read import machine_name
from borgd.errors import BorgError, UsageError
from borgd.journal import Journal
from borgd.lessons.corrections.detect import Correction
from borgd.lessons.episodes import episode
from borgd.memory.records import Decision, Outcome, PoolEntry
from borgd.paths import private_dir, user_paths
from borgd.stores.past import assimilate_state

Borg = Callable[..., Any]


def lesson(borg: Borg, question: str, *more: str) -> str:
    made = borg("lesson", "add", "--question", question, "--consequence", "UNIQUEWORDS break.", *more, "--json")
    return str(made["id"])


def entry(key: str, *, shown: bool = True) -> PoolEntry:
    return PoolEntry(id=key, score=1, base=1, share=1, rank=0, draw=0.5, mean=0.5, p=0.9, shown=shown)


def decided(number: int, session: str, *entries: PoolEntry) -> None:
    made = Decision(
        id=f"d{number}", ms=number, agent="claude-code", session=session, channel="early", pool=entries, repo="acme/x"
    )
    Journal(user_paths().journal("decisions")).append([made])


def contents() -> dict[str, str]:
    files = [*user_paths().data.glob("*.jsonl*"), *user_paths().sessions.glob("*")]
    return {file.name: file.read_text() for file in files if file.is_file()}


def test_a_lesson_is_forgotten_everywhere(borg: Borg) -> None:
    gone, stays = lesson(borg, "Is it closed?"), lesson(borg, "Is it open?")
    decided(1, "s1", entry(gone), entry(stays))
    borg("no", "nonsense")
    borg("lesson", "edit", gone, "--area", "x")
    state = private_dir(user_paths().sessions) / "claude-code-s1.ctx"
    state.write_text(f'#borg-early d1 {gone} {stays}\n#borg-pool {{"id": "{gone}"}}\nprompt: é {gone}x\n')
    size = state.stat().st_size
    preview = borg("forget", gone, "--dry-run", "--json")
    assert preview["dry_run"] is True
    assert sum(preview["removed"].values()) == 6
    assert gone in state.read_text()
    removed = borg("forget", gone, "--json")
    assert removed["tombstones"] == [gone]
    assert {Path(name).name: count for name, count in removed["removed"].items()} == {
        "lessons.jsonl": 2,
        "outcomes.jsonl": 1,
        "decisions.jsonl": 1,
        "claude-code-s1.ctx": 2,
    }
    blank = "-" * len(gone)
    assert state.read_text() == f'#borg-early d1 {blank} {stays}\n#borg-pool {{"id": "{blank}"}}\nprompt: é {gone}x\n'
    assert state.stat().st_size == size
    state.unlink()
    for name, text in contents().items():
        lines = [line for line in text.split("\n") if gone in line]
        assert lines == [] or (name == "lessons.jsonl" and len(lines) == 1 and '"tombstone"' in lines[0]), name
        assert "Is it closed?" not in text
    assert stays in borg("lesson", "list")
    with pytest.raises(BorgError, match="it was forgotten"):
        borg("lesson", "show", gone)


def test_a_session_is_forgotten_everywhere(borg: Borg) -> None:
    key = lesson(borg, "Is it closed?")
    decided(1, "s1", entry(key))
    decided(2, "s2", entry(key))
    borg("no", "--session", "s1")
    correction = Correction(text="SECRETWISH please", rule="r", reason="r", strength=1)
    made = episode(correction, ms=1, agent="claude-code", session="s1")
    Journal(user_paths().journal("episodes")).append([made])
    borg("lesson", "propose", "--episode", made.id, "--question", "SECRETWISH?", "--consequence", "c")
    private_dir(user_paths().sessions)
    for name in ("claude-code-s1.ctx", "claude-code-s1.sub.ctx", "claude-code-s12.ctx"):
        (user_paths().sessions / name).write_text("prompt: SECRETWISH\n" if "s12" not in name else "prompt: x\n")
    meters = private_dir(user_paths().state / "investigations")
    for name in ("s1.jsonl", "s2.jsonl"):
        (meters / name).write_text("{}\n")
    Journal(user_paths().journal("escalations")).append(
        [{"session": "s1", "ms": 1, "reason": "SECRETWISH", "verdict": "deny"}]
    )
    assert "records removed" in borg("forget", "s1")
    assert [path.name for path in meters.iterdir()] == ["s2.jsonl"]
    text = json.dumps(contents())
    assert "SECRETWISH" not in text
    assert '\\"s1\\"' not in text
    assert "claude-code-s12.ctx" in text
    assert json.loads(Path(user_paths().journal("decisions")).read_text())["session"] == "s2"


def test_a_span_of_time(borg: Borg) -> None:
    key = lesson(borg, "Is it closed?")
    decided(1, "old", entry(key))
    Journal(user_paths().journal("outcomes")).append(
        [
            Outcome(id="o1", ms=1, lesson=key, kind="changed", evidence="e"),
            Outcome(id="o2", ms=4102444800000, lesson=key, kind="changed", evidence="e"),
        ]
    )
    removed = borg("forget", "--since", "1h", "--json")
    assert removed["tombstones"] == [key]
    assert {Path(name).name: count for name, count in removed["removed"].items()} == {
        "lessons.jsonl": 1,
        "outcomes.jsonl": 1,
    }
    assert borg("forget", "--since", "1h", "--json")["removed"] == {}


def test_nothing_lives_on_beside_the_journals(borg: Borg, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was put aside, copies that a sync made of our files, what was made of the journals, paths that name a session."""
    key, state, shared = lesson(borg, "Is it closed?"), private_dir(user_paths().state), home / "team"
    borg("team", "init", str(shared))
    config = home / ".config/borgd/config.toml"
    if "team" not in config.read_text():
        config.write_text(config.read_text() + f'[team]\ndirectory = "{shared}"\n')
    decided(1, "sess-1", entry(key))
    ours = shared / f"ada@{machine_name()}.lessons.jsonl"
    copy = ours.with_name(ours.name.replace(".jsonl", ".sync-conflict-1.jsonl"))
    theirs = shared / "bo@desk.lessons.jsonl"
    line = json.dumps({"id": key, "version": 1, "ms": 1, "question": "SECRETWISH?", "consequence": "c"}) + "\n"
    for file in (ours, copy, theirs):
        file.write_text(line)
    put_aside = [path.with_name(f"{path.name}.quarantine") for path in (ours, copy, Path(user_paths().journal("episodes")))]
    for file in put_aside:
        file.write_text('{"data": "half of SECRETWISH"}\n')
    remade = [state / "report.html", private_dir(state / "columns") / "a.npz", private_dir(state / "replay") / "b.state"]
    for file in remade:
        file.write_text(key)
    transcript = home / "sess-1.jsonl"
    transcript.write_text("")
    read = assimilate_state.AssimilateState(files={str(transcript): assimilate_state.ReadTranscript(0, 0)})
    read.files["/x/other.jsonl"] = read.files["/x/sess-12.jsonl"] = assimilate_state.ReadTranscript(0, 0)
    assimilate_state.save(read)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    would = borg("forget", key, "--dry-run", "--json")["removed"]
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and path in before} == before
    did = borg("forget", key, "--json")
    assert did["removed"] == {**would, str(user_paths().journal("lessons")): 1}
    assert {str(path) for path in (copy, ours, *put_aside, *remade)} <= set(did["removed"])
    assert "hash chain" in did["stays"]["audit.jsonl"]
    assert not any(file.exists() for file in (*put_aside, *remade))
    assert [path for path in shared.iterdir() if "SECRETWISH" in path.read_text()] == [theirs]
    borg("forget", "--session", "sess-1")
    assert set(assimilate_state.load().files) == {"/x/other.jsonl", "/x/sess-12.jsonl"}
    with pytest.raises(SystemExit):
        dispatch(["forget", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "What stays: audit.jsonl: a hash chain" in text


def test_times() -> None:
    assert since("2h", 10_000_000) == 10_000_000 - 7_200_000
    assert since("2026-11-30T00:00+00:00", 0) == 1795996800000
    assert since("2026-11-30", 0) > 1795900000000
    for text in ("", "yesterday", "-1h", "1y", "2026-13-01"):
        with pytest.raises(UsageError, match="--since: expected"):
            since(text, 0)


def test_what_to_forget_must_be_named_once(borg: Borg) -> None:
    for argv in ([], ["a", "--since", "1h"], ["--session", "s", "--since", "1h"]):
        with pytest.raises(UsageError, match="name one of"):
            borg("forget", *argv)
    with pytest.raises(BorgError, match="no lesson 'nobody'"):
        borg("forget", "nobody")


def test_no_names_what_was_shown_last_in_this_session(borg: Borg, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BorgError, match="nothing to veto"):
        borg("no")
    one, two, three = (lesson(borg, f"Number {number}?", "--scope", "Orion") for number in range(3))
    decided(1, "mine", entry(one), entry(two), entry(three, shown=False))
    decided(2, "other", entry(three))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "mine")
    made = borg("no", "we", "left", "Orion", "--json")
    assert made["session"] == "mine"
    assert {(outcome["lesson"], outcome["credit"], outcome["kind"]) for outcome in made["vetoed"]} == {
        (one, 0.5, "vetoed"),
        (two, 0.5, "vetoed"),
    }
    assert made["vetoed"][0]["evidence"] == "vetoed: we left Orion"
    assert borg("no", "--json")["new"] == 0
    assert "they were before" in borg("no")
    assert borg("no", "--session", "oth", "--json")["session"] == "other"
    shown = borg("lesson", "show", one, "--json")
    assert shown["memory"]["belief"]["beta"] == 2.5
    assert [outcome["kind"] for outcome in shown["outcomes"]] == ["vetoed"]


def test_an_invariant_becomes_a_standing_lesson_once_ratified(borg: Borg) -> None:
    decided(1, "mine", entry(lesson(borg, "Is it closed?", "--scope", "Orion")))
    made = borg("no", "it", "is", "generated", "--invariant", "Never edit dist/ by hand.", "--json")["proposal"]
    assert (made["question"], made["invariant"], made["scope"]) == (
        "Did I make sure not to edit dist/ by hand?",
        True,
        ["Orion"],
    )
    kept = borg("lesson", "ratify", "--keep", made["id"], "--json")["done"][0]["lesson"]
    shown = borg("lesson", "show", kept, "--json")
    assert shown["source"] == "constraint"
    assert "constraint (standing)" in borg("lesson", "show", kept)


def test_memory_as_a_person_sees_it(borg: Borg) -> None:
    assert "nothing to trust" in borg("trust")
    good, bad = lesson(borg, "Good?", "--area", "tests"), lesson(borg, "Bad?", "--area", "tests")
    rows = [
        Outcome(
            id=f"{key}{n}",
            ms=n,
            lesson=key,
            kind="changed" if key == good else "ignored",
            evidence="answered applies: x\u202e",
            agent="a",
            session=f"s{n}",
            repo=f"r{n % 2}",
            engineer="bo",
        )
        for n in range(4)
        for key in (good, bad)
    ]
    Journal(user_paths().journal("outcomes")).append(rows)
    assert [line.split()[1] for line in borg("lesson", "list", "--sort", "belief").split("\n")[:2]] == [good, bad]
    for sort in ("activation", "uses", "trust"):
        assert good in borg("lesson", "list", "--sort", sort)
    text = borg("lesson", "show", good)
    assert "belief       0.83 (95 %: 0.48 to 0.99)" in text
    assert "uses         4 sessions, 2 repositories, 1 engineers" in text
    assert "consolidated" in text
    assert "1970-01-01  changed: answered applies: x\n" in text
    assert borg("trust", "--json")["trust"] == [{"engineer": "ada", "area": "tests", "trust": pytest.approx(5 / 6)}]
    assert borg("trust") == "0.83  ada  tests\n"
    export = borg("memory", "export", "--json")
    assert export == json.loads(borg("memory", "export"))
    assert export["lessons"][good]["alpha"] == 5


def test_nothing_is_left_open(borg: Borg) -> None:
    """Every file of ours stays private to its owner."""
    lesson(borg, "Is it closed?")
    for file in user_paths().data.iterdir():
        assert os.stat(file).st_mode & 0o077 == 0, file
