"""What comes from an agent's next version, an unknown event or a renamed field: ``{}``, exit 0, and doctor says which."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from borgd.agents import AGENTS, agent, oddity, sender, understood
from borgd.stores.not_understood import AGENTS as KEPT_AGENTS
from borgd.stores.not_understood import EVENTS, NAME_CHARS, NotUnderstood, read_not_understood
from tests.server.support import client, running_daemon

PAYLOADS = Path(__file__).parent / "payloads"
RENAMED = {
    "claude-code": (("PreToolUse.Bash", "tool_name"), ("UserPromptSubmit", "prompt"), ("Stop", "session_id")),
    "codex": (("PreToolUse.Bash", "tool_name"), ("UserPromptSubmit", "prompt"), ("Stop", "session_id")),
    "gemini": (("BeforeTool.run_shell_command", "tool_name"), ("BeforeAgent", "prompt"), ("AfterAgent", "session_id")),
    "cursor": (("preToolUse.Shell", "tool_name"), ("beforeSubmitPrompt", "prompt"), ("stop", "conversation_id")),
    "copilot": (("preToolUse.bash", "toolName"), ("userPromptSubmitted", "prompt"), ("agentStop", "sessionId")),
    "opencode": (("tool.execute.before.bash", "tool"), ("chat.message", "parts"), ("event.session.idle", "sessionID")),
    "omp": (("tool_call.bash", "toolName"), ("before_agent_start", "prompt"), ("session_stop", "id")),
}
"""By agent: a tool call without its tool, a prompt without its words, an event without its session."""
REASONS = ("it names no tool", "it has no prompt", "")


def body_of(name: str, payload: str, field: str = "") -> bytes:
    """A payload of the agent, one field of it under the name that a next version gives it."""
    text = (PAYLOADS / name / f"{payload}.json").read_text()
    for key in (field, "session_id") if field == "id" else (field,):
        if field:
            assert f'"{key}":' in text
            text = text.replace(f'"{key}":', f'"{key}_of_tomorrow":')
    return text.encode()


def event_of(name: str, payload: str) -> str:
    """The event in a payload's file name."""
    if name != "opencode":
        return payload.partition(".")[0]
    return (
        ".".join(payload.removeprefix("event.").split(".")[:3])
        if payload.startswith("tool.")
        else payload.removeprefix("event.")
    )


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    home = tmp_path_factory.mktemp("cold") / "home"
    home.mkdir(mode=0o700)
    with running_daemon(home) as env:
        yield env


def doctor(env: dict[str, str]) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", "borgd", "doctor", "--json", "--quick"],
        env=env,
        capture_output=True,
        timeout=120,
        check=False,
        cwd=env["HOME"],
    )
    found: dict[str, list[str]] = {}
    for finding in json.loads(done.stdout)["findings"]:
        found.setdefault(finding["name"], []).append(finding["text"])
    return found


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_not_understood_is_answered_with_nothing_and_named_by_doctor(name: str, daemon: dict[str, str]) -> None:
    (tool, _), (prompt, _), (session, _) = RENAMED[name]
    assert json.loads(client(daemon, "of.tomorrow", body_of(name, tool), name)) == {}
    for payload, field in RENAMED[name]:
        assert json.loads(client(daemon, event_of(name, payload), body_of(name, payload, field), name)) == {}
    said = "\n".join(doctor(daemon)[f"{name} events"])
    assert "of.tomorrow was not understood: borgd does not know it (1 time, last" in said
    assert f"{event_of(name, tool)} was not understood: it names no tool" in said
    assert f"{event_of(name, prompt)} was not understood: it has no prompt" in said
    assert f"{event_of(name, session)} was not understood: " in said


@pytest.mark.parametrize("name", AGENTS)
def test_the_same_payloads_are_understood_as_they_are(name: str) -> None:
    for payload, _ in RENAMED[name]:
        module, event = understood(name, event_of(name, payload), body_of(name, payload))
        assert oddity(module, event) == ""
        assert event.name in agent(name).MOMENTS


