"""``borg no`` at a prompt's start, in the shapes people type it."""

from __future__ import annotations

import pytest

from borgd.lessons.corrections.veto import Veto, parse


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("borg no", Veto("", "")),
        ("Borg, no!", Veto("", "")),
        ("/borg no: we left that service", Veto("we left that service", "")),
        ("  borg no - wrong system\nnow go on", Veto("wrong system\nnow go on", "")),
        (
            "borg no it is generated --invariant never edit dist/ by hand",
            Veto("it is generated", "never edit dist/ by hand"),
        ),
        ("borg no --invariant 'keep it sorted'", Veto("", "keep it sorted")),
        ('borg no --invariant="keep it"', Veto("", "keep it")),
        ("borg now", None),
        ("borg non", None),
        ("borg no-op flag", None),
        ("the borg no", None),
        ("borg, nothing to do", None),
        ("", None),
    ],
)
def test_parse(prompt: str, expected: Veto | None) -> None:
    assert parse(prompt) == expected
