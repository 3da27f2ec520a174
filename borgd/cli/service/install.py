"""``borg install AGENT`` and ``borg uninstall AGENT``: shows what would change in the agent's settings; ``--apply`` does it.

Nothing is written without ``--apply``. The settings' text is edited in place: what is not ours keeps its bytes, doing it
twice changes nothing, and the way back gives the file the bytes that it had. The client's command line never changes.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from borgd.agents.settings_text import Wanted, lists_below, with_entries, without_entries
from borgd.agents.wiring import WIRINGS, client_in, command_of, is_plugin_text
from borgd.cli.arguments import CommandParser
from borgd.cli.service.hook_trust import CONFIG, distrust, trusted
from borgd.cli.service.hook_trust import trust as trust_hooks
from borgd.cli.service.plugin_file import loads_plugin, with_plugin, without_plugin
from borgd.cli.service.purge import purge
from borgd.cli.service.what_is_on import what_is_on
from borgd.cli.terminal_text import about, coloured, printable
from borgd.config.json_text import KeyPath, value_of
from borgd.config.read import read_config
from borgd.errors import BorgError, UsageError
from borgd.paths import Paths, shipped, user_paths
from borgd.stores.installed.agents_here import agents_here, looked_for
from borgd.stores.installed.client import client_path, place_client
from borgd.stores.installed.command import (
    SKILLS,
    is_permission,
    missing_skills,
    permission,
    place_skills,
    remove_skills,
)
from borgd.stores.installed.settings_file import Receipt, SettingsFile, decoded

AGENTS = tuple(WIRINGS)
ALLOWED = ("permissions", "allow")
"""host: where Claude Code keeps what it may do without asking."""


def settings_path(agent: str) -> Path:
    """The agent's own settings file of this user.

    :raises BorgError: no installer for this agent.
    """
    if agent not in AGENTS:
        raise BorgError(f"no installer for {agent!r}; known: {', '.join(AGENTS)}")
    return Path(WIRINGS[agent].path(os.environ, str(Path.home())))


def all_here() -> list[str]:
    """The agents that are on this machine; says which, and their versions.

    :raises BorgError: none is; says what was looked for.
    """
    home = str(Path.home())
    found = agents_here(os.environ, home)
    if not found:
        raise BorgError(f"no agent is here; looked for {looked_for(os.environ, home)}; borg install AGENT names one")
    print("\n".join(f"here: {one.said()}" for one in found))
    return [one.name for one in found]


def settings_file(agent: str, where: Paths) -> SettingsFile:
    """The agent's settings with our copies of what they were."""
    return SettingsFile(settings_path(agent), where.data / "backup")


def entries(agent: str, where: Paths) -> dict[str, dict[str, Any]]:
    """Event -> the matcher group that belongs in the agent's settings."""
    events = json.loads((shipped("hooks") / agent / "hooks.json").read_text())
    groups = {}
    for event, options in events.items():
        # The executable itself, never `python3 client`: Python ends with 2 where the client is missing, and the agents
        # take 2 for "blocked".
        handler = WIRINGS[agent].handler(str(client_path(where)), agent, event, options)
        matcher = {"matcher": options["matcher"]} if "matcher" in options else {}
        groups[event] = {**matcher, **handler} if WIRINGS[agent].flat else {**matcher, "hooks": [handler]}
    return groups


def wanted_entries(agent: str, where: Paths, *, allow: bool = False) -> Wanted:
    """The same by where in the settings it belongs; with ``allow`` also the permission to file lessons."""
    wanted: dict[KeyPath, list[Any]] = {("hooks", event): [group] for event, group in entries(agent, where).items()}
    return wanted | ({ALLOWED: [permission(where)]} if allow else {})


def is_allowed(file: SettingsFile) -> bool:
    """Whether the agent may file lessons without asking."""
    allowed = lists_below(value_of(file.text(), str(file.path))).get(ALLOWED, [])
    return any(is_permission(entry) for entry in allowed)


