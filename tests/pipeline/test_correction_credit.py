"""A correction costs belief only the lesson that it contradicts, once a session, whatever was shown beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.journal import Journal
from borgd.memory.records import Outcome
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

TASK = "In Tarn, let the harvester take a new partition from a peer, and close the partition that it held before."
LESSONS = [
    lesson(
        "LEASE",
        "When the harvester of Tarn takes a new partition, is the lease of the old partition given back first?",
        scope=["Tarn"],
        situations=["the harvester takes a new partition from a peer"],
    ),
    lesson(
        "CLOCK",
        "When the harvester of Tarn takes a new partition, does it compare timestamps in UTC?",
        scope=["Tarn"],
        situations=["the harvester takes a new partition from a peer"],
    ),
    lesson(
        "FLUSH",
        "When the harvester of Tarn closes a partition, is its buffer flushed before?",
        scope=["Tarn"],
        situations=["the harvester closes the partition that it held"],
    ),
]
ALSO = "No, that's wrong: you must give the lease of the old partition of the harvester back first, never after."
NONE = "No, that's wrong: never let the harvester of Tarn touch that partition again, always leave the partition alone."


@pytest.fixture
def tarn(home: Path) -> Path:
    write_lessons(home, *LESSONS)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.02\n[people]\nengineer = 'mira'\n")
    return home


def corrected(home: Path) -> list[tuple[str, float]]:
    found = Journal(home / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    return [(one.lesson, one.credit) for one in found if one.kind == "corrected"]


async def session(home: Path, answers: dict[str, str], *corrections: str) -> dict[str, float]:
    """Beliefs after a session in which all three are told early and asked, answered so, and then corrected so."""
    async with running_service() as service:
        agent = Agent(service)
        told = await agent.prompt(TASK)
        assert all(name in told for name in ("LEASE", "CLOCK", "FLUSH"))
        await agent.edit("src/harvester.py", "take(partition)")
        await agent.stop("The harvester takes a new partition now.")
        said = "\n".join(f"{name}: {answer}" for name, answer in answers.items())
        await agent.stop(said or "Done.", stop_hook_active=True)
        for words in corrections:
            await agent.prompt(words)
        assert service.assembly is not None
        return {name: service.assembly.knowledge.memory.belief(name).beta for name in ("LEASE", "CLOCK", "FLUSH")}


async def test_one_of_three_that_share_their_nouns(tarn: Path) -> None:
    betas = await session(
        tarn, {"CLOCK": "skip - no timestamps here", "FLUSH": "skip - nothing is closed"}, ALSO, ALSO + " Please."
    )
    assert [name for name, _ in corrected(tarn)] == ["LEASE"], "once, although it came early and at Stop, and was said twice"
    assert 1.5 < betas["LEASE"] <= 3
    assert betas["CLOCK"] == betas["FLUSH"] == 1


async def test_what_the_agent_had_skipped_is_noted_and_costs_nothing(tarn: Path) -> None:
    betas = await session(tarn, dict.fromkeys(("LEASE", "CLOCK", "FLUSH"), "skip - not here"), ALSO)
    assert [name for name, _ in corrected(tarn)] == ["LEASE"]
    assert max(betas.values()) == pytest.approx(1, abs=1e-4)


async def test_what_none_of_them_foresaw_counts_against_none(tarn: Path) -> None:
    betas = await session(tarn, dict.fromkeys(("LEASE", "CLOCK", "FLUSH"), "skip - not here"), NONE)
    assert corrected(tarn) == []
    assert set(betas.values()) == {1.0}


async def test_a_veto_names_its_lesson_and_the_third_asks_about_retiring(tarn: Path) -> None:
    said = []
    async with running_service() as service:
        for number in range(4):
            agent = Agent(service, f"s{number}")
            await agent.prompt(TASK)
            said.append(await agent.prompt("borg no LEASE: we have no leases any more"))
        assert service.assembly is not None
        memory = service.assembly.knowledge.memory
        assert memory.results("LEASE") == {"vetoed": 4.0}
        assert memory.results("CLOCK") == memory.results("FLUSH") == {}
    assert all("takes back 1 of the lessons" in text for text in said)
    assert ["borg lesson retire LEASE" in text for text in said] == [False, False, True, False]
    found = Journal(tarn / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    assert {one.evidence for one in found if one.kind == "vetoed"} == {"vetoed: we have no leases any more"}
