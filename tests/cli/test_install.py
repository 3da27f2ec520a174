"""The installer: shows first, applies on request, twice is once, foreign settings stay, the way back leaves nothing."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.agents.settings_text import with_entries, without_entries
from borgd.cli.service.install import entries, installed, is_ours, run, settings_path, wanted_entries
from borgd.errors import BorgError, InputError
from borgd.paths import user_paths
from borgd.stores.installed.client import client_path, is_of_a_patch_release, lasting_interpreter, renew_client

FOREIGN: dict[str, Any] = {
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


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(events, st.lists(group, max_size=3)))
def test_foreign_entries_survive_in_their_order(home: Path, hooks: dict[str, list[dict[str, object]]]) -> None:
    wanted = wanted_entries("claude-code", user_paths())
    text = json.dumps({"hooks": hooks} if hooks else {}, indent=3)
    put = with_entries(text, wanted, is_ours, "x")
    after = json.loads(put)
    for event, groups in hooks.items():
        assert [one for one in after["hooks"][event] if not is_ours(one)] == [one for one in groups if not is_ours(one)]
    assert with_entries(put, wanted, is_ours, "x") == put
    assert without_entries(put, is_ours, "x", like=text) == text


BASE = json.dumps(FOREIGN, indent=2)
FORMATS: dict[str, bytes | None] = {
    "plain": f"{BASE}\n".encode(),
    "no final line end": BASE.encode(),
    "tabs": json.dumps(FOREIGN, indent="\t").encode(),
    "crlf": BASE.replace("\n", "\r\n").encode(),
    "one line": json.dumps(FOREIGN, separators=(",", ":")).encode(),
    "escapes": BASE.replace("opus", "op\\u0075s").encode(),
    "mark": f"\ufeff{BASE}".encode(),
    "empty hooks": b'{"hooks": { }}',
    "empty list": b'{\n  "hooks": {\n    "Stop": [\n\n    ]\n  }\n}',
    "empty object": b"{\n\n}\n",
    "white space": b" \r\n",
    "nothing": b"",
    "absent": None,
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_way_back_gives_the_same_bytes(home: Path, name: str) -> None:
    path, data = home / ".claude" / "settings.json", FORMATS[name]
    if data is not None:
        path.parent.mkdir()
        path.write_bytes(data)
    for _ in range(5):
        run(["install", "claude-code", "--apply"])
    assert path.read_bytes().count(b"borg-hook") == len(entries("claude-code", user_paths()))
    assert all(installed("claude-code", user_paths()).values())
    run(["uninstall", "claude-code", "--apply"])
    if data is None:
        assert not path.parent.exists(), "what was made goes, its directory too"
    else:
        assert path.read_bytes() == data
    assert not (user_paths().data / "backup").exists()


@pytest.mark.parametrize("name", ["plain", "tabs", "one line", "mark", "absent"])
def test_of_a_file_that_changed_in_between_only_ours_goes(home: Path, name: str) -> None:
    path, data = home / ".claude" / "settings.json", FORMATS[name]
    if data is not None:
        path.parent.mkdir()
        path.write_bytes(data)
    run(["install", "claude-code", "--apply"])
    text = path.read_bytes().decode()
    changed = text[: text.rindex("}")] + ', "later": true' + text[text.rindex("}") :]
    path.write_bytes(changed.encode())
    run(["uninstall", "claude-code", "--apply"])
    now = path.read_text("utf-8-sig")
    assert json.loads(now) == {**({} if data is None else FOREIGN), "later": True}
    assert "borg-hook" not in now


def test_a_copy_is_kept_and_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(home, FOREIGN)
    before = path.read_bytes()
    run(["install", "claude-code", "--apply"])
    (kept,) = (user_paths().data / "backup").glob("*.before")
    assert kept.read_bytes() == before
    assert kept.stat().st_mode & 0o777 == 0o600
    assert str(kept) in capsys.readouterr().out


def test_the_change_is_shown_an_entry_a_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file(home, FOREIGN)
    run(["install", "claude-code"])
    lines = capsys.readouterr().out.split("\n")
    assert len(lines) < 20
    assert any(line.startswith("  + hooks.Stop ") and "borg-hook claude-code Stop" in line for line in lines)
    assert not any("\x1b" in line for line in lines), "no colour in a pipe"


def test_purge_takes_all_but_the_lessons_and_with_yes_those_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(home, FOREIGN)
    before, where = path.read_bytes(), user_paths()
    run(["install", "claude-code", "--apply"])
    where.journal("lessons").write_bytes(b"{}\n")
    where.state.mkdir(parents=True, mode=0o700)
    assert run(["uninstall", "--purge"]) == 0
    assert client_path(where).exists(), "without --apply nothing happens"
    assert run(["uninstall", "--purge", "--apply"]) == 0
    assert path.read_bytes() == before
    assert [one.name for one in where.data.iterdir()] == ["lessons.jsonl"]
    assert not where.state.exists()
    assert "stays, with your lessons" in capsys.readouterr().out
    assert run(["uninstall", "--purge", "--apply", "--yes"]) == 0
    assert not where.data.exists()


@pytest.mark.parametrize("variable", ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"])
def test_a_relative_home_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, "somewhere/here")
    with pytest.raises(BorgError, match=variable):
        run(["install", "claude-code", "--apply"])
    assert list(tmp_path.iterdir()) == [home]


def test_an_interpreter_is_named_by_a_path_that_outlives_a_patch_release(tmp_path: Path) -> None:
    def python(path: str) -> str:
        made = tmp_path / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.symlink_to(sys.executable)
        return str(made)

    homebrew = python("homebrew/Cellar/python@3.12/3.12.1_1/bin/python3.12")
    kept = python("homebrew/opt/python@3.12/bin/python3.12")
    uv = python("uv/python/cpython-3.12.1-linux-x86_64-gnu/bin/python3.12")
    minor = python("uv/python/cpython-3.12/bin/python3.12")
    pyenv, system = python(".pyenv/versions/3.12.1/bin/python3.12"), python("usr/bin/python3")
    assert lasting_interpreter(homebrew, ()) == kept
    assert lasting_interpreter(uv, ()) == minor
    assert lasting_interpreter(pyenv, (system,)) == system
    assert lasting_interpreter(pyenv, ()) == pyenv, "better one that goes with an update than none"
    assert lasting_interpreter(system, ("/nowhere",)) == system
    assert is_of_a_patch_release(pyenv)
    assert not is_of_a_patch_release("/usr/bin/python3.12")


def test_a_client_whose_interpreter_has_gone_is_written_anew(home: Path) -> None:
    where = user_paths()
    assert renew_client(where) == ""
    assert not client_path(where).exists(), "what nobody installed is not made"
    run(["install", "claude-code", "--apply"])
    sound = client_path(where).read_bytes()
    assert renew_client(where) == ""
    client_path(where).write_bytes(b"#!/nowhere/3.12.1/bin/python3.12 -IS\n" + sound.partition(b"\n")[2])
    assert "/nowhere" in renew_client(where)
    assert client_path(where).read_bytes() == sound
    (where.data / "launch").write_text("/nowhere/python\n-m\nborgd\nrun\n")
    assert renew_client(where)
    assert Path((where.data / "launch").read_text().split("\n")[0]).exists()


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
