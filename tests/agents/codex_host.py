"""Drives ``codex app-server`` as an editor does: prompts in a row, words while it works, questions answered by the host."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from typing import Any, Self

from tests.agents.clients import Codex
from tests.agents.scripted_model import ScriptedModel

SECONDS = 60


class CodexHost:
    """``with CodexHost(codex, model) as host: host.say("…")``; ``asked``: the questions that the person was shown."""

    def __init__(self, codex: Codex, model: ScriptedModel, *, mode: str = "") -> None:
        program = codex.find()
        assert program is not None
        self.asked: list[dict[str, Any]] = []
        self._mode = mode
        self._answers: dict[int, dict[str, Any]] = {}
        self._done: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        self._changed = threading.Condition()
        self._directory = str(codex.home.project)
        self._process = subprocess.Popen(
            [program, "app-server", *codex.model_words(model)],
            env=codex.env | codex.model_env(model),
            cwd=codex.home.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Self:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        client = {"name": "test", "title": "test", "version": "1"}
        self.call("initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}})
        self._send({"method": "initialized"})
        settings = {"cwd": self._directory, "approvalPolicy": "never", "sandbox": "danger-full-access"}
        self.thread = self.call("thread/start", settings)["thread"]["id"]
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
        """One prompt; what is told of its turn at its end."""
        self.begin(text)
        return self.wait()

    def begin(self, text: str) -> None:
        """One prompt; its end is not waited for."""
        given: dict[str, Any] = {"threadId": self.thread, "input": [{"type": "text", "text": text}]}
        if self._mode:
            settings = {"model": "gpt-5.5", "reasoning_effort": None, "developer_instructions": None}
            given["collaborationMode"] = {"mode": self._mode, "settings": settings}
        self.turn = self.call("turn/start", given)["turn"]["id"]

    def steer(self, text: str) -> None:
        """Words typed while the turn that was begun goes on."""
        told = [{"type": "text", "text": text}]
        self.call("turn/steer", {"threadId": self.thread, "expectedTurnId": self.turn, "input": told})

    def wait(self) -> dict[str, Any]:
        """Until the turn has ended."""
        return self._done.get(timeout=SECONDS)

    def call(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The result of ``method``."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": parameters})
        end = time.monotonic() + SECONDS
        with self._changed:
            while number not in self._answers:
                if not self._changed.wait(end - time.monotonic()):
                    raise AssertionError(f"no answer to {method}")
            answer = self._answers.pop(number)
        assert "result" in answer, answer
        return dict(answer["result"])

    def _send(self, value: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            method = said.get("method", "")
            if "id" in said and method:
                self._send({"id": said["id"], "result": self._answer(method, said["params"])})
            elif "id" in said:
                with self._changed:
                    self._answers[said["id"]] = said
                    self._changed.notify_all()
            elif method == "turn/completed":
                self._done.put(said["params"])

    def _answer(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """What the person at the host says: yes, and the first option."""
        if method.endswith("requestApproval"):
            return {"decision": "accept"}
        if method.endswith("requestUserInput"):
            self.asked += parameters["questions"]
            return {"answers": {one["id"]: {"answers": [one["options"][0]["label"]]} for one in parameters["questions"]}}
        return {}
