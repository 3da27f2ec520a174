"""The installer: shows first, applies on request, twice is once, foreign settings stay, the way back leaves nothing."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.cli.service.install import client_path, entries, installed, is_ours, merged, run, settings_path
from borgd.errors import BorgError, InputError
from borgd.paths import user_paths

FOREIGN = {
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/guard"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "notify-send done"}]}],
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}


def file(home: Path, value: object, indent: int = 4) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(value, indent=indent) + "\n")
    return path


def test_without_apply_nothing_is_written(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "claude-code"]) == 0
    assert "--apply" in capsys.readouterr().out
    assert list(home.rglob("*")) == []


def test_install_keeps_what_is_there_and_twice_is_once(home: Path) -> None:
    path = file(home, FOREIGN)
    run(["install", "claude-code", "--apply"])
    first = path.read_bytes()
    for _ in range(4):
        run(["install", "claude-code", "--apply"])
    assert path.read_bytes() == first
    now = json.loads(first)
    assert now["model"] == "opus"
    assert now["permissions"] == FOREIGN["permissions"]
    assert now["hooks"]["Stop"][0] == FOREIGN["hooks"]["Stop"][0]
    assert len(now["hooks"]["Stop"]) == 2
    assert first.startswith(b'{\n    "model"'), "the file's own indentation"
    assert all(installed("claude-code", user_paths()).values())


def test_the_way_back_leaves_the_file_as_it_was(home: Path) -> None:
    path = file(home, FOREIGN)
    before = path.read_bytes()
    run(["install", "claude-code", "--apply"])
    run(["uninstall", "claude-code", "--apply"])
    assert path.read_bytes() == before
    assert client_path(user_paths()).exists(), "sessions still open go on calling it"


def test_the_client_is_a_program_of_its_own_that_answers(home: Path) -> None:
    run(["install", "claude-code", "--apply"])
    path = client_path(user_paths())
    assert path.stat().st_mode & stat.S_IXUSR
    assert path.read_bytes().startswith(b"#!/")
    done = subprocess.run([path, "claude-code", "Stop"], input=b"", capture_output=True, check=True)
    assert done.stdout.strip() == b"{}"
    launch = (user_paths().data / "launch").read_text().split("\n")
    assert Path(launch[0]).exists()
    assert stat.S_IMODE((user_paths().data / "launch").stat().st_mode) == 0o600


def test_a_missing_client_is_not_a_block(home: Path) -> None:
    """Agents take exit code 2 for a block; the entry must not be one that ends so when the client is gone."""
    command = entries("claude-code", user_paths())["PreToolUse"]["hooks"][0]
    assert Path(command["command"]).name == "borg-hook"
    assert command["args"] == ["claude-code", "PreToolUse"]
    with pytest.raises(FileNotFoundError):
        subprocess.run([command["command"], *command["args"]], check=False)


def test_a_linked_settings_file_stays_a_link(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "settings.json"
    target.parent.mkdir()
    target.write_text("{}\n")
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(target)
    run(["install", "claude-code", "--apply"])
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "borg-hook" in target.read_text()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "\x00\xff"])
def test_settings_that_cannot_be_read_are_named_and_left_alone(home: Path, text: str) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"settings\.json"):
        run(["install", "claude-code", "--apply"])
    assert path.read_bytes() == text.encode("latin-1")


def test_paths_with_spaces_quotes_and_umlauts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "a b'\"ü"
    odd.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(odd))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    run(["install", "claude-code", "--apply"])
    command = json.loads(settings_path("claude-code").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert Path(command).exists()


def test_an_unknown_agent_is_named(home: Path) -> None:
    with pytest.raises(BorgError, match="nobody"):
        settings_path("nobody")


hook = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=20)})
group = st.fixed_dictionaries({"hooks": st.lists(hook, min_size=1, max_size=2)}, optional={"matcher": st.text(max_size=5)})
events = st.sampled_from(["Stop", "PreToolUse", "SessionEnd", "Setup"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(events, st.lists(group, max_size=3)))
def test_foreign_entries_survive_in_their_order(home: Path, hooks: dict[str, list[dict[str, object]]]) -> None:
    wanted = entries("claude-code", user_paths())
    before = {"hooks": hooks} if hooks else {}
    after = merged(before, wanted, "x")
    for event, groups in hooks.items():
        assert [one for one in after["hooks"][event] if not is_ours(one)] == [one for one in groups if not is_ours(one)]
    assert merged(after, wanted, "x") == after
    without = merged(after, {}, "x").get("hooks", {})
    assert {event: groups for event, groups in without.items() if groups} == {
        event: groups for event, groups in hooks.items() if groups
    }


def test_systemd_units_start_this_interpreter(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "systemd"]) == 0
    assert list(home.rglob("*")) == []
    assert run(["install", "systemd", "--apply"]) == 0
    service = (home / ".config/systemd/user/borgd.service").read_text()
    assert "-I -m borgd run" in service
    assert "%h/.local" not in service
    assert run(["uninstall", "systemd", "--apply"]) == 0
    assert not (home / ".config/systemd/user/borgd.service").exists()
    assert "systemctl --user" in capsys.readouterr().out
