"""Constants by name."""

from __future__ import annotations

import math

import pytest

from borgd.errors import UsageError
from borgd.recall.policy import RecallPolicy, changed, names


def test_every_constant_has_a_name() -> None:
    assert {"relative", "belief.ignored", "activation.threshold", "early_chars", "holdout"} <= names().keys()


def test_text_from_a_command_line() -> None:
    policy = changed(RecallPolicy(), {"RELATIVE": "0.7", "belief.ignored": "1", "explore": "false", "ask_cap": "null"})
    assert (policy.relative, policy.memory.belief.ignored, policy.explore, policy.ask_cap) == (0.7, 1.0, False, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("relatve", 1),
        ("belief", 1),
        ("relative", "x"),
        ("cap", 1.5),
        ("low", math.nan),
        ("grader_rule", "none"),
        ("holdout", "1.5"),
        ("low", "inf"),
    ],
)
def test_what_cannot_be(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=name):
        changed(RecallPolicy(), {name: value})
