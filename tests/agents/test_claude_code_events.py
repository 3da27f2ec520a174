"""Claude Code's recorded payloads become events, and replies become only what Claude Code accepts there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents import Event, Moment, Reply, agent
from borgd.agents.claude_code.hooks import CONTEXT_CHARS, MOMENTS, TAKES_CONTEXT, parse, render
from borgd.errors import ProtocolError

PAYLOADS = sorted((Path(__file__).parent / "payloads" / "claude-code").glob("*.json"))


def load(name: str) -> Event:
    body = (Path(__file__).parent / "payloads" / "claude-code" / f"{name}.json").read_bytes()
    return parse(json.loads(body)["hook_event_name"], body)


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
def test_every_recorded_payload_is_understood(path: Path) -> None:
    body = path.read_bytes()
    payload = json.loads(body)
    event = parse(payload["hook_event_name"], body)
    assert event.session == payload["session_id"]
    assert event.cwd == "/home/dev/project"
    assert event.moment is MOMENTS.get(payload["hook_event_name"], Moment.OTHER)
    assert event.subagent == payload.get("agent_id", "")
    assert event.prompt_id == payload.get("prompt_id", "")
    assert (event.tool.id if event.tool else "") == payload.get("tool_use_id", "")
    assert (event.tool.name if event.tool else "") == payload.get("tool_name", "")


def test_there_are_payloads() -> None:
    assert len(PAYLOADS) >= 40


def test_a_background_tasks_report_is_not_the_user() -> None:
    assert load("UserPromptSubmit.task-notification").machine_made
    assert not load("UserPromptSubmit").machine_made


def test_a_subagents_stop_reads_the_subagents_transcript() -> None:
    assert "/subagents/" in load("SubagentStop").transcript


def test_a_running_background_task_is_seen() -> None:
    assert load("SubagentStop").running
    assert not load("Stop").running


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{", b'{"session_id": 5}', b"{}", b"\xff\xfe", b'{"a":' * 5000])
def test_what_is_no_payload_is_refused_with_a_sentence(body: bytes) -> None:
    with pytest.raises(ProtocolError, match="Claude Code"):
        parse("Stop", body)


def test_bom_crlf_and_unknown_fields_are_fine() -> None:
    event = parse("UserPromptSubmit", b'\xef\xbb\xbf\r\n{"session_id":"s","new_field":{"deep":[1]},"prompt":"hi"}\r\n')
    assert (event.session, event.prompt) == ("s", "hi")


def test_another_agent_coming_through_these_settings_is_left_alone() -> None:
    event = parse("PreToolUse", b'{"session_id":"s","cursor_version":"3.9","tool_name":"Shell"}')
    assert event.moment is Moment.OTHER


def test_an_unknown_agent_is_named() -> None:
    with pytest.raises(ProtocolError, match="nobody"):
        agent("nobody")


replies = st.builds(
    Reply,
    context=st.text(max_size=12_000),
    block=st.text(max_size=200),
    deny=st.text(max_size=200),
    input=st.none() | st.just({"command": "ls"}),
    note=st.text(max_size=200),
)


@given(
    reply=replies, name=st.sampled_from([*MOMENTS, "MessageDisplay", "WorktreeCreate", "PostToolBatch"]), again=st.booleans()
)
def test_no_answer_holds_what_the_host_would_not_take(reply: Reply, name: str, again: bool) -> None:
    event = Event(agent="claude-code", name=name, moment=MOMENTS.get(name, Moment.OTHER), session="s", stop_again=again)
    out = render(event, reply)
    assert json.loads(json.dumps(out)) == out
    assert set(out) <= {"decision", "reason", "hookSpecificOutput", "systemMessage"}
    specific = out.get("hookSpecificOutput", {})
    if specific:
        assert specific["hookEventName"] == name
        assert len(specific) > 1
    assert len(specific.get("additionalContext", "")) <= CONTEXT_CHARS
    if name not in TAKES_CONTEXT:
        assert "additionalContext" not in specific
    if name != "PreToolUse":
        assert "permissionDecision" not in specific
    assert specific.get("permissionDecision") in (None, "deny", "allow")
    if out.get("decision"):
        assert out["decision"] == "block"
        assert out["reason"]
        assert name in ("Stop", "SubagentStop", "PreModelSwitch")
        assert not (again and name != "PreModelSwitch")
    if name not in MOMENTS:
        assert out == {}


def test_nothing_to_say_is_an_empty_object() -> None:
    for path in PAYLOADS:
        body = path.read_bytes()
        event = parse(json.loads(body)["hook_event_name"], body)
        assert render(event, Reply()) == {}