def is_ours(group: object) -> bool:
    """Whether a matcher group calls our client and nothing else, or an entry is our permission."""
    if is_permission(group):
        return True
    hooks = hooks_of(group)
    return bool(hooks) and all(client_in(command_of(hook)) != "" for hook in hooks)


def hooks_of(group: object) -> list[dict[str, Any]]:
    """The hooks of an entry: those of a group, or the entry itself where the agent has no groups."""
    if not isinstance(group, dict):
        return []
    listed = group.get("hooks", [group])
    return [hook for hook in listed if isinstance(hook, dict)] if isinstance(listed, list) else []


def installed(agent: str, where: Paths) -> dict[str, bool]:
    """Event -> whether the agent's settings hold our entry as it should be (for doctor).

    :raises InputError: the settings cannot be read.
    """
    file = settings_file(agent, where)
    if WIRINGS[agent].plugin is not None:
        return dict.fromkeys(entries(agent, where), loads_plugin(agent, file, where))
    hooks = value_of(file.text(), str(settings_path(agent))).get("hooks")
    hooks = hooks if isinstance(hooks, dict) else {}
    return {event: group in (hooks.get(event) or []) for event, group in entries(agent, where).items()}


def with_ours(file: SettingsFile, wanted: Wanted, new: str = "") -> tuple[bytes | None, bytes]:
    """(the file without ours, None where there was none; the file with ``wanted``, from ``new`` where there was none).

    :raises InputError: the settings are not JSON, or something else is where the entries belong.
    """
    source, now, receipt = str(file.path), file.read(), file.receipt()
    if file.is_as_we_left_it() and receipt is not None:
        base = receipt.before
    else:
        like = decoded((receipt and receipt.before) or b"", source)
        plain = without_entries(file.text(), is_ours, source, like=like)
        base = None if now is None else plain.encode()
    if now is not None and with_entries(file.text(), wanted, is_ours, source) == file.text():
        return base, now
    return base, with_entries(decoded(base or new.encode(), source), wanted, is_ours, source).encode()


def without_ours(file: SettingsFile) -> bytes | None:
    """The file without ours; None: it goes.

    :raises InputError: the settings are not JSON.
    """
    receipt, now = file.receipt(), file.read()
    if now is None or (receipt is not None and file.is_as_we_left_it()):
        return receipt.before if receipt is not None else None
    like = (receipt and receipt.before) or b""
    text = without_entries(file.text(), is_ours, str(file.path), like=decoded(like, str(file.path)))
    gone = receipt is not None and receipt.before is None and not value_of(text, str(file.path))
    return None if gone else text.encode()


def run(argv: list[str]) -> int:
    """Show or apply; the exit code."""
    parser = CommandParser(prog=f"borg {argv[0]}", description=about(__doc__))
    parser.add_argument("agent", choices=[*AGENTS, "systemd"], nargs="?")
    parser.add_argument("--all", action="store_true", help="every agent that has settings on this machine")
    parser.add_argument("--apply", action="store_true", help="do it (without it, only shows the change)")
    parser.add_argument("--diff", action="store_true", help="show every line of the settings that changes")
    if argv[0] == "install":
        parser.add_argument("--allow", action="store_true", help="let the agent file lessons without asking; add its skills")
        parser.add_argument("--trust", action="store_true", help="have Codex trust the hooks, through its own app server")
    else:
        parser.add_argument(
            "--purge", action="store_true", help="also end the daemon and remove client and state; asks for the lessons"
        )
        parser.add_argument("--yes", action="store_true", help="with --purge: do not ask, remove the lessons too")
    options = parser.parse_args(argv[1:])
    if options.agent == "systemd":
        from borgd.cli.service.install_systemd import run as run_systemd

        return run_systemd(argv[0] == "uninstall", options.apply)
    where = user_paths()
    if options.agent is None and not options.all and not (argv[0] == "uninstall" and options.purge):
        parser.error(f"name an agent ({', '.join(AGENTS)}), or --all")
    if argv[0] == "install":

        def install(agent: str) -> int:
            allow = options.allow and (options.agent is not None or WIRINGS[agent].permits)
            trust = options.trust and (options.agent is not None or WIRINGS[agent].trusts != "")
            return _install(agent, where, apply=options.apply, diff=options.diff, allow=allow, trust=trust)

        return install(options.agent) if options.agent else _each(all_here(), install)

    def uninstall(agent: str) -> int:
        return _uninstall(agent, where, apply=options.apply, diff=options.diff, last=not options.purge)

    code = uninstall(options.agent) if options.agent else _each(AGENTS, uninstall)
    if code and options.purge:
        print("borg: client and state stay until no settings call them", file=sys.stderr)
        return code
    return purge(where, apply=options.apply, yes=options.yes) if options.purge else code


