"""Questions, plans and permissions through the whole service: who is there decides, and answers find their own session."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from borgd import clock
from borgd.server.service import Service
from borgd.stores.inbox_store import InboxStore
from tests.server.support import Agent, running_service, write_config

pytestmark = pytest.mark.anyio
HEADLESS = ("attended.0", "entry.sdk-cli")
EDITOR = ("attended.0", "entry.claude-vscode")
TERMINAL = ("attended.1", "entry.cli")
MINUTE = 60_000


class Host(Agent):
    """An agent whose host says who is there."""

    def __init__(self, service: Service, words: tuple[str, ...] = (), session: str = "s1") -> None:
        super().__init__(service, session)
        self.words = words

    async def send(self, event: str, **fields: Any) -> dict[str, Any]:
        body = json.dumps({**self.common, "hook_event_name": event, **fields}).encode()
        out: dict[str, Any] = json.loads(await self.service.hook("claude-code", event, body, self.words))
        return out

    async def question(self, *texts: str, options: tuple[str, ...] = ("a", "b")) -> dict[str, Any]:
        listed = [{"label": label, "description": label} for label in options]
        asked = [{"question": text, "header": "h", "multiSelect": False, "options": listed} for text in texts]
        return await self.tool("AskUserQuestion", {"questions": asked})

    async def plan(self, text: str) -> dict[str, Any]:
        return await self.tool("ExitPlanMode", {"plan": text} if text else {})


def reason(out: dict[str, Any]) -> str:
    specific = out.get("hookSpecificOutput", {})
    return str(specific.get("permissionDecisionReason", "")) if specific.get("permissionDecision") == "deny" else ""


def counted(service: Service) -> dict[str, int]:
    assert service.assembly is not None
    status: Any = service.assembly.interrupts.store.status()
    return {**status["counted"], "spent": status["scopes"]["__global__"]["spent"]}


def box(service: Service) -> InboxStore:
    assert service.assembly is not None
    return InboxStore(service.assembly.interrupts.store.journals, "ann")


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many milliseconds later it is than it was."""
    ahead, now_ms = {"ms": 0}, clock.now_ms
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms() + ahead["ms"])
    return ahead


@pytest.mark.parametrize("words", [(), TERMINAL, EDITOR, ("attended.1", "unknown.word")])
async def test_whoever_is_there_sees_every_question_and_plan(home: Path, words: tuple[str, ...]) -> None:
    async with running_service() as service:
        host = Host(service, words)
        await host.prompt("Build the importer.")
        for number in range(10):
            assert not reason(await host.question(f"Which store for part {number}?"))
        for number in range(3):
            assert not reason(await host.plan(f"{number}. do it"))
        assert counted(service) == {"question": 10, "plan": 3, "permission": 0, "spent": 0}
    assert home


async def test_where_nobody_is_there_the_fourth_waits_and_nothing_is_made_up(home: Path) -> None:
    async with running_service() as service:
        host = Host(service, HEADLESS)
        await host.prompt("Build the importer.")
        outs = [await host.question(f"Tabs or spaces in part {number}?") for number in range(4)]
        assert [bool(reason(out)) for out in outs] == [False, False, False, True]
        assert "there is no fallback" in reason(outs[3])
        assert "go on with" not in reason(outs[3])
        assert "#4" in outs[3]["systemMessage"]
        assert not reason(await host.plan("1. do it")), "plans are counted everywhere"
        marked = await host.question("Which colour?", options=("red", "blue (Recommended)"))
        assert 'go on with "blue' in reason(marked)
        first, second = sorted(box(service).entries(clock.now_ms()), key=lambda entry: entry.number)
        assert (first.ask.recommended, first.ask.fallback, first.ask.options) == (None, "", ("a", "b"))
        assert (second.ask.recommended, second.ask.fallback) == (1, "blue (Recommended)")
    assert home


async def test_a_prompt_of_long_ago_is_nobody(home: Path, later: dict[str, int]) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\nattended_s = 300\n")
    async with running_service() as service:
        host = Host(service)
        await host.prompt("Build the importer.")
        assert not reason(await host.question("One?"))
        later["ms"] = 6 * MINUTE
        assert reason(await host.question("Two?"))
        host.words = TERMINAL
        assert not reason(await host.question("Two?")), "it waits in the inbox, and now somebody is there"
    assert home


