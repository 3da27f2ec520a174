"""Corrected today, the same kind of task tomorrow between two others, through a real Claude Code: the lesson comes with the
edit that shows its sign, a Stop asks only the session that left the point open, and what it was worth is learned.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.agents.claude import Home
from tests.agents.claude_host import Hosted
from tests.agents.scripted_model import Script, ScriptedModel, Turn, texts

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

CORRECTION = "No, that's wrong. Stock is never set in Orion, it is moved with ledger.move, or the audit does not add up."
FLAGS = (
    "--question 'Is stock in Orion moved with ledger.move instead of being set?' "
    "--consequence 'The audit does not add up.' --scope Orion "
    "--situation 'book goods in or out, returns, recounts' --situation 'change how many of an article there are' "
    r"--sign 'stock\s*[-+]?=' --sign '\.stock\b' --handled 'ledger\.move\('"
)
HINT = re.compile(r"(\S*/bin/borg lesson propose --episode E\w+)")
OPEN = "def take_back(article, count):\n    article.stock = article.stock + count\n    article.save()\n"
DONE = "def take_back(article, count):\n    ledger.move(article, count, 'returned')\n"


class Obedient(ScriptedModel):
    """Files by the hint's own command, and answers the question that a Stop asks."""

    def _pick(self, body: dict[str, Any]) -> tuple[Turn, str]:
        turn, tag = super()._pick(body)
        told = HINT.search(texts(body))
        if turn.get("file") and told is not None:
            call = {"name": "Bash", "input": {"command": f"{told[1]} {FLAGS}", "description": "file it"}}
            return {"text": "Filing it.", "tools": [call]}, tag
        return turn, tag


@pytest.fixture
def home(claude_home: Home) -> Home:
    (claude_home.root / ".config/borgd").mkdir(parents=True)
    (claude_home.root / ".config/borgd/config.toml").write_text("[recall]\nholdout = 0.0\n")
    claude_home.borg("install", "claude-code", "--allow", "--apply")
    claude_home.borg("start")
    return claude_home


def write(home: Home, name: str, content: str) -> Turn:
    call = {"name": "Write", "input": {"file_path": str(home.project / name), "content": content}}
    return {"text": "Writing.", "tools": [call]}


def filed(home: Home) -> str:
    """The lesson that the first day leaves; its id."""
    script = Script(
        [
            write(home, "src/goods_in.py", "def goods_in(article, count):\n    article.stock += count\n"),
            {"text": "Goods that come in are added to the stock."},
            {"file": True, "text": "Noted."},
            write(home, "src/goods_in.py", "def goods_in(article, count):\n    ledger.move(article, count, 'in')\n"),
            {"text": "Goods are moved in the ledger now."},
        ]
    )
    with Obedient(script) as model, Hosted(home, model, "--permission-mode", "acceptEdits") as claude:
        claude.say("Book goods in when a delivery arrives.")
        claude.say(CORRECTION)
    [waiting] = home.json("lesson", "ratify")["waiting"]
    [done] = home.json("lesson", "ratify", "--keep", waiting["proposal"]["id"])["done"]
    return str(done["lesson"])


def belief(home: Home, lesson: str) -> float:
    found = home.json("lesson", "show", lesson)["memory"]["belief"]
    return float(found["alpha"] / (found["alpha"] + found["beta"]))


def lessons_in(body: dict[str, Any], lesson: str) -> int:
    return json.dumps(body).count(f"{lesson}: Is stock")


def next_day(home: Home, lesson: str, written: str) -> tuple[list[dict[str, Any]], int]:
    """The requests of one session with three tasks, the second like the corrected one; how many of them before that."""
    script = Script(
        [
            write(home, "docs/paper.css", "body { font: 12pt serif }\n"),
            {"text": "The delivery note has the new font."},
            write(home, "src/returns.py", written),
            {"text": "Returned goods are taken back."},
            {"text": f"{lesson}: applies - it is moved in the ledger now"},
        ]
    )
    with Obedient(script) as model, Hosted(home, model, "--permission-mode", "acceptEdits") as claude:
        claude.say("Set the delivery note in a serif font.")
        before = len(model.main)
        claude.say("Customers send articles back: let the warehouse take them in again.")
        after = len(model.main)
        claude.say("What is the longest name of a file here?")
    return model.main[:after], before


def test_the_line_comes_with_the_edit_and_the_block_where_the_point_was_left_open(home: Home) -> None:
    lesson = filed(home)
    at_first = belief(home, lesson)
    requests, before = next_day(home, lesson, OPEN)
    assert not any(lessons_in(body, lesson) for body in requests[:before]), "another task brings nothing"
    assert lessons_in(requests[before + 1], lesson) == 1, "the line comes with the edit, or before it, and once"
    assert "Before you finish" in texts(requests[-1]), "the Stop asks"
    assert belief(home, lesson) > at_first


def test_who_deals_with_the_point_is_not_asked(home: Home) -> None:
    lesson = filed(home)
    requests, before = next_day(home, lesson, DONE)
    assert len(requests) == before + 2, "the turn ends at its first Stop"
    assert not any("Before you finish" in texts(body) for body in requests)
