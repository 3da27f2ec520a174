"""Every event of Codex and Gemini CLI as recorded, of Cursor and Copilot CLI as documented: the real client's golden answer.

Each golden file holds the daemon's answer and the answer to a reply that says all there is to say. What may stand in an
answer is written down here once more, by agent and event, as the agents' own schemas have it: a golden answer that the agent
would drop or reject fails. To write them anew: ``BORGD_WRITE_GOLDEN=1 pytest tests/agents/test_golden_agents.py``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.agents import agent, oddity, understood
from borgd.agents.event import Moment, Reply
from tests.server.support import client, lesson, running_daemon, write_config, write_lessons

HERE = Path(__file__).parent
AGENTS = ("codex", "gemini", "cursor", "copilot")
PAYLOADS = [path for name in AGENTS for path in sorted((HERE / "payloads" / name).glob("*.json"))]
EVERYBODYS = sorted((HERE / "payloads").glob("*/*.json"))
WHOLE = Reply(context="a context", block="a block", deny="a refusal", input={"command": "ls"}, note="a note")
NOT_LISTENED_TO = {
    "claude-code": {"InstructionsLoaded", "MessageDisplay", "PostToolBatch", "StopFailure"},
    "gemini": {"AfterModel", "BeforeModel", "BeforeToolSelection", "PreCompress"},
    "cursor": {
        *("beforeShellExecution", "beforeMCPExecution", "afterShellExecution", "afterFileEdit", "beforeReadFile"),
        *("afterAgentResponse", "afterAgentThought", "workspaceOpen"),
    },
    "copilot": {"permissionRequest", "errorOccurred"},
}
"""Events that an agent has and borgd has no use for: none is installed, each is answered with nothing."""


def specific(event: str, **keys: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **keys}}


CODEX_NOTE = {"systemMessage": str}
TAKES: dict[str, dict[str, dict[str, Any]]] = {
    "codex": {
        "SessionStart": {**specific("SessionStart", additionalContext=str), **CODEX_NOTE},
        "UserPromptSubmit": {**specific("UserPromptSubmit", additionalContext=str), **CODEX_NOTE},
        "PreToolUse": {
            **specific(
                "PreToolUse",
                permissionDecision={"allow", "deny"},
                permissionDecisionReason=str,
                updatedInput=dict,
                additionalContext=str,
            ),
            **CODEX_NOTE,
        },
        "PostToolUse": {**specific("PostToolUse", additionalContext=str), **CODEX_NOTE},
        "SubagentStart": specific("SubagentStart", additionalContext=str),
        "Stop": {"decision": "block", "reason": str, **CODEX_NOTE},
        "SubagentStop": {"decision": "block", "reason": str, **CODEX_NOTE},
        "Interrupt": CODEX_NOTE,
    },
    "gemini": {
        "SessionStart": {**specific("SessionStart", additionalContext=str), **CODEX_NOTE},
        "BeforeAgent": {**specific("BeforeAgent", additionalContext=str), **CODEX_NOTE},
        "BeforeTool": {
            "decision": {"deny", "block"},
            "reason": str,
            **specific("BeforeTool", tool_input=dict),
            **CODEX_NOTE,
        },
        "AfterTool": {**specific("AfterTool", additionalContext=str), **CODEX_NOTE},
        "AfterAgent": {"decision": {"deny", "block"}, "reason": str, **CODEX_NOTE},
        "Notification": CODEX_NOTE,
    },
    "cursor": {
        "sessionStart": {"additional_context": str},
        "beforeSubmitPrompt": {"additional_context": str},
        "preToolUse": {
            "permission": {"allow", "deny"},
            "user_message": str,
            "agent_message": str,
            "updated_input": dict,
            "additional_context": str,
        },
        "postToolUse": {"additional_context": str},
        "stop": {"followup_message": str},
        "subagentStop": {"followup_message": str},
    },
    "copilot": {
        "sessionStart": {"additionalContext": str},
        "userPromptSubmitted": {"additionalContext": str},
        "preToolUse": {
            "permissionDecision": {"allow", "deny"},
            "permissionDecisionReason": str,
            "modifiedArgs": dict,
            "additionalContext": str,
        },
        "postToolUse": {"additionalContext": str},
        "agentStop": {"decision": "block", "reason": str},
        "subagentStart": {"additionalContext": str},
        "subagentStop": {"decision": "block", "reason": str},
    },
}
"""host: what each agent takes at each event; at any other: nothing. Codex rejects the whole answer for one key more."""


def fits(value: Any, shape: Any) -> bool:
    """Whether ``value`` is of ``shape``: a type, a word, one of some words, an object of shapes that may be absent."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in shape and fits(value[key], shape[key]) for key in value)
    if isinstance(shape, type):
        return isinstance(value, shape)
    return value in shape if isinstance(shape, set) else bool(value == shape)