async def test_presence_survives_a_restart(home: Path) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\n")
    async with running_service() as service:
        await Host(service).prompt("Build the importer.")
    async with running_service() as service:
        host = Host(service)
        host.prompts = 1
        assert not reason(await host.question("One?"))
        host.common = {**host.common, "agent_id": "sub1", "agent_type": "Explore"}
        assert not reason(await host.question("Two?")), "a subagent has its session's person"
    assert home


@pytest.mark.parametrize("attended", ["count", "meter"])
async def test_a_prompt_that_asks_to_be_asked_opens_its_turn_only(home: Path, attended: str) -> None:
    write_config(home, f"[interrupts]\ndaily_interrupt_budget = 0\nattended = '{attended}'\n")
    async with running_service() as service:
        host = Host(service, HEADLESS)
        await host.prompt("Interview me first, one question after the other.")
        assert not any([reason(await host.question(f"Part {number}?")) for number in range(5)])
        await host.prompt("also mind the tests", prompt_id="p1")
        host.prompts = 1
        assert not reason(await host.question("Typed while it ran?"))
        host.prompts = 2
        assert reason(await host.question("The prompt of this turn was lost: which colour?"))
        await host.prompt("Thanks, now build it.")
        assert reason(await host.question("And the size?"))
    assert home


async def test_metered_attended_questions_meet_the_budget(home: Path) -> None:
    write_config(home, "[interrupts]\nattended = 'meter'\n")
    async with running_service() as service:
        host = Host(service, TERMINAL)
        await host.prompt("Build the importer.")
        outs = [await host.question(f"Which store for part {number}?") for number in range(4)]
        assert [bool(reason(out)) for out in outs] == [False, False, False, True]
    assert home


async def test_a_plan_that_waited_and_was_approved_goes_through_in_its_own_session(home: Path) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\nplan = 'meter'\n")
    plan = "# Move the uploader\n1. copy it\n2. drop the old one"
    async with running_service() as service:
        mine, other = Host(service, TERMINAL), Host(service, TERMINAL, session="s2")
        await mine.prompt("Plan it.")
        assert "call ExitPlanMode again" in reason(await mine.plan(plan))
        (entry,) = box(service).entries(clock.now_ms())
        assert entry.ask.body == plan
        box(service).answer(entry.number, "approve", clock.now_ms())
        assert "approved" not in await other.prompt("Plan to drop the database.")
        assert reason(await other.plan(plan))
        assert "it goes through once" in await mine.prompt("Well?")
        assert reason(await mine.plan(plan + "\n3. and drop the database"))
        assert not reason(await mine.plan(plan))
        assert reason(await mine.plan(plan)), "an approval serves once"
        await mine.send("SessionEnd", reason="other")
        states = [(one.ask.session, one.state) for one in box(service).entries(clock.now_ms(), everything=True)]
        assert sorted(states) == [("s1", "answered"), *[("s1", "session over")] * 2, ("s2", "deferred")]
    assert home


async def test_what_a_session_asked_that_fell_silent_over_a_restart_ends_with_it(home: Path) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\nplan = 'meter'\n")
    async with running_service() as service:
        for session in ("s1", "s2"):
            host = Host(service, HEADLESS, session=session)
            await host.prompt("Plan it.")
            assert reason(await host.plan(f"1. {session}"))
    (file,) = [one for one in (home / ".local/state/borgd/sessions").iterdir() if "s1" in one.name]
    os.utime(file, (1, 1))
    async with running_service() as service:
        assert service.assembly is not None
        await service.assembly.interrupts.end_silent(service.sessions, clock.now_ms())
        assert [one.ask.session for one in box(service).entries(clock.now_ms())] == ["s2"]


async def test_a_plan_that_the_host_gives_no_text_of_is_found_in_its_file(home: Path, tmp_path: Path) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\nplan = 'meter'\n")
    file = tmp_path / "plan.md"
    file.write_text("1. rename the helper")
    async with running_service() as service:
        host = Host(service, TERMINAL)
        await host.prompt("Plan it.")
        call = {"tool_name": "Write", "tool_use_id": "w1", "permission_mode": "plan", "prompt_id": "p1"}
        await host.send("PostToolUse", **call, tool_input={"file_path": str(file), "content": "x"}, tool_response={})
        assert reason(await host.plan(""))
        (entry,) = box(service).entries(clock.now_ms())
        assert entry.ask.body == "1. rename the helper"
        box(service).answer(entry.number, "2", clock.now_ms())
        file.write_text("1. drop the orders table")
        assert reason(await host.plan("")), "the file holds another plan by now"
        file.write_text("1. rename the helper")
        assert not reason(await host.plan(""))
    assert home


