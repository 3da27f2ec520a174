"""Both accounts along a session: hooks, transcript, trail. The service's own wiring is tested with the daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.agents.transcript import TokenUsage, TranscriptFact
from borgd.config.schema import load
from borgd.paths import user_paths
from borgd.pipeline.investigation_stage import InvestigationStage
from borgd.sessions.session import Session
from borgd.sessions.state_file import StateFile
from borgd.stores.repository_config import MAX_BYTES, AllowedFiles, RepositoryConfigs


def event(moment: Moment, tool: ToolCall | None = None, subagent: str = "", kind: str = "", cwd: str = "") -> Event:
    return Event(
        agent="claude-code",
        name=moment,
        moment=moment,
        session="s1",
        subagent=subagent,
        subagent_type=kind,
        cwd=cwd,
        tool=tool,
    )


def call(number: int, name: str = "Grep", **given: Any) -> ToolCall:
    return ToolCall(name=name, id=f"t{number}", input=given)


def session(tmp_path: Path, subagent: str = "") -> Session:
    return Session(("claude-code", "s1", subagent), StateFile(tmp_path / f"s1{subagent}.ctx"))


def usage(number: int, subagent: str = "", model: str = "haiku", **tokens: Any) -> TranscriptFact:
    """What the transcript says of a message: its usage so far."""
    so_far = TokenUsage(**tokens)
    return TranscriptFact(
        kind="usage", row=number, id=f"m{number}", subagent=subagent, usage=so_far, total=so_far, model=model
    )


def trail(*stages: InvestigationStage) -> list[dict[str, Any]]:
    """What the stages wrote, each in the background for itself."""
    assert all(stage.trail.background.flush(120) for stage in stages)
    path = user_paths().journal("audit")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.anyio
async def test_turns_and_tokens_of_the_transcript_reach_the_account_once(home: Path, tmp_path: Path) -> None:
    config = load(b'[investigation.main]\nmode = "enforce"\nmax_context_tokens = 100\nmax_iterations = "none"')
    metering = InvestigationStage(user_paths(), config)
    main = session(tmp_path)
    await metering.prompt(event(Moment.PROMPT), 1)
    first: dict[str, Any] = {"input_tokens": 30, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 900}
    metering.saw_fact(main, usage(1, **first, output_tokens=3), 1)
    metering.saw_fact(main, usage(1, **first, output_tokens=7), 1)
    metering.saw_fact(session(tmp_path, "a1"), usage(1, input_tokens=30), 1)
    assert (await metering.before_tool(event(Moment.BEFORE_TOOL, call(1)), 2)).deny == ""
    again = InvestigationStage(user_paths(), config)
    again.saw_fact(main, usage(1, **first, output_tokens=7), 3)
    again.saw_fact(main, usage(2, input_tokens=50), 3)
    assert "100 of 100 context tokens" in (await again.before_tool(event(Moment.BEFORE_TOOL, call(2)), 3)).deny
    told = again.store.status("s1", 3)
    assert (told["tokens"], told["cached_tokens"], told["turns"]) == (107, 900, 2)
    assert [line["verdict"] for line in trail(metering, again)] == ["allow", "deny"]
    assert metering.trail.verify()[2] == []


@pytest.mark.anyio
async def test_use_before_a_prompt_belongs_to_the_investigation_before(home: Path, tmp_path: Path) -> None:
    metering = InvestigationStage(user_paths(), load(b""))
    await metering.prompt(event(Moment.PROMPT), 1)
    metering.saw_fact(session(tmp_path), usage(1, input_tokens=30), 1)
    await metering.prompt(event(Moment.PROMPT), 2)
    metering.saw_fact(session(tmp_path), usage(2, input_tokens=5), 3)
    await metering.stop(event(Moment.STOP))
    told = metering.store.status("s1", 3)
    assert told["tokens"] == 35
    assert told["open"][0]["spent"]["context_tokens"] == 5


@pytest.mark.anyio
async def test_a_specialist_is_judged_before_the_spawn_is_counted(home: Path, tmp_path: Path) -> None:
    metering = InvestigationStage(user_paths(), load(b'[escalation]\nspecialists = ["opus*"]'))
    await metering.prompt(event(Moment.PROMPT), 1)
    spawn = call(1, "Task", subagent_type="Explore", model="opus")
    assert "locally" in (await metering.before_tool(event(Moment.BEFORE_TOOL, spawn), 2)).deny
    for number in range(2):
        metering.saw_fact(session(tmp_path), usage(number, model="haiku", input_tokens=1), 2)
    allowed = await metering.before_tool(
        event(Moment.BEFORE_TOOL, call(2, "Task", subagent_type="Explore", model="opus")), 3
    )
    assert allowed.deny == ""
    assert [(line["limit"], line["verdict"]) for line in trail(metering)] == [
        ("escalation", "deny"),
        ("escalation", "allow"),
        ("investigation", "allow"),
    ]
    assert metering.store.status("s1", 3)["open"][0]["spent"]["subqueries"] == 1


@pytest.mark.anyio
async def test_a_read_that_only_the_transcript_told_of_counts_once_it_has_run(home: Path, tmp_path: Path) -> None:
    metering = InvestigationStage(user_paths(), load(b""))
    main = session(tmp_path)
    await metering.prompt(event(Moment.PROMPT), 1)
    for name, failed in (("x", False), ("y", True)):
        metering.saw_fact(main, TranscriptFact(kind="call", row=1, id=name, tool="Read", input={"file_path": f"/{name}"}), 1)
        if name == "x":
            await metering.after_tool(event(Moment.AFTER_TOOL, call(1)), 2)
            assert metering.store.status("s1", 2)["open"][0]["spent"]["evidence_documents"] == 0
        metering.saw_fact(main, TranscriptFact(kind="result", row=2, id=name, failed=failed), 2)
    for number in (1, 2):
        await metering.after_tool(event(Moment.AFTER_TOOL, call(number)), 3)
    spent = metering.store.status("s1", 3)["open"][0]["spent"]
    assert (spent["retrieval_calls"], spent["evidence_documents"]) == (3, 1)


@pytest.mark.anyio
async def test_a_repositorys_own_file_tightens(home: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "src").mkdir()
    (repository / ".borgd.toml").write_text('[investigation.main]\nmode = "enforce"\nmax_retrieval_calls = 1\n')
    metering = InvestigationStage(user_paths(), load(b""))
    here = str(repository / "src")
    file = metering.own.file(here)
    assert file is not None
    metering.own.allowed.allow(file)
    await metering.prompt(event(Moment.PROMPT, cwd=here), 1)
    replies = [await metering.before_tool(event(Moment.BEFORE_TOOL, call(n), cwd=here), 2) for n in range(2)]
    assert [bool(reply.deny) for reply in replies] == [False, True]


def test_a_repositorys_file_is_found_up_to_its_top_and_read_again_when_changed(tmp_path: Path) -> None:
    repository = tmp_path / "a" / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "x" / "y").mkdir(parents=True)
    configs = RepositoryConfigs(AllowedFiles(tmp_path))
    (tmp_path / "a" / ".borgd.toml").write_text("[investigation.main]\nmax_iterations = 1\n")
    assert configs.of(str(repository / "x" / "y")) is None
    path = repository / ".borgd.toml"
    path.write_text("[investigation.main]\nmax_iterations = 2\n")
    found = configs.of(str(repository / "x" / "y"))
    assert found is not None
    assert found.investigation.main.max_iterations == 2
    path.write_text("[investigation.main]\nmax_iterations = 33\n")
    again = configs.of(str(repository))
    assert again is not None
    assert again.investigation.main.max_iterations == 33
    assert configs.of("") is configs.of("relative") is None


BROKEN = [
    "[limits]\nx = 1",
    "[investigation.main]\nmax_iterations = -1",
    "{",
    "x" * (MAX_BYTES + 1),
    "[escalation]\nfloor = 'x'",
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_repositorys_broken_file_is_reported_and_not_used(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / ".borgd.toml"
    path.write_text(text)
    configs = RepositoryConfigs(AllowedFiles(tmp_path))
    assert configs.of(str(tmp_path)) is None
    assert str(path) in configs.problems[str(path)]
    assert configs.of(str(tmp_path)) is None
    path.write_text("")
    assert configs.of(str(tmp_path)) is not None
    assert not configs.problems
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert configs.of(str(tmp_path)) is None
