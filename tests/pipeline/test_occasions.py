"""One coin a session and lesson, at their first contact: it covers early, Stop, every subagent and a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.lessons.team import hashed
from borgd.memory.records import Decision, Outcome, SettledOutcome
from borgd.recall import draws
from borgd.recall.choose import HORIZON_MS
from borgd.stores.team import Team, read_card
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

TASK = "In Meadow, raise the batch window of the importer from 3 to 8, and keep the row limit of the importer as it is."
DONE = "The importer of Meadow now has a batch window of 8; its row limit is unchanged."
AGAIN = "No, that's wrong: with the batch window of the importer of Meadow you must raise the row limit of the importer too."
HALF = "[recall]\nholdout = 0.5\npolicy = 'budget'\nfloor = 0.05\n[people]\nengineer = 'mira'\n"


def row(name: str, **fields: Any) -> dict[str, Any]:
    return lesson(
        name,
        "When the batch window of the importer changes, is its row limit raised with it?",
        consequence="The importer drops rows without a word.",
        situations=["changing the batch window or the row limit of the importer"],
        scope=["Meadow"],
        engineers=["mira"],
        **fields,
    )


@pytest.fixture
def meadow(home: Path) -> Path:
    write_lessons(home, row("ROW"))
    write_config(home, HALF)
    return home


def decisions(home: Path) -> list[Decision]:
    return Journal(home / ".local/share/borgd/decisions.jsonl").read(Decision).records


def coins(home: Path, session: str) -> list[tuple[str, bool, float]]:
    """(channel, withheld, holdout) of each choice in which the lesson came or would have."""
    return [
        (one.channel, entry.held, entry.holdout)
        for one in decisions(home)
        for entry in one.pool
        if one.session == session and (entry.shown or entry.held)
    ]


def session_where(*, held: bool, not_before: int = 0) -> str:
    """The name of a session whose coin falls so at a holdout of one half."""
    names = (f"s{number}" for number in range(not_before, not_before + 60))
    return next(name for name in names if draws.withheld(f"claude-code:{name}", "ROW", 0.5) is held)


async def whole(agent: Agent) -> tuple[str, str]:
    """What a session is told early and at Stop."""
    early = await agent.prompt(TASK)
    await agent.edit("src/importer.py", "WINDOW = 8")
    return early, await agent.stop(DONE)


async def met(agent: Agent) -> None:
    """The first contact after the lesson was ratified is not an occasion."""
    assert "ROW" in await agent.prompt(TASK)


async def test_the_first_contact_after_it_was_ratified_is_never_withheld_and_no_occasion(meadow: Path) -> None:
    name = session_where(held=True)
    async with running_service() as service:
        early, stop = await whole(Agent(service, session=name))
    assert "ROW" in early
    assert "ROW" in stop
    assert coins(meadow, name) == [("early", False, 0.0), ("stop", False, 0.0)]


@pytest.mark.parametrize("held", [True, False])
async def test_one_coin_covers_early_and_stop(meadow: Path, *, held: bool) -> None:
    name = session_where(held=held)
    async with running_service() as service:
        await met(Agent(service, session="first"))
        early, stop = await whole(Agent(service, session=name))
    assert ("ROW" in early, "ROW" in stop) == (not held, not held)
    expected = [("early", True, 0.5)] if held else [("early", False, 0.5), ("stop", False, 0.0)]
    assert coins(meadow, name) == expected


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("first", ["main", "subagent"])
async def test_withheld_is_withheld_from_the_session_and_all_its_subagents(
    meadow: Path, first: str, *, restarted: bool
) -> None:
    name = session_where(held=True)
    sub = {"agent_id": "a1", "agent_type": "Explore"}

    async def work(agent: Agent, who: str, number: int) -> str:
        fields = sub if who == "subagent" else {}
        call = {"tool_name": "Edit", "tool_input": {"file_path": "/w/orion/meadow/importer_batch_window.py"}}
        await agent.send("PreToolUse", **call, tool_use_id=f"{who}{number}", **fields)
        out = await agent.send("PostToolUse", **call, tool_use_id=f"{who}{number}", tool_response={}, **fields)
        return str(out.get("hookSpecificOutput", {}).get("additionalContext", ""))

    async with running_service() as service:
        await met(Agent(service, session="first"))
        agent = Agent(service, session=name)
        assert await agent.prompt("Raise the batch window of the importer; keep its row limit.", cwd="/w/none") == ""
        assert await work(agent, first, 1) == ""
        if not restarted:
            assert await work(agent, "main" if first == "subagent" else "subagent", 2) == ""
    if restarted:
        async with running_service() as service:
            assert await work(Agent(service, session=name), "main" if first == "subagent" else "subagent", 2) == ""
    found = coins(meadow, name)
    assert found == [("early", True, 0.5)]


async def test_a_correction_reaches_the_occasion_that_a_subagent_began(meadow: Path) -> None:
    name = session_where(held=True)
    async with running_service() as service:
        await met(Agent(service, session="first"))
        agent = Agent(service, session=name)
        await agent.prompt("Raise the batch window of the importer; keep its row limit.", cwd="/w/none")
        call = {"tool_name": "Edit", "tool_input": {"file_path": "/w/orion/meadow/importer_batch_window.py"}}
        await agent.send("PostToolUse", **call, tool_use_id="t", tool_response={}, agent_id="a1", agent_type="Explore")
        assert coins(meadow, name) == [("early", True, 0.5)]
        await agent.stop(DONE)
        await agent.prompt(AGAIN)
    records = Journal(meadow / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    told = [(one.kind, one.held) for one in records if one.session == name]
    assert told == [("corrected", True)]


@pytest.mark.parametrize("setting", ["holdout = 0", "holdout = 0.5\nnever_withheld = ['ROW']"])
async def test_a_person_can_turn_it_off_for_all_or_for_one(meadow: Path, setting: str) -> None:
    write_config(meadow, f"[recall]\n{setting}\npolicy = 'budget'\nfloor = 0.05\n")
    name = session_where(held=True)
    async with running_service() as service:
        await met(Agent(service, session="first"))
        early, stop = await whole(Agent(service, session=name))
    assert "ROW" in early
    assert "ROW" in stop
    assert {holdout for _, _, holdout in coins(meadow, name)} == {0.0}


async def test_without_a_setting_the_rule_decides_about_a_fifth_for_a_young_lesson(meadow: Path) -> None:
    write_config(meadow, "[recall]\npolicy = 'budget'\nfloor = 0.05\n")
    async with running_service() as service:
        await met(Agent(service, session="first"))
        for number in range(12):
            await Agent(service, session=f"n{number}").prompt(TASK)
    chances = {holdout for number in range(12) for _, _, holdout in coins(meadow, f"n{number}")}
    assert chances == {0.2}


async def test_settled_after_a_day_and_told_to_the_team_without_any_text(meadow: Path, tmp_path: Path) -> None:
    team = tmp_path / "team"
    team.mkdir()
    (team / "team.json").write_text('{"salt": "00112233445566778899aabbccddeeff", "version": 1}')
    write_config(meadow, f"{HALF}[team]\ndirectory = '{team}'\n")
    held, shown = session_where(held=True), session_where(held=False)
    async with running_service() as service:
        await met(Agent(service, session="first"))
        for name in (held, shown):
            agent = Agent(service, session=name)
            await whole(agent)
            if name == held:
                await agent.prompt(AGAIN)
        assert service.assembly is not None
        last = max(one.ms for one in decisions(meadow))
        await service.assembly.every_minute(last + HORIZON_MS // 2)
        assert not any(one.coin_ms for one in settled(team))
        await service.assembly.every_minute(last + HORIZON_MS)
        await service.assembly.every_minute(last + 2 * HORIZON_MS)
    lines = [one for one in settled(team) if one.coin_ms]
    assert sorted((one.held, one.kind, one.holdout, one.engineer) for one in lines) == [
        (False, "not_corrected", 0.5, "mira"),
        (True, "corrected", 0.5, "mira"),
    ]
    assert [
        one for told in Team(team, "another@machine").new_outcomes() for one in told if one.id in {x.id for x in lines}
    ] == []
    salt = read_card(team).salt
    assert {one.decision for one in lines} <= {hashed(salt, "decision", one.id) for one in decisions(meadow)}
    text = "".join(path.read_text() for path in team.glob("*.outcomes.jsonl"))
    assert "importer" not in text
    assert held not in text.replace('"held"', "")


def settled(team: Path) -> list[SettledOutcome]:
    return [one for path in team.glob("*.outcomes.jsonl") for one in Journal(path).read(SettledOutcome).records]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("held", [True, False])
async def test_an_answer_that_came_too_late_throws_no_second_coin(meadow: Path, *, held: bool, restarted: bool) -> None:
    name = session_where(held=held)
    async with running_service() as service:
        await met(Agent(service, session="first"))
        service.patience_s = lambda _: 0.0
        await Agent(service, session=name).prompt(TASK)
        service.patience_s = lambda _: 60.0
        if not restarted:
            again = await Agent(service, session=name).prompt(f"{TASK} Go on.", prompt_id="again")
    if restarted:
        async with running_service() as service:
            again = await Agent(service, session=name).prompt(f"{TASK} Go on.", prompt_id="again")
    assert ("ROW" in again) is not held
    assert [chance for _, _, chance in coins(meadow, name)].count(0.5) == 1