def _each(agents: Iterable[str], work: Callable[[str], int]) -> int:
    """``work`` for each of ``agents``: what goes wrong with one is said and keeps nothing from the others."""
    code = 0
    for agent in agents:
        try:
            code = work(agent) or code
        except BorgError as error:
            print(printable(f"borg: {agent}: {error}"), file=sys.stderr)
            code = error.exit_code
    return code


def _install(agent: str, where: Paths, *, apply: bool, diff: bool, allow: bool, trust: bool) -> int:
    file = settings_file(agent, where)
    now = file.read()
    if allow and not WIRINGS[agent].permits:
        raise UsageError(f"--allow: {agent} has no permission for it in its settings; leave it out")
    if trust and not WIRINGS[agent].trusts:
        raise UsageError(f"--trust: {agent} runs hooks without it; leave it out")
    allow = allow or (WIRINGS[agent].permits and is_allowed(file))
    if WIRINGS[agent].plugin is not None:
        base, after = with_plugin(agent, file, where)
    else:
        base, after = with_ours(file, wanted_entries(agent, where, allow=allow), WIRINGS[agent].new)
    skills = missing_skills(where, file.path) if allow else []
    if after == now and not skills:
        if apply:
            place_client(where)
        print(f"{file.path}: nothing to change")
        _trusted(agent, where, apply=apply, trust=trust)
        _offer(agent, where, allow=allow)
        return 0
    if after != now:
        _show(file.path, now or b"", after, diff=diff)
    for path in skills:
        print(coloured(f"  + skill {_short(str(path))}", "green"))
    if not apply:
        _trusted(agent, where, apply=False, trust=trust)
        flags = f"{'--allow ' if allow else ''}{'--trust ' if trust else ''}"
        print(f"\nNothing was written. To do it: borg install {agent} {flags}--apply")
        _offer(agent, where, allow=allow)
        return 0
    place_client(where)
    if allow:
        place_skills(where, file.path)
    if after == now:
        print(f"{file.path}: nothing to change; skills added")
        return 0
    file.put(now, base, after)
    kept = f" What it was is kept in {file.copy}." if base is not None else ""
    print(f"{file.path}: hooks added.{kept} Sessions that are open may need a restart to see it.")
    print("\n".join(f"  {line}" for line in what_is_on(read_config(where))))
    _trusted(agent, where, apply=True, trust=trust)
    _offer(agent, where, allow=allow)
    return 0


def _trusted(agent: str, where: Paths, *, apply: bool, trust: bool) -> None:
    """Where the agent keeps hashes of the hooks that it runs: have it trust ours, or say what is left to do."""
    wiring = WIRINGS[agent]
    if not wiring.trusts:
        return
    path = settings_path(agent)
    if trust and not apply:
        print(f"  + trust in {_short(str(path.with_name(CONFIG)))}, written by {wiring.trusts} itself")
    elif trust:
        print(trust_hooks(agent, path, where))
    else:
        have, all_of_them = trusted(path, settings_file(agent, where).text(), where)
        if not all_of_them or have < all_of_them:
            print(wiring.then)


