"""The real coding agents that tests drive, each behind the same few words: be prepared, get a prompt, call tools.

Each runs in a throw-away ``Home`` with a fake key, headless, against a scripted model on loopback. A client is found on
its variable (``BORGD_CODEX=/…/codex``) or in node_modules beside the project.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.agents.claude import REPOSITORY, SECONDS, Home, Ran, find_client
from tests.agents.scripted_model import ScriptedModel

Tool = dict[str, Any]


class RealAgent(ABC):
    """One agent in ``home``. ``name``: borg's word; ``variable``, ``binary``: where its program is; ``package``: npm's."""

    name: ClassVar[str]
    variable: ClassVar[str]
    binary: ClassVar[str]
    package: ClassVar[str]
    install_flags: ClassVar[tuple[str, ...]] = ()

    def __init__(self, home: Home) -> None:
        self.home = home

    @classmethod
    def find(cls) -> str | None:
        """The client's path, None where it is not installed."""
        named = os.environ.get(cls.variable)
        for candidate in ([Path(named)] if named else []) + [REPOSITORY / cls.binary]:
            if candidate.is_file():
                return str(candidate)
        return None

    def install(self) -> None:
        """Write what the agent needs to run here, then have borg installed in it."""
        self.prepare()
        self.home.borg("install", self.name, *self.install_flags, "--apply", env=self.env)

    @property
    def env(self) -> dict[str, str]:
        """The environment of agent and installer; the agent's own program can be found in it."""
        program = self.find()
        assert program is not None
        return self.home.env | {"PATH": f"{Path(program).parent}:{self.home.env['PATH']}"}

    def prompt(self, model: ScriptedModel, text: str, *, again: bool = False, cwd: Path | None = None) -> Ran:
        """One headless run with the prompt ``text``; ``again``: in the session of the run before."""
        program = self.find()
        assert program is not None
        done = subprocess.run(
            [program, *self.words(model, text, again=again)],
            env=self.env | self.model_env(model),
            cwd=cwd or self.home.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    @abstractmethod
    def prepare(self) -> None:
        """Write the agent's own settings."""

    @abstractmethod
    def words(self, model: ScriptedModel, text: str, *, again: bool) -> list[str]:
        """The command line of one headless run, without the program."""

    def model_env(self, model: ScriptedModel) -> dict[str, str]:
        """What in the environment leads the agent to ``model``."""
        return {}

    @abstractmethod
    def write(self, path: str, text: str) -> Tool:
        """The tool call that makes the file ``path`` (below the project) of one line, ``text``."""

    @abstractmethod
    def shell(self, command: str) -> Tool:
        """The tool call that runs ``command``."""


class ClaudeCode(RealAgent):
    """Claude Code with ``-p``."""

    name = "claude-code"
    variable = "BORGD_CLAUDE"
    package = "@anthropic-ai/claude-code@2.1.332"
    install_flags = ("--allow",)

    @classmethod
    def find(cls) -> str | None:
        return find_client()

    def prepare(self) -> None:
        pass

    def words(self, model: ScriptedModel, text: str, *, again: bool) -> list[str]:
        resumed = ["--continue"] if again else []
        return ["-p", text, "--permission-mode", "acceptEdits", "--allowedTools", "Bash(cat:*)", *resumed]

    def model_env(self, model: ScriptedModel) -> dict[str, str]:
        return self.home.agent_env(model)

    def write(self, path: str, text: str) -> Tool:
        return {"name": "Write", "input": {"file_path": str(self.home.project / path), "content": f"{text}\n"}}

    def shell(self, command: str) -> Tool:
        return {"name": "Bash", "input": {"command": command, "description": "run it"}}


CODEX_CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[features]
plugins = false
remote_plugin = false
apps = false
daemon_auto_start = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false
"""


class Codex(RealAgent):
    """Codex with ``exec``, its hooks trusted by ``borg install codex --trust``."""

    name = "codex"
    variable = "BORGD_CODEX"
    binary = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
    package = "@openai/codex@0.171.0"
    install_flags = ("--trust",)

    def prepare(self) -> None:
        directory = self.home.root / ".codex"
        directory.mkdir()
        trusted = f'[projects.{json.dumps(str(self.home.project))}]\ntrust_level = "trusted"\n'
        (directory / "config.toml").write_text(CODEX_CONFIG + trusted)

    def words(self, model: ScriptedModel, text: str, *, again: bool) -> list[str]:
        return ["exec", *self.model_words(model), *(["resume", "--last"] if again else []), text]

    def model_words(self, model: ScriptedModel) -> list[str]:
        """The words that lead it to ``model``."""
        return ["-c", f'model_providers.scripted.base_url="{model.url}/v1"']

    def model_env(self, model: ScriptedModel) -> dict[str, str]:
        return {"SCRIPTED_KEY": "test-key"}

    def write(self, path: str, text: str) -> Tool:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"
        return {"name": "apply_patch", "input": patch, "kind": "custom"}

    def shell(self, command: str) -> Tool:
        return {"name": "exec_command", "input": {"cmd": command}}


class Gemini(RealAgent):
    """Gemini CLI with ``-p``."""

    name = "gemini"
    variable = "BORGD_GEMINI"
    binary = "node_modules/.bin/gemini"
    package = "@google/gemini-cli@0.61.0"

    def prepare(self) -> None:
        directory = self.home.root / ".gemini"
        directory.mkdir()
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "disableAutoUpdate": True},
        }
        (directory / "settings.json").write_text(json.dumps(settings, indent=2) + "\n")

    @property
    def env(self) -> dict[str, str]:
        node = shutil.which("node")
        assert node is not None
        return self.home.env | {"PATH": f"{Path(node).parent}:{self.home.env['PATH']}"}

    def words(self, model: ScriptedModel, text: str, *, again: bool) -> list[str]:
        resumed = ["--resume", "latest"] if again else []
        return ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", *resumed, "-p", text]

    def model_env(self, model: ScriptedModel) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "test-key",
            "GOOGLE_GEMINI_BASE_URL": model.url,
            "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def write(self, path: str, text: str) -> Tool:
        return {"name": "write_file", "input": {"file_path": str(self.home.project / path), "content": f"{text}\n"}}

    def shell(self, command: str) -> Tool:
        return {"name": "run_shell_command", "input": {"command": command, "description": "run it"}}


REAL_AGENTS: dict[str, type[RealAgent]] = {one.name: one for one in (ClaudeCode, Codex, Gemini)}


def real_agent(name: str, home: Home) -> RealAgent:
    """The agent ``name`` in ``home``; skips the test, with the reason, where its client is not installed."""
    kind = REAL_AGENTS[name]
    if kind.find() is None:
        if kind.name in os.environ.get("BORGD_NEEDS_AGENTS", "").split():
            pytest.fail(f"{kind.package} is not installed although this run promised it")
        pytest.skip(f"{kind.name} is not installed: npm install --prefix . {kind.package}")
    return kind(home)
