"""The limits behind the daemon's socket: hooks in the agent's own JSON, the command line beside it, one trail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.cli.limits.limit_terminal import AGENT_MARKS
from borgd.paths import user_paths
from borgd.server.service import Service
from borgd.stores.audit.trail import AuditTrail
from tests.server.support import running_service, write_config

pytestmark = pytest.mark.anyio

CONFIG = """
[investigation.agents.Explore]
mode = "enforce"
max_retrieval_calls = 3
max_model_tokens = 50
max_wall_time_seconds = "none"
[escalation]
specialists = ["opus*"]
"""


async def hook(service: Service, event: str, **fields: Any) -> dict[str, Any]:
    body = {"session_id": "s1", "cwd": "/r", "hook_event_name": event, "prompt_id": "p1", **fields}
    out: dict[str, Any] = json.loads(await service.hook("claude-code", event, json.dumps(body).encode()))
    return out


async def call(service: Service, number: int, name: str = "Grep", **fields: Any) -> str:
    """What a tool call of the subagent is denied with; empty: it may run."""
    who = {"agent_id": "a1", "agent_type": "Explore"}
    given = {"tool_name": name, "tool_input": {"pattern": "x"}, "tool_use_id": f"t{number}"}
    out = await hook(service, "PreToolUse", **{**who, **given, **fields})
    return str(out.get("hookSpecificOutput", {}).get("permissionDecisionReason", ""))


async def test_a_subagent_is_stopped_at_its_budget_and_goes_on_when_a_person_extends(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in AGENT_MARKS:
        monkeypatch.delenv(name, raising=False)
    write_config(home, CONFIG)
    async with running_service() as service:
        await hook(service, "UserPromptSubmit", prompt="look around")
        denied = [await call(service, number) for number in range(5)]
        assert [bool(reason) for reason in denied] == [False, False, False, True, True]
        assert "3 of 3 retrieval calls" in denied[3]
        assert "max_model_tokens" in denied[3]
        told = service.status()["limits"]["investigations"]
        assert (told["open"], told["denied"]) == (2, 2)
        assert told["unenforceable"] == ["s1/a1: max_iterations, max_model_tokens"]
        assert dispatch(["investigate", "extend", "--session", "s1", "--max-retrieval-calls", "1"]) == 0
        assert [bool(await call(service, number)) for number in range(5, 7)] == [False, True]
        assert not await call(service, 7, "Edit")
        assert not await call(service, 8)
        assert service.status()["limits"]["investigations"]["open"] == 1
    assert "max_model_tokens" in capsys.readouterr().out
    lines = [json.loads(line) for line in user_paths().journal("audit").read_text().splitlines()]
    assert [line["verdict"] for line in lines] == ["allow"] * 3 + ["deny"] * 2 + ["extended", "allow", "deny", "allow"]
    assert lines[3]["facts"]["unenforceable"] == ["max_iterations", "max_model_tokens"]
    assert AuditTrail(user_paths()).verify()[2] == []


async def test_a_specialist_is_refused_and_the_policy_that_refused_it_can_be_changed_while_serving(home: Path) -> None:
    write_config(home, CONFIG)
    async with running_service() as service:
        await hook(service, "UserPromptSubmit", prompt="think")
        given = {"tool_input": {"subagent_type": "general-purpose", "model": "opus"}}
        assert "try it locally first" in await call(service, 1, "Task", **given)
        store = service.assembly.investigations.escalations.store  # type: ignore[union-attr]
        other = type(store)(user_paths(), service.config.escalation)
        text = store.shipped.replace("try it locally first", "not yet, says the new policy")
        other.ratify(other.propose(text.encode(), "agent", 1).hash, "ada", 2)
        assert "says the new policy" in await call(service, 2, "Task", **given)
        other.working_copy.write_text("(broken")
        assert "says the new policy" in await call(service, 3, "Task", **given)
        assert "changes nothing" in service.status()["limits"]["policy"]["problems"][0]