def _offer(agent: str, where: Paths, *, allow: bool) -> None:
    """What the agent needs for filing lessons by itself, where it has not got it."""
    if WIRINGS[agent].then and not WIRINGS[agent].trusts:
        print(WIRINGS[agent].then)
    if WIRINGS[agent].permits and not allow:
        print("To file lessons without a dialog the agent needs one permission, and two skills help it:")
        print(f"  {_short(permission(where))}; {', '.join(SKILLS)}: --allow adds them")


def _short(text: str) -> str:
    return text.replace(str(Path.home()), "~")


def _uninstall(agent: str, where: Paths, *, apply: bool, diff: bool, last: bool) -> int:
    file = settings_file(agent, where)
    now = file.read()
    after = without_plugin(file) if WIRINGS[agent].plugin is not None else without_ours(file)
    for path in remove_skills(where, file.path) if apply and WIRINGS[agent].permits else ():
        print(f"{path}: removed")
    if WIRINGS[agent].trusts and (said := distrust(file.path, file.text(), where, apply=apply)):
        print(said)
    if after == now:
        print(f"{file.path}: nothing to change")
        return 0
    _show(file.path, now or b"", after or b"", diff=diff)
    if not apply:
        print(f"\nNothing was written. To do it: borg uninstall {agent} --apply")
        return 0
    if file.is_as_we_left_it():
        file.take_back()
        print(f"{file.path}: {'as it was before borgd' if after is not None else 'removed, as borgd had made it'}.")
    elif after is None:
        file.remove(file.receipt() or Receipt(None, "", directories=0))
        file.forget()
        print(f"{file.path}: removed, as borgd had made it.")
    else:
        file.change(now, after)
        kept = f" What it was before borgd is in {file.copy}." if file.copy.exists() else ""
        print(f"{file.path}: hooks removed; what was changed in it since stays.{kept}")
    if last:  # the client stays: sessions still open go on calling it
        print(f"Client and daemon stay, for sessions that are open. borg uninstall {agent} --purge --apply takes them too.")
    return 0


def _show(path: Path, before: bytes, after: bytes, *, diff: bool) -> None:
    """What changes: an entry a line, or with ``diff`` every line of the text."""
    print(coloured(str(path), "bold"))
    plugin = is_plugin_text((before or after).decode("utf-8", "replace"))
    lines = _lines(before, after) if diff else [] if plugin else _entry_lines(before, after)
    for line in lines:
        print(coloured(line, "green" if line.lstrip().startswith("+") else "red"))
    if not diff:
        print(
            "  nothing else in it changes"
            if before.strip() and after
            else "  the file is new"
            if after
            else "  the file goes"
        )


def _lines(before: bytes, after: bytes) -> Iterator[str]:
    old, new = (data.decode("utf-8", "replace").split("\n") for data in (before, after))
    changes = difflib.unified_diff(old, new, lineterm="", n=0)
    return (line for line in changes if line[:3] not in ("---", "+++", "@@ "))


def _entry_lines(before: bytes, after: bytes) -> Iterator[str]:
    old, new = _own_lists(before), _own_lists(after)
    for path in dict.fromkeys([*old, *new]):
        for sign, these, others in (("-", old, new), ("+", new, old)):
            for entry in these.get(path, []):
                if entry not in others.get(path, []):
                    yield f"  {sign} {'.'.join(path):<26} {_command(entry)}"


def _own_lists(data: bytes) -> dict[KeyPath, list[Any]]:
    lists = lists_below(value_of(data.decode("utf-8", "replace")))
    return {path: [one for one in found if is_ours(one)] for path, found in lists.items()}


def _command(entry: Any) -> str:
    """The entry as a person reads it."""
    if isinstance(entry, str):
        return _short(entry)
    hook = hooks_of(entry)[0]
    command = _short(command_of(hook))
    matcher = f" (for {entry['matcher']})" if entry.get("matcher") else ""
    return f"{' '.join([command, *map(str, hook.get('args', []))])}{matcher}"
