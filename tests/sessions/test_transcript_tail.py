"""Whichever agent's, a session file is read by offset, from the end of one that is long, and anew when it is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.agents.transcript import TranscriptFact
from borgd.agents.transcripts import SESSION_FILES, line_reader_of
from borgd.sessions.transcript_tail import FIRST_BYTES, TranscriptTail
from tests.agents.conversations import CONVERSATIONS, CORRECTION, CWD, TASK, codex, written

AGENTS = [agent for agent in SESSION_FILES if line_reader_of(agent)]


def tail_of(agent: str, path: Path) -> TranscriptTail:
    reader = line_reader_of(agent)
    assert reader is not None
    return TranscriptTail(path, reader)


def all_of(tail: TranscriptTail, limit: int) -> list[TranscriptFact]:
    found = tail.read(limit)
    while tail.more:
        found += tail.read(limit)
    return found


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("limit", [7, 1 << 16])
def test_a_file_says_the_same_in_small_reads_and_in_one(agent: str, limit: int, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    tail = tail_of(agent, path)
    assert tail.read() == []
    path.write_bytes(written(CONVERSATIONS[agent](CORRECTION)))
    assert [fact.text for fact in all_of(tail, limit) if fact.kind == "prompt"] == [TASK, CORRECTION]
    assert tail.read() == []


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_that_was_replaced_is_read_anew(agent: str, tmp_path: Path) -> None:
    path, other = tmp_path / "session.jsonl", tmp_path / "other"
    path.write_bytes(written(CONVERSATIONS[agent](CORRECTION)))
    tail = tail_of(agent, path)
    all_of(tail, 1 << 16)
    other.write_bytes(written(CONVERSATIONS[agent]("something else")))
    other.replace(path)
    assert [fact.text for fact in all_of(tail, 1 << 16) if fact.kind == "prompt"] == [TASK, "something else"]
    assert tail.beginnings == 2


@pytest.mark.parametrize("agent", AGENTS)
def test_of_a_long_file_the_end_is_read(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(written([{"type": "of-tomorrow", "x": "y" * 1000}]) * (FIRST_BYTES // 1000))
    with path.open("ab") as file:
        file.write(written(CONVERSATIONS[agent](CORRECTION)))
    tail = tail_of(agent, path)
    assert [fact.text for fact in all_of(tail, 1 << 20) if fact.kind == "prompt"] == [TASK, CORRECTION]
    assert tail.reader.damaged == 0


def test_the_long_file_of_a_subagent_of_codex_still_says_whose_it_is(tmp_path: Path) -> None:
    first, *rest = codex()
    first["payload"] |= {"id": "t-sub", "thread_source": "subagent"}
    path = tmp_path / "session.jsonl"
    filler = written([{"type": "event_msg", "payload": {"type": "x" * 1000}}]) * (FIRST_BYTES // 1000)
    path.write_bytes(written([first]) + filler + written(rest))
    tail = tail_of("codex", path)
    found = all_of(tail, 1 << 20)
    assert {fact.subagent for fact in found} == {"t-sub"}
    assert (tail.reader.session, tail.reader.cwd) == ("t-sub", CWD)


def test_a_first_row_that_is_no_row_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    filler = written([{"type": "event_msg", "payload": {"type": "x" * 1000}}]) * (FIRST_BYTES // 1000)
    path.write_bytes(b"z" * 100_000 + b"\n" + filler + written(codex()))
    assert [fact.text for fact in all_of(tail_of("codex", path), 1 << 20) if fact.kind == "prompt"] == [TASK, CORRECTION]
