"""Drives a real Claude Code in a home of its own, against a scripted model on loopback.

The client is found on ``BORGD_CLAUDE`` or in node_modules beside the project; where there is none the tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from borgd.protocol.address import socket_path
from tests.agents.scripted_model import ScriptedModel

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
SECONDS = 60
PATIENT = {"LONG_S": 4.4, "SHORT_S": 4.4}
"""Almost as long as an agent waits for a hook: how busy the machine is does not decide what a test sees."""
COMPILE = """
import importlib.util, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
cached = importlib.util.cache_from_source(sys.argv[2])
py_compile.compile(sys.argv[1], cached, sys.argv[2], doraise=True, invalidation_mode=mode)
"""


def find_client() -> str | None:
    """The client's path, None where it is not installed."""
    named = os.environ.get("BORGD_CLAUDE")
    for candidate in ([Path(named)] if named else []) + [REPOSITORY / BINARY]:
        if candidate.is_file():
            return str(candidate)
    return shutil.which("claude")


@dataclass
class Ran:
    """A finished run: exit code, what it printed."""

    code: int
    out: str
    err: str


class Home:
    """A throw-away HOME with a git project in it, and ways to run borg and Claude Code there."""

    def __init__(self, root: Path, remote: str = "git@forge.invalid:team/orion.git") -> None:
        self.root = root / "home"
        self.project = root / "orion"
        self.tmp = root / "t"
        for directory in (self.root, self.tmp):
            directory.mkdir(mode=0o700)
        self.make_project(self.project, remote)

    def make_project(self, where: Path, remote: str) -> Path:
        """A git repository with one file and a remote."""
        (where / "src").mkdir(parents=True)
        (where / "src" / "calc.py").write_text("def add(a, b):\n    return a - b\n")
        for words in (
            ["init", "-q", "-b", "main", "."],
            ["add", "-A"],
            ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid", "commit", "-qm", "init"],
            ["remote", "add", "origin", remote],
        ):
            subprocess.run(["git", *words], cwd=where, env=self.env, check=True, capture_output=True)
        return where

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.root),
            "TMPDIR": str(self.tmp),
            "CLAUDE_CODE_TMPDIR": str(self.tmp),
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }

    @property
    def socket(self) -> Path:
        return Path(socket_path(self.env, os.getuid()))

    def borg(
        self,
        *words: str,
        check: bool = True,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> Ran:
        """Run the borg command line in this home."""
        done = subprocess.run(
            [sys.executable, "-I", "-m", "borgd", *words],
            env=env or self.env,
            cwd=cwd or self.project,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"borg {' '.join(words)} ended with {done.returncode}: {done.stderr}{done.stdout}")
        if words[:1] == ("install",) and "--apply" in words:
            self.compile_client(PATIENT)
        return Ran(done.returncode, done.stdout, done.stderr)

    def compile_client(self, constants: dict[str, float]) -> None:
        """Have the installed client run with other ``constants``; its files stay as they are, so that nothing renews them.

        Without any, it runs as a person's does.
        """
        module = self.root / ".local/share/borgd/hook/borg_hook.py"
        source = module.read_text()
        for name, value in constants.items():
            source, found = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value}", source)
            assert found == 1, name
        changed = self.tmp / "borg_hook.py"
        changed.write_text(source)
        interpreter = module.with_name("borg-hook").read_text().partition("\n")[0].removeprefix("#!").split(" ")[0]
        subprocess.run([interpreter, "-I", "-c", COMPILE, str(changed), str(module)], check=True, stdin=subprocess.DEVNULL)

    def json(self, *words: str) -> Any:
        """What a borg command prints with --json."""
        return json.loads(self.borg(*words, "--json").out)

    def agent_env(self, model: ScriptedModel) -> dict[str, str]:
        return self.env | {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "test-key",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def claude(self, model: ScriptedModel, prompt: str, *words: str, cwd: Path | None = None) -> Ran:
        """One headless run of Claude Code."""
        client = find_client()
        assert client is not None
        done = subprocess.run(
            [client, "-p", prompt, "--permission-mode", "acceptEdits", *words],
            env=self.agent_env(model),
            cwd=cwd or self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)
