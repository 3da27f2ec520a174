"""Every agent's session files: recorded ones give their golden facts, the same conversation gives the same facts everywhere,
and no bytes whatever bring a reader down.

The recordings are of real runs of Codex, Gemini CLI and oh-my-pi. To write the golden files anew:
``BORGD_WRITE_GOLDEN=1 pytest tests/agents/test_transcript_readers.py``.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents.transcript import TEXT_CHARS, TokenUsage, TranscriptFact
from borgd.agents.transcripts import SESSION_FILES, is_subagents, line_reader_of, reader_of, whose
from tests.agents.conversations import (
    CONVERSATIONS,
    CORRECTION,
    CWD,
    FILE,
    GAVE_IN,
    NEW,
    OLD,
    SAID,
    TASK,
    codex,
    copilot,
    gemini,
    omp,
    opencode,
    written,
)

HERE = Path(__file__).parent
RECORDED = sorted((HERE / "transcripts").glob("*.jsonl"))
AGENTS = sorted(SESSION_FILES)
DATA = {agent: written(rows(CORRECTION)) for agent, rows in CONVERSATIONS.items()}
UNCOUNTED = ("cursor",)
"""Agents that keep no tokens on disk."""


def facts(agent: str, *chunks: bytes) -> list[TranscriptFact]:
    reader = reader_of(agent)()
    return [fact for chunk in chunks for fact in reader.feed(chunk)]


def told(agent: str, rows: list[dict[str, Any]], *kinds: str) -> list[tuple[str, str]]:
    return [(fact.kind, fact.text) for fact in facts(agent, written(rows)) if fact.kind in kinds]


def added(found: list[TranscriptFact]) -> TokenUsage:
    total = TokenUsage()
    for fact in found:
        if fact.usage is not None:
            pairs = zip(msgspec.structs.astuple(total), msgspec.structs.astuple(fact.usage), strict=True)
            total = TokenUsage(*(one + more for one, more in pairs))
    return total


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_session_gives_its_golden_facts(path: Path) -> None:
    agent = path.name.partition(".")[0]
    reader = reader_of(agent)()
    found = [msgspec.to_builtins(fact) for fact in reader.feed(path.read_bytes())]
    lean = [{key: value for key, value in fact.items() if value not in ("", False, None, {})} for fact in found]
    made = {"session": reader.session, "cwd": reader.cwd, "ms": reader.ms, "damaged": reader.damaged, "facts": lean}
    golden = HERE / "golden" / "transcripts" / f"{path.stem}.json"
    if os.environ.get("BORGD_WRITE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    assert made == json.loads(golden.read_text())


def test_every_recording_has_its_golden_facts() -> None:
    assert {path.stem for path in RECORDED} == {path.stem for path in (HERE / "golden" / "transcripts").glob("*.json")}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_conversation_is_the_same_facts_in_every_agent(agent: str) -> None:
    reader = reader_of(agent)()
    found = reader.feed(DATA[agent])
    words = [(fact.kind, fact.text) for fact in found if fact.kind in ("prompt", "text", "queued", "compaction", "rewind")]
    assert words == [("prompt", TASK), ("text", SAID), ("prompt", CORRECTION), ("text", GAVE_IN)]
    assert [(fact.text, fact.changes) for fact in found if fact.kind == "touch"] == [(FILE, True)]
    (call,) = (fact for fact in found if fact.kind == "call")
    assert (call.changes, call.input["old_string"], call.input["new_string"]) == (True, OLD, NEW)
    assert [(fact.failed, "done" in fact.text) for fact in found if fact.kind == "result"] == [
        (False, True) for _ in found if agent != "cursor"
    ][:1]
    assert added(found) == (TokenUsage() if agent in UNCOUNTED else TokenUsage(200, 40, 60))
    assert (reader.damaged, reader.of_subagent) == (0, False)
    if agent != "cursor":
        assert (reader.session.startswith("s"), reader.cwd) == (True, CWD)
        assert reader.ms > 1796025600000


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
def test_the_facts_do_not_depend_on_how_the_bytes_arrive(agent: str, data: st.DataObject) -> None:
    whole = DATA[agent]
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=8))
    edges = [0, *sorted(cuts), len(whole)]
    assert facts(agent, *(whole[start:end] for start, end in pairwise(edges))) == facts(agent, whole)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_cut_at_any_byte_says_what_it_said_before_the_cut(agent: str) -> None:
    whole, everything = DATA[agent], facts(agent, DATA[agent])
    for end in range(len(whole) + 1):
        found = facts(agent, whole[:end])
        assert found == everything[: len(found)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
def test_a_field_of_any_other_type_costs_at_most_its_row(agent: str, data: st.DataObject) -> None:
    """Any value anywhere in any row: nothing is raised, and a prompt that comes after it is heard."""
    rows = json.loads(json.dumps(CONVERSATIONS[agent](CORRECTION)))
    at = data.draw(st.integers(0, len(rows) - 1))
    holder, key = rows, at
    for _ in range(data.draw(st.integers(0, 5))):
        value = holder[key]
        names = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
        if not names:
            break
        holder, key = value, data.draw(st.sampled_from(names))
    holder[key] = data.draw(JSON)
    after = CONVERSATIONS[agent]("and that was the last word")
    if agent == "copilot":  # whose events are told once by their ids
        after = [row | {"id": f"after-{number}"} for number, row in enumerate(after)]
    found = facts(agent, written(rows), written(after))
    assert "and that was the last word" in [fact.text for fact in found if fact.kind in ("prompt", "queued")]


@pytest.mark.parametrize("agent", AGENTS)
@given(noise=st.binary(max_size=60), at=st.floats(0, 1))
def test_damage_costs_no_more_than_the_rows_it_touches(agent: str, noise: bytes, at: float) -> None:
    whole = DATA[agent]
    place = int(at * len(whole))
    reader = reader_of(agent)()
    reader.feed(whole[:place] + noise + whole[place:] + b"\n")
    assert reader.damaged <= noise.count(b"\n") + 2


@pytest.mark.parametrize("agent", AGENTS)
def test_an_endless_row_is_passed_over_and_counted(agent: str) -> None:
    reader = reader_of(agent)()
    for _ in range(30):
        reader.feed(b"x" * 1000, limit=10_000)
    assert reader.damaged >= 1
    found = reader.feed(b"\n" + DATA[agent])
    assert [fact.text for fact in found if fact.kind == "prompt"] == [TASK, CORRECTION]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_giant_row_is_read_and_its_text_cut(agent: str) -> None:
    words = "no " + "x" * (1 << 20)
    prompts = [fact.text for fact in facts(agent, written(CONVERSATIONS[agent](words))) if fact.kind == "prompt"]
    assert prompts == [TASK, words[:TEXT_CHARS]]


@pytest.mark.parametrize("agent", AGENTS)
def test_rows_of_unknown_kinds_say_nothing(agent: str) -> None:
    unknown: list[dict[str, Any]] = [
        {"type": "of-tomorrow", "payload": {"text": "x"}},
        {"kind": 7},
        {},
        {"type": None},
        {"role": "critic"},
    ]
    reader = reader_of(agent)()
    assert reader.feed(written(unknown)) == []
    assert reader.feed(b'"text"\n[1]\nnull\n') == []


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_says_whose_it_is(agent: str) -> None:
    assert whose("/somewhere/x.jsonl", DATA[agent], {}) == agent
    suffix = "db" if SESSION_FILES[agent].database else "jsonl"
    assert whose(f"/h/{agent}/x.{suffix}", b"", {agent: f"/h/{agent}", "gemini": "/h"}) == (
        agent if agent != "gemini" else "claude-code"
    )


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if SESSION_FILES[agent].database])
@pytest.mark.parametrize("name", ["borgd/lessons.jsonl", "borgd/interrupts.jsonl", "other/rows.json"])
def test_what_lies_beside_a_database_is_not_one(agent: str, name: str) -> None:
    """The directory above a database holds every program's data, ours too."""
    assert whose(f"/h/{agent}/{name}", b"", {agent: f"/h/{agent}"}) == "claude-code"


