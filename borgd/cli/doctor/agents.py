"""``borg doctor`` on the agents: whether settings call us, whether hooks are switched off, what came from them last."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from borgd.agents import gaps_of
from borgd.agents.wiring import WIRINGS, client_in, command_of
from borgd.cli.doctor.daemon import service_status
from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene
from borgd.cli.service.hook_trust import trusted
from borgd.cli.service.install import AGENTS, entries, hooks_of, installed, is_ours, settings_file, settings_path
from borgd.cli.service.plugin_file import foreign_client
from borgd.cli.terminal_text import count
from borgd.config.json_text import value_of
from borgd.errors import BorgError
from borgd.stores.installed.agents_here import agents_here, is_newer, version_of
from borgd.stores.installed.client import client_path
from borgd.stores.last_events import read_last_events
from borgd.stores.not_understood import Misunderstood, read_not_understood

SHELL_S = 5.0
"""guard: a shell's profile may take this long."""
SLOW_SHELL_S = 0.5
"""design: agents that run hooks through a login shell wait for its profile each time."""
MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
"""host: where an administrator's settings of Claude Code are."""
SWITCHES = {
    "disableAllHooks": "switches every hook off",
    "allowManagedHooksOnly": "lets only the administrator's hooks run",
}
"""host: switches of Claude Code's settings; the second counts in an administrator's file alone."""
LATELY_S = 7 * 86400.0
"""design: an event that was not understood longer ago than this is history."""
LEVELS = 64
"""guard: directories looked at, from where the command was typed upwards."""


