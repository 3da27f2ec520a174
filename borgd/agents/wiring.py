"""How each agent is told to call the client: which settings file, what an entry looks like. Pure.

One line of ``WIRINGS`` per agent. An entry's command line never changes between versions: Codex trusts it by its hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from shlex import quote
from typing import Any, NamedTuple

CLIENT_NAME = "borg-hook"
_WORD = re.compile(r"'[^']*'|[^\s]+")

Options = Mapping[str, Any]


class Wiring(NamedTuple):
    """``settings``: (variable that moves the directory, its place below HOME, the file). ``handler``: one hook's entry of
    (client, agent, event, options of the shipped table)."""

    variable: str
    below_home: str
    file: str
    handler: Callable[[str, str, str, Options], dict[str, Any]]
    permits: bool = False
    """Its settings hold permissions, and it reads skills beside them."""
    flat: bool = False
    """Entries stand in the event's list themselves, not in groups."""
    new: str = ""
    """The text of a settings file that was not there."""
    then: str = ""
    """What the person still has to do in the agent, in a sentence."""

    def path(self, env: Mapping[str, str], home: str) -> str:
        """The settings file of this user."""
        moved = env.get(self.variable, "").rstrip("/") if self.variable else ""
        directory = moved or f"{home.rstrip('/')}/{self.below_home}".rstrip("/")
        return f"{directory}/{self.file}"

    def directory(self, env: Mapping[str, str], home: str) -> str:
        """The directory that is there where the agent is: that of its settings, of a file of our own the one above."""
        path = self.path(env, home).rpartition("/")[0]
        return path.rpartition("/")[0] if "/" in self.file and not self.file.startswith(".") else path


def _arguments(client: str, agent: str, event: str, options: Options) -> dict[str, Any]:
    """Claude Code's form without a shell: a client that is gone cannot be started at all, which it lets pass."""
    return {"type": "command", "command": client, "args": [agent, event], "timeout": options["timeout"]}


def _line(client: str, agent: str, event: str, options: Options) -> dict[str, Any]:
    """One command line; a shell answers 127 where the client is gone, which Codex lets pass."""
    return {"type": "command", "command": f"{quote(client)} {agent} {event}", "timeout": options["timeout"]}


def _guarded_line(client: str, agent: str, event: str, options: Options) -> dict[str, Any]:
    """As ``_line`` for Gemini CLI, which blocks on any exit code but 0 and 1: where the client is gone nothing is run.

    Its timeouts are milliseconds.
    """
    command = f"test ! -x {quote(client)} || exec {quote(client)} {agent} {event}"
    return {"type": "command", "name": "borgd", "command": command, "timeout": options["timeout"] * 1000}


def _cursor(client: str, agent: str, event: str, options: Options) -> dict[str, Any]:
    """One command line; ``failClosed`` stays off, so that a client that is gone stops nothing."""
    return {"command": f"{quote(client)} {agent} {event}", "timeout": options["timeout"]}


def _copilot(client: str, agent: str, event: str, options: Options) -> dict[str, Any]:
    """Guarded, since some versions deny a tool call where its hook fails."""
    command = f"test ! -x {quote(client)} || exec {quote(client)} {agent} {event}"
    return {"type": "command", "bash": command, "timeoutSec": options["timeout"]}


VERSIONED = '{\n  "version": 1\n}\n'
"""host: what Cursor and Copilot CLI expect beside the hooks."""

WIRINGS: Mapping[str, Wiring] = {
    "claude-code": Wiring("CLAUDE_CONFIG_DIR", ".claude", "settings.json", _arguments, permits=True),
    "codex": Wiring(
        "CODEX_HOME",
        ".codex",
        "hooks.json",
        _line,
        then="Codex runs a new hook once you trust it: open Codex and look at /hooks.",
    ),
    "gemini": Wiring("GEMINI_CLI_HOME", "", ".gemini/settings.json", _guarded_line),
    "cursor": Wiring("", ".cursor", "hooks.json", _cursor, flat=True, new=VERSIONED),
    "copilot": Wiring("COPILOT_HOME", ".copilot", "hooks/borgd.json", _copilot, flat=True, new=VERSIONED),
}


def command_of(handler: Mapping[str, Any]) -> str:
    """The command of one hook's entry, whatever the agent calls it; empty: it has none."""
    return next((text for name in ("command", "bash") if isinstance(text := handler.get(name), str)), "")


def client_in(command: str) -> str:
    """The path of the client that a hook's ``command`` calls; empty: it calls another program."""
    if command[:1] == "/" and command.endswith(f"/{CLIENT_NAME}"):  # the form without a shell: one path, blanks and all
        return command
    for word in _WORD.findall(command):
        path = str(word).strip("'")
        if path.endswith(f"/{CLIENT_NAME}"):
            return path
    return ""
