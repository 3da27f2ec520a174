"""What a person types while Claude Code works, a slash command, and a subagent's own prompt reach borgd."""

from __future__ import annotations

import json
import time

import pytest

from borgd.journal import Journal
from borgd.lessons.episodes import Episode
from tests.agents.claude import Home
from tests.agents.claude_host import Hosted
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

QUESTION = "Does the Quay scheduler keep its lock while it sleeps?"
LESSON = {
    "id": "QUAY",
    "version": 1,
    "ms": 1,
    "question": QUESTION,
    "consequence": "All other workers wait.",
    "scope": ["Quay"],
    "source": "written",
    "reach": "team",
}
CORRECTION = "stop, not there. uploader settings live in config/uploader.toml and nowhere else"


@pytest.fixture
def home(claude_home: Home) -> Home:
    claude_home.borg("install", "claude-code", "--apply")
    (claude_home.root / ".config/borgd").mkdir(parents=True)
    (claude_home.root / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\n")
    data = claude_home.root / ".local/share/borgd"
    data.mkdir(parents=True, exist_ok=True)
    (data / "lessons.jsonl").write_text(json.dumps(LESSON) + "\n")
    claude_home.borg("start")
    return claude_home


def use(tool: str, **given: str) -> Turn:
    return {"text": "Going on.", "tools": [{"name": tool, "input": given}]}


def test_a_correction_typed_while_it_works_is_heard_in_that_turn(home: Home) -> None:
    script = Script(
        [
            use("Write", file_path=str(home.project / "src/uploader.py"), content="RETRIES = 8\n"),
            use("Bash", command='python3 -c "import time; time.sleep(6)"', description="wait"),
            {"text": "The retries are 8 now."},
        ]
    )
    options = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash(python3:*)")
    with ScriptedModel(script) as model, Hosted(home, model, *options) as claude:
        claude.interject("Raise the retries of the uploader to 8.")
        end = time.monotonic() + 60
        while len(model.main) < 2 and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(1.5)
        claude.interject(CORRECTION)
        claude.results.get(timeout=60)
    assert any("lesson propose" in texts(body) for body in model.main), "the agent was not told how to file it"
    [found] = Journal(home.root / ".local/share/borgd/episodes.jsonl").read(Episode).records
    assert found.correction == CORRECTION
    assert "uploader.py" in found.proposal
    assert found.task == "Raise the retries of the uploader to 8."


def test_a_task_given_by_a_slash_command_brings_its_lessons(home: Home) -> None:
    commands = home.project / ".claude/commands"
    commands.mkdir(parents=True)
    (commands / "longer.md").write_text("In Quay, does the scheduler keep its lock while it sleeps? $ARGUMENTS\n")
    script = Script([use("Read", file_path=str(home.project / "src/calc.py")), {"text": "Read."}, {"text": "Done."}])
    with ScriptedModel(script) as model:
        ran = home.claude(model, "/longer at night")
    assert ran.code == 0, ran.err
    assert any(QUESTION in texts(body) for body in model.main[:2])


def test_a_subagent_is_told_what_its_own_prompt_brings_up(home: Home) -> None:
    asked = "SUBMARK In Quay, does the scheduler keep its lock while it sleeps?"
    call = use("Agent", description="look", prompt=asked, subagent_type="general-purpose")
    script = Script([call, {"text": "It sleeps."}], threads={"SUBMARK In Quay": [{"text": "With its lock."}]})
    with ScriptedModel(script) as model:
        ran = home.claude(model, "Find out what the others do at night.", "--allowedTools", "Agent,Task")
    assert ran.code == 0, ran.err
    first = next(body for body in (one for thread, one in model.requests if thread != "side") if asked in texts(body))
    assert QUESTION in texts(first)
