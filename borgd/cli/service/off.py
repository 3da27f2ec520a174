"""``borg off`` and ``borg on``: borgd says nothing from the next event on: everywhere, or in one session, repository, agent.

What is switched off is neither recalled nor limited nor listened to. BORGD_OFF=1 in an agent's environment does the same,
and ``off = true`` in a repository's .borgd.toml silences recall and hints there.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from borgd import clock
from borgd.cli.arguments import CommandParser
from borgd.cli.terminal_text import about
from borgd.cli.terminal_text import clock as clock_text
from borgd.cli.working_directory import working_directory
from borgd.errors import UsageError
from borgd.paths import private_dir, user_paths
from borgd.stores.off_switch import Kind, OffSwitch, Switch

UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""host: the session that a command was started from."""

_SPAN = re.compile(r"(\d{1,6})\s*(m|h|d)[a-z]*")


def span_ms(text: str) -> int:
    """``2h``, ``30m``, ``1d`` in milliseconds.

    :raises UsageError: it is none of these.
    """
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None or not int(found[1]):
        raise UsageError(f"--for {text}: expected a time such as 30m, 2h or 1d")
    return int(found[1]) * UNITS_MS[found[2]]


def described(switch: Switch) -> str:
    """The switch for a person."""
    what = {"all": "everywhere", "session": "session", "repo": "in", "agent": "agent"}[switch.kind]
    until = f" until {clock_text(switch.until_ms)}" if switch.until_ms else ""
    return f"{what}{' ' * bool(switch.value)}{switch.value}{until}"


def run(argv: list[str]) -> int:
    """Switch, and say what is off now."""
    command = argv[0]
    parser = CommandParser(prog=f"borg {command}", description=about(__doc__))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--session", metavar="ID", nargs="?", const="", help="one session (here: the one that runs this)")
    what.add_argument("--repo", metavar="DIR", nargs="?", const="", help="one repository (default: where you are)")
    what.add_argument("--agent", metavar="A", help="one coding agent, such as claude-code")
    if command == "off":
        parser.add_argument("--for", dest="span", metavar="TIME", help="for a time: 30m, 2h, 1d")
    options = parser.parse_args(argv[1:])
    kind, value = _meant(options)
    now_ms, switch = clock.now_ms(), OffSwitch(private_dir(user_paths().state))
    if command == "off":
        until = now_ms + span_ms(options.span) if options.span else 0
        switch.add(Switch(kind=kind or "all", value=value, until_ms=until), now_ms)
    else:
        switch.remove(kind, value, now_ms)
    held = switch.switches(now_ms)
    for one in held:
        print(f"off: {described(one)}")
    print("borg on switches it on again." if held else "borgd is on everywhere.")
    return 0


def _meant(options: argparse.Namespace) -> tuple[Kind | None, str]:
    """What the arguments name; (None, "") where they name nothing."""
    if options.agent is not None:
        return "agent", options.agent
    if options.session is not None:
        session = options.session or os.environ.get(SESSION_VARIABLE, "")
        if not session:
            raise UsageError("--session: name its id (borg tail shows them); this command was not started from a session")
        return "session", session
    if options.repo is not None:
        return "repo", str(_top(Path(options.repo or working_directory()).resolve()))
    return None, ""


def _top(directory: Path) -> Path:
    """The directory that holds the repository around ``directory``; itself where there is none."""
    return next((one for one in (directory, *directory.parents) if (one / ".git").exists()), directory)
