"""A real Claude Code in the situations people met elsewhere: doubled hooks, delegated edits, resumed and forked sessions."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from borgd.journal import Journal
from tests.agents.claude import Home
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts
from tests.agents.test_claude_recall import DONE, QUESTION, WORK, edit, home

__all__ = ["home"]

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

WORKER = r"^(?!.*PARENTMARK).*WORKERMARK"
"""The subagent's requests hold its own prompt and not its parent's."""


def records(home: Home, name: str) -> list[dict[str, Any]]:
    return list(Journal(home.root / f".local/share/borgd/{name}.jsonl").read().records)


def answer(home: Home) -> Turn:
    [lesson] = home.json("lesson", "list")["lessons"]
    return {"text": f"{lesson['id']}: applies - the cap is raised to 60 s as well."}


def test_hooks_registered_twice_speak_once(home: Home) -> None:
    """The user's and the project's settings both hold our entries: each event comes twice, at the same time."""
    (home.project / ".claude").mkdir()
    hooks = json.loads((home.root / ".claude/settings.json").read_text())["hooks"]
    other = home.root / "second" / "borg-hook"  # another command line, or the host itself would drop the copy
    shutil.copytree(home.root / ".local/share/borgd/hook", other.parent)
    for groups in hooks.values():
        groups[0]["hooks"][0]["command"] = str(other)
    (home.project / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    with ScriptedModel(Script([edit(home), DONE, answer(home)])) as model:
        ran = home.claude(model, WORK)
    assert ran.code == 0, ran.err
    assert texts(model.main[0]).count(QUESTION) == 1
    assert len(model.main) == 3
    assert [one["channel"] for one in records(home, "decisions")] == ["early", "stop"]
    judged = [(one["decision"], one["lesson"]) for one in records(home, "outcomes")]
    assert len(judged) == len(set(judged)) == 2
    assert "changed" in [one["kind"] for one in records(home, "outcomes")]


def test_edits_by_a_subagent_are_asked_about_at_the_end_of_the_turn(home: Home) -> None:
    """The main thread changes nothing itself; the work it delegated is its work."""
    spawn = {
        "description": "raise the retry limit",
        "prompt": "WORKERMARK raise the retry limit of the uploader",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    delegating: Turn = {"text": "Delegating.", "tools": [{"name": "Agent", "input": spawn}]}
    script = Script([delegating, DONE, answer(home)], threads={WORKER: [edit(home), {"text": "Raised to 8."}]})
    with ScriptedModel(script) as model:
        ran = home.claude(model, f"PARENTMARK {WORK}")
    assert ran.code == 0, ran.err
    assert len(model.thread(WORKER)) == 2
    assert (home.project / "src/uploader_retry.py").exists()
    assert len(model.main) == 3, "delegated, finished, asked once"
    assert "stop" in [one["channel"] for one in records(home, "decisions")]


@pytest.mark.parametrize("how", ["--continue", "--resume"])
def test_a_session_that_goes_on_is_not_told_again(home: Home, how: str) -> None:
    """Whatever id the host goes on under, what the conversation already holds does not come a second time."""
    with ScriptedModel(Script([{"text": "Which cap do you mean?"}])) as model:
        assert home.claude(model, WORK).code == 0
        assert QUESTION in texts(model.main[0])
    sessions = {one["session"] for one in records(home, "decisions")}
    words = [how] if how == "--continue" else [how, sessions.pop()]
    with ScriptedModel(Script([{"text": "All right."}])) as model:
        ran = home.claude(model, WORK + " The cap of the uploader.", *words)
    assert ran.code == 0, ran.err
    assert texts(model.main[0]).count(QUESTION) == 1, "the one that is in the conversation"
    assert len(records(home, "decisions")) == 1


def test_a_worktree_is_the_same_place(home: Home) -> None:
    """Run from a linked worktree, a lesson of this repository alone comes as in the main checkout."""
    tree = home.root / "hotfix"
    subprocess.run(
        ["git", "worktree", "add", "-q", str(tree)], cwd=home.project, env=home.env, check=True, capture_output=True
    )
    [lesson] = home.json("lesson", "list")["lessons"]
    home.borg("lesson", "edit", lesson["id"], "--reach", "repo")
    assert records(home, "lessons")[-1]["repo"] == "team/orion"
    with ScriptedModel(Script([{"text": "Which cap do you mean?"}])) as model:
        ran = home.claude(model, WORK, cwd=tree)
    assert ran.code == 0, ran.err
    assert QUESTION in texts(model.main[0])
    assert {one["repo"] for one in records(home, "decisions")} == {"team/orion"}
