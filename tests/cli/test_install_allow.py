"""What an agent needs to file lessons by itself: a command, one permission, two skills; and the way back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from borgd.cli import dispatch
from borgd.paths import user_paths
from borgd.stores.installed.command import SKILLS, command_path, is_permission, permission, shown_command


def settings(home: Path) -> Path:
    """Claude Code's settings."""
    return home / ".claude/settings.json"


def skill(home: Path, name: str) -> Path:
    return home / ".claude/skills" / name / "SKILL.md"


def run(*argv: str) -> None:
    assert dispatch(list(argv)) == 0


def test_the_command_runs_from_anywhere_without_a_path(home: Path) -> None:
    assert shown_command(user_paths()) == "borg"
    run("install", "claude-code", "--apply")
    path = command_path(user_paths())
    assert shown_command(user_paths()) == str(path)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [path, "lesson", "propose", "--help"], env=env, cwd="/", capture_output=True, text=True, check=True
    )
    assert "--sign" in done.stdout


def test_nothing_is_allowed_that_was_not_asked_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("install", "claude-code", "--apply")
    assert "permissions" not in json.loads(settings(home).read_text())
    assert not skill(home, SKILLS[0]).exists()
    said = capsys.readouterr().out
    assert "--allow" in said
    assert "lesson propose:*)" in said


def test_allowed_once_it_stays_and_goes_with_the_rest(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = '{\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}\n'
    settings(home).parent.mkdir()
    settings(home).write_text(mine)
    run("install", "claude-code", "--allow")
    assert settings(home).read_text() == mine
    assert not skill(home, SKILLS[0]).exists()
    run("install", "claude-code", "--allow", "--apply")
    assert json.loads(settings(home).read_text())["permissions"]["allow"] == ["Bash(ls:*)", permission(user_paths())]
    for name in SKILLS:
        text = skill(home, name).read_text()
        assert text.startswith(f"---\nname: {name}\n")
        assert f"{command_path(user_paths())} lesson propose" in text
        assert "{borg}" not in text
    before = settings(home).read_bytes()
    run("install", "claude-code", "--apply")
    assert settings(home).read_bytes() == before
    capsys.readouterr()
    run("uninstall", "claude-code", "--apply")
    assert settings(home).read_text() == mine
    assert not skill(home, SKILLS[0]).parent.exists()


def test_a_skill_that_a_person_changed_stays(home: Path) -> None:
    run("install", "claude-code", "--allow", "--apply")
    skill(home, "borg-learn").write_text("mine")
    run("uninstall", "claude-code", "--apply")
    assert skill(home, "borg-learn").read_text() == "mine"
    assert not skill(home, "borg-lesson").exists()


@pytest.mark.parametrize("entry", ["Bash(borg lesson propose:*)", "Bash(ls:*)", {"hooks": []}, None, "Read(/x/bin/borg)"])
def test_only_our_own_permission_is_ours(entry: object) -> None:
    assert not is_permission(entry)
    assert is_permission(permission(user_paths()))
