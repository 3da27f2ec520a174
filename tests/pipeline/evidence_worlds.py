"""Worlds with a known truth through the whole daemon: hooks in, texts out, push-backs heard; what became of each is known.

The driver reads what an agent is told, and of the records only where a coin was thrown: what it counted stands against what
the headline counts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from borgd import clock
from borgd.cli.debug.replay_files import OutcomeFiles, read_outcomes
from borgd.journal import Journal
from borgd.memory.records import Decision
from borgd.recall.choose import HORIZON_MS
from borgd.replay.engine import Replay
from borgd.replay.findings import ReplayResult
from borgd.replay.result import result
from borgd.server.service import Service
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

SYSTEMS = {"Meadow": ("importer", "batch window", "row limit"), "Orion": ("uploader", "retry limit", "backoff cap")}


def lesson_of(system: str) -> dict[str, Any]:
    part, setting, other = SYSTEMS[system]
    return lesson(
        system.upper(),
        f"When the {setting} of the {part} changes, is its {other} raised with it?",
        consequence=f"The {part} drops work without a word.",
        situations=[f"changing the {setting} or the {other} of the {part}"],
        scope=[system],
        engineers=["mira"],
    )


@dataclass(frozen=True)
class DaemonWorld:
    """``told`` and ``untold``: the chance of a repeated correction in a session that was told a lesson or never was."""

    told: float = 0.12
    untold: float = 0.66
    told_later: float | None = None
    """The chance where told, in the second half."""
    ends: Callable[[bool], float] = lambda _: 1.0
    """The chance that a session says that it ended, by whether it was told."""
    subagents: float = 0.0
    """Sessions whose first contact is a subagent's."""
    tasks: int = 1
    holdout: float = 0.2
    policy: str = "budget"


WORLDS = {
    "early and Stop": DaemonWorld(),
    "no effect, sessions that never end": DaemonWorld(told=0.4, untold=0.4, ends=lambda _: 0.0),
    "ends lost where told": DaemonWorld(told=0.3, untold=0.5, ends=lambda told: 0.2 if told else 1.0),
    "subagents first": DaemonWorld(subagents=0.5),
    "drift half-way": DaemonWorld(told_later=0.66),
    "several tasks": DaemonWorld(tasks=2),
    "by what telling costs": DaemonWorld(policy="cost"),
}


class Meeting(NamedTuple):
    """A session and a lesson, as the driver saw them: told before the push-back or only with it; ``ms`` is just before."""

    told: bool
    corrected: bool
    ms: int
    told_late: bool
    rate: float
    """The chance of its correction."""


@dataclass
class Seen:
    """What the driver saw. ``thrown`` is when a coin was thrown: what nothing calls for is neither told nor withheld."""

    met: dict[tuple[str, str], Meeting] = field(default_factory=dict)
    thrown: dict[tuple[str, str], int] = field(default_factory=dict)

    def corrected(self, *, told: bool) -> list[bool]:
        """Of each occasion that was told, or was not: whether it was corrected from then on."""
        return [met.corrected and not late for met, late in self._occasions(told=told)]

    def true_rate(self, *, told: bool) -> float:
        """The mean chance of a correction over those occasions."""
        rates = [0.0 if late else met.rate for met, late in self._occasions(told=told)]
        return sum(rates) / len(rates)

    def _occasions(self, *, told: bool) -> list[tuple[Meeting, bool]]:
        """Each with whether the push-back itself brought the lesson up."""
        found = []
        for key, met in self.met.items():
            late = self.thrown.get(key, 0) > met.ms
            if key in self.thrown and (met.told_late if late else met.told) is told:
                found.append((met, late))
        return found


async def edit(agent: Agent, path: str, text: str) -> str:
    """What the agent is told before and after an edit."""
    agent.tools += 1
    given = {"file_path": path, "old_string": "x", "new_string": text}
    call = {"tool_name": "Edit", "tool_input": given, "tool_use_id": f"t{agent.tools}", "prompt_id": f"p{agent.prompts}"}
    before = await agent.send("PreToolUse", **call)
    return f"{before}{await agent.send('PostToolUse', **call, tool_response={})}"


