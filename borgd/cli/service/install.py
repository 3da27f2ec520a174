"""``borg install AGENT`` and ``borg uninstall AGENT``: shows what would change in the agent's settings; ``--apply`` does it.

Nothing is written without ``--apply``. Foreign entries stay as they are, doing it twice changes nothing, the file is
replaced in one step. The client's path and command line stay the same between versions of borgd.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from borgd.cli.terminal_text import about
from borgd.errors import BorgError, InputError
from borgd.files import replace_file
from borgd.paths import Paths, private_dir, shipped, user_paths

CLIENT = "borg-hook"
MODULE = "borg_hook.py"

SHEBANG_CHARS = 110
"""host: kernels cut a script's first line at 127 bytes or more."""


def client_path(where: Paths) -> Path:
    """The installed client: a copy outside any environment, so that removing one leaves hooks that fail open."""
    return where.data / "hook" / CLIENT


def settings_path(agent: str) -> Path:
    """The agent's own settings file of this user.

    :raises BorgError: no installer for this agent.
    """
    if agent != "claude-code":
        raise BorgError(f"no installer for {agent!r}; known: claude-code")
    directory = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(directory) if directory else Path.home() / ".claude") / "settings.json"


def entries(agent: str, where: Paths) -> dict[str, dict[str, Any]]:
    """Event -> the matcher group that belongs in the agent's settings."""
    events = json.loads((shipped("hooks") / agent / "hooks.json").read_text())
    groups = {}
    for event, options in events.items():
        # The executable itself, never `python3 client`: Python ends with 2 where the client is missing, and the agents
        # take 2 for "blocked". An executable that is gone cannot be started at all, which they let pass.
        handler = {
            "type": "command",
            "command": str(client_path(where)),
            "args": [agent, event],
            "timeout": options["timeout"],
        }
        groups[event] = {**({"matcher": options["matcher"]} if "matcher" in options else {}), "hooks": [handler]}
    return groups


def is_ours(group: object) -> bool:
    """Whether a matcher group calls our client and nothing else."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list) or not group["hooks"]:
        return False
    return all(
        isinstance(hook, dict) and isinstance(hook.get("command"), str) and hook["command"].endswith(f"/{CLIENT}")
        for hook in group["hooks"]
    )


def merged(settings: dict[str, Any], wanted: dict[str, dict[str, Any]], source: str) -> dict[str, Any]:
    """``settings`` with exactly ``wanted`` of ours in it; everything else as it was, in its order.

    :raises InputError: ``hooks`` in it is not an object of lists.
    """
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise InputError(source, "expected an object of lists", field="hooks")
    result: dict[str, Any] = {}
    for event in [*hooks, *(event for event in wanted if event not in hooks)]:
        groups = list(hooks.get(event, []))
        places_of_ours = [index for index, group in enumerate(groups) if is_ours(group)]
        kept = [group for group in groups if not is_ours(group)]
        if event in wanted:
            kept.insert(min(places_of_ours[0], len(kept)) if places_of_ours else len(kept), wanted[event])
        if kept or (event in hooks and not places_of_ours):
            result[event] = kept
    out = {key: value for key, value in settings.items() if key != "hooks" or result}
    if result:
        out["hooks"] = result
    return out


def read_settings(path: Path) -> tuple[str, dict[str, Any]]:
    """The file's text and its object; empty where there is none.

    :raises InputError: not a JSON object.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return "", {}
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"expected UTF-8 text, byte {error.start} is not") from None
    try:
        value = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise InputError(str(path), f"expected JSON: {error.msg}", line=error.lineno) from None
    if not isinstance(value, dict):
        raise InputError(str(path), "expected a JSON object")
    return text, value


def indent_of(text: str) -> int:
    """Spaces of the first indented line; 2 where there is none."""
    for line in text.split("\n")[1:]:
        if line.startswith(" "):
            return len(line) - len(line.lstrip(" "))
    return 2


def place_client(where: Paths) -> None:
    """Copy the client into the data directory and note how to start the daemon."""
    private_dir(where.data)
    interpreter = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    if " " in interpreter or len(interpreter) > SHEBANG_CHARS:
        raise BorgError(
            f"{interpreter} cannot be named in a script's first line; use a Python on a shorter path without spaces"
        )
    directory = private_dir(client_path(where).parent)
    _, _, body = (shipped("hooks") / CLIENT).read_bytes().partition(b"\n")
    replace_file(directory / MODULE, (shipped("hooks") / MODULE).read_bytes(), 0o600)
    subprocess.run([interpreter, "-IS", "-m", "py_compile", str(directory / MODULE)], check=False, capture_output=True)
    replace_file(client_path(where), f"#!{interpreter} -IS\n".encode() + body, 0o700)
    launch = "\n".join([sys.executable, "-I", "-m", "borgd", "run"]) + "\n"
    replace_file(where.data / "launch", launch.encode(), 0o600)


def installed(agent: str, where: Paths) -> dict[str, bool]:
    """Event -> whether the agent's settings hold our entry as it should be (for doctor)."""
    _, settings = read_settings(settings_path(agent))
    hooks = settings.get("hooks")
    hooks = hooks if isinstance(hooks, dict) else {}
    return {event: group in (hooks.get(event) or []) for event, group in entries(agent, where).items()}


def run(argv: list[str]) -> int:
    """Show or apply; the exit code."""
    parser = argparse.ArgumentParser(prog=f"borg {argv[0]}", description=about(__doc__))
    parser.add_argument("agent", choices=["claude-code", "systemd"])
    parser.add_argument("--apply", action="store_true", help="write the settings file (without it, only shows the change)")
    options = parser.parse_args(argv[1:])
    if options.agent == "systemd":
        from borgd.cli.service.install_systemd import run as run_systemd

        return run_systemd(argv[0] == "uninstall", options.apply)
    where = user_paths()
    path = settings_path(options.agent)
    text, settings = read_settings(path)
    wanted = entries(options.agent, where) if argv[0] == "install" else {}
    new = merged(settings, wanted, str(path))
    if new == settings:
        if options.apply and wanted:
            place_client(where)
        print(f"{path}: nothing to change")
        return 0
    after = json.dumps(new, indent=indent_of(text), ensure_ascii=False) + "\n"
    if not options.apply:
        sys.stdout.writelines(
            difflib.unified_diff(text.splitlines(True), after.splitlines(True), str(path), f"{path} (new)")
        )
        print(f"\nNothing was written. To do it: borg {argv[0]} {options.agent} --apply")
        return 0
    if wanted:
        place_client(where)
    replace_file(path, after.encode())
    if read_settings(path)[1] != new:
        raise BorgError(f"{path} was overwritten by a running session meanwhile; close it and run this again")
    print(f"{path}: {'hooks added' if wanted else 'hooks removed'}. Sessions that are open may need a restart to see it.")
    return 0  # the client stays: sessions still open go on calling it
