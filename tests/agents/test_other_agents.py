"""Codex and Gemini CLI: what they send becomes an Event, what they are answered is only what they take at that event."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents import AGENTS, agent, gaps_of, sender
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.wiring import WIRINGS, client_in, command_of
from borgd.errors import ProtocolError
from borgd.limits.interrupts.tools import ask_of
from borgd.limits.investigation.tools import count
from borgd.paths import shipped

CODEX_KEYS = {
    "PreToolUse": {"hookSpecificOutput", "systemMessage"},
    "PostToolUse": {"hookSpecificOutput", "systemMessage"},
    "UserPromptSubmit": {"hookSpecificOutput", "systemMessage"},
    "SessionStart": {"hookSpecificOutput", "systemMessage"},
    "SubagentStart": {"hookSpecificOutput"},
    "PermissionRequest": set(),
    "Stop": {"decision", "reason", "systemMessage"},
    "SubagentStop": {"decision", "reason", "systemMessage"},
    "PreCompact": set(),
    "PostCompact": set(),
    "Interrupt": {"systemMessage"},
    "SessionEnd": set(),
}
"""host: what of an answer Codex takes at each event; one key more and the whole answer is dropped."""
GEMINI_CONTEXT = {"SessionStart", "BeforeAgent", "AfterTool"}
FULL = Reply(context="c" * 20_000, block="b", deny="d", input={"x": 1}, note="n")


def codex(event: str, **fields: Any) -> Event:
    body = {"session_id": "s", "turn_id": "t1", "cwd": "/w", "hook_event_name": event, "model": "gpt-5", **fields}
    return agent("codex").parse(event, json.dumps(body).encode())


def gemini(event: str, **fields: Any) -> Event:
    body = {"session_id": "s", "cwd": "/w", "hook_event_name": event, "timestamp": "2026-11-30T08:00:00.000Z", **fields}
    return agent("gemini").parse(event, json.dumps(body).encode())


@pytest.mark.parametrize(("event", "keys"), CODEX_KEYS.items())
def test_codex_is_answered_with_keys_that_it_takes(event: str, keys: set[str]) -> None:
    out = agent("codex").render(codex(event, tool_name="Bash", tool_input={}), FULL)
    assert set(out) <= keys
    specific = out.get("hookSpecificOutput", {})
    assert specific.get("hookEventName", event) == event
    assert len(specific.get("additionalContext", "").encode()) < 10_000
    assert "permissionDecision" not in specific or event == "PreToolUse"


def test_codex_counts_bytes() -> None:
    out = agent("codex").render(codex("UserPromptSubmit", prompt="p"), Reply(context="é" * 9000))
    assert len(out["hookSpecificOutput"]["additionalContext"].encode()) < 10_000


@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_a_second_stop_is_never_blocked(name: str) -> None:
    event = {"codex": "Stop", "gemini": "AfterAgent"}[name]
    make = {"codex": codex, "gemini": gemini}[name]
    assert agent(name).render(make(event, stop_hook_active=False), Reply(block="why"))["decision"] == "block"
    assert agent(name).render(make(event, stop_hook_active=True), Reply(block="why")) == {}


def test_a_patch_is_an_edit_of_every_file_it_names() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-    return a - b\n+    return a + b\n*** Add File: b.py\n+x = 1\n"
    )
    tool = codex("PostToolUse", tool_name="apply_patch", tool_input={"command": patch + "*** End Patch\n"}).tool
    assert tool is not None
    assert tool.input["file_path"] == "src/a.py"
    assert tool.input["paths"] == ["src/a.py", "b.py"]
    assert tool.input["old_string"] == "    return a - b"
    assert tool.input["new_string"] == "    return a + b\nx = 1"


def test_an_answer_is_found_by_its_question() -> None:
    asked = {"questions": [{"id": "k", "question": "Which store?", "options": [{"label": "Red"}, {"label": "Blue"}]}]}
    said = json.dumps({"answers": {"k": {"answers": ["Blue"]}}})
    tool = codex("PostToolUse", tool_name="request_user_input", tool_input=asked, tool_response=said).tool
    assert tool is not None
    assert tool.response == {"answers": {"Which store?": "Blue"}}


def test_what_nobody_typed_is_known() -> None:
    assert codex("UserPromptSubmit", prompt='<hook_prompt hook_run_id="stop:1:x">Check.</hook_prompt>').machine_made
    assert gemini("BeforeAgent", prompt="[borg] Before you finish: 1 question").machine_made
    assert gemini("BeforeAgent", prompt="").machine_made
    typed = gemini("BeforeAgent", prompt="<hook_context>[borg] Questions</hook_context>\n\nfix the bug")
    assert (typed.prompt, typed.machine_made) == ("fix the bug", False)


def test_geminis_turns_have_names() -> None:
    first = gemini("BeforeAgent", prompt="fix it")
    again = gemini("BeforeAgent", prompt="fix it", timestamp="2026-11-30T08:00:09.000Z")
    assert first.prompt_id
    assert first.prompt_id != again.prompt_id
    assert gemini("AfterTool", tool_name="read_file", tool_input={}).prompt_id == ""


@pytest.mark.parametrize(
    "event", ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification", "SessionEnd"]
)
def test_gemini_is_answered_where_it_listens(event: str) -> None:
    out = agent("gemini").render(gemini(event, tool_name="run_shell_command", tool_input={}), FULL)
    assert ("additionalContext" in out.get("hookSpecificOutput", {})) == (event in GEMINI_CONTEXT)
    assert out.get("decision") == {"AfterAgent": "block", "BeforeTool": "deny"}.get(event)
    if event == "SessionEnd":
        assert out == {}


@pytest.mark.parametrize("name", ["codex", "gemini"])
@given(
    st.dictionaries(
        st.sampled_from(["prompt", "tool_name", "tool_input", "cwd", "turn_id", "reason", "error"]),
        st.none() | st.integers() | st.lists(st.text()) | st.text() | st.dictionaries(st.text(), st.text()),
    )
)
def test_a_field_of_another_type_is_as_good_as_absent(name: str, fields: dict[str, Any]) -> None:
    module = agent(name)
    for event, moment in module.MOMENTS.items():
        found = module.parse(event, json.dumps({"session_id": "s", **fields}).encode())
        assert found.moment is moment
        assert module.render(found, Reply()) == {}


@pytest.mark.parametrize("name", ["codex", "gemini"])
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"{}", b'{"session_id": 5}', b"\xff\xfe", b"[" * 5000])
def test_what_is_not_a_payload_is_an_error_that_names_the_agent(name: str, body: bytes) -> None:
    with pytest.raises(ProtocolError, match=r"(?i)codex|gemini"):
        agent(name).parse("SessionStart", body)


def test_unknown_events_are_others() -> None:
    assert codex("SomethingNew").moment is Moment.OTHER
    assert gemini("AfterModel").moment is Moment.OTHER
    assert agent("codex").render(codex("SomethingNew"), FULL) == {}


@pytest.mark.parametrize("agent_name", WIRINGS)
@pytest.mark.parametrize("client", ["/home/a/.local/share/borgd/hook/borg-hook", "/home/a b/é/hook/borg-hook"])
def test_an_entry_names_its_client(agent_name: str, client: str) -> None:
    handler = WIRINGS[agent_name].handler(client, agent_name, "Stop", {"timeout": 5})
    assert client_in(command_of(handler)) == client


@pytest.mark.parametrize("command", ["", "borg-hook", "/usr/bin/other --x", "echo '/x/borg-hook-2'", "/x/borg-hook.sh Stop"])
def test_another_program_is_not_taken_for_the_client(command: str) -> None:
    assert client_in(command) == ""


def test_settings_are_where_the_agent_looks() -> None:
    paths = {name: wiring.path({}, "/home/a") for name, wiring in WIRINGS.items()}
    assert paths["codex"] == "/home/a/.codex/hooks.json"
    assert paths["gemini"] == "/home/a/.gemini/settings.json"
    assert WIRINGS["codex"].path({"CODEX_HOME": "/x/"}, "/home/a") == "/x/hooks.json"
    assert WIRINGS["gemini"].path({"GEMINI_CLI_HOME": "/x"}, "/home/a") == "/x/.gemini/settings.json"


def test_cursor_is_answered_flat_and_never_loops() -> None:
    cursor = agent("cursor")
    base = {"conversation_id": "c", "generation_id": "g", "workspace_roots": ["/w"], "cursor_version": "3.20"}

    def event(name: str, **fields: Any) -> Event:
        return cursor.parse(name, json.dumps(base | fields).encode())

    assert event("beforeSubmitPrompt", prompt="p").cwd == "/w"
    assert cursor.render(event("stop", status="completed", loop_count=0), FULL) == {"followup_message": "b"}
    assert cursor.render(event("stop", status="completed", loop_count=1), FULL) == {}
    assert event("stop", status="aborted").moment is Moment.OTHER
    denied = cursor.render(event("preToolUse", tool_name="Shell", tool_input={}), FULL)
    assert denied == {"permission": "deny", "user_message": "d", "agent_message": "d"}
    shown = cursor.render(event("postToolUse", tool_name="Read", tool_input="{}"), FULL)
    assert set(shown) == {"additional_context"}
    assert len(shown["additional_context"]) < 10_000
    assert event("beforeSubmitPrompt", prompt="[borg] Before you finish").machine_made


EDIT = {"path": "/w/a.py", "new_str": "x", "old_str": "y"}


@pytest.mark.parametrize(
    "payload",
    [
        {"sessionId": "s", "cwd": "/w", "toolName": "edit", "toolArgs": json.dumps(EDIT)},
        {"session_id": "s", "cwd": "/w", "tool_name": "edit", "tool_input": EDIT},
    ],
)
def test_copilots_payloads_of_both_casings_say_the_same(payload: dict[str, Any]) -> None:
    copilot = agent("copilot")
    event = copilot.parse("preToolUse", json.dumps(payload).encode())
    assert event.tool is not None
    assert event.tool.input["file_path"] == "/w/a.py"
    assert (event.tool.input["new_string"], event.tool.input["old_string"]) == ("x", "y")
    assert copilot.render(event, FULL)["permissionDecision"] == "deny"
    stop = copilot.parse("agentStop", json.dumps(payload | {"stop_hook_active": True}).encode())
    assert copilot.render(stop, FULL) == {}


def test_every_shipped_event_is_known_to_its_agent() -> None:
    for name in AGENTS:
        shipped_events = json.loads((shipped("hooks") / name / "hooks.json").read_text())
        assert set(shipped_events) <= set(agent(name).MOMENTS), name


def test_the_payload_says_who_sent_it() -> None:
    """Cursor also runs the hooks of Claude Code's settings: it gets an answer that it understands."""
    body = json.dumps({"cursor_version": "3.20", "conversation_id": "c", "hook_event_name": "preToolUse"}).encode()
    assert sender("claude-code", "PreToolUse", body) == ("cursor", "preToolUse")
    assert sender("claude-code", "Stop", body) == ("cursor", "stop")
    assert sender("cursor", "preToolUse", body) == ("cursor", "preToolUse")
    quoted = json.dumps({"session_id": "s", "prompt": json.dumps({"cursor_version": "3.20"})}).encode()
    assert sender("claude-code", "UserPromptSubmit", quoted) == ("claude-code", "UserPromptSubmit")


@pytest.mark.parametrize("name", AGENTS)
def test_what_an_agent_says_of_itself_is_so(name: str) -> None:
    """Every tool that it says asks its person is metered, and counted as no reading; its gaps are words, not sentences."""
    said = agent(name).CAPABILITIES
    for tool in said.questions:
        assert ask_of(tool, {"questions": [{"question": "Which?"}]}) is not None
        assert count(name, ToolCall(name=tool)).kind == "neutral"
    assert gaps_of(name) == said.gaps
    assert all(0 < len(gap) < 80 and "\n" not in gap and not gap.endswith(".") for gap in said.gaps)
    assert gaps_of("nobody") == ()