def settings(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the agents' settings call the client."""
    for agent in _here():
        try:
            held = installed(agent, scene.where)
            foreign = _foreign(agent, scene)
        except BorgError as error:
            yield DoctorFinding(agent, BAD, str(error), "fix that file; borgd changes nothing in it until then")
            continue
        missing = sorted(event for event, there in held.items() if not there)
        todo = f"borg install {agent} --apply"
        for command in foreign:
            text = f"{settings_path(agent)} calls another borgd's client, {command}, which is not installed here"
            yield DoctorFinding(agent, BAD, text, todo)
        if not missing:
            yield DoctorFinding(agent, OK, f"calls borgd for {', '.join(sorted(held))}")
            yield from _trust(agent, scene)
        elif len(missing) == len(held):
            yield DoctorFinding(agent, NOTE, "does not call borgd", todo)
        else:
            yield DoctorFinding(agent, BAD, f"does not call borgd for {', '.join(missing)}", todo)


def _trust(agent: str, scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the agent, where it keeps hashes of the hooks that it runs, has those of ours."""
    if not WIRINGS[agent].trusts:
        return
    try:
        have, number = trusted(settings_path(agent), settings_file(agent, scene.where).text(), scene.where)
    except BorgError as error:
        yield DoctorFinding(f"{agent} trust", BAD, str(error), "fix that file")
        return
    if have < number:
        text = f"{agent} has not been told to trust {number - have} of our hooks, and runs none that it does not trust"
        yield DoctorFinding(f"{agent} trust", BAD, text, f"borg install {agent} --trust --apply")
    else:
        yield DoctorFinding(f"{agent} trust", OK, "every hook of ours has a trusted hash")


def _here() -> list[str]:
    """The agents that have a directory of settings on this machine; the first we know where none has."""
    return [one.name for one in agents_here(os.environ, str(Path.home())) if one.directory] or list(AGENTS[:1])


def versions(_: Scene) -> Iterator[DoctorFinding]:
    """The versions of the agents that are here, beside those that borgd was tried with."""
    for one in agents_here(os.environ, str(Path.home())):
        version, tested = version_of(one.program) if one.program else "", WIRINGS[one.name].tested
        if not version:
            continue
        text = f"{version} ({one.program})"
        if tested and is_newer(version, tested):
            text += f", newer than {tested}, with which borgd was tried: what it does not understand is let pass"
        yield DoctorFinding(f"{one.name} version", OK, text)


def _foreign(agent: str, scene: Scene) -> list[str]:
    """Clients of another place that the settings call."""
    if WIRINGS[agent].plugin is not None:
        return foreign_client(agent, settings_file(agent, scene.where), scene.where)
    hooks = value_of(settings_file(agent, scene.where).text(), str(settings_path(agent))).get("hooks")
    own = str(client_path(scene.where))
    groups = [
        group for found in (hooks.values() if isinstance(hooks, dict) else ()) if isinstance(found, list) for group in found
    ]
    return list(
        dict.fromkeys(
            client
            for group in groups
            if is_ours(group)
            for hook in hooks_of(group)
            if (client := client_in(command_of(hook))) != own
        )
    )


def switches(scene: Scene) -> Iterator[DoctorFinding]:
    """Settings that keep an agent from calling any hook, in each layer that counts here."""
    found = 0
    for path, layer in _layers(scene):
        said = _settings(path)
        for name, effect in SWITCHES.items():
            if said.get(name) is not True or (name == "allowManagedHooksOnly" and layer != "the administrator's"):
                continue
            found += 1
            text = f"{name} in {path} ({layer} settings) {effect}: borgd is never called"
            todo = f"take {name} out of {path}"
            if layer == "the administrator's":
                todo = f"ask whoever manages this machine to take {name} out of {path}"
            yield DoctorFinding("switches", BAD, text, todo)
    for name in ("CLAUDE_CODE_SIMPLE",):
        if scene.env.get(name):
            found += 1
            yield DoctorFinding(
                "switches",
                NOTE,
                f"{name} is set: hooks of settings do not run in sessions started from here",
                f"unset {name}",
            )
    if not found:
        yield DoctorFinding("switches", OK, "no settings switch hooks off")


def _layers(scene: Scene) -> Iterator[tuple[Path, str]]:
    """Settings files of Claude Code that count in the directory at hand, with whose they are."""
    user = settings_path("claude-code")
    yield user, "your own"
    for directory in [scene.directory, *scene.directory.parents][:LEVELS]:
        for name, layer in (("settings.json", "the project's"), ("settings.local.json", "your own for the project")):
            path = directory / ".claude" / name
            if path != user and path.exists():
                yield path, layer
        if (directory / ".git").exists():
            break
    for managed in MANAGED:
        yield Path(managed), "the administrator's"


def _settings(path: Path) -> dict[str, Any]:
    try:
        return value_of(path.read_text("utf-8"), str(path), comments=True)
    except (OSError, BorgError, UnicodeDecodeError):
        return {}


def last_events(scene: Scene) -> Iterator[DoctorFinding]:
    """What came from each agent last, by kind, and how long ago; what never came."""
    seen = service_status().get("last_events") or read_last_events(scene.where.state)
    for agent in AGENTS:
        try:
            held = [event for event, there in installed(agent, scene.where).items() if there]
        except BorgError:
            continue
        events = seen.get(agent, {})
        name = f"{agent} events"
        if not events:
            if held:
                text = "no event ever came, although it is told to call borgd: start a session, or restart one that is open"
                yield DoctorFinding(name, NOTE, text)
            continue
        ages = sorted((time.time() - ms / 1000, event) for event, ms in events.items())
        yield DoctorFinding(name, OK, "last: " + ", ".join(f"{event} {_age(age)} ago" for age, event in ages))
        never = sorted(set(held) & set(entries(agent, scene.where)) - set(events))
        if never:
            yield DoctorFinding(name, NOTE, f"never came yet: {', '.join(never)}")


def gaps(scene: Scene) -> Iterator[DoctorFinding]:
    """What cannot be done in the agents that are told to call borgd, whatever the settings."""
    for name in AGENTS:
        try:
            told = any(installed(name, scene.where).values())
        except BorgError:
            continue
        if told and (missing := gaps_of(name)):
            yield DoctorFinding(f"{name} gaps", OK, "; ".join(missing))


def not_understood(scene: Scene) -> Iterator[DoctorFinding]:
    """Events that came lately and said nothing to us: the agent is newer than this borgd, or older."""
    kept = service_status().get("not_understood")
    found = msgspec.convert(kept, Misunderstood) if kept else read_not_understood(scene.where.state)
    for agent, events in sorted(found.items()):
        for event, one in sorted(events.items()):
            age = time.time() - one.ms / 1000
            if age < LATELY_S:
                text = f"{event} was not understood: {one.reason} ({count(one.times, 'time')}, last {_age(age)} ago)"
                todo = "update borgd, or report it with the agent's version; it is answered with nothing until then"
                yield DoctorFinding(f"{agent} events", NOTE, text, todo)


def _age(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def shell(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the login shell prints something of its own or is slow: some agents run each hook through it."""
    program = scene.env.get("SHELL", "")
    if not os.access(program, os.X_OK):
        return
    began = time.monotonic()
    try:
        done = subprocess.run(
            [program, "-l", "-c", ":"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SHELL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        yield DoctorFinding("shell", NOTE, f"{program} -l takes longer than {SHELL_S:g} s to start", "look at your profile")
        return
    took = time.monotonic() - began
    if done.stdout:
        text = (
            f"your {Path(program).name} profile prints to standard output; agents that run hooks through it read no answer"
        )
        yield DoctorFinding("shell", BAD, text, "let the profile print only where the shell is interactive")
    elif took > SLOW_SHELL_S:
        text = f"{program} -l takes {took:.1f} s to start, and agents that run hooks through it wait so long each time"
        yield DoctorFinding("shell", NOTE, text, "look at your profile")
    else:
        yield DoctorFinding("shell", OK, f"{program} prints nothing of its own and starts in {took * 1000:.0f} ms")
