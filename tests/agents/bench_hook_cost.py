"""What one hook costs as each real agent sees it: runs of the same conversation with borgd and without, interleaved.

By hand: ``pytest -m perf tests/agents/bench_hook_cost.py -s`` (each agent on its variable, as in ``clients.py``). Prints the
difference of the medians over the number of hook calls in it; asserts only that every run went to its end.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest

from tests.agents.claude import Home
from tests.agents.clients import REAL_AGENTS, RealAgent, real_agent
from tests.agents.scripted_model import Script, ScriptedModel, Turn
from tests.perf.sizes import sized

pytestmark = [pytest.mark.agents, pytest.mark.perf, pytest.mark.timeout(600)]

CALLS = 8
"""design: tool calls of the conversation."""
HOOKS = 2 * CALLS + 4
"""host: before and after each call; a session's start and end, the prompt, the Stop."""
ROUNDS = sized(7, 1)


def seconds(agent: RealAgent) -> float:
    """How long one run of the conversation takes."""
    turns: list[Turn] = [{"text": "Looking.", "tools": [agent.shell(f"true # {number}")]} for number in range(CALLS)]
    with ScriptedModel(Script([*turns, {"text": "Done."}])) as model:
        began = time.perf_counter()
        ran = agent.prompt(model, "Look around.")
        took = time.perf_counter() - began
    assert ran.code == 0, ran.err
    assert len(model.main) == CALLS + 1
    return took


@pytest.mark.parametrize("name", REAL_AGENTS)
def test_what_a_hook_costs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents: dict[str, RealAgent] = {}
    for which in ("with", "without"):
        (tmp_path / which).mkdir()
        agents[which] = real_agent(name, Home(tmp_path / which))
    agents["without"].prepare()
    agents["with"].install()
    home = agents["with"].home
    home.compile_client({})
    home.borg("start")
    taken: dict[str, list[float]] = {which: [] for which in agents}
    try:
        for number in range(ROUNDS + 1):
            for which, agent in agents.items():
                took = seconds(agent)
                if number:  # the first run of a home is slower
                    taken[which].append(took)
    finally:
        home.borg("stop", check=False)
    median = {which: statistics.median(times) for which, times in taken.items()}
    cost = (median["with"] - median["without"]) / HOOKS * 1000
    with capsys.disabled():
        print(f"\n{name:<12} {cost:5.0f} ms a hook; a run {median['with']:.2f} s, {median['without']:.2f} without")
    assert [len(times) for times in taken.values()] == [ROUNDS, ROUNDS]
