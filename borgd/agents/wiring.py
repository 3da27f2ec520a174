"""How each agent is told to call borgd: which file, what stands in it. Pure.

One line of ``WIRINGS`` per agent: entries in the agent's settings that call the client, or a file that is ours alone and
loads the plugin beside the client. What is written never changes between versions: Codex trusts a command by its hash.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from shlex import quote
from typing import Any, NamedTuple

CLIENT_NAME = "borg-hook"
_WORD = re.compile(r"'[^']*'|[^\s]+")

Options = Mapping[str, Any]


class PluginForm(NamedTuple):
    """A plugin that runs inside the agent. ``module``: its file below ``hooks/`` and beside the installed client;
    ``export``: the name under which the agent looks for a function to call."""

    module: str
    export: str


PLUGIN_HELPERS = ("plugin/socket.ts",)
"""What the plugins' modules import, below ``hooks/`` and beside the installed client."""


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
    plugin: PluginForm | None = None
    """The agent has no settings for hooks: the file is ours and loads this."""
    trusts: str = ""
    """The agent's program, where that keeps hashes of the hooks that it runs and can be asked to trust some."""

    program: str = ""
    """What the agent is started with."""
    tested: str = ""
    """The version of the agent that borgd was tried with, or whose documents it was written from."""

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


def _told_by_plugin(client: str, agent: str, event: str, _: Options) -> dict[str, Any]:
    """The client as the plugin calls it where no daemon listens: it knows how to start one."""
    return {"command": f"{quote(client)} {agent} {event}"}


VERSIONED = '{\n  "version": 1\n}\n'
"""host: what Cursor and Copilot CLI expect beside the hooks."""

WIRINGS: Mapping[str, Wiring] = {
    "claude-code": Wiring(
        "CLAUDE_CONFIG_DIR", ".claude", "settings.json", _arguments, permits=True, program="claude", tested="2.1.332"
    ),
    "codex": Wiring(
        "CODEX_HOME",
        ".codex",
        "hooks.json",
        _line,
        then="Codex runs a new hook once you trust it: borg install codex --trust --apply, or /hooks in Codex.",
        trusts="codex",
        program="codex",
        tested="0.171.0",
    ),
    "gemini": Wiring("GEMINI_CLI_HOME", "", ".gemini/settings.json", _guarded_line, program="gemini", tested="0.61.0"),
    "cursor": Wiring("", ".cursor", "hooks.json", _cursor, flat=True, new=VERSIONED, program="cursor-agent"),
    "copilot": Wiring(
        "COPILOT_HOME",
        ".copilot",
        "hooks/borgd.json",
        _copilot,
        flat=True,
        new=VERSIONED,
        program="copilot",
        tested="1.0.83",
    ),
    "opencode": Wiring(
        "XDG_CONFIG_HOME",
        ".config",
        "opencode/plugin/borgd.ts",
        _told_by_plugin,
        plugin=PluginForm("opencode/plugin.ts", "Borgd"),
        program="opencode",
        tested="1.18.33",
    ),
    "omp": Wiring(
        "PI_CODING_AGENT_DIR",
        ".omp/agent",
        "extensions/borgd.ts",
        _told_by_plugin,
        plugin=PluginForm("omp/extension.ts", "default"),
        program="omp",
        tested="18.2.3",
    ),
}

_PLUGIN_MARK = "// borgd: written by `borg install"
_LOADS = re.compile(r"\bimport\((\"(?:[^\"\\]|\\.)*\")\)")


def plugin_text(agent: str, client: str) -> str:
    """The text of the agent's plugin file: it loads the plugin beside ``client``, and nothing where that is gone.

    :param client: the path of the installed client.
    """
    form = WIRINGS[agent].plugin
    if form is None:
        raise ValueError(f"{agent} has settings for hooks, not a plugin")
    path = json.dumps(f"{client.rpartition('/')[0]}/{form.module}")
    exported = "export default load" if form.export == "default" else f"export {{ load as {form.export} }}"
    return (
        f"{_PLUGIN_MARK} {agent} --apply`, taken away by `borg uninstall {agent} --apply`.\n"
        "const load = async (host) => {\n"
        "  try {\n"
        f"    return await (await import({path})).{form.export}(host)\n"
        "  } catch {\n"
        "    return {} // borgd is gone: business as usual\n"
        "  }\n"
        "}\n"
        f"{exported}\n"
    )


def is_plugin_text(text: str) -> bool:
    """Whether ``text`` is a plugin file of ours, for whatever client."""
    return text.startswith(_PLUGIN_MARK)


def client_of_plugin(agent: str, text: str) -> str:
    """The client beside which the plugin lies that ``text`` loads; empty: it loads none of ours."""
    form, found = WIRINGS[agent].plugin, _LOADS.search(text)
    if form is None or found is None or not is_plugin_text(text):
        return ""
    module = str(json.loads(found[1]))
    ending = f"/{form.module}"
    return f"{module.removesuffix(ending)}/{CLIENT_NAME}" if module.endswith(ending) else ""


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
