"""Drives Claude Code as an SDK host does: prompts in a row, questions answered by the host, all on stdin and stdout."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable
from typing import Any, Self

from tests.agents.claude import Home, find_client
from tests.agents.scripted_model import ScriptedModel

SECONDS = 60

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def first_option(request: dict[str, Any]) -> dict[str, Any]:
    """Allow everything; questions get their first option."""
    given = request["input"]
    if request["tool_name"] == "AskUserQuestion":
        answers = {question["question"]: question["options"][0]["label"] for question in given["questions"]}
        given = {**given, "answers": answers}
    return {"behavior": "allow", "updatedInput": given}


class Hosted:
    """``with Hosted(home, model) as claude: claude.say("…")``; ``asked``: what the host was asked to permit or answer."""

    def __init__(self, home: Home, model: ScriptedModel, *words: str, answer: Answer = first_option) -> None:
        client = find_client()
        assert client is not None
        self.asked: list[dict[str, Any]] = []
        self.results: queue.Queue[dict[str, Any]] = queue.Queue()
        self.session = ""
        self._answer = answer
        self._process = subprocess.Popen(
            [client, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
             "--permission-prompt-tool", "stdio", *words],
            env=home.agent_env(model), cwd=home.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        self._send({"type": "control_request", "request_id": "init", "request": {"subtype": "initialize"}})
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(5)
        self._process.stdout.close()

    def say(self, text: str) -> dict[str, Any]:
        """One user prompt; the result of its turn."""
        self.interject(text)
        return self.results.get(timeout=SECONDS)

    def interject(self, text: str) -> None:
        """A user prompt, typed whatever the agent is at; nothing is waited for."""
        content = [{"type": "text", "text": text}]
        message = {"role": "user", "content": content}
        self._send({"type": "user", "session_id": "", "parent_tool_use_id": None, "message": message})

    def _send(self, value: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            self.session = value.get("session_id") or self.session
            request = value.get("request", {})
            if value.get("type") == "control_request" and request.get("subtype") == "can_use_tool":
                self.asked.append(request)
                response = {"subtype": "success", "request_id": value["request_id"], "response": self._answer(request)}
                self._send({"type": "control_response", "response": response})
            elif value.get("type") == "result":
                self.results.put(value)
