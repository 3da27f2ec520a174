"""Secrets are taken out of a text before it is cut into lines, paths or names: the parts of one look like nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.lessons.rules_file import candidates
from borgd.pipeline.outcome_stage import KEPT_LINES, LINE_CHARS, last_lines
from borgd.stores.last_events import LastEvents, read_last_events
from tests.pipeline.test_no_secret_in_any_file import SECRETS, found_in


@pytest.mark.parametrize("secret", ["".join(one) for one in SECRETS if "\n" not in "".join(one)])
@pytest.mark.parametrize("form", ["{}", "`{}`", "see {}/x.py", "`src/a.py` and {}"])
def test_no_situation_of_a_rule_names_one(secret: str, form: str) -> None:
    rules = candidates(f"- Always cap the retry limit, {form.format(secret)}\n", "CLAUDE.md")
    assert rules
    assert not found_in("\n".join(text for rule in rules for text in rule.situations))


def test_the_name_of_an_event_is_not_kept_with_one(tmp_path: Path) -> None:
    events = LastEvents(tmp_path)
    for name in ("Stop", "AKIAQ3EGRTYU7890ASDF"):
        events.note("claude-code", name, 1)
    events.save()
    kept = read_last_events(tmp_path)["claude-code"]
    assert "Stop" in kept
    assert not found_in(" ".join(kept))


@pytest.mark.parametrize("secret", ["".join(one) for one in SECRETS])
@pytest.mark.parametrize("before", [0, LINE_CHARS - 60, LINE_CHARS - 20, LINE_CHARS - 5])
@pytest.mark.parametrize("after", [0, KEPT_LINES - 3, KEPT_LINES - 2, KEPT_LINES - 1, KEPT_LINES])
def test_no_edited_line_keeps_one(secret: str, before: int, after: int) -> None:
    lines = last_lines(f"{'x ' * (before // 2)}{secret}\n" + "y = 1\n" * after)
    assert not found_in("\n".join(lines))
    assert len(lines) <= KEPT_LINES
