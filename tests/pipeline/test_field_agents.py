"""What people met with other agents, tried on every agent: endless Stops, double calls, subagents, nested agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents import AGENTS, agent
from borgd.agents.event import Event, Moment, Reply, ToolCall
from borgd.agents.wiring import WIRINGS, command_of
from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome
from borgd.paths import shipped
from borgd.stores import repository
from tests.agents.conversations import CONVERSATIONS, CORRECTION, written
from tests.pipeline.agent_voices import AgentVoice
from tests.server.support import lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson(
    "CAP",
    "When the retry limit of the uploader changes, is the backoff cap raised with it?",
    situations=["changing the retry limit or the backoff of the uploader"],
    scope=["Orion"],
)
TASK = "In Orion, raise the retry limit of the uploader from 3 to 8, and keep the backoff cap of the uploader as it is."
DONE = "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."
NAMES = list(AGENTS)


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    return home


def journal(home: Path, name: str, kind: type[Any]) -> list[Any]:
    path = home / ".local/share/borgd" / f"{name}.jsonl"
    return list(Journal(path).read(kind).records) if path.exists() else []


@pytest.mark.parametrize("name", NAMES)
async def test_no_agent_is_held_by_its_stops(orion: Path, name: str) -> None:
    """Codex, opencode and oh-my-pi have no limit of their own, and not each says that it was blocked before."""
    async with running_service() as service:
        voice = AgentVoice(service, name)
        await voice.prompt(TASK)
        await voice.edit("src/config.py", "LIMIT = 8")
        reasons = []
        for number in range(20):
            reasons.append(await voice.stop(f"{DONE} {number}"))
            await voice.edit(f"src/more_{number}.py", "LIMIT = 8")  # which resets the count of some hosts
    assert sum(bool(reason) for reason in reasons) <= 1


@pytest.mark.parametrize("name", NAMES)
async def test_the_same_event_twice_is_told_once_in_every_agent(orion: Path, name: str) -> None:
    """Two copies of a plugin, the same entry in two settings files: one effect, one record, the second answer empty."""
    async with running_service() as service:
        voice = AgentVoice(service, name)
        first = await voice.prompt(TASK)
        voice.turn -= 1
        second = await voice.prompt(TASK)
    assert first != {}
    assert second == {}
    assert len(journal(orion, "decisions", Decision)) == 1


@pytest.mark.parametrize("name", NAMES)
async def test_a_byte_order_mark_and_white_space_are_read_over(orion: Path, name: str) -> None:
    async with running_service() as service:
        voice = AgentVoice(service, name)
        event, body = voice.stop_of(DONE)
        plain = json.dumps(body).encode()
        for around in (b"\xef\xbb\xbf" + plain, b" \r\n" + plain + b"\r\n", plain):
            assert await service.hook(name, event, around) == b"{}"


@given(
    name=st.sampled_from(NAMES),
    reply=st.builds(
        Reply,
        context=st.sampled_from(["", "c"]),
        block=st.sampled_from(["", "b"]),
        deny=st.sampled_from(["", "d"]),
        input=st.none() | st.just({"model": "m"}),
        note=st.sampled_from(["", "n"]),
    ),
    tool=st.sampled_from(["AskUserQuestion", "ask_user", "request_user_input", "question", "ask", "Bash"]),
    data=st.data(),
)
def test_nothing_is_ever_allowed_asked_or_deferred(name: str, reply: Reply, tool: str, data: st.DataObject) -> None:
    """An ``ask`` is a denial in some agents, nothing in others; an ``allow`` or ``defer`` breaks the picker of a question.

    The one ``allow`` there is comes with a call's other input, which some agents take in no other way.
    """
    module = agent(name)
    event = data.draw(st.sampled_from(sorted(module.MOMENTS)))
    moment = module.MOMENTS[event]
    out = json.dumps(
        module.render(Event(agent=name, name=event, moment=moment, session="s", tool=ToolCall(name=tool)), reply)
    )
    assert '"ask"' not in out.replace(f'"{tool}"', "")
    assert '"defer"' not in out
    assert '"continue"' not in out
    if reply.input is None:
        assert '"allow"' not in out


async def test_an_approval_that_may_never_be_shown_is_nobodys_interruption(orion: Path) -> None:
    """Cursor's shell and MCP events and Copilot's permissionRequest come whether or not anybody is asked."""
    async with running_service() as service:
        for name, events in (
            ("cursor", ("beforeShellExecution", "beforeMCPExecution")),
            ("copilot", ("permissionRequest",)),
        ):
            voice = AgentVoice(service, name)
            for event in events:
                body = {**voice.common(), "command": "ls", "tool_name": "ping", "toolName": "bash"}
                assert voice.understood_as(event, body) is Moment.OTHER
                assert await voice.send(event, body) == {}
    assert not (orion / ".local/share/borgd/interrupts.jsonl").exists()


def test_only_events_with_a_use_are_installed() -> None:
    """One unknown event voids Cursor's whole file; events for each chunk or each message cost a process each."""
    dear = {"AfterModel", "BeforeModel", "BeforeToolSelection", "MessageDisplay", "PreCompress", "afterAgentThought"}
    documented = {
        *("sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart"),
        *("subagentStop", "preCompact", "stop", "sessionEnd"),
    }
    for name, wiring in WIRINGS.items():
        if wiring.plugin is not None:
            continue
        table = json.loads((shipped("hooks") / name / "hooks.json").read_text())
        assert not set(table) & dear, name
        if name == "cursor":
            assert set(table) <= documented
        for event, options in table.items():
            command = command_of(wiring.handler("/h/hook/borg-hook", name, event, options))
            assert "://" not in command, "a command with an address in it voids Cursor's file"