async def session(service: Service, world: DaemonWorld, seen: Seen, chance: random.Random, number: int, later: bool) -> None:
    agent = Agent(service, session=f"n{number}", cwd="/w/none")
    ended = True
    for system in chance.sample(list(SYSTEMS), world.tasks):
        part, setting, other = SYSTEMS[system]
        name = system.upper()
        heard = ""
        if chance.random() < world.subagents:
            call: dict[str, Any] = {
                "tool_name": "Edit",
                "tool_input": {"file_path": f"/w/none/{system.lower()}/{part}_{setting}.py"},
            }
            await agent.prompt(f"Raise the {setting} of the {part} and keep its {other}.")
            out = await agent.send(
                "PostToolUse", **call, tool_use_id="s1", tool_response={}, agent_id="a1", agent_type="Explore"
            )
            heard += str(out)
        heard += await agent.prompt(f"In {system}, raise the {setting} of the {part}; keep its {other}.")
        changed = f"{other} = {number}  # raised with the {setting} of the {part}" if name in heard else f"value = {number}"
        heard += await edit(agent, f"/w/none/src/{part}.py", changed)
        heard += await agent.stop(f"The {setting} of the {part} of {system} is raised; its {other} is unchanged.")
        told = name in heard
        if told and chance.random() < 0.5:
            await agent.stop(f"{name}: applies - the {other} is raised too", stop_hook_active=True)
        rate = (world.told_later if later and world.told_later is not None else world.told) if told else world.untold
        corrected, ms, late = chance.random() < rate, clock.now_ms(), ""
        if corrected:
            await anyio.sleep(0.002)  # what the push-back brings up is later than ``ms``
            late = await agent.prompt(
                f"No, that's wrong: with the {setting} of the {part} of {system} you must raise its {other} too."
            )
        seen.met[f"n{number}", name] = Meeting(told, corrected, ms, name in late, rate)
        ended = ended and chance.random() < world.ends(told)
    if ended:
        await agent.send("SessionEnd", reason="other")


async def lived(home: Path, world: DaemonWorld, sessions: int, seed: int = 5) -> tuple[Seen, ReplayResult]:
    """What the driver saw of ``sessions`` sessions, and what the headline says of their journals a day later."""
    write_lessons(home, *(lesson_of(system) for system in SYSTEMS))
    write_config(
        home,
        f"[recall]\nholdout = {world.holdout}\npolicy = '{world.policy}'\n"
        f"floor = 0.0001\n[people]\nengineer = 'mira'\n[investigation]\n",
    )
    chance, seen = random.Random(seed), Seen()
    async with running_service() as service:
        for place, system in enumerate(SYSTEMS):  # the first contact with a lesson is not an occasion
            part, setting, other = SYSTEMS[system]
            await Agent(service, session=f"first{place}").prompt(
                f"In {system}, raise the {setting} of the {part}, not its {other}."
            )
        for number in range(sessions):
            await session(service, world, seen, chance, number, later=number >= sessions // 2)
    data = home / ".local/share/borgd"
    outcomes = read_outcomes(OutcomeFiles([data / "outcomes.jsonl"], []), beliefs=False)
    lines = (data / "decisions.jsonl").read_bytes().splitlines(keepends=True)
    replay = Replay([], ("avoided",), outcomes, outcomes.latest_ms + 2 * HORIZON_MS)
    replay.feed(replay.read(lines))
    for decision in Journal(data / "decisions.jsonl").read(Decision).records:
        met = [entry.id for entry in decision.pool if entry.holdout and (entry.shown or entry.held)]
        seen.thrown.update(((decision.session, name), decision.ms) for name in met)
    return seen, result(replay)
