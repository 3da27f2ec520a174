"""A team with a known truth through the whole daemon: hooks in, texts out, answers and push-backs heard, outcomes told.

The same claim as bench_memory's, without its short cuts: lessons come by their words, an agent reads ids in what it is
told, engineers push back in words. Prints repeat corrections per arisen pitfall for memory, for memory without
exploration and for no memory. Full: ``pytest -m perf -s tests/perf/bench_team_pipeline.py`` (some minutes).
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from borgd.memory.memory import Memory
from borgd.recall.policy import changed, policy_of
from borgd.server import assembly as parts
from borgd.server.service import Service
from tests.perf.sizes import sized
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = [pytest.mark.perf, pytest.mark.anyio, pytest.mark.timeout(3000)]

SESSIONS = sized(2000, 40)
SYSTEMS = ("Orion", "Harbor", "Meadow")
TOPICS = ("retry limit", "cache expiry", "token refresh", "batch window", "schema migration", "queue depth")
USELESS = 5
"""Lessons per topic that match as well as the one that helps, and help nobody."""
ERRS, ERRS_WARNED, CORRECTS = 0.8, 0.1, 0.9
ARMS = ("memory", "memory without exploration", "no memory")
ASPECTS = ("the upper bound", "the fallback", "the metrics", "the runbook", "the naming", "the log line")


def name_of(system: str, topic: str, number: int) -> str:
    return f"{system[0]}{TOPICS.index(topic)}-{number}"


def lessons() -> list[dict[str, Any]]:
    """Per system and topic one lesson that helps (number 0) and USELESS that do not."""
    return [
        lesson(
            name_of(system, topic, number),
            f"When the {topic} of {system} changes, is {ASPECTS[number]} of the {topic} changed with it?",
            consequence=f"The {topic} of {system} no longer fits {ASPECTS[number]}.",
            situations=[f"changing the {topic} of {system}"],
            scope=[system],
            area=topic.split()[0],
        )
        for system in SYSTEMS
        for topic in TOPICS
        for number in range(USELESS + 1)
    ]


async def one_session(service: Service, chance: random.Random, number: int) -> tuple[int, int]:
    """One session of one agent and engineer; pitfalls that arose, corrections made."""
    system, topic = chance.choice(SYSTEMS), chance.choice(TOPICS)
    helps = name_of(system, topic, 0)
    agent = Agent(service, session=f"s{number}", cwd=f"/w/{system.lower()}")
    told = await agent.prompt(
        f"In {system}, change the {topic} as the ticket says, and keep the rest of the {topic} as it is."
    )
    seen = set(re.findall(r"\b[A-Z]\d-\d\b", told))
    await agent.edit(f"src/{topic.split()[0]}.py", f"value = {number}")
    asked = set(re.findall(r"\b[A-Z]\d-\d\b", await agent.stop(f"The {topic} of {system} is changed.")))
    seen |= asked
    wrong = chance.random() < (ERRS_WARNED if helps in seen else ERRS)
    if asked:
        said = [f"{one}: applies - changed it" if one == helps else f"{one}: skip - nothing to do" for one in sorted(asked)]
        answered = [line for line in said if chance.random() < 0.7 or line.startswith(helps)]
        await agent.stop("\n".join(answered) or "Done.", stop_hook_active=True)
    corrected = wrong and chance.random() < CORRECTS
    if corrected:
        await agent.prompt(
            f"No, that's wrong: with the {topic} of {system} you must change {ASPECTS[0]} of the {topic} too."
        )
    await agent.send("SessionEnd", reason="other")
    return 1, int(corrected)


async def run_arm(home: Path, arm: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], Memory]:
    """Corrections per session of one arm, and what was remembered at the end."""
    monkeypatch.setenv("HOME", str(home))
    write_lessons(home, *lessons())
    write_config(home, "[people]\nengineer = 'mira'\n[interrupts]\n[investigation.main]\nmode = 'off'\n")
    few = {"early_cap": 2, "cap": 2, "explore": arm != "memory without exploration"}
    monkeypatch.setattr(parts, "policy_of", lambda config: changed(policy_of(config), few))
    chance, corrections = random.Random(7), []
    async with running_service() as service:
        assert service.assembly is not None
        for number in range(SESSIONS):
            _, corrected = await one_session(service, chance, number)
            corrections.append(corrected)
            if arm == "no memory":
                service.assembly.knowledge.memory = Memory(service.assembly.knowledge.lessons)
        return corrections, service.assembly.knowledge.memory


def mean_belief(memory: Memory, *, helps: bool) -> float:
    """Over the lessons that help, or those that do not."""
    names = [one["id"] for one in lessons() if one["id"].endswith("-0") is helps]
    return sum(memory.belief(name).mean for name in names) / len(names)


async def test_a_team_through_the_whole_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"\n{SESSIONS} sessions through the daemon: repeat corrections per arisen pitfall")
    print(f"  {'':<28} first quarter  second half")
    ran = 0
    for arm in ARMS:
        corrections, memory = await run_arm(tmp_path / arm.replace(" ", "-"), arm, monkeypatch)
        quarter, half = SESSIONS // 4, SESSIONS // 2
        print(
            f"  {arm:<28} {sum(corrections[:quarter]) / quarter:13.3f} {sum(corrections[half:]) / (SESSIONS - half):12.3f}"
        )
        if arm == "memory":
            helpful, useless = (mean_belief(memory, helps=helps) for helps in (True, False))
            print(f"  {'':<28} mean belief: helpful {helpful:.3f}, useless {useless:.3f}")
        ran += len(corrections)
    assert ran == len(ARMS) * SESSIONS