def test_what_is_nobodys_is_read_as_rows_that_may_mean_nothing() -> None:
    assert whose("/x", b"\xff\x00 not a row\n", {}) == "claude-code"
    assert whose("/x", b"SQLite format 3\0" + b"\0" * 80, {}) == "opencode"


def test_only_files_of_lines_are_followed() -> None:
    assert {agent for agent in SESSION_FILES if line_reader_of(agent) is None} == {"opencode"}
    assert line_reader_of("nobody") is None


def test_subagents_files_are_known_by_their_names() -> None:
    assert is_subagents("claude-code", "/h/.claude/projects/-w/s/subagents/agent-a.jsonl")
    assert is_subagents("cursor", "/h/.cursor/projects/w/agent-transcripts/u/subagents/v.jsonl")
    assert not is_subagents("cursor", "/h/.cursor/projects/w/agent-transcripts/u/u.jsonl")
    assert not is_subagents("claude-code", "/h/agent-logs/s.jsonl")


# what is each agent's own


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-30T08:00:00.000Z", "type": "event_msg", "payload": {"type": kind, **fields}}


def test_codex_before_paginated_history() -> None:
    rows = [
        codex()[0],
        event("user_message", message="# Context from my IDE setup:\n\n## My request for Codex:\nfix it"),
        event("agent_message", message="Done."),
        event("user_message", message="<turn_aborted>\nby the user\n</turn_aborted>"),
    ]
    assert told("codex", rows, "prompt", "text") == [("prompt", "fix it"), ("text", "Done.")]


