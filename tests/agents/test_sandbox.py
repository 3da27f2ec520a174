"""What a command that an agent's sandbox forbids says: what to allow, in that agent's own words; elsewhere nothing more."""

from __future__ import annotations

import errno
import os

import pytest

from borgd.agents.sandbox import SANDBOXES, how_to_allow, is_refusal

PATHS = ("/run/b.sock", "/data/b", "/state/b")


@pytest.mark.parametrize(("agent", "variable"), [(one.agent, name) for one in SANDBOXES for name in one.variables])
def test_each_sandbox_is_known_by_each_of_its_signs(agent: str, variable: str) -> None:
    said = how_to_allow({variable: "1", "PATH": "/bin"}, *PATHS)
    assert f"in {agent}'s sandbox" in said
    assert "/data/b" in said
    assert "/state/b" in said
    assert "restart" not in said
    assert "{" not in said


def test_outside_a_sandbox_nothing_is_said() -> None:
    assert how_to_allow({"HOME": "/h", "CODEX_SANDBOX": ""}, *PATHS) == ""


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.EROFS])
def test_what_a_sandbox_refuses_is_known_by_its_words(number: int) -> None:
    assert is_refusal(f"/data/b/lessons.jsonl.lock cannot be opened: {os.strerror(number)}; check it")
    assert not is_refusal(f"/data/b: {os.strerror(errno.ENOSPC)}")
