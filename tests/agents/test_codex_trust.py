"""Codex's trust: which of its keys are ours, what comes out of config.toml again, what an app server may answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents.codex.trust import keys_of, listed, trusted_in, trusting, without_trust
from borgd.agents.wiring import WIRINGS
from borgd.errors import BorgError, InputError
from borgd.paths import shipped
from borgd.stores.installed.app_server import AppServer

names = st.text("abcXYZ_./: \"'é", min_size=1, max_size=12)
hashes = st.dictionaries(names, st.just({"trusted_hash": "sha256:0"}), max_size=4)


@given(hashes, hashes, st.sampled_from(["", "# mine\n", 'model = "x" # y\n', "[features]\nhooks = true\n"]))
def test_what_is_others_stays_and_ours_goes(others: dict[str, Any], ours: dict[str, Any], head: str) -> None:
    ours = {key: value for key, value in ours.items() if key not in others}
    state = tomlkit.dumps({"hooks": {"state": others | ours}}) if others | ours else ""
    before = head + state
    after = without_trust(before, ours, "config.toml")
    assert trusted_in(after, [*others, *ours], "config.toml") == set(others)
    assert after.startswith(head)
    if not others:
        assert tomlkit.parse(after).unwrap() == tomlkit.parse(head).unwrap()
    if not ours:
        assert after == before


def test_a_key_is_the_event_and_the_places_of_group_and_entry() -> None:
    ours, other = {"hooks": [{"command": "ours"}]}, {"hooks": [{"command": "x"}]}
    hooks = {"PreToolUse": [other, ours], "SessionStart": [ours], "Stop": [other], "Broken": 5}
    found = keys_of(hooks, ["/h/hooks.json"], lambda group: group == ours)
    assert found == ["/h/hooks.json:pre_tool_use:1:0", "/h/hooks.json:session_start:0:0"]


def test_only_what_is_given_is_trusted() -> None:
    hook = {"key": "k", "command": "c", "currentHash": "sha256:1", "trustStatus": "untrusted"}
    [one] = listed({"data": [{"hooks": [hook, {"key": "no command"}, 7]}, None, {"hooks": 3}]})
    [edit] = trusting([one])["edits"]
    assert edit["value"] == {"k": {"trusted_hash": "sha256:1"}}
    assert listed({}) == []


def test_what_is_no_toml_names_the_file() -> None:
    with pytest.raises(InputError, match=r"config\.toml"):
        without_trust("[[[", ["k"], "config.toml")


def test_the_trusted_text_of_an_entry_is_the_same_in_every_version() -> None:
    """Another letter in it and Codex skips the hook without a word: what stands here is never to be changed."""
    events = json.loads((shipped("hooks") / "codex/hooks.json").read_text())
    assert {event: options["timeout"] for event, options in events.items()} == {
        "SessionStart": 5,
        "UserPromptSubmit": 5,
        "PreToolUse": 5,
        "PostToolUse": 5,
        "PermissionRequest": 5,
        "SubagentStart": 5,
        "SubagentStop": 5,
        "Stop": 5,
        "SessionEnd": 1,
    }
    assert not any("matcher" in options for options in events.values())
    assert WIRINGS["codex"].handler("/home/a b/hook/borg-hook", "codex", "Stop", events["Stop"]) == {
        "type": "command",
        "command": "'/home/a b/hook/borg-hook' codex Stop",
        "timeout": 5,
    }


ANSWERS = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "id" in said:
        print("not a message")
        print(json.dumps({"method": "log", "params": {}}))
        print(json.dumps({"id": said["id"], "method": "askYou"}))
        print(json.dumps({"id": said["id"], %s}), flush=True)
"""


def server(tmp_path: Path, program: str) -> AppServer:
    (tmp_path / "server.py").write_text(program)
    return AppServer([sys.executable, str(tmp_path / "server.py"), "app-server"], str(tmp_path))


def test_an_answer_is_found_among_other_messages(tmp_path: Path) -> None:
    with server(tmp_path, ANSWERS % '"result": {"echo": said["params"]}') as asked:
        assert asked.ask("hooks/list", {"cwds": ["/w"]}) == {"echo": {"cwds": ["/w"]}}


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (ANSWERS % '"error": {"message": "no such method"}', "no such method"),
        ("raise SystemExit(3)", "ended"),
        ("print('x' * 100)", "ended without an answer"),
    ],
)
def test_a_server_that_does_not_do_it_is_an_error(tmp_path: Path, program: str, said: str) -> None:
    with pytest.raises(BorgError, match=said), server(tmp_path, program):
        pass


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BorgError, match="cannot be started"), AppServer([str(tmp_path / "none")], str(tmp_path)):
        pass
