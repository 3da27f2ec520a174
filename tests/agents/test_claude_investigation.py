"""A subagent of a real Claude Code that only reads: three retrieval calls, and the fourth is refused with a reason."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.agents.claude import Home
from tests.agents.claude_tui import Terminal
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

EXPLORER = r"^(?!.*PARENTMARK).*EXPLOREMARK read"
"""The subagent's requests hold its own prompt and not its parent's."""

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]


def read(home: Home, number: int) -> Turn:
    path = str(home.project / f"src/f{number}.py")
    return {"text": f"Reading {number}.", "tools": [{"name": "Read", "input": {"file_path": path}}]}


def results(request: dict[str, Any]) -> list[str]:
    """The tool results in a request, in order."""
    blocks = [
        block for message in request["messages"] if isinstance(message["content"], list) for block in message["content"]
    ]
    return [json.dumps(block) for block in blocks if block.get("type") == "tool_result"]


def test_the_fourth_retrieval_of_an_exploring_subagent_is_refused(claude_home: Home) -> None:
    home = claude_home
    for number in range(4):
        (home.project / f"src/f{number}.py").write_text(f"VALUE = {number}\n")
    config = home.root / ".config/borgd"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        "[investigation.subagent]\nmode = 'enforce'\nmax_retrieval_calls = 3\nmax_iterations = 'none'\n"
    )
    home.borg("install", "claude-code", "--apply")
    home.borg("start")
    spawn = {
        "description": "look",
        "prompt": "EXPLOREMARK read the files",
        "subagent_type": "Explore",
        "run_in_background": False,
    }
    turns = [*(read(home, number) for number in range(4)), {"text": "I conclude from three files."}]
    delegating = {"text": "Delegating.", "tools": [{"name": "Agent", "input": spawn}]}
    script = Script([delegating, {"text": "Done."}], threads={EXPLORER: turns})
    with ScriptedModel(script) as model:
        ran = home.claude(model, "PARENTMARK find out what the values are")
    assert ran.code == 0, ran.err
    explored = model.thread(EXPLORER)
    assert len(explored) == 5
    last = results(explored[4])
    assert ["VALUE" in one for one in last] == [True, True, True, False]
    assert "3 of 3 retrieval" in last[3], "what was spent"
    assert "borg investigate extend" in last[3], "what to do now"
    assert "three files" in texts(model.main[1])
    spent = home.json("investigate", "status")
    assert "EXPLOREMARK" not in json.dumps(spent)
    assert home.borg("audit", "verify").code == 0
    end = time.monotonic() + 60
    while not (denials := [one for one in home.json("audit")["verdicts"] if one["verdict"] == "deny"]):
        assert time.monotonic() < end, "the denial never came into the trail, which is written behind the answer"
        time.sleep(0.1)
    assert len(denials) == 1


def test_a_person_in_the_terminal_is_told_why_a_specialist_is_not_switched_to(claude_home: Home) -> None:
    home = claude_home
    config = home.root / ".config/borgd"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[escalation]\nspecialists = ['*haiku*']\nmin_local_iterations = 3\n")
    home.borg("install", "claude-code", "--apply")
    home.borg("start")
    with ScriptedModel(Script([{"text": "Hello."}, {"text": "Still-here."}])) as model, Terminal(home, model) as screen:
        screen.wait("❯")
        screen.type("hello")
        screen.press("enter")
        screen.wait("Hello")
        screen.type("/model haiku")
        screen.press("enter")
        screen.wait("blockedbyaPreModelSwitchhook|blocked by a PreModelSwitch hook")
        screen.type("more")
        screen.press("enter")
        screen.wait("Still-here")
    assert len({request["model"] for request in model.main}) == 1
