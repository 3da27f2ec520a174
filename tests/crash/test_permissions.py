"""Whatever somebody did to a directory or a file of ours, hooks stay harmless and nothing that was acknowledged is lost.

Each place by each way to spoil it, as a user who is not root, a daemon running: what is asked then ends with a sentence, no
link is followed out of our directories, and when all is as before each lesson whose adding was acknowledged is there.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.test_doctor_setups import STRANGERS, Place, home_of, open_place, others_borg
from tests.server.processes import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

assert open_place
USER, OTHER = STRANGERS
NUMBERS = count()
DIRECTORIES = (
    ".config/borgd",
    ".local/share/borgd",
    ".local/share/borgd/hook",
    ".local/state",
    ".local/state/borgd",
    ".local/state/borgd/sessions",
    ".local/state/borgd/investigations",
    ".local/state/borgd/run",
)
FILES = (
    ".config/borgd/config.toml",
    ".local/share/borgd/lessons.jsonl",
    ".local/share/borgd/decisions.jsonl",
    ".local/share/borgd/launch",
    ".local/share/borgd/hook/borg-hook",
    ".local/share/borgd/hook/borg_hook.py",
    ".local/state/borgd/daemon.log",
    ".local/state/borgd/hook.log",
    ".claude/settings.json",
)
WAYS = ("nobody may", "read only", "everybody may", "somebody else's", "a link")
PARTS = ("pump", "ledger", "gateway", "parser", "invoice", "turbine", "calendar", "printer", "antenna", "elevator")


class Living(NamedTuple):
    """A home with a daemon, and the lessons whose adding was acknowledged."""

    place: Place
    acknowledged: list[str]


@pytest.fixture
def living(open_place: Path) -> Iterator[Living]:
    place = Place(home_of(open_place, USER), others_borg(open_place), USER, PATH="/usr/bin:/bin")
    (place.home / ".config/borgd").mkdir(parents=True, mode=0o700)
    (place.home / ".config/borgd/config.toml").write_text('[people]\nengineer = "ada"\n[recall]\nholdout = 0.0\n')
    subprocess.run(["chown", "-R", f"{USER}:{USER}", place.home], check=True)
    with place.serving():
        living = Living(place, [])
        assert add(living) == 0
        wait_for(lambda: told(living))
        yield living


def add(living: Living) -> int:
    """Add a lesson; what is acknowledged is noted. The exit code."""
    part = PARTS[len(living.acknowledged)]
    lesson = ("--question", f"Is the cap of the Tethys {part} raised?", "--consequence", "It floods.", "--scope", "Tethys")
    done = living.place.borg("lesson", "add", *lesson, "--situation", f"raising a limit of the Tethys {part}", "--json")
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    assert done.returncode in (0, 1, 3), done
    if done.returncode == 0:
        living.acknowledged.append(str(json.loads(done.stdout)["id"]))
    else:
        assert done.stderr.strip(), "it says why"
    return done.returncode


def told(living: Living) -> bool:
    """Whether a new session's prompt brings up a lesson."""
    return b"Tethys" in hook(living, "UserPromptSubmit", f"s{next(NUMBERS)}")


def hook(living: Living, event: str, session: str, **fields: Any) -> bytes:
    """What the installed client says; nothing where nobody may run it."""
    body = {"session_id": session, "hook_event_name": event, "cwd": "/w/tethys", "prompt_id": session, **fields}
    body["prompt"] = "raise a limit of the Tethys pump"
    try:
        done = subprocess.run(
            [str(living.place.home / ".local/share/borgd/hook/borg-hook"), "claude-code", event],
            env=living.place.env,
            input=json.dumps(body).encode(),
            user=USER,
            group=USER,
            extra_groups=[],
            capture_output=True,
            timeout=60,
            check=False,
        )
    except OSError:
        return b"{}"
    assert done.returncode == 0
    assert done.stderr == b""
    said = json.loads(done.stdout)
    assert isinstance(said, dict)
    assert "decision" not in said
    assert said.get("hookSpecificOutput", {}).get("permissionDecision") is None
    return done.stdout


def spoiled(path: Path, way: str, victim: Path) -> Callable[[], None]:
    """Spoil ``path``; how it is brought back."""
    info = path.lstat()
    is_directory = path.is_dir()
    match way:
        case "nobody may":
            path.chmod(0o000)
        case "read only":
            path.chmod(0o500 if is_directory else 0o400)
        case "everybody may":
            path.chmod(0o777)
        case "somebody else's":
            os.chown(path, OTHER, OTHER)
        case _:
            kept = path.with_name(path.name + ".kept")
            path.rename(kept)
            path.symlink_to(victim / ("inside" if is_directory else "file"))

            def back() -> None:
                if path.is_symlink() or not path.is_dir():
                    path.unlink(missing_ok=True)
                else:
                    shutil.rmtree(path)
                kept.rename(path)

            return back

    def restore() -> None:
        if path.exists():  # what we write may have taken its place meanwhile
            os.chown(path, info.st_uid, info.st_gid)
            path.chmod(stat.S_IMODE(info.st_mode))

    return restore


def everything(place: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path.relative_to(place)): (path.stat().st_mode, path.stat().st_uid, path.read_bytes() if path.is_file() else b"")
        for path in sorted(place.rglob("*"))
    }


@pytest.mark.parametrize("where", DIRECTORIES + FILES)
def test_no_hook_does_harm_and_nothing_acknowledged_is_lost(living: Living, where: str) -> None:
    home, lost = living.place.home, 0
    path = home / where
    if not path.exists():
        hook(living, "NoSuchEvent", "log")  # hook.log comes with the first failure
        living.place.borg("stop")
        hook(living, "PreToolUse", "log")
        living.place.good("start")
    assert path.exists()
    victim = home_of(home.parent, OTHER, 0o755)
    (victim / "inside").mkdir()
    (victim / "file").write_text("mine\n")
    before = everything(victim)
    for way in WAYS:
        restore = spoiled(path, way, victim)
        for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"):
            hook(living, event, f"{way}{event}", tool_name="Read", tool_use_id="t", tool_input={"file_path": "/w/a.py"})
        add(living)
        status = living.place.borg("status")
        assert "Traceback" not in status.stdout + status.stderr
        assert everything(victim) == before, "nothing of somebody else's is touched"
        restore()
        living.place.borg("start")
        held = {one["id"] for one in json.loads(living.place.good("lesson", "list", "--json"))["lessons"]}
        lost += len(set(living.acknowledged) - held)
        assert lost == 0, way
        wait_for(lambda: told(living))
