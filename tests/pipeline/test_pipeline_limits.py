"""Limits in a session's course: what is denied, what never is, what the agent is told, what the trail holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.repository_config import AllowedFiles, RepositoryConfigs
from tests.server.support import Agent, running_service, write_config

pytestmark = pytest.mark.anyio

STRICT = """[investigation.main]
mode = 'enforce'
max_retrieval_calls = 3
max_iterations = 'none'
max_wall_time_seconds = 'none'
"""


def denied(out: dict[str, Any]) -> str:
    specific = out.get("hookSpecificOutput", {})
    return str(specific.get("permissionDecisionReason", "")) if specific.get("permissionDecision") == "deny" else ""


def told(out: dict[str, Any]) -> str:
    return str(out.get("hookSpecificOutput", {}).get("additionalContext", ""))


def trail(home: Path) -> list[dict[str, Any]]:
    return Journal(home / ".local/share/borgd/audit.jsonl").read().records


def allow(repository: Path) -> None:
    """As ``borg repo allow`` does."""
    allowed = AllowedFiles(user_paths().data)
    file = RepositoryConfigs(allowed).file(str(repository))
    assert file is not None
    allowed.allow(file)


async def read(agent: Agent, name: str) -> dict[str, Any]:
    return await agent.tool("Read", {"file_path": f"/w/orion/{name}.py"})


async def test_the_call_over_the_budget_is_denied_with_what_was_spent_and_what_to_do(home: Path) -> None:
    write_config(home, STRICT)
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("How does the uploader work?")
        for number in range(3):
            assert denied(await read(agent, f"f{number}")) == ""
        reason = denied(await read(agent, "f4"))
        assert "3" in reason
        assert "retrieval" in reason
        assert "extend" in reason
        assert denied(await agent.edit("src/a.py", "x")) == "", "a call that changes something is never denied"
        assert denied(await read(agent, "f5")) == "", "the change closed the investigation"
        await agent.prompt("And now?")
        assert denied(await read(agent, "f6")) == "", "a prompt opens it anew"
    verdicts = [(one["limit"], one["verdict"]) for one in trail(home)]
    assert ("investigation", "deny") in verdicts
    assert AuditTrail(user_paths()).verify()[2] == []


async def test_a_main_session_is_warned_once_by_default(home: Path) -> None:
    write_config(home, "[investigation.main]\nmax_retrieval_calls = 2\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("How does it work?")
        outs = []
        for number in range(5):
            call = {"tool_name": "Read", "tool_use_id": f"r{number}", "tool_input": {"file_path": f"/w/{number}"}}
            outs.append(await agent.send("PreToolUse", **call))
        assert [bool(told(out)) for out in outs].count(True) == 1
        assert all(denied(out) == "" for out in outs)


async def test_a_subagent_that_reads_has_its_own_budget_inside_its_parents(home: Path) -> None:
    write_config(home, "[investigation.subagent]\nmode = 'enforce'\nmax_retrieval_calls = 2\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Look around.")
        common = {"agent_id": "sub1", "agent_type": "Explore", "tool_name": "Read"}
        outs = [
            await agent.send("PreToolUse", **common, tool_use_id=f"s{n}", tool_input={"file_path": f"/w/orion/{n}.py"})
            for n in range(3)
        ]
        assert [bool(denied(out)) for out in outs] == [False, False, True]
        assert denied(await read(agent, "own")) == "", "the parent may still read"


async def test_duplicated_announcements_spend_once(home: Path) -> None:
    write_config(home, STRICT)
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Look.")
        for _ in range(10):
            await agent.send("PreToolUse", tool_name="Read", tool_use_id="same", tool_input={"file_path": "/w/a"})
        assert denied(await read(agent, "b")) == ""


async def test_a_repository_may_tighten_and_nothing_else(home: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    repository.mkdir()
    (repository / ".git").mkdir()
    own = repository / ".borgd.toml"
    own.write_text("[investigation.main]\nmax_retrieval_calls = 1\nmode = 'enforce'\n")
    write_config(home, STRICT)
    async with running_service() as service:
        agent = Agent(service, cwd=str(repository))
        await agent.prompt("Look first.")
        assert [bool(denied(await read(agent, name))) for name in "123"] == [False] * 3, "nobody allowed it yet"
        assert "borg repo allow" in str(service.status()["limits"]["repositories"])
        allow(repository)
        await agent.prompt("Look.")
        told = [denied(await read(agent, name)) for name in "ab"]
        assert [bool(one) for one in told] == [False, True]
        assert str(own) in told[1], "a refusal names the file it comes from"
        own.write_text("[investigation.main]\nmax_retrieval_calls = 100\nmode = 'warn'\n")
        allow(repository)
        await agent.prompt("Look again.")
        assert [bool(denied(await read(agent, name))) for name in "cdef"] == [False, False, False, True]
        own.write_text("[interrupts]\ndaily_interrupt_budget = 100\n")
        await agent.prompt("And again.")
        assert [bool(denied(await read(agent, name))) for name in "ghij"] == [False, False, False, True]
        assert any(".borgd.toml" in problem for problem in service.status()["limits"]["repositories"])


async def test_a_specialist_is_called_when_the_policy_says_so(home: Path) -> None:
    write_config(home, "[escalation]\nspecialists = ['opus*']\nmin_local_iterations = 1\n")
    transcript = home / "t.jsonl"
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Solve it.")
        call = {"description": "solve", "prompt": "solve it", "subagent_type": "general-purpose", "model": "opus"}
        assert "locally" in denied(await agent.tool("Agent", call))
        usage = {"input_tokens": 100, "output_tokens": 10}
        message = {"id": "m1", "model": "haiku", "content": [{"type": "text", "text": "I tried."}], "usage": usage}
        transcript.write_text(json.dumps({"type": "assistant", "uuid": "a", "message": message}) + "\n")
        assert denied(await agent.tool("Agent", call)) == ""
        assert denied(await agent.tool("Agent", call | {"model": "haiku"})) == ""
    assert [one["verdict"] for one in trail(home) if one["limit"] == "escalation"] == ["deny", "allow"]


async def test_a_spawned_agents_model_is_lowered_to_the_ceiling(home: Path) -> None:
    write_config(home, "[effort]\nmodel_ceiling = 'sonnet'\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Go.")
        call = {"prompt": "x", "model": "opus"}
        out = await agent.send("PreToolUse", tool_name="Agent", tool_use_id="a1", tool_input=call)
        assert out["hookSpecificOutput"]["updatedInput"] == {"prompt": "x", "model": "sonnet"}
        out = await agent.send("PreToolUse", tool_name="Agent", tool_use_id="a2", tool_input=call | {"model": "haiku"})
        assert out == {}


async def test_tokens_come_from_the_transcript_once_and_cached_input_apart(home: Path) -> None:
    transcript = home / "t.jsonl"
    usage = {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 5000, "cache_creation_input_tokens": 7}
    rows = [
        {"type": "assistant", "uuid": f"a{number}", "message": {"id": "m1", "model": "m", "content": [], "usage": usage}}
        for number in range(3)
    ]
    transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Look.")
        await read(agent, "a")
        assert service.assembly is not None
        status = service.assembly.investigations.store.status("s1", 0)
    assert (status["tokens"], status["cached_tokens"], status["turns"]) == (117, 5000, 1)


async def test_a_token_budget_without_a_counter_is_said_to_be_unenforceable(home: Path) -> None:
    write_config(home, "[investigation.main]\nmax_model_tokens = 1000\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Look.")
        await read(agent, "a")
        assert service.assembly is not None
        [opened] = service.assembly.investigations.store.status("s1", 0)["open"]
    assert "max_model_tokens" in json.dumps(opened["unenforceable"])
    assert "max_model_tokens" in json.dumps(trail(home)[-1]["facts"]["unenforceable"])


async def test_a_call_that_only_the_transcript_tells_of_counts_too(home: Path) -> None:
    write_config(home, STRICT)
    transcript = home / "t.jsonl"
    rows: list[dict[str, Any]] = []
    for number in range(3):
        use = {"type": "tool_use", "id": f"x{number}", "name": "Read", "input": {"file_path": f"/w/orion/{number}"}}
        result = {"type": "tool_result", "tool_use_id": f"x{number}", "content": "text"}
        rows.append({"type": "assistant", "uuid": f"a{number}", "message": {"id": f"m{number}", "content": [use]}})
        rows.append({"type": "user", "uuid": f"u{number}", "message": {"content": [result]}})
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Look.")
        transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert denied(await agent.tool("TodoWrite", {"todos": []})) == ""
        assert "3" in denied(await read(agent, "f4"))


async def test_a_deferred_question_gives_back_what_was_set_aside(home: Path) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\nattended = 'meter'\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Ask.")
        question = {"question": "Tabs?", "header": "h", "options": [{"label": "Yes"}, {"label": "No"}]}
        reason = denied(await agent.tool("AskUserQuestion", {"questions": [question]}))
        assert "inbox" in reason
        assert len(reason) < 600
    assert [one["limit"] for one in trail(home)] == ["interrupt"]


async def test_a_change_to_a_specialists_model_is_judged_like_any_call_of_one(home: Path) -> None:
    write_config(home, "[escalation]\nspecialists = ['*opus*']\nmin_local_iterations = 1\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Solve it.")
        out = await agent.send("PreModelSwitch", from_model="haiku", to_model="claude-opus-5-5", requested_model="opus")
        assert out["decision"] == "block"
        assert "locally" in out["reason"]
        assert await agent.send("PreModelSwitch", from_model="haiku", to_model="claude-sonnet-5-5") == {}
    assert [one["verdict"] for one in trail(home)] == ["deny"]
