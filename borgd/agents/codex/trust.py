"""Codex's trust in hooks: what its app server is asked, what it answers, what is kept in its config.toml. Pure.

Codex runs a hook only while the hash of its entry is the one that was trusted, and skips any other without a word. The
hash is Codex's own affair: it is asked for it, never computed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import tomlkit
from tomlkit.exceptions import TOMLKitError

from borgd.errors import InputError

STATE = "hooks.state"
"""host: where in config.toml the trusted hashes are."""
TRUSTED = "trusted"
"""host: Codex's word for a hook that it runs."""
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class ListedHook(NamedTuple):
    """A hook as Codex lists it: its ``key`` in config.toml, the ``command`` it calls, the hash to trust, its status."""

    key: str
    command: str
    hash: str
    status: str


def listed(answer: Mapping[str, Any]) -> list[ListedHook]:
    """The hooks in the answer to ``hooks/list``; what is none is left out."""
    data = answer.get("data")
    layers = [one.get("hooks") for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    found = [hook for hooks in layers if isinstance(hooks, list) for hook in hooks if isinstance(hook, dict)]
    values = [[hook.get(name) for name in ("key", "command", "currentHash", "trustStatus")] for hook in found]
    return [ListedHook(*map(str, one)) for one in values if all(isinstance(value, str) for value in one)]


def trusting(hooks: Iterable[ListedHook]) -> dict[str, Any]:
    """The parameters of ``config/batchWrite`` that trust ``hooks`` as they are, and nothing else."""
    value = {hook.key: {"trusted_hash": hook.hash} for hook in hooks}
    return {"edits": [{"keyPath": STATE, "mergeStrategy": "upsert", "value": value}]}


def keys_of(hooks: object, files: Iterable[str], is_ours: Callable[[Any], bool]) -> list[str]:
    """The keys in config.toml of our entries among ``hooks`` (the value of that name in hooks.json), at ``files``.

    A key is made of the file, the event with underscores, and the places of group and entry.
    """
    return [f"{file}:{place}" for file in files for place in _places(hooks, is_ours)]


def _places(hooks: object, is_ours: Callable[[Any], bool]) -> Iterator[str]:
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups) if isinstance(groups, list) else ():
            if is_ours(group):
                entries = group.get("hooks") if isinstance(group, dict) else None
                for number in range(len(entries) if isinstance(entries, list) else 0):
                    yield f"{_CAPITAL.sub('_', str(event)).lower()}:{index}:{number}"


def trusted_in(text: str, keys: Iterable[str], source: str) -> set[str]:
    """Which of ``keys`` have a trusted hash in config.toml's ``text``.

    :raises InputError: not TOML.
    """
    state = _state(_parsed(text, source))
    return {key for key in keys if isinstance(held := state.get(key), dict) and held.get("trusted_hash")}


def without_trust(text: str, keys: Iterable[str], source: str) -> str:
    """config.toml's ``text`` without what is kept of ``keys``; a section that this leaves empty goes too.

    :raises InputError: not TOML.
    """
    document = _parsed(text, source)
    state = _state(document)
    gone = [key for key in keys if key in state]
    if not gone:
        return text
    for key in gone:
        del state[key]
    hooks = document["hooks"]
    if not state:
        del hooks["state"]
    if not hooks:
        del document["hooks"]
    return tomlkit.dumps(document)


def _parsed(text: str, source: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise InputError(source, f"is not TOML: {error}") from None


def _state(document: tomlkit.TOMLDocument) -> Any:
    hooks = document.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return state if isinstance(state, dict) else {}
