"""``borg doctor`` names what is wrong and what to do, changes nothing, and goes on where one look fails."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from borgd.agents import AGENTS, gaps_of
from borgd.cli.doctor import client as client_checks
from borgd.cli.doctor.doctor import findings, scene_of
from borgd.cli.doctor.stores import MEANING
from tests.server.processes import Home, wait_for


@pytest.fixture
def at(tmp_path: Path) -> Home:
    return Home(tmp_path)


def examine(at: Home, **env: str) -> dict[str, list[dict[str, Any]]]:
    done = at.borg("doctor", "--json", "--quick", **env)
    document = json.loads(done.stdout)
    assert document["ok"] is (done.returncode == 0)
    by_name: dict[str, list[dict[str, Any]]] = {}
    for finding in document["findings"]:
        by_name.setdefault(finding["name"], []).append(finding)
    return by_name


def state(found: dict[str, list[dict[str, Any]]], name: str) -> str:
    return max((finding["state"] for finding in found[name]), key=["ok", "note", "bad"].index)


def test_a_first_run_says_what_to_do_and_creates_nothing(at: Home) -> None:
    found = examine(at)
    assert [state(found, name) for name in ("daemon", "client", "start", "claude-code", "config")] == ["note"] * 4 + ["ok"]
    assert "borg install claude-code --apply" in found["client"][0]["todo"]
    assert list(at.directory.iterdir()) == []
    text = at.borg("doctor", "--quick").stdout
    assert "→ borg install claude-code --apply" in text


def test_after_an_install_and_a_start_all_is_well(at: Home) -> None:
    at.borg("install", "claude-code", "--apply")
    pid = json.loads(at.borg("start", "--json").stdout)["pid"]
    try:
        found = examine(at)
        assert {name for name, all_of_it in found.items() for finding in all_of_it if finding["state"] != "ok"} <= {
            "claude-code events",  # none came yet
            "command",  # what this machine's PATH holds
            "interpreter",  # as this machine has it
            "shell",
        }
        assert f"pid {pid}" in found["daemon"][0]["text"]
        assert "went through the client to the daemon and back" in found["event"][0]["text"]
        assert {"id", "verdict", "evidence", "next"} <= set(found["event"][0])
        at.client("Stop", b'{"session_id":"s","hook_event_name":"Stop"}')
        assert "Stop " in examine(at)["claude-code events"][0]["text"]
    finally:
        at.borg("stop")
    again = examine(at)["claude-code events"][0]["text"]
    assert "Stop" in again, "kept over the daemon's end"


def test_each_broken_part_is_named(at: Home) -> None:
    at.borg("install", "claude-code", "--apply")
    client = at.directory / ".local/share/borgd/hook/borg-hook"
    client.chmod(0o600)
    (client.parent / "borg_hook.py").unlink()
    (at.directory / ".local/share/borgd/launch").chmod(0o666)
    settings = at.directory / ".claude/settings.json"
    document = json.loads(settings.read_text())
    del document["hooks"]["Stop"]
    settings.write_text(json.dumps(document))
    (at.directory / ".config/borgd").mkdir(parents=True)
    (at.directory / ".config/borgd/config.toml").write_text("[daemon]\nidle = 1\n")
    found = examine(at)
    for name in ("client", "start", "claude-code"):
        assert state(found, name) == "bad", found
    assert "Stop" in found["claude-code"][0]["text"]
    assert any("idle" in finding["text"] for finding in found["config"])
    assert "hook log" in found


def test_an_interpreter_that_is_gone_and_an_old_client_are_told(at: Home) -> None:
    at.borg("install", "claude-code", "--apply")
    client = at.directory / ".local/share/borgd/hook/borg-hook"
    client.write_text("#!/nowhere/python3 -IS\n" + client.read_text().partition("\n")[2] + "# older\n")
    found = examine(at)
    texts = [finding["text"] for finding in found["client"]]
    assert any("/nowhere/python3 is gone" in text for text in texts)
    assert any("is not the client of borgd" in text for text in texts)


@pytest.mark.slow
def test_a_stopped_daemon_and_a_stranger_on_the_socket_are_told_apart(at: Home) -> None:
    with at.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        found = examine(at)
        process.send_signal(signal.SIGCONT)
        wait_for(at.answers)
    assert state(found, "daemon") == "bad"
    assert f"pid {process.pid}" in found["daemon"][0]["text"]
    assert "does not answer" in found["daemon"][0]["text"]


@pytest.mark.parametrize("spoil", ["relative", "missing", "open", "link", "foreign"])
def test_a_runtime_directory_that_is_not_used_is_explained(at: Home, spoil: str, tmp_path: Path) -> None:
    runtime = tmp_path / "runtime"
    if spoil == "link":
        runtime.symlink_to(tmp_path)
    elif spoil != "missing":
        runtime.mkdir(mode=0o700)
    if spoil == "open":
        runtime.chmod(0o777)
    if spoil == "foreign":
        if os.getuid():
            pytest.skip("needs to give a directory to another uid")
        os.chown(runtime, 65534, 65534)
    found = examine(at, XDG_RUNTIME_DIR="runtime" if spoil == "relative" else str(runtime))
    assert state(found, "runtime directory") == "note"
    assert "not used" in found["runtime directory"][0]["text"]
    assert found["runtime directory"][0]["todo"]


def test_the_last_failures_of_hooks_are_explained(at: Home) -> None:
    at.client("Stop")
    at.client("PreToolUse")
    found = examine(at)["hook log"]
    assert "2 failures in the last 24 hours" in found[0]["text"]
    assert "PreToolUse: ENOENT, no daemon ran" in found[2]["text"]
    (at.state / "hook.log").write_bytes(b"\xff\x00 damaged\n\n2020-01-01T00:00:00Z a b c d\n" * 9999)
    assert "0 failures" in examine(at)["hook log"][0]["text"]


@pytest.mark.parametrize("cause", ["EPERM", "EACCES"])
def test_an_agent_inside_a_sandbox_is_named_with_what_to_allow(at: Home, cause: str) -> None:
    at.client("Stop")
    log = at.state / "hook.log"
    log.write_text(log.read_text().replace("claude-code", "codex").replace("ENOENT", cause))
    [found] = [one for one in examine(at)["hook log"] if one["state"] == "bad"]
    assert "around codex" in found["text"]
    assert str(at.socket) in found["todo"]
    assert "restart" not in found["todo"]
    log.write_text(log.read_text().replace(log.read_text()[:4], "2020", 1))
    assert not [one for one in examine(at)["hook log"] if one["state"] == "bad"], "long ago is over"


def test_every_cause_that_the_client_writes_has_a_meaning() -> None:
    source = (Path(__file__).parents[2] / "hooks/borg_hook.py").read_text()
    causes = {part.split('"')[1] for part in source.split("Failure(")[1:] if part.startswith('"')}
    assert causes - {"EPERM"} | {"EPERM", "EACCES"} <= set(MEANING)
    assert len(causes) >= 10


def test_a_profile_that_prints_is_told(at: Home, tmp_path: Path) -> None:
    chatty = tmp_path / "chatty"
    chatty.write_text("#!/bin/sh\necho Welcome\n")
    chatty.chmod(0o755)
    found = examine(at, SHELL=str(chatty))
    assert state(found, "shell") == "bad"
    assert state(examine(at, SHELL="/bin/sh"), "shell") == "ok"


def test_a_look_that_fails_does_not_keep_the_others_from_happening(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(client_checks, "client", fail)
    names = [finding.name for finding in findings(scene_of(dict(os.environ)), ("client.client", "stores.failures"))]
    assert names == ["client", "hook log"]


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_what_cannot_be_done_in_an_agent_is_said_once_it_is_installed(agent: str, at: Home) -> None:
    assert f"{agent} gaps" not in examine(at)
    at.borg("install", agent, "--apply")
    found = examine(at)
    assert [one["text"] for one in found.get(f"{agent} gaps", [])] == (["; ".join(gaps_of(agent))] if gaps_of(agent) else [])
    assert state(found, agent) == "ok"
