"""Questions and plans of a real Claude Code: in the terminal all come up; where nobody is, the fourth waits in the inbox."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.claude import Home
from tests.agents.claude_host import Hosted
from tests.agents.claude_tui import Terminal
from tests.agents.scripted_model import PLAN_FILE, Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

LABELS = ["Tabs", "Spaces"]
ANSWER = "Spaces, four of them, as in the style guide"


def ask(question: str) -> Turn:
    options = [{"label": label, "description": label} for label in LABELS]
    asked = {"question": question, "header": "Style", "options": options, "multiSelect": False}
    return {"text": "Asking.", "tools": [{"name": "AskUserQuestion", "input": {"questions": [asked]}}]}


@pytest.fixture
def home(claude_home: Home) -> Home:
    claude_home.borg("install", "claude-code", "--apply")
    claude_home.borg("start")
    return claude_home


def questions(claude: Hosted) -> list[str]:
    """What the host was asked to put to the person."""
    return [one["input"]["questions"][0]["question"] for one in claude.asked if one["tool_name"] == "AskUserQuestion"]


def test_three_a_day_come_up_untouched_and_the_fourth_waits_and_is_answered(home: Home) -> None:
    ordinary = [f"Which indentation for file {number}?" for number in range(1, 5)]
    stated = "[confidence 0.95 stakes 0.2]"
    costly = "Drop the production table users? It cannot be undone. [stakes 0.95 confidence 0.9]"
    turns = [ask(f"{one} {stated}" if number < 3 else one) for number, one in enumerate(ordinary)]
    script = Script([*turns, ask(costly), {"text": "Going on with tabs."}, {"text": "Then spaces."}])
    with ScriptedModel(script) as model, Hosted(home, model) as claude:
        claude.say("Ask me what you need.")
        assert [one.split(" [")[0] for one in questions(claude)] == [*ordinary[:3], costly.split(" [", maxsplit=1)[0]]
        for request in claude.asked:
            assert "answers" not in request["input"], "the question reached the picker as the agent wrote it"
        [waiting] = home.json("inbox")["asks"]
        assert "file 4" in waiting["question"]
        told = texts(model.main[4])
        assert "inbox" in told
        assert "you recommended no option" in told, "nothing is made up for the agent"
        home.borg("inbox", "answer", str(waiting["number"]), ANSWER)
        claude.say("Go on.")
        assert ANSWER not in texts(model.main[-2])
        assert ANSWER in texts(model.main[-1])
    spent: dict[str, Any] = home.json("status")["service"]["interrupts"]["scopes"]["__global__"]
    assert (spent["spent"], spent["bypass"]) == (4, 1)
    assert home.json("inbox")["asks"] == []


def configure(home: Home, text: str) -> None:
    (home.root / ".config/borgd").mkdir(parents=True)
    (home.root / ".config/borgd/config.toml").write_text(text)
    home.borg("stop")
    home.borg("start")


EXIT: Turn = {"text": "Here it is.", "tools": [{"name": "ExitPlanMode", "input": {}}]}
PLAN = "1. Rename add to plus\n2. Run the tests"


def test_a_plan_that_waits_is_approved_in_the_inbox_and_goes_through_at_the_next_exit(home: Home) -> None:
    configure(home, "[interrupts]\ndaily_interrupt_budget = 0\nplan = 'meter'\n")
    write = {"text": "Writing.", "tools": [{"name": "Write", "input": {"file_path": PLAN_FILE, "content": PLAN}}]}
    script = Script([write, EXIT, {"text": "I wait."}, EXIT, {"text": "On it."}])
    with ScriptedModel(script) as model, Hosted(home, model, "--permission-mode", "plan") as claude:
        claude.say("Plan a rename.")
        assert [one["tool_name"] for one in claude.asked] == []
        assert "call ExitPlanMode again" in texts(model.main[2])
        [waiting] = home.json("inbox")["asks"]
        assert (waiting["kind"], waiting["body"]) == ("plan", PLAN)
        home.borg("inbox", "answer", str(waiting["number"]), "approve")
        claude.say("Well?")
        assert [one["tool_name"] for one in claude.asked] == ["ExitPlanMode"], "it came to the host's own dialog"
        assert "it goes through once" in texts(model.main[3])


def test_in_the_terminal_ten_questions_and_three_plans_all_come_up_and_all_are_counted(home: Home) -> None:
    asks = [ask(f"Which indentation for file {number}?") for number in range(10)]
    script = Script([*asks, EXIT, EXIT, EXIT, {"text": "All is decided now."}])
    with ScriptedModel(script) as model, Terminal(home, model, "--permission-mode", "plan") as screen:
        screen.wait("❯")
        screen.type("Ask me what you need.")
        screen.press("enter")
        for number in range(10):
            screen.wait(rf"file\s*{number}[\s\S]*Spaces[\s\S]*cancel")
            screen.settle()
            screen.press("enter")
        for _ in range(3):
            screen.wait(r"2\.\s*No")
            screen.press("down")
            screen.press("enter")
            screen.wait(r"Rejected")
            screen.type("Another plan please.")
            screen.press("enter")
        screen.wait("decided")
    status = home.json("status")["service"]["interrupts"]
    assert (status["counted"]["question"], status["counted"]["plan"]) == (10, 3)
    assert status["scopes"]["__global__"]["spent"] == 0


def test_a_lowered_model_is_used_and_grants_nothing(home: Home) -> None:
    configure(home, "[effort]\nmodel_ceiling = 'sonnet'\n")
    spawn = {"description": "look", "prompt": "LOOK AROUND", "subagent_type": "general-purpose", "model": "opus"}
    turn = {"text": "Looking.", "tools": [{"name": "Agent", "input": {**spawn, "run_in_background": False}}]}
    script = Script([turn, {"text": "Done."}], threads={"LOOK AROUND": [{"text": "seen"}]})
    with ScriptedModel(script) as model, Hosted(home, model) as claude:
        claude.say("Look.")
    assert "sonnet" in model.thread("LOOK AROUND")[0]["model"]


def test_in_the_terminal_the_picker_shows_the_question_and_takes_the_answer(home: Home) -> None:
    script = Script([ask("Which indentation do you want?"), {"text": "All is decided now."}])
    with ScriptedModel(script) as model, Terminal(home, model) as screen:
        screen.wait("❯")
        screen.type("Ask me what you need.")
        screen.press("enter")
        shown = screen.wait(r"Spaces")
        assert "Which" in shown
        assert "Tabs" in shown
        screen.press("down")
        screen.press("enter")
        screen.wait("decided")
    assert "Spaces" in texts(model.main[1])
    status = home.json("status")["service"]["interrupts"]
    assert (status["counted"]["question"], status["scopes"]["__global__"]["spent"]) == (1, 0)
    assert (status["observed"], status["possible"]) == (0, 0), "the picker's own permission event is the same interruption"