async def test_every_question_of_a_call_is_an_item_and_one_call_is_one_interruption(home: Path) -> None:
    async with running_service() as service:
        host = Host(service, HEADLESS)
        await host.prompt("Build it.")
        assert not reason(await host.question("Colour?", "Size?", "Shape?"))
        assert counted(service)["spent"] == 1
        assert box(service).entries(clock.now_ms()) == [], "answered in the session"
        for number in range(2):
            assert not reason(await host.question(f"Other {number}?"))
        refused = reason(await host.question("Wood?", "Nails?", "Glue?", options=("oak", "ash", "elm")))
        entries = box(service).entries(clock.now_ms())
        assert [(one.ask.question, one.ask.options) for one in entries] == [
            (text, ("oak", "ash", "elm")) for text in ("Wood?", "Nails?", "Glue?")
        ]
        assert all(f"#{one.number}" in refused for one in entries)
        box(service).answer(entries[1].number, "3", clock.now_ms())
        told = await host.prompt("Go on.")
        assert "elm" in told
        assert "Nails?" in told
        assert "Wood?" not in told
        assert [one.ask.question for one in box(service).entries(clock.now_ms())] == ["Wood?", "Glue?"]
    assert home


async def test_a_permission_is_possible_until_its_dialog_is_seen_and_counts_once(home: Path) -> None:
    async with running_service() as service:
        host = Host(service, TERMINAL)
        await host.prompt("Build it.")
        call = {"tool_name": "Bash", "tool_input": {"command": "touch x"}, "prompt_id": "p1"}
        await host.send("PreToolUse", **call, tool_use_id="t1")
        for _ in range(3):
            assert await host.send("PermissionRequest", **call) == {}
        other = {**call, "tool_name": "WebFetch", "tool_input": {"url": "http://x"}}
        for _ in range(2):
            await host.send("PermissionRequest", **other)
        assert service.assembly is not None
        status: Any = service.assembly.interrupts.store.status()
        assert (status["observed"], status["possible"]) == (0, 2)
        await host.send("Notification", notification_type="permission_prompt", message="Claude needs your permission")
        status = service.assembly.interrupts.store.status()
        assert (status["observed"], status["possible"]) == (1, 1)
    assert home


async def test_metered_permissions_are_denied_by_the_hosts_own_words_and_approved_once(home: Path) -> None:
    write_config(home, "[interrupts]\ndaily_interrupt_budget = 0\npermission = 'meter'\n")
    async with running_service() as service:
        host = Host(service, TERMINAL)
        await host.prompt("Build it.")
        call = {"tool_name": "Bash", "tool_input": {"command": "touch x"}, "prompt_id": "p1"}
        out = await host.send("PermissionRequest", **call)
        assert out["hookSpecificOutput"]["decision"]["behavior"] == "deny"
        (entry,) = box(service).entries(clock.now_ms())
        box(service).answer(entry.number, "allow", clock.now_ms())
        assert "hookSpecificOutput" in await host.send("PermissionRequest", **{**call, "tool_input": {"command": "rm x"}})
        assert await host.send("PermissionRequest", **call) == {}
        assert "hookSpecificOutput" in await host.send("PermissionRequest", **call)
    assert home


@pytest.mark.parametrize("words", [TERMINAL, EDITOR, HEADLESS])
@pytest.mark.parametrize("more", [{}, {"run_in_background": True}, {"isolation": "worktree", "unheard_of": [1]}])
async def test_a_lowered_model_grants_no_permission(home: Path, words: tuple[str, ...], more: dict[str, Any]) -> None:
    write_config(home, "[effort]\nmodel_ceiling = 'sonnet'\n")
    async with running_service() as service:
        host = Host(service, words)
        await host.prompt("Look around.")
        given = {"description": "look", "prompt": "look", "subagent_type": "Explore", "model": "opus", **more}
        out = await host.send("PreToolUse", tool_name="Agent", tool_input=given, tool_use_id="t1", prompt_id="p1")
        specific = out["hookSpecificOutput"]
        assert specific["updatedInput"] == {**given, "model": "sonnet"}
        assert "permissionDecision" not in specific
    assert home