def event_of(path: Path) -> str:
    return path.name.partition(".")[0]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A daemon with one standing lesson of the recorded project, so that an answer is more than silence."""
    home = tmp_path_factory.mktemp("golden") / "home"
    home.mkdir(mode=0o700)
    write_lessons(home, lesson("C1", "Is every bug fix here covered by a test?", scope=["project"], source="constraint"))
    write_config(home, "[people]\nengineer = 'mira'\n")
    with running_daemon(home) as env:
        yield env


def alone(path: Path) -> dict[str, Any]:
    """The payload in a session of its own, so that no other has a part in its answer."""
    payload: dict[str, Any] = json.loads(path.read_bytes())
    for name in (
        "session_id",
        "sessionId",
        "conversation_id",
        "parent_conversation_id",
        "transcript_path",
        "transcriptPath",
    ):
        if isinstance(payload.get(name), str):
            payload[name] = ("/" if "ranscript" in name else "") + f"golden-{path.parent.name}-{path.stem}"
    return payload


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden(path: Path, daemon: dict[str, str]) -> None:
    name, event = path.parent.name, event_of(path)
    body = json.dumps(alone(path)).encode()
    said = json.loads(client(daemon, event, body, name))
    try:
        module, parsed = understood(name, event, body)
        whole = dict(module.render(parsed, WHOLE))
    except Exception:  # Cursor's workspaceOpen is of no session
        whole = {}
    allowed = TAKES[name].get(event, {})
    assert fits(said, allowed), f"{name} would not take {said} at {event}"
    assert fits(whole, allowed), f"{name} would not take {whole} at {event}"
    golden = HERE / "golden" / name / path.name
    if os.environ.get("BORGD_WRITE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(json.dumps({"daemon": said, "whole": whole}, indent=1, ensure_ascii=False) + "\n")
    assert {"daemon": said, "whole": whole} == json.loads(golden.read_text())


@pytest.mark.parametrize("name", AGENTS)
def test_no_payload_lacks_a_golden_answer(name: str) -> None:
    assert {path.name for path in PAYLOADS if path.parent.name == name} == {
        path.name for path in (HERE / "golden" / name).glob("*.json")
    }


@pytest.mark.parametrize("name", AGENTS)
def test_each_event_that_is_heard_has_a_payload(name: str) -> None:
    assert set(agent(name).MOMENTS) <= {event_of(path) for path in PAYLOADS if path.parent.name == name}


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_event_is_understood_or_known_to_be_of_no_use(path: Path) -> None:
    name, event = path.parent.name, event_of(path)
    if event in NOT_LISTENED_TO.get(name, ()):
        assert event not in agent(name).MOMENTS
        return
    module, parsed = understood(name, event, path.read_bytes())
    assert (parsed.agent, oddity(module, parsed)) == (name, "")
    if parsed.moment is Moment.STOP and parsed.stop_again:
        assert module.render(parsed, WHOLE).get("decision") is None


@pytest.mark.parametrize("path", EVERYBODYS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@given(
    extra=st.dictionaries(
        st.text(min_size=1, max_size=12).map(lambda text: f"x_{text}"),
        st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.lists(st.integers(), max_size=2),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=8)
def test_fields_of_a_future_version_change_nothing(path: Path, extra: dict[str, Any]) -> None:
    name = path.parent.name
    event = path.stem if name in ("opencode",) else event_of(path)
    payload = json.loads(path.read_bytes())
    try:
        before = understood(name, event, json.dumps(payload).encode())
    except Exception as error:
        with pytest.raises(type(error)):
            understood(name, event, json.dumps({**payload, **extra}).encode())
        return
    module, after = understood(name, event, json.dumps({**payload, **extra}).encode())
    assert after == before[1]
    assert module.render(after, WHOLE) == before[0].render(before[1], WHOLE)
