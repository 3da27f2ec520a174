"""From a correction to a lesson to an outcome, through a real Claude Code: the agent proposes, a person ratifies."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.agents.claude import Home
from tests.agents.claude_host import Hosted
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

QUESTION = "When the retry limit of the Orion uploader changes, is the backoff cap raised with it?"
CONSEQUENCE = "The uploader hammers the storage backend until it is throttled."
CORRECTION = "No, that's wrong. When you raise the retry limit of the uploader, always raise the backoff cap with it."


class Proposing(ScriptedModel):
    """Answers the hint with the command that it names, as an obedient agent would."""

    def _pick(self, body: dict[str, Any]) -> tuple[Turn, str]:
        turn, tag = super()._pick(body)
        episode = re.search(r"--episode (E[a-z0-9]+)", texts(body))
        if turn.get("propose") and episode:
            command = (
                f"borg lesson propose --episode {episode[1]} --question '{QUESTION}' --consequence '{CONSEQUENCE}' "
                "--scope Orion --situation 'changing the retry limit of the uploader'"
            )
            return {
                "text": "Proposing it.",
                "tools": [{"name": "Bash", "input": {"command": command, "description": "d"}}],
            }, tag
        return turn, tag


def write(path: str, content: str) -> Turn:
    return {"text": "Writing.", "tools": [{"name": "Write", "input": {"file_path": path, "content": content}}]}


@pytest.fixture
def home(claude_home: Home) -> Home:
    claude_home.borg("install", "claude-code", "--apply")
    (claude_home.root / ".config/borgd").mkdir(parents=True)
    (claude_home.root / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\n")
    claude_home.borg("start")
    return claude_home


def test_a_correction_becomes_a_lesson_that_is_recalled_and_judged(home: Home) -> None:
    first = Script(
        [
            write(str(home.project / "src/uploader.py"), "RETRIES = 8\n"),
            {"text": "The retry limit of the uploader is 8 now; the backoff cap stays at 5 s."},
            {"propose": True, "text": "Noted."},
            {"text": "The backoff cap is 60 s now."},
        ]
    )
    options = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash(borg:*)")
    with Proposing(first) as model, Hosted(home, model, *options) as claude:
        claude.say("Raise the retry limit of the Orion uploader to 8.")
        claude.say(CORRECTION)
    assert "borg lesson propose --episode" in texts(model.main[2]), "the agent was not told that it may propose"
    assert "borg lesson propose --episode" not in texts(model.main[0])

    proposals = [one["proposal"] for one in home.json("lesson", "ratify")["waiting"]]
    assert [one["question"] for one in proposals] == [QUESTION]
    assert home.json("lesson", "list")["lessons"] == [], "nothing is recalled before a person ratified it"
    home.borg("lesson", "ratify", "--keep", proposals[0]["id"])
    [lesson] = home.json("lesson", "list")["lessons"]
    assert lesson["source"] == "correction"

    other = home.make_project(home.root / "orion-cli", "git@forge.invalid:team/orion-cli.git")
    second = Script(
        [
            write(str(other / "src/upload.py"), "RETRIES = 5\n"),
            {"text": "The retry limit of the uploader in Orion is 5 now."},
            write(str(other / "src/upload.py"), "RETRIES = 5\nCAP_S = 60\n"),
            {"text": f"{lesson['id']}: applies - the cap is 60 s now"},
        ]
    )
    with ScriptedModel(second) as model:
        ran = home.claude(model, "Raise the retry limit of the Orion uploader to 5 here as well.", cwd=other)
    assert ran.code == 0, ran.err
    assert QUESTION in texts(model.main[0])
    shown = home.json("lesson", "show", lesson["id"])
    kinds = [one["kind"] for one in shown["outcomes"]]
    assert "changed" in kinds
    assert shown["memory"]["belief"]["alpha"] > 1
