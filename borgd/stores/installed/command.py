"""How an agent calls borg: one script at a path that never changes, the permission for it, and the agent's skills.

Promises that what is taken away is only what was put there: a skill that a person changed stays.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from borgd.files import replace_file
from borgd.paths import Paths, private_dir, shipped

COMMAND = "borg"
SKILLS = ("borg-lesson", "borg-learn")
PLACEHOLDER = "{borg}"


def command_path(where: Paths) -> Path:
    """The installed script."""
    return where.data / "bin" / COMMAND


def shown_command(where: Paths) -> str:
    """How an agent is told to call borg: the script's path, quoted for a shell; ``borg`` where it is not installed."""
    path = command_path(where)
    return shlex.quote(str(path)) if path.exists() else COMMAND


def permission(where: Paths) -> str:
    """The one entry of Claude Code's ``permissions.allow`` that filing a lesson without a dialog needs."""
    return f"Bash({shlex.quote(str(command_path(where)))} lesson propose:*)"


def is_permission(entry: object) -> bool:
    """Whether an entry of ``permissions.allow`` is ours, for whatever data directory."""
    return isinstance(entry, str) and entry.startswith("Bash(") and entry.endswith(f"/bin/{COMMAND} lesson propose:*)")


def place_command(where: Paths) -> None:
    """Write the script, which runs this installation."""
    path = command_path(where)
    private_dir(where.data)
    private_dir(path.parent)
    replace_file(path, f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m borgd "$@"\n'.encode(), 0o700)


def command_is_current(where: Paths) -> bool:
    """Whether the installed script runs this installation."""
    try:
        return shlex.quote(sys.executable) in command_path(where).read_text("utf-8", "replace").split()
    except OSError:
        return False


def remove_command(where: Paths) -> list[Path]:
    """Take the script away; what was there."""
    path = command_path(where)
    if not path.exists():
        return []
    path.unlink()
    if not any(path.parent.iterdir()):
        path.parent.rmdir()
    return [path]


def skill_text(name: str, where: Paths) -> str:
    """The skill as it is put in place."""
    text = (shipped("hooks") / "claude-code" / "skills" / name / "SKILL.md").read_text("utf-8")
    return text.replace(PLACEHOLDER, shlex.quote(str(command_path(where))))


def skill_path(name: str, settings: Path) -> Path:
    """Where Claude Code looks for the skill; ``settings`` is its settings file."""
    return settings.parent / "skills" / name / "SKILL.md"


def missing_skills(where: Paths, settings: Path) -> list[Path]:
    """The skills that are not in place as they should be."""
    return [
        path
        for name in SKILLS
        if not (path := skill_path(name, settings)).exists() or path.read_text("utf-8", "replace") != skill_text(name, where)
    ]


def place_skills(where: Paths, settings: Path) -> None:
    """Write the skills that are missing or of another version."""
    for name in SKILLS:
        path = skill_path(name, settings)
        if path in missing_skills(where, settings):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, skill_text(name, where).encode(), 0o600)


def remove_skills(where: Paths, settings: Path) -> list[Path]:
    """Take the skills away that are as they were put; what was there."""
    gone = []
    for name in SKILLS:
        path = skill_path(name, settings)
        if path.exists() and path.read_text("utf-8", "replace") == skill_text(name, where):
            path.unlink()
            gone.append(path)
            for directory in (path.parent, path.parent.parent):
                if not any(directory.iterdir()):
                    directory.rmdir()
    return gone
