"""Past transcripts are mined once, resumably, by the rules that listen live; what was forgotten does not come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.cli.memory import assimilate as command
from borgd.errors import InputError
from borgd.journal import Journal
from borgd.lessons.mining import LINE_BYTES, Miner
from borgd.paths import user_paths
from tests.cli.terminal import in_a_terminal

Borg = Callable[..., Any]
KEY = "ghp_" + "a1B2" * 9
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\n"
)


def row(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content} | ({"id": "m1", "model": "x"} if kind == "assistant" else {})
    base = {
        "type": kind,
        "sessionId": "s1",
        "cwd": "/nowhere",
        "timestamp": "2026-11-30T08:00:00.000Z",
        "isSidechain": False,
    }
    return base | {"message": message} | more


def person(text: str, **more: Any) -> dict[str, Any]:
    return row("user", text, **more)


def agent(text: str) -> dict[str, Any]:
    return row("assistant", [{"type": "text", "text": text}])


def result(text: str, **more: Any) -> dict[str, Any]:
    return row("user", [{"type": "tool_result", "tool_use_id": "t", "content": text, "is_error": True}], **more)


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in rows)


SESSION = lines(
    {"type": "queue-operation", "operation": "enqueue", "content": "No, that's wrong"},
    person("No, this is the first prompt and corrects nothing"),
    agent("I will call the API in a loop."),
    person(f"No, use the queue. password=hunter2 {KEY}"),
    agent("Now it uses the queue."),
    person("thanks. don't forget to add tests"),
    agent("Tests added."),
    person("<task-notification>No, that's wrong</task-notification>"),
    person("That's wrong, you forgot the tests", isMeta=True),
    person("That's wrong, you forgot the tests", isSidechain=True, agentId="a1"),
    result(REJECTED + "Use the migration tool, not raw SQL"),
    result("exit code 1: the user said: no, that's wrong"),
    row(
        "user",
        [{"type": "tool_result", "tool_use_id": "q", "content": "answered"}],
        toolUseResult={
            "questions": [
                {"question": "Which DB?", "options": [{"label": "SQLite"}]},
                {"question": "Color?", "options": []},
            ],
            "answers": {"Which DB?": "Postgres, we never use SQLite", "Color?": "red"},
        },
    ),
    person("違います、元に戻してください"),
)


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    monkeypatch.chdir(home)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)

    def call(*argv: str) -> Any:
        assert dispatch([*argv]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in argv else out

    return call


@pytest.fixture
def transcript(home: Path) -> Path:
    path = home / ".claude/projects/-nowhere/s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(SESSION)
    subagent = path.parent / "s1/subagents/agent-a1.jsonl"
    subagent.parent.mkdir(parents=True)
    subagent.write_bytes(lines(person("x"), agent("y"), person("No, that's wrong, undo it")))
    return path


def stored() -> list[dict[str, Any]]:
    path = user_paths().journal("episodes")
    return Journal(path).read().records if path.exists() else []


def test_shown_first_then_stored_then_known(borg: Borg, transcript: Path) -> None:
    preview = borg("assimilate", "--json")
    assert preview["corrections"] == 4
    assert not user_paths().state.exists()
    assert stored() == []
    assert "--apply does" in borg("assimilate")
    done = borg("assimilate", "--apply", "--json")
    assert [one["correction"] for one in stored()] == [
        "No, use the queue. password=[redacted] [redacted]",
        "Use the migration tool, not raw SQL",
        "Postgres, we never use SQLite",
        "違います、元に戻してください",
    ]
    assert done["rules"] == {"answer-rule": 1, "en-no": 1, "ja-modoshite": 1, "rejected-call": 1}
    first = stored()[0]
    assert (first["proposal"], first["session"], first["ms"]) == ("I will call the API in a loop.", "s1", 1796025600000)
    assert stored()[2]["proposal"] == "Which DB?"
    again = borg("assimilate", "--apply", "--json")
    assert (again["files"], again["corrections"]) == (0, 0)
    assert "Nothing new" in borg("assimilate")
    assert len(borg("lesson", "episodes", "--json")["episodes"]) == 4


def test_a_session_that_goes_on_is_read_on_with_what_came_before(borg: Borg, transcript: Path) -> None:
    borg("assimilate", "--apply")
    with transcript.open("ab") as file:
        file.write(lines(agent("It is back as it was."))[:-20])
    borg("assimilate", "--apply")
    whole = lines(agent("It is back as it was."))
    with transcript.open("ab") as file:
        file.write(whole[-20:] + lines(person("No, keep the new name")))
    done = borg("assimilate", "--apply", "--json")
    assert [one["correction"] for one in done["episodes"]] == ["No, keep the new name"]
    assert stored()[-1]["proposal"] == "It is back as it was."
    assert stored()[-1]["task"] == "違います、元に戻してください"


@pytest.mark.parametrize("stop", range(1, 15))
def test_stopped_anywhere_it_finds_the_same(stop: int) -> None:
    """Every line is a place to stop at: reading on from ``safe`` finds what one reading finds."""

    def mine(data: bytes, offset: int) -> tuple[list[str], int]:
        miner = Miner("s1", lambda cwd: "", offset=offset)
        found = [made.id for line in data[offset:].splitlines(keepends=True) for made in miner.line(line)]
        return found, miner.safe

    whole, _ = mine(SESSION, 0)
    cut = sum(len(line) for line in SESSION.splitlines(keepends=True)[:stop])
    before, safe = mine(SESSION[:cut], 0)
    after, _ = mine(SESSION, safe)
    assert set(before) | set(after) == set(whole)


def test_an_interrupt_keeps_what_was_found_and_goes_on_later(
    borg: Borg, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1000))

    def progress(self: Any, size: int) -> None:
        if next(calls) == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command._Work, "_progress", progress)
        with pytest.raises(KeyboardInterrupt):
            dispatch(["assimilate", "--apply"])
    assert len(stored()) == 1
    borg("assimilate", "--apply")
    assert len(stored()) == 4


def test_what_was_forgotten_does_not_come_back(borg: Borg, transcript: Path) -> None:
    borg("assimilate", "--apply")
    borg("forget", "--session", "s1")
    assert stored() == []
    transcript.write_bytes(transcript.read_bytes() + lines(agent("x"), person("No, not like that")))
    borg("assimilate", "--apply")
    (user_paths().state / "assimilate.json").write_text(
        json.dumps(json.loads((user_paths().state / "assimilate.json").read_text()) | {"files": {}})
    )
    borg("assimilate", "--apply")
    assert stored() == []


def test_what_cannot_be_read_is_said_and_the_rest_is_mined(borg: Borg, home: Path, transcript: Path) -> None:
    (transcript.parent / "bad.jsonl").write_bytes(b'\x00\xff"user"\n' + b"[" * 5000 + b'"user"\n' + SESSION)
    (transcript.parent / "long.jsonl").write_bytes(b'{"type":"user","x":"' + b"a" * (LINE_BYTES + 10) + b'"}\n' + SESSION)
    (transcript.parent / "empty.jsonl").write_bytes(b"")
    done = borg("assimilate", "--json")
    assert done["corrections"] == 4
    assert done["known"] == 8
    assert done["damaged_lines"] >= 3
    with pytest.raises(InputError, match="there is nothing"):
        borg("assimilate", "nowhere")
    user_paths().state.mkdir(parents=True)
    (user_paths().state / "assimilate.json").write_text("{")
    with pytest.raises(InputError, match="lists what was forgotten"):
        borg("assimilate")


def test_no_secret_gets_anywhere(borg: Borg, transcript: Path) -> None:
    assert "a1B2" not in borg("assimilate")
    borg("assimilate", "--apply")
    for directory in (user_paths().data, user_paths().state):
        for file in directory.rglob("*"):
            assert "a1B2" not in file.read_text()
            assert "hunter2" not in file.read_text()
            assert file.stat().st_mode & 0o077 == 0


def test_a_terminal_sees_how_far_it_is(transcript: Path, home: Path) -> None:
    seen, code = in_a_terminal(["assimilate"], [], home)
    assert code == 0, seen
    assert "[########################] 100 %  0/1 files  4 corrections" in seen
    assert "4 corrections in 1 transcript" in seen