def test_a_command_line_stays_the_same_for_ever() -> None:
    """Codex trusts a hook by the hash of its definition: another command line switches it off without a word."""
    handler = WIRINGS["codex"].handler("/h/hook/borg-hook", "codex", "Stop", {"timeout": 10})
    assert handler == {"type": "command", "command": "/h/hook/borg-hook codex Stop", "timeout": 10}


def test_a_directory_by_any_of_its_names_is_one_place(tmp_path: Path) -> None:
    """Codex stores the canonical directory, others the one that was typed."""
    real = tmp_path / "real"
    (real / ".git").mkdir(parents=True)
    (real / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/orion.git\n')
    (real / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    link = tmp_path / "link"
    link.symlink_to(real)
    assert repository.name(str(link)) == repository.name(str(real)) != ""


async def test_a_turn_that_never_stopped_is_over_with_the_next_prompt(orion: Path) -> None:
    """Gemini CLI's AfterAgent may be missing, and a BeforeAgent may come without words."""
    async with running_service() as service:
        voice = AgentVoice(service, "gemini")
        await voice.prompt(TASK)
        await voice.edit("src/config.py", "LIMIT = 8")
        assert await voice.prompt("") == {}
        (session,) = (one for one in service.sessions.live.values() if one.agent == "gemini")
        assert session.changed
        await voice.prompt("now write the release note of Orion")
        assert not session.changed
        assert len(session.prompts) == 2


@pytest.mark.parametrize("name", ["claude-code", "codex"])
async def test_a_subagent_is_a_session_of_its_own_with_the_id_of_its_parent(orion: Path, name: str) -> None:
    """Codex's subagents share the session id: they are told apart by the agent id alone."""
    async with running_service() as service:
        main, child = AgentVoice(service, name), AgentVoice(service, name, subagent="a1")
        await main.prompt(TASK)
        child.turn = main.turn
        await child.tool("Bash", {"command": "cat src/config.py"})
        keys = sorted(service.sessions.live)
        assert keys == [(name, "s1", ""), (name, "s1", "a1")]
        assert service.sessions.live[(name, "s1", "a1")].prompts == []


async def test_an_agent_inside_an_agent_is_a_session_of_its_own(orion: Path) -> None:
    """Codex started by Claude Code's shell: its prompt is its own work, its end is not the other's."""
    async with running_service() as service:
        outer, inner = AgentVoice(service, "claude-code", "outer"), AgentVoice(service, "codex", "inner")
        assert await outer.prompt(TASK) != {}
        await outer.edit("src/config.py", "LIMIT = 8")
        assert await inner.prompt(TASK) != {}, "it has not been told: another agent was"
        assert await inner.stop("Looked at it; nothing to do.") == "", "it changed nothing"
        await inner.send("SessionEnd", {**inner.common(), "reason": "other"})
        assert {key[:2] for key in service.sessions.live} >= {("claude-code", "outer")}
        assert not service.sessions.live[("claude-code", "outer", "")].ended
        assert await outer.stop(DONE) != "", "the outer turn is still its own"
    decisions = journal(orion, "decisions", Decision)
    assert {(one.agent, one.session) for one in decisions} == {("claude-code", "outer"), ("codex", "inner")}


@pytest.mark.parametrize("name", NAMES)
async def test_decisions_and_outcomes_say_which_agent_it_was(orion: Path, name: str) -> None:
    """Evidence is counted by agent: the stratum is in every record."""
    async with running_service() as service:
        voice = AgentVoice(service, name)
        await voice.prompt(TASK)
        await voice.edit("src/config.py", "LIMIT = 8")
        await voice.stop(f"{DONE} CAP: raised with it, changed.")
        await voice.prompt("thanks, that is all")
        await voice.stop("You are welcome.")
    decisions = journal(orion, "decisions", Decision)
    assert decisions
    assert {one.agent for one in decisions} == {name}
    known = {one.id for one in decisions}
    assert {one.decision for one in journal(orion, "outcomes", Outcome)} <= known


QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "claude-code": (
        "AskUserQuestion",
        {"questions": [{"question": "Which store?", "header": "S", "options": [{"label": "Red"}, {"label": "Blue"}]}]},
    ),
    "codex": (
        "request_user_input",
        {"questions": [{"id": "k", "question": "Which store?", "options": [{"label": "Red"}, {"label": "Blue"}]}]},
    ),
    "gemini": (
        "ask_user",
        {"questions": [{"question": "Which store?", "options": [{"label": "Red"}, {"label": "Blue"}]}]},
    ),
    "copilot": ("ask_user", {"question": "Which store?", "choices": ["Red", "Blue"]}),
    "opencode": (
        "question",
        {"questions": [{"question": "Which store?", "options": [{"label": "Red"}, {"label": "Blue"}]}]},
    ),
    "omp": (
        "ask",
        {"questions": [{"id": "k", "question": "Which store?", "options": [{"label": "Red"}, {"label": "Blue"}]}]},
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
async def test_an_ask_is_metered_once_however_often_its_hook_runs(orion: Path, name: str) -> None:
    async with running_service() as service:
        voice = AgentVoice(service, name)
        await voice.prompt("choose a store for Orion")
        tool, given = QUESTIONS[name]
        voice.calls += 1
        for _ in range(3):
            await voice.send(*voice.call(Moment.BEFORE_TOOL, tool, given, voice.calls))
        if name in ("claude-code", "codex"):  # and the dialog that shows it is announced as well
            await voice.send("PermissionRequest", {**voice.common(), "tool_name": tool, "tool_input": given})
    charges = [
        json.loads(line) for line in (orion / ".local/share/borgd/interrupts.jsonl").read_text().splitlines() if line.strip()
    ]
    assert len({record.get("id", record.get("ask", "")) for record in charges if record.get("kind") != "end"}) <= 1
    assert charges


@pytest.mark.parametrize("name", ["codex", "gemini", "omp", "copilot"])
async def test_tokens_and_the_plan_come_from_the_agents_own_file(orion: Path, name: str, tmp_path: Path) -> None:
    """The session file is followed while the agent works; a prompt that a hook told is not heard once more."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(written(CONVERSATIONS[name](CORRECTION)))
    async with running_service() as service:
        voice = AgentVoice(service, name)
        await voice.prompt("add the price to the order form")
        event, body = voice.stop_of("done")
        where = {"transcriptPath": str(path)} if name == "copilot" else {"transcript_path": str(path)}
        if name == "omp":
            body["ctx"]["file"] = str(path)
        await voice.send(event, {**body, **where})
        (session,) = (one for one in service.sessions.live.values() if one.agent == name)
        assert (session.usage.input_tokens, session.usage.output_tokens) == (200, 40)
        assert session.prompts.count("add the price to the order form") == 1
        assert CORRECTION in session.prompts
        assert [path for path in session.touches if path.endswith("src/form.py")]


async def test_without_a_prompts_hook_the_prompt_comes_from_the_agents_file(orion: Path, tmp_path: Path) -> None:
    """``cursor-agent -p`` has neither a prompt's event nor a Stop: what was asked for is in its session file alone."""
    path = tmp_path / "session.jsonl"
    rows = CONVERSATIONS["cursor"](CORRECTION)[:1]
    rows[0]["message"]["content"][0]["text"] = f"<user_query>\n{TASK}\n</user_query>"
    async with running_service() as service:
        voice = AgentVoice(service, "cursor")
        await voice.send("sessionStart", {**voice.common(), "transcript_path": None})
        path.write_bytes(written(rows))
        heard: list[dict[str, Any]] = []
        for moment in (Moment.BEFORE_TOOL, Moment.AFTER_TOOL, Moment.BEFORE_TOOL, Moment.AFTER_TOOL):
            event, body = voice.call(moment, "Read", {"file_path": f"{voice.cwd}/README.md"}, len(heard) // 2)
            heard.append(await voice.send(event, {**body, "transcript_path": str(path)}))
    told = [answer["additional_context"] for answer in heard if answer]
    assert len(told) == 1, "once"
    assert "CAP" in told[0]
