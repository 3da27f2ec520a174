"""The agent files what it was corrected for, at default permissions and without a dialog; a skill reads the past."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from borgd.stores.installed.command import is_permission
from tests.agents.claude import Home
from tests.agents.claude_host import Hosted
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

TASK = "Raise the retries of the uploader to 8."
CORRECTION = "stop, not there. uploader settings live in config/uploader.toml and nowhere else"
FLAGS = (
    "--question 'Are settings of the uploader in config/uploader.toml and nowhere else?' "
    "--consequence 'Two places disagree after a deploy.' --situation 'raise the retries of the uploader'"
)
HINT = re.compile(r"(\S*/bin/borg lesson propose (?:--episode E\w+|--session [\w-]+ --turn \d+))")


class Filing(ScriptedModel):
    """Runs the command that the hint holds, with the flags of the turn that says ``file``."""

    def _pick(self, body: dict[str, Any]) -> tuple[Turn, str]:
        turn, tag = super()._pick(body)
        told = HINT.search(texts(body))
        if "file" not in turn or told is None:
            return turn, tag
        call = {"name": "Bash", "input": {"command": f"{told[1]} {turn['file']}", "description": "file it"}}
        return {"text": "Filing it.", "tools": [call]}, tag


@pytest.fixture
def home(claude_home: Home) -> Home:
    (claude_home.root / ".config/borgd").mkdir(parents=True)
    (claude_home.root / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\n")
    claude_home.borg("install", "claude-code", "--allow", "--apply")
    claude_home.borg("start")
    return claude_home


def use(tool: str, **given: str) -> Turn:
    return {"text": "Going on.", "tools": [{"name": tool, "input": given}]}


def test_corrected_mid_turn_filed_tried_filed_again_and_ratified(home: Home) -> None:
    settings = json.loads((home.root / ".claude/settings.json").read_text())
    assert [entry for entry in settings["permissions"]["allow"] if is_permission(entry)]
    script = Script(
        [
            use("Write", file_path=str(home.project / "src/uploader.py"), content="RETRIES = 8\n"),
            use("Bash", command='python3 -c "import time; time.sleep(6)"', description="wait"),
            use("Write", file_path=str(home.project / "config/uploader.toml"), content="[uploader]\nretries = 8\n"),
            {"file": FLAGS, "text": "Nothing to file."},
            {"file": f"{FLAGS} --sign 'RETRIES ?=' --handled '\\[uploader\\]'", "text": "Nothing to file."},
            {"text": "The setting is in config/uploader.toml now."},
        ]
    )
    with Filing(script) as model, Hosted(home, model, "--permission-mode", "default") as claude:
        claude.interject(TASK)
        end = time.monotonic() + 60
        while len(model.main) < 2 and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(1.5)
        claude.interject(CORRECTION)
        claude.results.get(timeout=60)
    asked = [request["input"].get("command", "") for request in claude.asked]
    assert not [command for command in asked if "lesson propose" in command], "filing needs no dialog"
    answer = texts(model.main[4])
    assert "is proposed" in answer
    assert "no --sign" in answer, "the trial's answer reaches the agent"
    [waiting] = home.json("lesson", "ratify")["waiting"]
    assert waiting["correction"] == CORRECTION
    assert waiting["proposal"]["signs"] == ["RETRIES ?="]
    assert waiting["trial"]["signs_in_mistake"] == 1
    assert waiting["trial"]["handled_in_repair"] == 1
    [done] = home.json("lesson", "ratify", "--keep", waiting["proposal"]["id"])["done"]
    assert home.json("lesson", "show", done["lesson"])["handled"] == ["\\[uploader\\]"]


def test_the_skill_reads_the_past_and_hands_it_over(home: Home) -> None:
    rows: list[dict[str, Any]] = [
        {"role": "user", "content": "add the price to the export"},
        {"role": "assistant", "id": "m1", "content": [{"type": "text", "text": "The export has the price as a float."}]},
        {"role": "user", "content": "no, that's wrong: prices are Decimal everywhere here, never float"},
        {"role": "assistant", "id": "m2", "content": [{"type": "text", "text": "You're right, it is Decimal now."}]},
    ]
    base = {"sessionId": "old1", "cwd": "/nowhere", "timestamp": "2026-11-20T08:00:00.000Z", "isSidechain": False}
    past = home.root / ".claude/projects/-nowhere/old1.jsonl"
    past.parent.mkdir(parents=True)
    past.write_text("".join(json.dumps(base | {"type": row["role"], "message": row}) + "\n" for row in rows))
    command = home.root / ".local/share/borgd/bin/borg"
    script = Script([use("Bash", command=f"{command} assimilate --apply --json", description="read"), {"text": "Read."}])
    with ScriptedModel(script) as model:
        ran = home.claude(model, "/borg-learn")
    assert ran.code == 0, ran.err
    assert "Learn from past transcripts" in texts(model.main[0]), "the skill was loaded"
    assert "prices are Decimal everywhere here" in texts(model.main[1]), "what was found reaches the agent"
