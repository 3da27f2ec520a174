"""Past sessions are read from their state files; damage and strangers' lines cost nothing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from borgd.lessons.episodes import Episode
from borgd.paths import session_file_name, user_paths
from borgd.stores.past.past_sessions import FILES, find_doubtful, past_sessions
from borgd.stores.state_lines import escape

NOW = 1_764_547_200_000
EPISODE = Episode(id="E1", ms=NOW, agent="claude-code", session="s/1", correction="shouldn't this be a view?", turn=3)


def write(name: str, *lines: str, age_days: float = 1) -> None:
    """A state file of that age."""
    paths = user_paths()
    paths.sessions.mkdir(parents=True, exist_ok=True)
    path = paths.sessions / name
    path.write_text("".join(f"{line}\n" for line in lines))
    seconds = NOW / 1000 - age_days * 86_400
    os.utime(path, (seconds, seconds))


def test_what_each_session_of_the_last_weeks_worked_on(home: Path) -> None:
    write(
        "claude-code-a.ctx",
        "prompt: fix the\\nlogin",
        "#borg-cwd /nowhere",
        "touch: auth.py",
        "typed by an editor",
    )
    write("claude-code-b.ctx", "prompt: draw", age_days=2)
    write("claude-code-a.sub1.ctx", "prompt: a subagent's")
    write("claude-code-old.ctx", "prompt: long ago", age_days=40)
    write("claude-code-empty.ctx", "#borg-cwd /nowhere")
    found = past_sessions(user_paths(), NOW)
    assert [(one.name, one.context.text, one.context.cwd) for one in found] == [
        ("claude-code-a.ctx", "fix the\nlogin\nauth.py", "/nowhere"),
        ("claude-code-b.ctx", "draw", ""),
    ]


def test_no_more_files_than_are_promised(home: Path) -> None:
    for number in range(FILES + 5):
        write(f"claude-code-{number}.ctx", "prompt: x")
    assert len(past_sessions(user_paths(), NOW)) == FILES


def test_no_sessions_yet(home: Path) -> None:
    assert past_sessions(user_paths(), NOW) == []


def test_what_may_have_been_a_correction_is_found_by_session_and_turn(home: Path) -> None:
    record = escape(msgspec.json.encode(EPISODE).decode(), 10**6)
    lines = ("#borg-doubtful 2 {broken", f"#borg-doubtful 3 {record}", "#borg-doubtful x y", "#borg-doubtful")
    write(session_file_name("claude-code", "s/1"), *lines)
    paths = user_paths()
    assert find_doubtful(paths, "s/1", 3) == EPISODE
    for session, turn in (("s/1", 2), ("s/1", 4), ("s/2", 3), ("", 3), ("../s/1", 3)):
        assert find_doubtful(paths, session, turn) is None
