"""A grader of the user's own, a real little program: what it is offered, what its grades do, what happens when it fails."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from borgd.journal import Journal
from borgd.lessons.lesson import Lesson
from borgd.memory.records import Decision
from borgd.stores import grader as grader_module
from borgd.stores.grader import GRADER_LESSONS, MISSES, REST_S, Grader, answer_of
from tests.server.processes import wait_for
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

PROGRAM = """
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
(here / "offered.json").write_text(json.dumps([one["id"] for one in asked["lessons"]]))
plan = json.loads((here / "grades.json").read_text())
time.sleep(plan.get("sleep", 0))
print(plan["say"] if "say" in plan else json.dumps(plan["grades"]))
sys.exit(plan.get("exit", 0))
"""

NEAR = lesson("NEAR", "When the retry limit of the uploader changes, is the backoff cap raised?", scope=["Orion"])
FAR = lesson("FAR", "Does every translation have a plural form?", scope=["Orion"])
ANYWHERE = lesson("ANYWHERE", "Are zebra crossings painted?")
ELSEWHERE = lesson("ELSEWHERE", "Is the retry limit of the uploader documented?", scope=["Helios Scheduler"])
ANOTHERS = lesson("ANOTHERS", "Is the retry limit of the uploader low?", reach="personal", engineers=["ida"])
OTHER_REPOSITORY = lesson("OTHERREPO", "Is the retry limit of the uploader set?", reach="repo", repo="acme/other")
TASK = "In Orion, raise the retry limit of the uploader from 3 to 8."


class Grading:
    """A home whose config names the program; ``plan`` is what it does next."""

    def __init__(self, home: Path, directory: Path) -> None:
        self.home = home
        self.directory = directory
        self.program = directory / "grade.py"
        self.program.write_text(PROGRAM)
        self.configure([sys.executable, str(self.program)])

    def configure(self, command: list[str]) -> None:
        write_config(
            self.home,
            f"[recall]\nholdout = 0.0\npolicy = 'budget'\n"
            f"floor = 0.05\ngrader = {json.dumps(command)}\n[people]\nengineer = 'mira'\n",
        )

    def plan(self, **plan: Any) -> None:
        (self.directory / "grades.json").write_text(json.dumps(plan))

    @property
    def offered(self) -> list[str]:
        found: list[str] = json.loads((self.directory / "offered.json").read_text())
        return found

    def decisions(self) -> list[Decision]:
        return Journal(self.home / ".local/share/borgd/decisions.jsonl").read(Decision).records


@pytest.fixture
def grading(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Grading:
    monkeypatch.setattr(grader_module, "GRADER_SECONDS", 120.0)  # how busy the machine is decides nothing here
    write_lessons(home, OTHER_REPOSITORY, ANOTHERS, ANYWHERE, ELSEWHERE, FAR, NEAR)
    return Grading(home, tmp_path)


async def work(agent: Agent) -> None:
    await agent.send("SessionStart", source="startup")
    await agent.prompt(TASK)
    await agent.edit("src/config.py", "LIMIT = 8")


async def test_only_what_is_in_scope_and_reaches_is_offered_best_first_and_what_is_certain_is_asked(
    grading: Grading,
) -> None:
    grading.plan(grades=dict.fromkeys(["FAR", "ELSEWHERE", "ANOTHERS", "OTHERREPO"], 3))
    async with running_service() as service:
        agent = Agent(service)
        await work(agent)
        block = await agent.stop("Done.")
    assert grading.offered[0] == "NEAR"
    assert sorted(grading.offered) == ["ANYWHERE", "FAR", "NEAR"]
    assert "FAR" in block
    assert not {"ELSEWHERE", "ANOTHERS", "OTHERREPO"} & {entry.id for one in grading.decisions() for entry in one.pool}
    assert grading.decisions()[-1].policy == "graded"


async def test_without_a_certain_one_the_likely_are_handed_over_with_the_next_prompt(grading: Grading) -> None:
    grading.plan(grades={"FAR": 2})
    async with running_service() as service:
        agent = Agent(service)
        await work(agent)
        assert await agent.stop("Done.") == ""
        assert "FAR" in await agent.prompt("Go on.")
    assert grading.decisions()[-1].channel == "free"


async def test_no_more_are_offered_than_a_grader_can_read(grading: Grading) -> None:
    many = [lesson(f"L{number}", f"Is the retry limit number {number} right?") for number in range(GRADER_LESSONS + 50)]
    write_lessons(grading.home, *many, NEAR)
    grading.plan(grades={})
    async with running_service() as service:
        agent = Agent(service)
        await work(agent)
        await agent.stop("Done.")
    assert len(grading.offered) == GRADER_LESSONS
    assert "NEAR" in grading.offered


@pytest.mark.parametrize(
    "plan", [{"sleep": 600, "grades": {}}, {"say": "no idea"}, {"grades": {"FAR": 3}, "exit": 1}, {"say": '{"FAR": "3"}'}]
)
async def test_one_that_is_slow_or_broken_leaves_it_to_the_words(
    grading: Grading, plan: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in plan:
        monkeypatch.setattr(grader_module, "GRADER_SECONDS", 0.1)
    grading.plan(**plan)
    async with running_service() as service:
        agent = Agent(service)
        await work(agent)
        assert "NEAR" in await agent.stop("Done.")
        assert service.status()["grader_failures"] == 1
    assert grading.decisions()[-1].policy == "budget"


@pytest.mark.parametrize("command", [["/nowhere/at/all"], ["/"], [sys.executable, "-c", "import os; os.close(0)"]])
async def test_one_that_cannot_run_or_does_not_read_leaves_it_to_the_words(grading: Grading, command: list[str]) -> None:
    grading.configure(command)
    async with running_service() as service:
        agent = Agent(service)
        for number in range(12):  # more than a pipe holds
            await agent.prompt(f"{number} {TASK}" + " and so on" * 2000)
        await agent.edit("src/config.py", "LIMIT = 8")
        await agent.stop("Done.")
        assert service.status()["grader_failures"] == 1


async def test_a_grader_and_a_floor_that_are_set_while_the_daemon_runs_serve_from_then_on(grading: Grading) -> None:
    grading.configure([])
    grading.plan(grades={"FAR": 3})
    async with running_service() as service:
        agent = Agent(service)
        await work(agent)
        write_config(
            grading.home,
            f"[recall]\nholdout = 0.0\npolicy = 'budget'\n"
            f"floor = 0.07\ngrader = {json.dumps([sys.executable, str(grading.program)])}\n"
            "[people]\nengineer = 'mira'\n",
        )
        service.watcher.rescan()
        assert "FAR" in await agent.stop("Done.")
        assert service.assembly is not None
        assert service.assembly.outcomes.floor == 0.07


HANGS = """
import os, subprocess, sys, time
child = subprocess.Popen(["sleep", "600"])
print(child.pid, file=open(sys.argv[1], "a"), flush=True)
time.sleep(600)
"""


async def test_a_grader_that_is_given_up_goes_with_its_children(tmp_path: Path) -> None:
    program, pids = tmp_path / "hangs.py", tmp_path / "pids"
    program.write_text(HANGS)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(answer_of, (sys.executable, str(program), str(pids)), b"")
        while not (pids.exists() and pids.read_text().endswith("\n")):  # noqa: ASYNC110 (another process makes it)
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    child = int(pids.read_text())
    wait_for(lambda: not is_running(child))


async def test_a_grader_that_hangs_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, now = tmp_path / "hangs.py", [1000.0]
    program.write_text("import time; time.sleep(600)")
    grader = Grader((sys.executable, str(program)), lambda: now[0])
    near = msgspec.convert(NEAR, Lesson)
    monkeypatch.setattr(grader_module, "GRADER_SECONDS", 0.05)
    for number in range(MISSES):
        assert not grader.resting
        assert await grader.grade("text", [near]) is None
        assert grader.failures == number + 1
    assert grader.resting
    assert await grader.grade("text", [near]) is None
    assert grader.failures == MISSES, "nobody waited for it"
    now[0] += REST_S
    assert not grader.resting
    monkeypatch.setattr(grader_module, "GRADER_SECONDS", 60.0)
    program.write_text("import sys; sys.stdin.read(); print('{\"NEAR\": 3}')")
    assert await grader.grade("text", [near]) == {"NEAR": 3}


def is_running(pid: int) -> bool:
    """Whether ``pid`` still runs; a zombie that nobody has reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "words", [["/nowhere/grader"], ["false"], ["sh", "-c", "echo no json"], ["sh", "-c", "exec <&-; echo '[]'"]]
)
async def test_a_grader_that_cannot_answer_is_nothing(words: list[str]) -> None:
    grader = Grader(tuple(words))
    assert await grader.grade("text" * 100_000, [msgspec.convert(NEAR, Lesson)]) is None
    assert grader.failures == 1
