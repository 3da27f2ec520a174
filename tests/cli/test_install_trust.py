"""``borg install codex --trust`` against a stand-in for Codex's app server that keeps hashes as Codex does."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from borgd.cli.service.hook_trust import trusted
from borgd.cli.service.install import run
from borgd.errors import BorgError, UsageError
from borgd.paths import user_paths
from borgd.stores.installed.client import client_path

STAND_IN = """\
#!%s
import hashlib, json, os, re, sys
import tomlkit
home = os.path.join(os.environ["HOME"], ".codex")
config = os.path.join(home, "config.toml")

def hooks():
    held = tomlkit.parse(open(config).read()).unwrap() if os.path.exists(config) else {}
    state = held.get("hooks", {}).get("state", {})
    found = []
    for event, groups in json.load(open(os.path.join(home, "hooks.json")))["hooks"].items():
        for i, group in enumerate(groups):
            for j, hook in enumerate(group["hooks"]):
                key = os.path.join(home, "hooks.json") + ":" + re.sub("(?<!^)(?=[A-Z])", "_", event).lower() + f":{i}:{j}"
                value = "sha256:" + hashlib.sha256(json.dumps(hook).encode()).hexdigest()
                same = state.get(key, {}).get("trusted_hash") == value
                found.append({"key": key, "command": hook["command"], "currentHash": value,
                              "trustStatus": "trusted" if same else "untrusted"})
    return {"data": [{"hooks": found}]}

def write(edits):
    held = tomlkit.parse(open(config).read() if os.path.exists(config) else "")
    state = held.setdefault("hooks", tomlkit.table()).setdefault("state", tomlkit.table())
    for edit in edits:
        state.update(edit["value"])
    open(config, "w").write(tomlkit.dumps(held))
    return {"status": "ok"}

for line in sys.stdin:
    said = json.loads(line)
    if "id" not in said:
        continue
    answer = {}
    if said["method"] == "hooks/list":
        answer = hooks()
    elif said["method"] == "config/batchWrite":
        answer = write(said["params"]["edits"])
    print(json.dumps({"id": said["id"], "result": answer}), flush=True)
"""
OTHER = {"hooks": [{"type": "command", "command": "notify-send done"}]}


@pytest.fixture
def codex(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a Codex whose program is on PATH."""
    program = home / "bin/codex"
    program.parent.mkdir(parents=True)
    program.write_text(STAND_IN % sys.executable)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    (home / ".codex").mkdir()
    return home / ".codex"


@pytest.mark.parametrize(
    "config", [None, "", "# mine\nmodel = 'x' # y\n", "[hooks.state.other]\ntrusted_hash = 'sha256:1'\n"]
)
def test_ours_are_trusted_and_the_way_back_is_to_the_byte(codex: Path, config: str | None) -> None:
    file, settings = codex / "config.toml", codex / "hooks.json"
    if config is not None:
        file.write_text(config)
    settings.write_text(json.dumps({"hooks": {"Stop": [OTHER]}}))
    before = settings.read_bytes()
    for _ in range(2):
        assert run(["install", "codex", "--trust", "--apply"]) == 0
    have, number = trusted(settings, settings.read_text(), user_paths())
    assert have == number == 9
    assert f"{settings}:stop:0:0" not in file.read_text(), "another's hook is not ours to trust"
    assert f"{settings}:stop:1:0" in file.read_text()
    assert run(["uninstall", "codex", "--apply"]) == 0
    assert settings.read_bytes() == before
    assert (file.read_text() if file.exists() else None) == config


def test_what_was_written_into_the_config_meanwhile_stays(codex: Path) -> None:
    file = codex / "config.toml"
    file.write_text("model = 'x'\n")
    run(["install", "codex", "--trust", "--apply"])
    file.write_text("# since\n" + file.read_text() + "\n[tui]\nbell = true\n")
    run(["uninstall", "codex", "--apply"])
    assert file.read_text().startswith("# since\nmodel = 'x'\n")
    assert "[tui]\nbell = true" in file.read_text()
    assert "trusted_hash" not in file.read_text()


def test_without_apply_nothing_is_trusted(codex: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "codex", "--trust"]) == 0
    assert "+ trust in" in capsys.readouterr().out
    assert not (codex / "config.toml").exists()
    run(["install", "codex", "--apply"])
    assert "borg install codex --trust --apply" in capsys.readouterr().out, "what is left to do"


def test_without_its_program_it_is_said_and_the_hooks_are_there(codex: Path) -> None:
    (codex.parent / "bin/codex").unlink()
    with pytest.raises(BorgError, match="no codex on PATH"):
        run(["install", "codex", "--trust", "--apply"])
    assert (codex / "hooks.json").exists()


def test_agents_that_trust_nobody_are_not_asked(codex: Path) -> None:
    with pytest.raises(UsageError, match="--trust"):
        run(["install", "gemini", "--trust"])


def test_what_goes_wrong_with_one_agent_keeps_nothing_from_the_others(
    codex: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (codex.parent / "bin/codex").unlink()
    for name in (".claude", ".gemini"):
        (codex.parent / name).mkdir()
    (codex.parent / ".claude/settings.json").write_text("{ this is no JSON")
    assert run(["install", "--all", "--trust", "--apply"]) != 0
    said = capsys.readouterr().err
    assert "borg: claude-code: " in said
    assert "borg: codex: there is no codex on PATH" in said
    assert (codex.parent / ".claude/settings.json").read_text() == "{ this is no JSON"
    assert "borg-hook" in (codex.parent / ".gemini/settings.json").read_text()
    assert run(["uninstall", "--all", "--purge", "--yes", "--apply"]) != 0
    assert not (codex.parent / ".gemini/settings.json").exists()
    assert client_path(user_paths()).exists(), "settings that cannot be read may still call it"