def test_no_secret_and_no_endless_name_is_kept(tmp_path: Path) -> None:
    kept = NotUnderstood(tmp_path)
    secret = "ghp_" + "a1B2" * 9
    kept.note("codex", secret, "r", 1)
    kept.note("x" * 5000, "y" * 5000, "r", 1)
    for number in range(KEPT_AGENTS + 5):
        for event in range(EVENTS + 5):
            kept.note(f"agent{number}", f"event{event}", "r", 2)
    kept.save()
    found = read_not_understood(tmp_path)
    assert secret not in json.dumps(list(found["codex"]))
    assert len(found) == KEPT_AGENTS
    assert max(len(events) for events in found.values()) == EVENTS
    assert max(len(name) for name in (*found, *(event for events in found.values() for event in events))) <= NAME_CHARS


def test_it_counts_on_over_a_restart_and_survives_a_damaged_file(tmp_path: Path) -> None:
    for ms in (5, 6):
        kept = NotUnderstood(tmp_path)
        kept.note("codex", "New", "borgd does not know it", ms)
        kept.save()
    one = read_not_understood(tmp_path)["codex"]["New"]
    assert (one.times, one.ms) == (2, 6)
    (tmp_path / "not-understood.json").write_bytes(b'{"codex": 5')
    assert read_not_understood(tmp_path) == {}


def payload(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("entry", "event", "body", "expected"),
    [
        (
            "codex",
            "UserPromptSubmit",
            payload(session_id="s", prompt_id="p", prompt="x"),
            ("claude-code", "UserPromptSubmit"),
        ),
        (
            "codex",
            "SessionStart",
            payload(session_id="s", transcript_path="/h/.claude/projects/-w/s.jsonl"),
            ("claude-code", "SessionStart"),
        ),
        ("codex", "Stop", payload(session_id="s", turn_id="t", model="m", prompt_id="p"), ("codex", "Stop")),
        ("claude-code", "Stop", payload(session_id="s", turn_id="t", model="m"), ("codex", "Stop")),
        ("claude-code", "MessageDisplay", payload(session_id="s", turn_id="t"), ("claude-code", "MessageDisplay")),
        ("claude-code", "PreToolUse", payload(sessionId="s", toolName="bash"), ("copilot", "preToolUse")),
        ("claude-code", "UserPromptSubmit", payload(session_id="s", timestamp="2026"), ("copilot", "userPromptSubmitted")),
        ("claude-code", "Stop", payload(conversation_id="c", cursor_version="3"), ("cursor", "stop")),
        ("codex", "UserPromptSubmit", payload(conversation_id="c", cursor_version="3"), ("cursor", "beforeSubmitPrompt")),
        (
            "claude-code",
            "PreToolUse",
            payload(session_id="s", tool_input={"cursor_version": 1}),
            ("claude-code", "PreToolUse"),
        ),
        ("claude-code", "PreToolUse", payload(session_id="s", tool_input={"sessionId": "x"}), ("claude-code", "PreToolUse")),
        ("gemini", "BeforeAgent", payload(session_id="s", prompt_id="p"), ("gemini", "BeforeAgent")),
        ("claude-code", "Stop", b'{"prompt_id": "\xff', ("claude-code", "Stop")),
        ("claude-code", "Stop", b"[1]", ("claude-code", "Stop")),
    ],
)
def test_the_payload_decides_where_it_is_unmistakable(
    entry: str, event: str, body: bytes, expected: tuple[str, str]
) -> None:
    assert sender(entry, event, body) == expected


@pytest.mark.parametrize("path", sorted(PAYLOADS.glob("*/*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_payload_on_its_own_entry_is_its_own(path: Path) -> None:
    name = path.parent.name
    assert sender(name, event_of(name, path.stem), path.read_bytes())[0] == name


@pytest.mark.parametrize("path", sorted(PAYLOADS.glob("claude-code/*.json")), ids=lambda path: path.stem)
def test_claude_code_through_an_entry_made_for_codex_is_claude_code(path: Path) -> None:
    assert sender("codex", event_of("claude-code", path.stem), path.read_bytes())[0] == "claude-code"


@pytest.mark.parametrize("path", sorted(PAYLOADS.glob("cursor/*.json")), ids=lambda path: path.stem)
def test_cursor_through_an_entry_of_claude_code_is_cursor(path: Path) -> None:
    event = event_of("cursor", path.stem)
    assert sender("claude-code", event[:1].upper() + event[1:], path.read_bytes()) == ("cursor", event)
