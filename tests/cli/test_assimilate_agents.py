"""``borg assimilate`` reads the sessions of every agent from where it keeps them, whatever they are kept in, and resumes."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from borgd.agents.transcripts import SESSION_FILES
from borgd.cli import dispatch
from borgd.errors import BorgError
from borgd.journal import Journal
from borgd.paths import user_paths
from tests.agents.conversations import (
    CONVERSATIONS,
    CORRECTION,
    FILE,
    NEW,
    SAID,
    TASK,
    codex,
    gemini,
    opencode,
    write_database,
    written,
)

Borg = Callable[..., Any]
PLACES = {
    "claude-code": ".claude/projects/-nowhere-shop/s-claude-code.jsonl",
    "codex": ".codex/sessions/2026/11/30/rollout-2026-11-30T08-00-00-s-codex.jsonl",
    "gemini": ".gemini/tmp/shop/chats/session-2026-11-30T08-00-s.jsonl",
    "opencode": ".local/share/opencode/opencode.db",
    "omp": ".omp/agent/sessions/-nowhere-shop/2026_s-omp.jsonl",
    "cursor": ".cursor/projects/nowhere-shop/agent-transcripts/c1/c1.jsonl",
    "copilot": ".copilot/session-state/s-copilot/events.jsonl",
}
"""host: where each agent keeps its sessions, below the home directory."""
LATER = "no, that is wrong, we always use the new name"


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    monkeypatch.chdir(home)
    for files in SESSION_FILES.values():
        monkeypatch.delenv(files.variable, raising=False)
    monkeypatch.delenv("OPENCODE_DB", raising=False)
    monkeypatch.setenv("HOME", str(home))

    def call(*argv: str) -> Any:
        assert dispatch([*argv]) == 0
        out = capsys.readouterr()
        return (json.loads(out.out) if "--json" in argv else out.out) if "--errors" not in argv else out.err

    return call


def put(home: Path, agent: str, correction: str = CORRECTION) -> Path:
    path = home / PLACES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = CONVERSATIONS[agent](correction)
    if agent == "opencode":
        write_database(path, rows)
    else:
        path.write_bytes(written(rows))
    return path


def stored() -> list[dict[str, Any]]:
    path = user_paths().journal("episodes")
    return Journal(path).read().records if path.exists() else []


@pytest.mark.parametrize("agent", SESSION_FILES)
def test_a_correction_is_found_in_the_sessions_of_each_agent(borg: Borg, home: Path, agent: str) -> None:
    put(home, agent)
    found = borg("assimilate", "--apply", "--json")
    assert (found["agents"], found["damaged_lines"]) == ({agent: 1}, 0)
    (episode,) = stored()
    assert (episode["agent"], episode["correction"], episode["task"]) == (agent, CORRECTION, TASK)
    assert (episode["proposal"], episode["paths"], episode["lines"]) == (SAID, [FILE], [NEW])
    assert episode["ms"] > 0
    again = borg("assimilate", "--apply", "--json")
    assert (again["files"], again["corrections"]) == (0, 0)


def test_all_agents_at_once_and_one_alone(borg: Borg, home: Path) -> None:
    for agent in SESSION_FILES:
        put(home, agent)
    assert borg("assimilate", "--json")["agents"] == dict.fromkeys(sorted(SESSION_FILES), 1)
    assert borg("assimilate", "--agent", "gemini", "--agent", "omp", "--json")["agents"] == {"gemini": 1, "omp": 1}
    assert "codex 1" in borg("assimilate")
    by_hand = borg("assimilate", str(home), "--json")
    assert by_hand["agents"] == dict.fromkeys(sorted(SESSION_FILES), 1)
    assert by_hand["corrections"] == len(SESSION_FILES)


def test_nothing_found_says_where_it_looked(borg: Borg, home: Path) -> None:
    with pytest.raises(BorgError, match=r"codex in .*\.codex/sessions, gemini in .*opencode in .*\.local/share/opencode"):
        borg("assimilate")


@pytest.mark.parametrize("agent", [name for name in SESSION_FILES if name != "opencode"])
def test_a_session_that_goes_on_is_read_on_and_is_still_the_same(borg: Borg, home: Path, agent: str) -> None:
    path = put(home, agent)
    borg("assimilate", "--apply")
    rows = CONVERSATIONS[agent](LATER)
    if agent == "copilot":
        rows = [row | {"id": f"later-{number}"} for number, row in enumerate(rows)]
    data = written(rows[2:] if agent == "gemini" else rows[1:])
    with path.open("ab") as file:
        file.write(data[:-9])
    borg("assimilate", "--apply")
    with path.open("ab") as file:
        file.write(data[-9:])
    borg("assimilate", "--apply")
    found = stored()
    assert [one["correction"] for one in found] == [CORRECTION, LATER]
    assert {one["session"] for one in found} == {found[0]["session"]}


def test_a_database_is_read_again_where_a_session_of_it_changed(borg: Borg, home: Path) -> None:
    path = put(home, "opencode")
    other = opencode(LATER)
    other[0]["session"]["id"] = "ses_2"
    write_database(path, other)
    assert borg("assimilate", "--apply", "--json")["files"] == 2
    longer = [*opencode(), {"message": "m5", "time": 1796025699000, "data": {"role": "user"}}]
    longer.append(
        {"part": "m5-0", "message": "m5", "data": {"type": "text", "text": "that's wrong, we never log the token"}}
    )
    write_database(path, longer)
    done = borg("assimilate", "--apply", "--json")
    assert (done["files"], done["known"]) == (1, 1)
    assert [one["session"] for one in stored()] == ["ses_1", "ses_2", "ses_1"]


def test_a_subagents_session_is_nobodys_correction(borg: Borg, home: Path) -> None:
    write_database(home / PLACES["opencode"], opencode(), parent="ses_0")
    rows = codex()
    rows[0]["payload"]["thread_source"] = "subagent"
    path = home / PLACES["codex"]
    path.parent.mkdir(parents=True)
    path.write_bytes(written(rows))
    for name in ("agent-transcripts/c1/subagents/d.jsonl",):
        nested = home / ".cursor/projects/nowhere-shop" / name
        nested.parent.mkdir(parents=True)
        nested.write_bytes(written(CONVERSATIONS["cursor"](CORRECTION)))
    assert borg("assimilate", "--json")["corrections"] == 0
    assert borg("assimilate", str(home), "--json")["corrections"] == 0


def test_a_database_is_left_as_it_is(borg: Borg, home: Path) -> None:
    path = put(home, "opencode")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    borg("assimilate", "--apply")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [other.name for other in path.parent.iterdir()] == [path.name], "nothing beside it"


def test_a_database_in_use_is_read_with_what_its_agent_just_wrote(borg: Borg, home: Path) -> None:
    path = put(home, "opencode")
    writer = sqlite3.connect(path, isolation_level=None)
    try:
        writer.execute("PRAGMA journal_mode=WAL")
        text = json.dumps({"type": "text", "text": LATER})
        writer.execute("UPDATE part SET data = ? WHERE data LIKE ?", (text, f"%{CORRECTION}%"))
        assert path.with_name(f"{path.name}-wal").stat().st_size
        assert [one["correction"] for one in borg("assimilate", "--json")["episodes"]] == [LATER]
    finally:
        writer.close()


@pytest.mark.parametrize("frames", [1, 3])
def test_a_compressed_session(borg: Borg, home: Path, frames: int) -> None:
    data = written(codex())
    step = -(-len(data) // frames)
    packed = b"".join(zstandard.compress(data[start : start + step]) for start in range(0, len(data), step))
    path = home / f"{PLACES['codex']}.zst"
    path.parent.mkdir(parents=True)
    path.write_bytes(packed)
    assert borg("assimilate", "--apply", "--json")["corrections"] == 1
    assert [one["session"] for one in stored()] == ["s-codex"]
    assert borg("assimilate", str(path), "--json")["files"] == 0


def test_a_session_that_was_compressed_since_is_known(borg: Borg, home: Path) -> None:
    path = put(home, "codex")
    borg("assimilate", "--apply")
    path.with_name(f"{path.name}.zst").write_bytes(zstandard.compress(path.read_bytes()))
    path.unlink()
    done = borg("assimilate", "--apply", "--json")
    assert (done["corrections"], done["known"]) == (0, 1)


def test_an_older_file_that_is_one_object(borg: Borg, home: Path) -> None:
    head, *_ = gemini()
    path = home / ".gemini/tmp/shop/chats/session-2026-11-30T08-00-s.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(head | {"messages": [row for row in gemini() if "id" in row]}, indent=2))
    assert [one["session"] for one in borg("assimilate", "--json")["episodes"]] == ["s-gemini"]


def damaged_files(home: Path) -> list[Path]:
    """Files that are cut or garbled, each of its own kind."""
    made = []
    for name, data in (
        (f"{PLACES['codex']}.zst", zstandard.compress(written(codex()))[:-20]),
        (f"{PLACES['codex']}-b.jsonl.zst", b"not compressed at all"),
        (".local/share/opencode/opencode.db", b"SQLite format 3\0" + os.urandom(4096)),
        (".local/share/opencode/opencode-dev.db", b"no database"),
        (".gemini/tmp/shop/chats/session-1.json", b'{"sessionId": "x", "messages": [{"id'),
        (".gemini/tmp/shop/chats/session-2.jsonl", b"\xff\xfe\0\0" * 50 + b"\n{}\n"),
    ):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        made.append(path)
    return made


def test_damaged_files_are_named_and_cost_only_themselves(
    borg: Borg, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged_files(home)
    put(home, "omp")
    assert dispatch(["assimilate", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "omp" in json.loads(out)["agents"]
    assert CORRECTION in [one["correction"] for one in json.loads(out)["episodes"]]
    for name in (".jsonl.zst", "session-1.json", "opencode.db", "opencode-dev.db"):
        assert f"{name} cannot be read" in err, err


@pytest.mark.parametrize("end", range(0, 60, 7))
def test_a_compressed_session_cut_anywhere_is_no_crash(borg: Borg, home: Path, end: int) -> None:
    packed = zstandard.compress(written(codex()))
    path = home / "rollout.jsonl.zst"
    path.write_bytes(packed[: len(packed) * end // 60])
    assert borg("assimilate", str(path), "--json")["applied"] is False


def test_agents_that_moved_their_home_are_found(borg: Borg, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home, "codex").parents[4].rename(home / "elsewhere")
    monkeypatch.setenv("CODEX_HOME", str(home / "elsewhere"))
    other = home / "other.db"
    write_database(other, opencode())
    monkeypatch.setenv("OPENCODE_DB", str(other))
    assert borg("assimilate", "--json")["agents"] == {"codex": 1, "opencode": 1}
