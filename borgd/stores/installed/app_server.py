"""An agent's own app server, asked over its standard streams: one JSON object a line, an answer for each id.

Promises that no question takes longer than it is given, and that the process is gone afterwards.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Self

from borgd import __version__
from borgd.errors import BorgError

ANSWER_S = 20.0
"""guard: seconds for one answer; the first one includes the start of a program of some hundred megabytes."""
END_S = 5.0
"""guard: seconds that the server has to end by itself once nothing more comes."""
LINE_BYTES = 1 << 24
"""guard: no answer is longer."""


class AppServer:
    """``with AppServer([program, "app-server"], directory) as server: server.ask("method", {…})``."""

    def __init__(self, command: Sequence[str], directory: str) -> None:
        self._name = " ".join([os.path.basename(command[0]), *command[1:]])  # noqa: PTH119 (a name to be shown)
        self._command, self._directory = command, directory
        self._asked, self._held = 0, b""

    def __enter__(self) -> Self:
        """Start it and say who we are.

        :raises BorgError: it cannot be started, or does not answer.
        """
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(self._command, cwd=self._directory, stdin=pipe, stdout=pipe, stderr=null)
        except OSError as error:
            raise BorgError(f"{self._name} cannot be started: {error.strerror}") from None
        try:
            client = {"name": "borgd", "title": "borgd", "version": __version__}
            self.ask("initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}})
            self._send({"method": "initialized"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        with suppress(OSError):  # it is gone, and what it was to be told with it
            self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def ask(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The result of ``method``.

        :raises BorgError: it is refused, or no answer comes.
        """
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": parameters})
        deadline = time.monotonic() + ANSWER_S
        while True:
            try:
                said = json.loads(self._line(deadline, method))
            except ValueError:
                continue  # no message of the protocol
            if isinstance(said, dict) and said.get("id") == self._asked and "method" not in said:
                break
        if "error" in said:
            why = said["error"].get("message") if isinstance(said["error"], dict) else said["error"]
            raise BorgError(f"{self._name} refused {method}: {why}")
        result = said.get("result")
        return result if isinstance(result, dict) else {}

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise BorgError(f"{self._name} ended before it was asked {message.get('method')}") from None

    def _line(self, deadline: float, method: str) -> bytes:
        assert self._process.stdout
        number = self._process.stdout.fileno()
        while b"\n" not in self._held:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([number], [], [], left)[0]:
                raise BorgError(f"{self._name} did not answer {method} within {ANSWER_S:g} s")
            piece = os.read(number, 1 << 16)
            if not piece or len(self._held) > LINE_BYTES:
                raise BorgError(f"{self._name} ended without an answer to {method}; is it older than hooks?")
            self._held += piece
        line, _, self._held = self._held.partition(b"\n")
        return line
