"""An agent without settings for hooks: one file of ours loads the plugin; it comes, stays the same, and goes again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.agents.wiring import WIRINGS, client_of_plugin, is_plugin_text, plugin_text
from borgd.cli.doctor.agents import versions
from borgd.cli.doctor.doctor import scene_of
from borgd.cli.service.install import AGENTS, installed, run, settings_path
from borgd.errors import BorgError
from borgd.paths import shipped, user_paths
from borgd.stores.installed.client import client_path, installed_client, plugin_modules, remove_client, renew_client

PLUGINS = [name for name in AGENTS if WIRINGS[name].plugin is not None]


def everything(home: Path) -> dict[str, bytes | None]:
    """Every file and directory below ``home`` but borgd's own, with its bytes."""
    found = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if ".local" not in name:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


@pytest.mark.parametrize("agent", PLUGINS)
def test_without_apply_nothing_is_written(agent: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", agent]) == 0
    told = capsys.readouterr().out
    assert "--apply" in told
    assert "the file is new" in told
    assert list(home.rglob("*")) == []


@pytest.mark.parametrize("agent", PLUGINS)
def test_twice_is_once_and_the_way_back_leaves_nothing(agent: str, home: Path) -> None:
    before = everything(home)
    run(["install", agent, "--apply"])
    path = settings_path(agent)
    first = path.read_bytes()
    assert str(client_path(user_paths()).parent) in first.decode()
    assert all(installed(agent, user_paths()).values())
    for _ in range(3):
        run(["install", agent, "--apply"])
    assert path.read_bytes() == first
    run(["uninstall", agent, "--apply"])
    assert everything(home) == before, "no directory stays that was made for it"
    assert not path.exists()
    assert not any(installed(agent, user_paths()).values())


@pytest.mark.parametrize("agent", PLUGINS)
@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}\.(ts|js|json)", fullmatch=True), st.binary(max_size=50), max_size=4))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_plugins_of_others_keep_their_bytes(agent: str, home: Path, others: dict[str, bytes]) -> None:
    shutil.rmtree(home)
    directory = settings_path(agent).parent
    directory.mkdir(parents=True)
    for name, data in others.items():
        (directory / name).write_bytes(data)
    before = everything(home)
    run(["install", agent, "--apply"])
    run(["uninstall", agent, "--apply"])
    assert everything(home) == before


