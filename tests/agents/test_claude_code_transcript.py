"""The transcript reader: facts are the same however the bytes arrive; damage costs one row; tokens count once."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from borgd.agents.claude_code.transcript import ClaudeTranscript
from borgd.agents.transcript import TokenUsage, TranscriptFact


def user(text: Any, uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": text}, **more}


def said(
    blocks: list[dict[str, Any]], uuid: str, parent: str, message: str, usage: tuple[int, int], **more: Any
) -> dict[str, Any]:
    counted = {"input_tokens": usage[0], "output_tokens": usage[1], "cache_read_input_tokens": 7, "service_tier": "standard"}
    body = {"id": message, "role": "assistant", "model": "m-1", "content": blocks, "usage": counted}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": body, **more}


SESSION = [
    {"type": "mode", "mode": "normal"},
    user("add a retry to the uploader", "u1", None, promptId="p1"),
    said([{"type": "text", "text": "Looking."}], "a1", "u1", "m1", (100, 1)),
    said(
        [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/up.py"}}], "a2", "a1", "m1", (100, 20)
    ),
    user([{"type": "tool_result", "tool_use_id": "t1", "content": "text", "is_error": True}], "u2", "a2"),
    said(
        [{"type": "tool_use", "id": "t2", "name": "ExitPlanMode", "input": {"plan": "1. back off"}}],
        "a3",
        "u2",
        "m2",
        (50, 5),
    ),
    {"type": "system", "subtype": "compact_boundary", "uuid": "s1", "parentUuid": "a3"},
    user("a summary", "u3", "s1", isCompactSummary=True),
    user("Stop hook feedback: more", "u4", "u3", isMeta=True),
    said([{"type": "text", "text": "Done.\u2028Really."}], "a4", "u4", "m3", (10, 3)),
]
DATA = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in SESSION)


def facts(*chunks: bytes) -> list[TranscriptFact]:
    reader = ClaudeTranscript()
    return [fact for chunk in chunks for fact in reader.feed(chunk)]


def test_a_session_is_read() -> None:
    found = [(fact.kind, fact.text) for fact in facts(DATA) if fact.kind not in ("usage", "call")]
    assert found == [
        ("prompt", "add a retry to the uploader"),
        ("text", "Looking."),
        ("touch", "/w/up.py"),
        ("result", "text"),
        ("plan", "1. back off"),
        ("compaction", ""),
        ("compaction", "a summary"),
        ("text", "Done.\u2028Really."),
    ]


def test_a_call_is_told_with_its_input() -> None:
    calls = [(fact.tool, fact.id, fact.input) for fact in facts(DATA) if fact.kind == "call"]
    assert calls == [("Read", "t1", {"file_path": "/w/up.py"}), ("ExitPlanMode", "t2", {"plan": "1. back off"})]


def test_tokens_are_counted_once_per_message() -> None:
    total = [fact.usage for fact in facts(DATA) if fact.usage]
    assert sum(usage.input_tokens for usage in total) == 160
    assert sum(usage.output_tokens for usage in total) == 28
    assert sum(usage.cache_read_input_tokens for usage in total) == 21


@given(st.lists(st.integers(0, len(DATA)), max_size=12))
def test_the_facts_do_not_depend_on_how_the_bytes_arrive(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(DATA)]
    assert facts(*(DATA[start:end] for start, end in pairwise(edges))) == facts(DATA)


@given(st.integers(0, len(DATA) - 1), st.binary(max_size=40))
def test_damage_costs_no_more_than_the_rows_it_touches(at: int, noise: bytes) -> None:
    reader = ClaudeTranscript()
    reader.feed(DATA[:at] + noise + DATA[at:])
    lost = noise.count(b"\n") + 1
    assert reader.damaged <= lost
    assert reader.feed(b"\n" + json.dumps(user("still here", "u9", None)).encode() + b"\n")[-1].text == "still here"


def test_a_rewind_names_the_row_it_goes_back_to() -> None:
    rows = [*SESSION, user("no, do it another way", "u10", "a1", promptId="p2")]
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    assert [fact.row for fact in facts(data) if fact.kind == "rewind"] == [3]


def test_parallel_tool_results_are_no_rewind() -> None:
    rows = [
        user("go", "u1", None),
        said([{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}], "a1", "u1", "m1", (1, 1)),
        said([{"type": "tool_use", "id": "t2", "name": "Read", "input": {}}], "a2", "a1", "m1", (1, 1)),
        user([{"type": "tool_result", "tool_use_id": "t1", "content": "x"}], "u2", "a1"),
        user([{"type": "tool_result", "tool_use_id": "t2", "content": "y"}], "u3", "a2"),
    ]
    assert not [fact for fact in facts(b"".join(json.dumps(row).encode() + b"\n" for row in rows)) if fact.kind == "rewind"]


def test_an_endless_line_is_skipped_and_counted() -> None:
    reader = ClaudeTranscript()
    for _ in range(30):
        reader.feed(b"x" * 1000, limit=10_000)
    assert reader.damaged >= 1
    assert [fact.text for fact in reader.feed(b"\n" + DATA.split(b"\n")[1] + b"\n")] == ["add a retry to the uploader"]


def test_a_subagents_rows_carry_its_id() -> None:
    row = said([{"type": "text", "text": "x"}], "a1", "u1", "m1", (1, 1), isSidechain=True, agentId="sub1")
    assert {fact.subagent for fact in facts(json.dumps(row).encode() + b"\n")} == {"sub1"}


def test_usage_never_goes_down() -> None:
    assert TokenUsage(5, 5).minus(TokenUsage(9, 1)) == TokenUsage(0, 4)
