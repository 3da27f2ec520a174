"""A session's state file holds no part of a secret, wherever a text is cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.agents.transcript import TranscriptFact
from borgd.sessions.facts import apply_fact
from borgd.sessions.session import PROMPT_CHARS, Session, apply_event
from borgd.sessions.state_file import StateFile

SECRETS = [
    ("AKIA", "Q3EGRTYU7890ASDF", ""),
    ("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", ""),
    ("sk-ant-api03-", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8Ba7", ""),
    ("password=", "hunter2Correct9Horse", ""),
    ("https://me:", "hunter2Correct9Horse", "@h.example/x"),
    ("Authorization: Bearer ", "hunter2Correct9Horse", ""),
    ("-----BEGIN PRIVATE KEY-----\n", "MIIEvQIBADANBgkqhkiG9w0BAQ", "\n-----END PRIVATE KEY-----"),
]
LONG_KEY = "-----BEGIN PRIVATE KEY-----\n" + "QmFzZTY0IQ\n" * 150 + "-----END PRIVATE KEY-----\n"


def say(session: Session, text: str) -> None:
    apply_event(
        session, Event(agent="claude-code", name="UserPromptSubmit", moment=Moment.PROMPT, session="s", prompt=text), 1
    )


def touch(session: Session, text: str) -> None:
    call = ToolCall(name="Read", id="t", input={"file_path": text})
    apply_event(session, Event(agent="claude-code", name="PostToolUse", moment=Moment.AFTER_TOOL, session="s", tool=call), 1)


def plan(session: Session, text: str) -> None:
    apply_fact(session, TranscriptFact(kind="plan", row=1, text=text))


def seen(session: Session, text: str) -> None:
    apply_fact(session, TranscriptFact(kind="touch", row=1, text=text))


@pytest.mark.parametrize("take", [say, touch, plan, seen])
@pytest.mark.parametrize(("head", "secret", "tail"), SECRETS)
@pytest.mark.parametrize("before", ["", LONG_KEY])
def test_no_part_of_a_secret_at_the_edge_is_written(
    take: object, head: str, secret: str, tail: str, before: str, tmp_path: Path
) -> None:
    assert callable(take)
    whole = f"{head}{secret}{tail}"
    for inside in range(1, len(whole) + 2, 5):
        filler = "cap the uploader retries " * (PROMPT_CHARS // 20)
        text = before + filler[: PROMPT_CHARS - inside - len(before)].rsplit(" ", 1)[0]
        text = f"{text.ljust(PROMPT_CHARS - inside)}{whole} and so on " + "word " * 2000
        session = Session(("claude-code", "s", ""), StateFile(tmp_path / f"{inside}.ctx"))
        take(session, text)
        session.save()
        written = session.file.path.read_text() + session.work_text() * (take in (say, plan))
        assert len(written) > 3000
        assert [part for start in range(len(secret) - 5) if (part := secret[start : start + 6]) in written] == []


def test_a_plan_told_again_is_written_once(tmp_path: Path) -> None:
    session = Session(("claude-code", "s", ""), StateFile(tmp_path / "s.ctx"))
    for _ in range(3):
        plan(session, "Use password=hunter2Correct9Horse. " + "Then cap the retries. " * 500)
    assert [kind for kind, _ in session.pending] == ["plan"]