def test_codex_a_prompt_told_by_both_kinds_of_rows_counts_once() -> None:
    rows = codex()
    twice = [*rows[:3], event("user_message", message=TASK), *rows[3:]]
    assert told("codex", twice, "prompt", "queued") == told("codex", rows, "prompt", "queued")


def test_codex_words_typed_into_a_running_turn_are_queued() -> None:
    item = {"type": "UserMessage", "content": [{"type": "text", "text": "and the tests"}]}
    rows = [*codex()[:4], event("item_completed", turn_id="t1", item=item)]
    assert told("codex", rows, "prompt", "queued") == [("prompt", TASK), ("queued", "and the tests")]


def test_codex_a_rollback_takes_back_its_turns() -> None:
    rows = [event("task_started"), event("user_message", message="a"), event("task_started")]
    rows += [event("user_message", message="b"), event("thread_rolled_back", num_turns=1)]
    assert [fact.row for fact in facts("codex", written(rows)) if fact.kind == "rewind"] == [2]
    rows[-1] = event("thread_rolled_back", num_turns=9)
    assert [fact for fact in facts("codex", written(rows)) if fact.kind == "rewind"] == []


def test_codex_tokens_begin_anew_after_a_resume_and_are_counted_once_per_response() -> None:
    rows = codex()
    again = [row for row in codex()[3:] if row["payload"].get("type") == "token_count"]
    assert added(facts("codex", written([*rows, *again]))) == TokenUsage(400, 80, 120)
    record = {"response_id": "r", "usage": again[0]["payload"]["info"]["last_token_usage"]}
    record["thread_token_usage"] = again[0]["payload"]["info"]["total_token_usage"]
    both = [*rows[:5], {"type": "token_usage_record", "payload": record}, *rows[5:]]
    assert added(facts("codex", written(both))) == added(facts("codex", written(rows)))
    assert facts("codex", written([event("token_count", info=None)])) == []


def test_codex_plan_and_answers() -> None:
    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        body = {"type": "function_call", "call_id": name, "name": name, "arguments": json.dumps(arguments)}
        return {"type": "response_item", "payload": body}

    def output(name: str, text: str) -> dict[str, Any]:
        return {"type": "response_item", "payload": {"type": "function_call_output", "call_id": name, "output": text}}

    asked = {"questions": [{"id": "k", "question": "Which store?", "options": [{"label": "Red"}]}]}
    rows = [
        call("update_plan", {"plan": [{"step": "read", "status": "pending"}, {"step": "fix"}]}),
        call("request_user_input", asked),
        output("request_user_input", json.dumps({"answers": {"k": {"answers": ["Blue"]}}})),
    ]
    found = facts("codex", written(rows))
    assert [fact.text for fact in found if fact.kind == "plan"] == ["read\nfix"]
    assert [fact.input["answers"] for fact in found if fact.kind == "answers"] == [{"Which store?": "Blue"}]


def test_codex_a_subagents_thread_is_told_as_its_hooks_name_it() -> None:
    meta = {"id": "t-sub", "cwd": CWD, "thread_source": "subagent", "source": {"subagent": {"thread_spawn": {}}}}
    reader = reader_of("codex")()
    found = reader.feed(written([{"type": "session_meta", "payload": meta}, *codex()[1:]]))
    assert reader.of_subagent
    assert {fact.subagent for fact in found} == {"t-sub"}


