"""What people met with tools whose own agents were observed by the tool: their sessions are nobody's work."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from borgd.lessons.lesson import Lesson
from borgd.stores.grader import INSIDE, Grader
from tests.pipeline.test_field_stops import CAP, TASK
from tests.server.processes import CLIENT
from tests.server.support import client, running_daemon, write_lessons


def test_hooks_inside_what_we_started_say_and_leave_nothing(home: Path) -> None:
    """Not a word, not a session, not a line in the log, with and without a daemon."""
    write_lessons(home, {**CAP, "source": "constraint"})
    body = json.dumps({"session_id": "inner", "cwd": "/w/orion", "prompt": TASK}).encode()
    with running_daemon(home) as env:
        assert b"CAP" in client(env, "UserPromptSubmit", body.replace(b"inner", b"outer"))
        for event in ("SessionStart", "UserPromptSubmit", "Stop"):
            assert client({**env, INSIDE: "1"}, event, body) == b"{}\n"
        assert [path.name for path in home.rglob("*.ctx")] == ["claude-code-outer.ctx"]
    assert client({**env, INSIDE: "1"}, "SessionStart", body) == b"{}\n"
    assert not (home / ".local/state/borgd/hook.log").exists()


@pytest.mark.anyio
async def test_a_grader_that_is_an_agent_calls_no_grader(home: Path, tmp_path: Path) -> None:
    """The user's command runs where our hooks are silent."""
    program = tmp_path / "grader.py"
    program.write_text(
        "import json, subprocess, sys\n"
        f"out = subprocess.run([sys.executable, '-I', '-S', {str(CLIENT)!r}, 'claude-code', 'SessionStart'],"
        ' input=b\'{"session_id": "inner"}\', capture_output=True).stdout\n'
        "print(json.dumps({'CAP': 3} if out == b'{}\\n' else {}))\n"
    )
    grader = Grader((sys.executable, str(program)))
    lesson = Lesson(id="CAP", version=1, ms=1, question="Is it?", consequence="It breaks.")
    graded = await grader.grade("x", [lesson])
    assert graded == {"CAP": 3} or grader.failures == 1, "a machine too busy for it may have cut it short"
    assert not (home / ".local/state/borgd").exists()
