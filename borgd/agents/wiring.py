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
    then: str = ""
    """What the person still has to do in the agent, in a sentence."""

    def path(self, env: Mapping[str, str], home: str) -> str:
        """The settings file of this user."""
        moved = env.get(self.variable, "").rstrip("/")
        directory = moved or f"{home.rstrip('/')}/{self.below_home}".rstrip("/")
        return f"{directory}/{self.file}"


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
}


def client_in(command: str) -> str:
    """The path of the client that a hook's ``command`` calls; empty: it calls another program."""
    if command[:1] == "/" and command.endswith(f"/{CLIENT_NAME}"):  # the form without a shell: one path, blanks and all
        return command
    for word in _WORD.findall(command):
        path = str(word).strip("'")
        if path.endswith(f"/{CLIENT_NAME}"):
            return path
    return ""
