"""Whether a turn changed something: looks and what cannot be told are no change, so that Stop asks nothing after them."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.pipeline.pipeline import changes

FORMS = [line.split("\t", 1) for line in (Path(__file__).parents[1] / "limits" / "shell_forms.tsv").read_text().splitlines()]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "opencode"])
def test_only_what_is_known_to_change_makes_a_turn_that_changed_something(agent: str) -> None:
    name = {"claude-code": "Bash", "codex": "shell", "gemini": "run_shell_command", "opencode": "bash"}[agent]
    for verdict, command in FORMS:
        tool = ToolCall(name=name, id="t", input={"command": command.replace("|NL|", "\n")})
        event = Event(agent=agent, name="x", moment=Moment.AFTER_TOOL, session="s", tool=tool)
        assert changes(event) is (verdict == "C"), command
