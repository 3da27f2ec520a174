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
from borgd.lessons.corrections.detect import Correction
from borgd.lessons.episodes import episode
from borgd.lessons.mining import LINE_BYTES, Miner
from borgd.paths import user_paths
from borgd.stores.past import assimilate_state
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
        file.write(whole[-20:] + lines(person("No, that is wrong, we always use the new name")))
    done = borg("assimilate", "--apply", "--json")
    assert [one["correction"] for one in done["episodes"]] == ["No, that is wrong, we always use the new name"]
    assert stored()[-1]["proposal"] == "It is back as it was."
    assert stored()[-1]["task"] == "違います、元に戻してください"


@pytest.mark.parametrize("stop", range(1, 15))
def test_stopped_anywhere_it_finds_the_same(stop: int) -> None:
    """Every line is a place to stop at: reading on from ``safe`` finds what one reading finds."""

    def mine(data: bytes, offset: int) -> tuple[list[str], int]:
        miner = Miner("s1", lambda cwd: "", offset=offset)
        found = [made for line in data[offset:].splitlines(keepends=True) for made in miner.line(line)]
        return [made.episode.id for made in (*found, *miner.finish())], miner.safe

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


def made_session(path: Path, number: int, *said: tuple[str, str, str]) -> None:
    """A session with a turn for each (what the person says, what the agent changes, what it says then)."""
    rows = []
    for turn, (words, code, answer) in enumerate(said):
        use = {"id": f"t{number}-{turn}", "name": "Edit", "type": "tool_use"}
        call = use | {"input": {"file_path": f"/w/m{number}.py", "old_string": "", "new_string": code}}
        parts = [call] if code else []
        rows += [person(words), row("assistant", [*parts, {"type": "text", "text": answer}])]
    path.write_bytes(lines(*(one | {"sessionId": f"h{number}"} for one in rows)))


CORRECTIONS = [
    ("no, prices are Decimal here, never float", "price = Decimal(row['price'])"),
    ("that's wrong, the retry belongs in the client, not in each caller", "client.retry(3)"),
    ("we never log the token, not even masked", "log.info('login ok')"),
    ("why did you add a new dependency? we have http.get in lib/net for this", "from lib.net import http"),
    ("you forgot the index, every foreign key gets one here", "index=True"),
    ("don't edit generated files, change the template and run the generator", "template = 'x'"),
    ("nein, Migrationen laufen bei uns immer ohne Sperre, also concurrently", "CREATE INDEX CONCURRENTLY i"),
    ("non, on ne modifie jamais une migration déjà publiée", "migration_0007 = 1"),
    ("dates are stored in UTC in this project, local time only in the view", "now = utcnow()"),
    ("shouldn't this go through the queue? direct calls to the mailer get lost on deploys", "queue.put(mail)"),
    ("stop, only touch the lines the task needs, we review every diff by hand", "x = 1"),
    ("use our Money type for that instead of an int of cents", "total = Money(0)"),
]
OTHERS = [
    "thanks, now add the same column to the csv export",
    "yes, the second option",
    "great, next: write the release note for 2.4",
    "the build is red: E501 in m.py line 3",
    "change of plan, we ship that next month, leave it as it is",
    "translate the error texts to Spanish please",
    "can you explain how the cache is keyed?",
]


def test_a_made_history_gives_its_corrections_and_hardly_anything_else(borg: Borg, home: Path) -> None:
    directory = home / ".claude/projects/-w"
    directory.mkdir(parents=True)
    for number in range(40):
        work = [(f"add field {number} to the order form", f"field_{number} = 1", "The field is there, tests pass.")]
        if number < len(CORRECTIONS):
            words, code = CORRECTIONS[number]
            work.append((words, code, "You're right, changed."))
        work.append((OTHERS[number % len(OTHERS)], "", "Done."))
        made_session(directory / f"h{number}.jsonl", number, *work)
    found = borg("assimilate", "--json")
    heard = {one["correction"] for one in found["episodes"]}
    corrections = {words for words, _ in CORRECTIONS}
    assert len(heard & corrections) >= 10, corrections - heard
    assert len(heard - corrections) <= 1, heard - corrections
    one = next(episode for episode in found["episodes"] if "Decimal" in episode["correction"])
    assert (one["paths"], one["lines"], one["task"]) == (
        ["/w/m0.py"],
        ["field_0 = 1"],
        "add field 0 to the order form",
    )


def test_what_the_agent_does_next_settles_what_may_be_a_correction(borg: Borg, home: Path) -> None:
    said = "the total could come from the ledger view, it has the rounding"
    for answer, code, expected in (("It stays.", "", []), ("You're right, it reads the view now.", "", [said])):
        path = home / "one.jsonl"
        made_session(path, 1, ("show the total", "total = sum(x)", "There it is."), (said, code, answer))
        found = borg("assimilate", str(path), "--json")
        if not [one for one in found["episodes"] + found["doubtful"] if one["correction"] == said]:
            continue  # the detector is sure that it is none
        assert [one["correction"] for one in found["episodes"]] == expected


def test_a_lesson_can_be_proposed_from_what_was_doubtful(borg: Borg, home: Path) -> None:
    state = assimilate_state.load()
    one = episode(
        Correction(text="hm, the view has the rounding", rule="linear", reason="r", strength=0.4),
        ms=5, agent="claude-code", session="h1", task="show the total",
    )  # fmt: skip
    state.doubt([one])
    assimilate_state.save(state)
    listed = borg("assimilate", str(home), "--json")
    assert [row["id"] for row in listed["doubtful"]] == [one.id]
    made = borg("lesson", "propose", "--episode", one.id, "--question", "From the view?", "--consequence", "Off.", "--json")
    assert made["proposal"]["episode"] == one.id
    assert [record["id"] for record in stored()] == [one.id]
    assert borg("assimilate", str(home), "--json")["doubtful"] == []
    borg("forget", "--session", "h1")
    assert "rounding" not in assimilate_state.state_path().read_text()
    assert stored() == []
