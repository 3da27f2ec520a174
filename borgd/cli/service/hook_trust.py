"""``borg install codex --trust``: the agent's own app server is asked to trust our hooks, as its user would in its dialog.

Nothing else is trusted: not another program's hook, not one of ours that is not in the settings. The way back is ours
alone, as the server may be gone by then: what it wrote into config.toml comes out again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from borgd.agents.codex.trust import TRUSTED, ListedHook, keys_of, listed, trusted_in, trusting, without_trust
from borgd.agents.wiring import WIRINGS, client_in
from borgd.config.json_text import value_of
from borgd.errors import BorgError, UsageError
from borgd.paths import Paths
from borgd.stores.installed.app_server import AppServer
from borgd.stores.installed.client import client_path
from borgd.stores.installed.settings_file import SettingsFile

CONFIG = "config.toml"
"""host: the file beside the hooks in which the trusted hashes are."""
LISTED = "hooks/list"
WRITTEN = "config/batchWrite"
"""host: the app server's words for "which hooks are there" and "change the config"."""


def trust_file(settings: Path, where: Paths) -> SettingsFile:
    """The file that holds the trusted hashes, with our copy of what it was."""
    return SettingsFile(settings.with_name(CONFIG), where.data / "backup")


def trust(agent: str, settings: Path, where: Paths) -> str:
    """Have the agent trust our hooks; a sentence on what it says afterwards.

    :raises UsageError: the agent knows no such trust.
    :raises BorgError: its program is not here, or does not do it.
    """
    program = WIRINGS[agent].trusts
    if not program:
        raise UsageError(f"--trust: {agent} runs hooks without it; leave it out")
    found = shutil.which(program)
    if found is None:
        raise BorgError(f"there is no {program} on PATH, so the hooks are not trusted yet. {WIRINGS[agent].then}")
    file = trust_file(settings, where)
    before = file.read()
    with AppServer([found, "app-server"], str(settings.parent)) as server:
        ours = _ours(server, settings, where)
        if not ours:
            raise BorgError(f"{program} lists none of our hooks in {settings}; is it older than 0.150, or its hooks off?")
        todo = [hook for hook in ours if hook.status != TRUSTED]
        if not todo:
            return f"{program} trusts all {len(ours)} hooks already."
        server.ask(WRITTEN, trusting(todo))
        left = [hook for hook in _ours(server, settings, where) if hook.status != TRUSTED]
    _remember(file, before, [hook.key for hook in ours])
    if left:
        raise BorgError(f"{program} still does not trust {len(left)} of {len(ours)} hooks. {WIRINGS[agent].then}")
    return f"{program} trusts all {len(ours)} hooks now; they are noted in {file.path}."


def _ours(server: AppServer, settings: Path, where: Paths) -> list[ListedHook]:
    """Our hooks, of those files alone that we wrote."""
    client, files = str(client_path(where)), _spellings(settings)
    answer = listed(server.ask(LISTED, {"cwds": [str(settings.parent)]}))
    return [hook for hook in answer if client_in(hook.command) == client and hook.key.startswith(files)]


def _spellings(settings: Path) -> tuple[str, ...]:
    """How a key may begin: the file as we name it, and without links."""
    return tuple(dict.fromkeys(f"{path}:" for path in (str(settings), os.path.realpath(settings))))


def _remember(file: SettingsFile, before: bytes | None, keys: Iterable[str]) -> None:
    receipt, after = file.receipt(), file.read()
    if after is None or after == before:
        return
    if receipt is not None and before is not None and file.wrote(before):
        base = receipt.before
    else:
        base = None if before is None else without_trust(before.decode("utf-8", "replace"), keys, str(file.path)).encode()
    file.remember(base, after)


def _our_keys(settings: Path, text: str) -> list[str]:
    """The keys of our entries in the settings' ``text``."""
    hooks = value_of(text, str(settings)).get("hooks")
    files = [spelling.removesuffix(":") for spelling in _spellings(settings)]
    return keys_of(hooks, files, _is_ours)


def _is_ours(group: object) -> bool:
    entries = group.get("hooks") if isinstance(group, dict) else None
    commands = [str(one.get("command")) for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    return bool(commands) and all(client_in(command) for command in commands)


def trusted(settings: Path, text: str, where: Paths) -> tuple[int, int]:
    """(how many of our entries in the settings' ``text`` have a trusted hash, how many there are).

    :raises InputError: config.toml or the settings cannot be read.
    """
    file = trust_file(settings, where)
    keys = _our_keys(settings, text)
    held = trusted_in(file.text(), keys, str(file.path))
    return len({_place(key) for key in held}), len({_place(key) for key in keys})


def _place(key: str) -> str:
    """A key without its file."""
    return ":".join(key.split(":")[-3:])


def distrust(settings: Path, text: str, where: Paths, *, apply: bool) -> str:
    """Take what is kept of our entries (those in the settings' ``text``) out of config.toml; what was done, or nothing.

    :raises InputError: config.toml or the settings cannot be read.
    """
    file = trust_file(settings, where)
    now = file.read()
    if now is None:
        return ""
    after = without_trust(file.text(), _our_keys(settings, text), str(file.path)).encode()
    if not apply:
        return f"  - trusted hashes in {file.path}" if after != now else ""
    if file.is_as_we_left_it():
        file.take_back()
    elif after != now:
        file.change(now, after)
        file.forget()
    else:
        return ""
    return f"{file.path}: trusted hashes removed."