@pytest.mark.parametrize("agent", PLUGINS)
def test_a_file_of_that_name_that_is_not_ours_is_left_alone(
    agent: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings_path(agent)
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = async () => ({})\n")
    with pytest.raises(BorgError, match="is not borgd's"):
        run(["install", agent, "--apply"])
    assert run(["uninstall", agent, "--apply"]) == 0
    assert "nothing to change" in capsys.readouterr().out
    assert path.read_text() == "export const Mine = async () => ({})\n"


@pytest.mark.parametrize("agent", PLUGINS)
def test_one_that_somebody_changed_is_made_whole_and_taken_away(agent: str, home: Path) -> None:
    run(["install", agent, "--apply"])
    path = settings_path(agent)
    whole = path.read_text()
    path.write_text(whole + "// a line of somebody\n")
    assert not any(installed(agent, user_paths()).values())
    run(["install", agent, "--apply"])
    assert path.read_text() == whole
    path.write_text(whole + "// a line of somebody\n")
    run(["uninstall", agent, "--apply"])
    assert not path.exists()


def test_the_plugins_lie_beside_the_client_as_they_are_shipped(home: Path) -> None:
    run(["install", "opencode", "--apply"])
    directory = client_path(user_paths()).parent
    for name in plugin_modules():
        assert (directory / name).read_bytes() == (shipped("hooks") / name).read_bytes()
    found = installed_client(user_paths())
    assert found is not None
    assert found.current
    (directory / plugin_modules()[0]).write_text("// of another version\n")
    assert renew_client(user_paths()) == "it was another version's"
    assert (directory / plugin_modules()[0]).read_bytes() == (shipped("hooks") / plugin_modules()[0]).read_bytes()
    remove_client(user_paths())
    assert not directory.exists()


@pytest.mark.parametrize("agent", PLUGINS)
@pytest.mark.parametrize("directory", ["/home/ada/.local/share/borgd/hook", '/h/a "b" \\c/é/hook', "/h/${x}`y`/hook"])
def test_the_file_names_its_client_whatever_the_path(agent: str, directory: str) -> None:
    text = plugin_text(agent, f"{directory}/borg-hook")
    assert is_plugin_text(text)
    assert client_of_plugin(agent, text) == f"{directory}/borg-hook"
    assert client_of_plugin(agent, "export default async () => await import('/x/y.ts')\n") == ""
    assert text.count("\n") == 9


def test_settings_are_where_the_agent_looks() -> None:
    assert WIRINGS["opencode"].path({}, "/home/a") == "/home/a/.config/opencode/plugin/borgd.ts"
    assert WIRINGS["opencode"].path({"XDG_CONFIG_HOME": "/x"}, "/home/a") == "/x/opencode/plugin/borgd.ts"
    assert WIRINGS["opencode"].directory({}, "/home/a") == "/home/a/.config/opencode"
    assert WIRINGS["omp"].path({}, "/home/a") == "/home/a/.omp/agent/extensions/borgd.ts"
    assert WIRINGS["omp"].path({"PI_CODING_AGENT_DIR": "/x"}, "/home/a") == "/x/extensions/borgd.ts"
    assert WIRINGS["omp"].directory({}, "/home/a") == "/home/a/.omp/agent"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one directory of the PATH, empty."""
    directory = tmp_path / "bin"
    directory.mkdir()
    monkeypatch.setenv("PATH", str(directory))
    return directory


def program(directory: Path, name: str, says: str) -> None:
    (directory / name).write_text(f"#!/bin/sh\n{says}\n")
    (directory / name).chmod(0o755)


def test_with_nothing_here_all_says_what_it_looked_for(home: Path, programs: Path) -> None:
    with pytest.raises(BorgError, match="no agent is here") as told:
        run(["install", "--all", "--apply"])
    for name in AGENTS:
        assert WIRINGS[name].directory({}, str(home)) in str(told.value)
        assert f" {WIRINGS[name].program}" in str(told.value)


def test_all_says_which_agents_are_here_and_their_versions(
    home: Path, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".cursor").mkdir()
    program(programs, "claude", "echo '2.1.332 (Claude Code)'")
    program(programs, "codex", "echo codex-cli 0.171.0")
    program(programs, "opencode", "echo no number here")
    program(programs, "omp", "echo 18.2.3; exit 1")
    assert run(["install", "--all"]) == 0
    here = [line for line in capsys.readouterr().out.split("\n") if line.startswith("here: ")]
    assert here == [
        f"here: claude-code 2.1.332, {programs}/claude, no settings yet",
        f"here: codex 0.171.0, {programs}/codex, no settings yet",
        f"here: cursor, not on the PATH, {home}/.cursor",
        f"here: opencode, {programs}/opencode, no settings yet",
        f"here: omp, {programs}/omp, no settings yet",
    ]
    assert sorted(path.name for path in home.iterdir()) == [".cursor"], "nothing was written"


def test_doctor_says_a_version_and_whether_it_is_newer(home: Path, programs: Path) -> None:
    program(programs, "opencode", "echo 1.19.0")
    program(programs, "codex", "echo codex-cli 0.99.9")
    said = {one.name: one.text for one in versions(scene_of(dict(os.environ)))}
    assert said["codex version"] == f"0.99.9 ({programs}/codex)"
    assert said["opencode version"].startswith(f"1.19.0 ({programs}/opencode), newer than 1.18.33")


def test_all_takes_the_agents_that_are_here(home: Path, programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in PLUGINS:
        Path(WIRINGS[name].directory({}, str(home))).mkdir(parents=True)
    assert run(["install", "--all", "--apply"]) == 0
    for name in PLUGINS:
        assert all(installed(name, user_paths()).values())
    capsys.readouterr()
    assert run(["uninstall", "--all", "--apply"]) == 0
    assert not any(settings_path(name).exists() for name in PLUGINS)
