"""A push-back counts against a lesson only where the person's own words speak of it; in a disagreement it takes a side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.memory.records import Outcome
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

TASK = "In Orion, raise the retry limit of the uploader from 3 to 8, and keep the backoff cap of the uploader as it is."
RAISED = "When the retry limit of the uploader changes, is the backoff cap raised with it?"
DONE = "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."


def cap(name: str, question: str = RAISED, **fields: Any) -> dict[str, Any]:
    return lesson(
        name,
        question,
        **{
            "consequence": "The uploader hammers the storage backend until it is throttled.",
            "situations": ["changing the retry limit or the backoff of the uploader"],
            "scope": ["Orion"],
            "engineers": ["mira"],
            **fields,
        },
    )


def outcomes(home: Path) -> list[tuple[str, str]]:
    records = Journal(home / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    return [(one.lesson, one.kind) for one in records]


async def work(agent: Agent, home: Path, said: str) -> None:
    """A session that was shown the lesson early and at Stop, answered it, and is then pushed back on."""
    await agent.prompt(TASK)
    await agent.edit("src/config.py", "LIMIT = 8")
    await agent.stop(DONE)
    await agent.stop("CAP: applies - raised the cap", stop_hook_active=True)
    await agent.prompt(said)


@pytest.mark.parametrize(
    "said",
    [
        "No, use spaces, not tabs, in this file.",
        "That's wrong, please write the commit message in German.",
        "No! I told you not to touch the README.",
        "Don't do that. Revert the change to the tests.",
    ],
)
async def test_an_unrelated_push_back_counts_against_no_lesson(home: Path, said: str) -> None:
    write_lessons(home, cap("CAP"))
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\n[people]\nengineer = 'mira'\n")
    async with running_service() as service:
        await work(Agent(service), home, said)
    assert ("CAP", "changed") in outcomes(home)
    assert ("CAP", "corrected") not in outcomes(home)


@pytest.mark.parametrize(
    "said",
    [
        "No, that's wrong: when you raise the retry limit of the uploader you must raise the backoff cap too.",
        "You forgot the backoff cap of the uploader again. Raise it with the retry limit.",
    ],
)
async def test_a_push_back_that_speaks_of_the_lesson_counts(home: Path, said: str) -> None:
    write_lessons(home, cap("CAP"))
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\n[people]\nengineer = 'mira'\n")
    async with running_service() as service:
        await work(Agent(service), home, said)
    assert ("CAP", "corrected") in outcomes(home)


async def test_a_held_out_lesson_is_the_repeat_mistake_only_when_the_words_speak_of_it(home: Path) -> None:
    write_lessons(home, cap("CAP"))
    write_config(home, "[recall]\nholdout = 1.0\npolicy = 'budget'\n[people]\nengineer = 'mira'\n")
    async with running_service() as service:
        await Agent(service, session="s0").prompt(TASK)  # the first contact with a lesson is never withheld
        await work(Agent(service), home, "No, use spaces, not tabs, in this file.")
        assert outcomes(home) == []
        await Agent(service, session="s2").prompt(TASK)
        agent = Agent(service, session="s3")
        await work(agent, home, "No, that's wrong: the backoff cap of the uploader must be raised with the retry limit.")
    records = Journal(home / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    assert [(one.kind, one.held, one.session) for one in records] == [("corrected", True, "s3")]


async def test_a_correction_takes_a_side_in_a_disagreement(home: Path) -> None:
    situation = "changing the retry limit of the uploader"
    one = cap("CAP", situations=[situation])
    other = cap(
        "KEEP",
        question="When the retry limit of the uploader changes, does the backoff cap stay at five seconds?",
        consequence="Users wait a minute for an upload that would have worked.",
        situations=[situation],
        engineers=["tobin"],
    )
    write_lessons(home, one, other)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\n[people]\nengineer = 'rafe'\n")
    async with running_service() as service:
        agent = Agent(service)
        early = await agent.prompt(TASK)
        assert "Engineers disagree" in early
        await agent.edit("src/config.py", "LIMIT = 8")
        await agent.stop(DONE)
        await agent.prompt("No, that's wrong: the backoff cap of the uploader must stay at five seconds.")
        assert service.assembly is not None
        memory = service.assembly.knowledge.memory
        assert "corrected" not in memory.results("KEEP")
        assert memory.belief("KEEP").mean > memory.belief("CAP").mean
        assert "contradicted" in memory.results("CAP")