def test_gemini_a_rewind_takes_back_its_message_and_all_after_it() -> None:
    rows = gemini()
    back = [*rows, {"$rewindTo": "m4"}, {"id": "m6", "type": "user", "content": "use Decimal"}]
    found = facts("gemini", written(back))
    (rewind,) = (fact for fact in found if fact.kind == "rewind")
    taken = [fact.text for fact in found if fact.kind == "prompt" and rewind.row < fact.row < len(back) - 1]
    assert taken == [CORRECTION]
    assert found[-1].text == "use Decimal"
    unknown = facts("gemini", written([*rows, {"$rewindTo": "nobody"}]))
    assert [fact.row for fact in unknown if fact.kind == "rewind"] == [0]


def test_gemini_replaced_messages_are_a_compaction_and_no_prompts() -> None:
    summary = {"id": "m9", "type": "user", "content": [{"text": "<state_snapshot>fix</state_snapshot>"}]}
    rows = [*gemini(), {"$set": {"messages": [summary]}}]
    assert told("gemini", rows, "compaction", "prompt") == [("prompt", TASK), ("prompt", CORRECTION), ("compaction", "")]


def test_gemini_a_file_that_was_one_object_and_its_parts() -> None:
    head, *_ = gemini()
    whole = head | {"messages": [row for row in gemini() if "id" in row], "directories": ["/d"]}
    assert told("gemini", [whole], "prompt", "text") == told("gemini", gemini(), "prompt", "text")
    named = [{"text": "look at @a.py"}, {"text": "\n--- Content from referenced files ---"}, {"text": "x = 1"}]
    row = {"id": "z", "type": "user", "content": [{"text": "<hook_context>[borg] Q</hook_context>"}, *named]}
    assert told("gemini", [row], "prompt") == [("prompt", "look at @a.py")]


def test_omp_goes_back_in_its_tree_and_starts_over() -> None:
    rows = omp()
    other = dict(rows[-2]) | {"id": "x1", "parentId": "e1"}
    reset = {"type": "reset_boundary", "id": "x2", "parentId": "x1"}
    found = [fact.row for fact in facts("omp", written([*rows, other, reset])) if fact.kind == "rewind"]
    assert found == [3, 0]
    foreign = dict(rows[-2]) | {"id": "x3", "parentId": "of-another-file"}
    assert not [fact for fact in facts("omp", written([*rows, foreign])) if fact.kind == "rewind"]


def test_omp_hears_only_what_a_person_typed() -> None:
    rows = omp()
    rows[2]["message"]["attribution"] = "agent"
    note = {"type": "custom_message", "id": "n1", "parentId": "e5", "content": "go on", "attribution": "agent"}
    assert told("omp", [*rows, note], "prompt") == [("prompt", CORRECTION)]


def test_copilot_adds_up_the_ends_of_a_session() -> None:
    rows = copilot()
    resumed = [dict(row) | {"id": f"w{number}"} for number, row in enumerate(rows[1:])]
    assert added(facts("copilot", written([*rows, *resumed]))) == TokenUsage(400, 80, 120)
    assert added(facts("copilot", written([*rows, *rows]))) == TokenUsage(200, 40, 60), "the same rows again"


def test_copilot_subagents_words_are_no_persons() -> None:
    rows = copilot()
    rows[1]["agentId"] = "research"
    rows[2]["data"]["parentToolCallId"] = "c0"
    rows[5]["data"]["source"] = "skill-review"
    assert told("copilot", rows, "prompt", "text") == [("text", GAVE_IN)]


def test_copilot_a_rewind_takes_back_its_event_and_all_after_it() -> None:
    back = {"type": "session.snapshot_rewind", "id": "r", "data": {"upToEventId": "v5", "eventsRemoved": 3}}
    assert [fact.row for fact in facts("copilot", written([*copilot(), back])) if fact.kind == "rewind"] == [5]


def test_opencode_a_part_that_comes_again_is_told_once() -> None:
    rows = opencode()
    assert facts("opencode", written([*rows, *rows])) == facts("opencode", written(rows))
    quoted = [{"message": "m", "data": {"role": "user"}}]
    quoted.append({"part": "p", "message": "m", "data": {"type": "text", "text": '"fix the bug"'}})
    assert told("opencode", quoted, "prompt") == [("prompt", "fix the bug")]


def test_a_call_without_an_id_at_the_hook_has_none_here() -> None:
    """What a hook counted is not counted once more from the file: calls are known by ids, which some hooks lack."""
    for agent in ("gemini", "copilot"):
        assert {fact.id for fact in facts(agent, DATA[agent]) if fact.kind in ("call", "result")} == {""}
    for agent in ("codex", "omp", "opencode", "claude-code"):
        assert {fact.id for fact in facts(agent, DATA[agent]) if fact.kind in ("call", "result")} == {"c1"}
