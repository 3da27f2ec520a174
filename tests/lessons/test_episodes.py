"""An episode is private raw material: bounded, without secrets, the same when it is read twice."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.corrections.detect import Correction
from borgd.lessons.episodes import CORRECTION_CHARS, HINT_CHARS, PROPOSAL_CHARS, TASK_CHARS, episode, hint

KEY = "ghp_" + "a1B2" * 9


def made(text: str = "No, use the queue.", **fields: Any) -> Any:
    correction = Correction(text=text, rule="en-no", reason="r", strength=0.8)
    known: dict[str, Any] = {"ms": 1, "agent": "claude-code", "session": "s1", **fields}
    return episode(correction, **known)


def test_no_secret_stays_in_any_field() -> None:
    one = made(
        f"no, password=hunter2 {KEY}", task=f"use {KEY}", proposal=f"export TOKEN={KEY}\n-----BEGIN PRIVATE KEY-----\nabc"
    )
    assert "a1B2" not in str(one)
    assert "hunter2" not in str(one)
    assert "abc" not in one.proposal


def test_the_same_correction_has_the_same_id_wherever_it_was_heard() -> None:
    assert made(ms=1).id == made(ms=2, task="x").id
    assert made().id != made(session="s2").id
    assert made().id != made("No, use the table.").id


@given(st.text(), st.text(), st.text())
def test_bounds_and_the_hint(text: str, task: str, proposal: str) -> None:
    one = made(text * 30, task=task * 30, proposal=proposal * 30)
    assert len(one.correction) <= CORRECTION_CHARS
    assert len(one.task) <= TASK_CHARS
    assert len(one.proposal) <= PROPOSAL_CHARS
    said = hint(one)
    assert len(said) <= HINT_CHARS < 300
    assert f"borg lesson propose --episode {one.id}" in said
    assert said.startswith("[borg]")
