"""The real agents that borgd lives in as a plugin, as tests drive them: opencode (``run``, ``serve``), oh-my-pi (``-p``)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.agents.claude import REPOSITORY, Ran
from tests.agents.clients import RealAgent, Tool
from tests.agents.scripted_model import ScriptedModel

SECONDS = 240
"""One run of these takes 3 to 7 s on an idle machine and ten times that on a busy one."""
QUIET = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")
"""host: what opencode would do on the network."""


def until(holds: Callable[[], object], what: str) -> None:
    """Wait until ``holds``, for as long as a busy machine may need."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, f"{what}: it did not happen in time"
        time.sleep(0.05)


class PluginAgent(RealAgent):
    """An agent with a plugin of borgd's in it."""

    loads = ""
    """A plugin that the agent is told to load by itself, without ``borg install``."""

    def prompt(
        self, model: ScriptedModel, text: str, *, again: bool = False, cwd: Path | None = None, load: str = ""
    ) -> Ran:
        self.loads = load
        done = subprocess.run(
            [*self.program(), *self.words(model, text, again=again)],
            env=self.env | self.model_env(model),
            cwd=cwd or self.home.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def program(self) -> list[str]:
        """The words that start the agent."""
        found = self.find()
        assert found is not None
        return [found]

    def read(self, path: str) -> Tool:
        """The tool call that shows the file ``path`` (below the project)."""
        return self.shell(f"cat {path}")


class OpenCode(PluginAgent):
    """opencode. Its own plugin package has to lie in its settings: it would fetch it from the network and wait for that."""

    name = "opencode"
    variable = "BORGD_OPENCODE"
    binary = "node_modules/opencode-linux-x64/bin/opencode"
    package = "opencode-ai@1.18.33 @opencode-ai/plugin@1.18.33"

    @classmethod
    def find(cls) -> str | None:
        return super().find() if cls.plugin_package() is not None else None

    @classmethod
    def plugin_package(cls) -> Path | None:
        """The directory in whose node_modules ``@opencode-ai/plugin`` is."""
        named = os.environ.get("BORGD_OPENCODE_PLUGIN")
        for directory in ([Path(named)] if named else []) + [REPOSITORY]:
            if (directory / "node_modules/@opencode-ai/plugin").is_dir():
                return directory
        return None

    def prepare(self) -> None:
        directory, package = self.home.root / ".config/opencode", self.plugin_package()
        assert package is not None
        directory.mkdir(parents=True)
        shutil.copytree(package / "node_modules", directory / "node_modules", symlinks=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(package / name, directory / name)

    def words(self, model: ScriptedModel, text: str, *, again: bool) -> list[str]:
        return ["run", *(["--continue"] if again else []), text]

    def model_env(self, model: ScriptedModel) -> dict[str, str]:
        models = {"scripted": {"name": "Scripted", "tool_call": True, "limit": {"context": 200000, "output": 8000}}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "test-key"},
            "models": models,
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "enabled_providers": ["scripted"],
            "provider": {"scripted": provider},
            "plugin": [f"file://{self.loads}"] if self.loads else [],
        }
        (self.home.root / ".config/opencode/opencode.json").write_text(json.dumps(settings))
        return {f"OPENCODE_DISABLE_{name}": "1" for name in QUIET}

    def write(self, path: str, text: str) -> Tool:
        return {"name": "write", "input": {"filePath": str(self.home.project / path), "content": f"{text}\n"}}

    def shell(self, command: str) -> Tool:
        return {"name": "bash", "input": {"command": command, "description": "run it"}}

    def ask(self, question: str, labels: list[str]) -> Tool:
        """The tool call that puts a question to the person."""
        options = [{"label": label, "description": label} for label in labels]
        return {"name": "question", "input": {"questions": [{"question": question, "header": "Store", "options": options}]}}


class OhMyPi(PluginAgent):
    """oh-my-pi, run by bun."""

    name = "omp"
    variable = "BORGD_OMP"
    binary = "node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js"
    package = "bun@1.4.5 @oh-my-pi/pi-coding-agent@18.2.3"

    @classmethod
    def find(cls) -> str | None:
        found = super().find()
        return found if found is not None and cls.bun(found) is not None else None

    @staticmethod
    def bun(program: str) -> str | None:
        """The runtime that lies beside the program among the installed packages."""
        modules = Path(program).parents[3]
        return next((str(modules / name) for name in ("bun/bin/bun.exe", ".bin/bun") if (modules / name).is_file()), None)

    def program(self) -> list[str]:
        found = self.find()
        assert found is not None
        bun = self.bun(found)
        assert bun is not None
        return [bun, found]

    def prepare(self) -> None:
        (self.home.root / ".omp/agent").mkdir(parents=True)

    def words(self, model: ScriptedModel, text: str, *, again: bool) -> list[str]:
        words = [*(["--continue"] if again else []), *(["-e", self.loads] if self.loads else [])]
        return ["-p", "--model", "scripted/scripted", "--no-title", *words, text]

    def model_env(self, model: ScriptedModel) -> dict[str, str]:
        listed = "      - id: scripted\n        name: Scripted\n        contextWindow: 200000\n        maxTokens: 8000\n"
        told = f"    baseUrl: {model.url}/v1\n    apiKey: test-key\n    api: openai-completions\n    models:\n{listed}"
        (self.home.root / ".omp/agent/models.yml").write_text(f"providers:\n  scripted:\n{told}")
        return {"PI_OFFLINE": "1", "DO_NOT_TRACK": "1"}

    def write(self, path: str, text: str) -> Tool:
        return {"name": "write", "input": {"path": str(self.home.project / path), "content": f"{text}\n"}}

    def shell(self, command: str) -> Tool:
        return {"name": "bash", "input": {"command": command}}


class Served:
    """``opencode serve`` with one session in it. ``asked``: the questions that were put to the person."""

    def __init__(self, agent: OpenCode, model: ScriptedModel) -> None:
        self._process = subprocess.Popen(
            [*agent.program(), "serve", "--hostname", "127.0.0.1", "--port", "0"],
            env=agent.env | agent.model_env(model),
            cwd=agent.home.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.asked: list[str] = []
        self._idle = 0
        self._base = ""

    def __enter__(self) -> Served:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self._base = found[0]
                break
        assert self._base, "opencode did not say where it serves"
        ready = threading.Event()
        threading.Thread(target=self._listen, args=(ready,), daemon=True).start()
        assert ready.wait(SECONDS)
        self._session = self._call("POST", "/session", {"title": "a test"})["id"]
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, method=method, data=data, headers={"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _listen(self, ready: threading.Event) -> None:
        try:
            with urllib.request.urlopen(self._base + "/event", timeout=SECONDS) as stream:
                for line in stream:
                    ready.set()
                    if line.startswith(b"data:"):
                        self._saw(json.loads(line[5:]))
        except OSError:
            return

    def _saw(self, event: dict[str, Any]) -> None:
        told = event.get("properties", {})
        if event.get("type") == "session.idle":
            self._idle += 1
        elif event.get("type") == "question.asked":
            self.asked += [one["question"] for one in told["questions"]]
            answers = [[one["options"][0]["label"]] for one in told["questions"]]
            threading.Thread(target=self._call, args=("POST", f"/question/{told['id']}/reply", {"answers": answers})).start()

    def begin(self, text: str) -> None:
        """A prompt, without waiting for what comes of it."""
        self._call("POST", f"/session/{self._session}/prompt_async", {"parts": [{"type": "text", "text": text}]})

    def say(self, text: str, stops: int = 1) -> None:
        """A prompt; returns when the agent has come to rest as often as ``stops``."""
        wanted = self._idle + stops
        self.begin(text)
        until(lambda: self._idle >= wanted, f"the agent comes to rest {stops} times")
