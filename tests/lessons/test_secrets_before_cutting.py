"""Secrets are taken out of a text before it is cut into lines, paths or names: the parts of one look like nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.lessons.rules_file import candidates
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
