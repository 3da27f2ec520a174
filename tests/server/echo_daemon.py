"""The real ``borg run`` with a service of this file's own behind it, run as a process by the tests.

The service's answer says what it was asked. Event names choose its behaviour: ``crash`` raises, ``garbage`` answers no JSON,
``slow`` is answered once the home has a file ``answer``.
"""

from __future__ import annotations

import os
import sys
import time
from types import ModuleType
from typing import Any

import anyio
import anyio.abc
import msgspec

from borgd.cli.service import daemon_run
from borgd.paths import Paths
from borgd.protocol.frames import ReplyFrame
from borgd.server import server


class Echo:
    def __init__(self, places: Paths) -> None:
        self._closed = places.state / "closed"
        self._answer = places.state / "answer"

    async def hook(self, agent: str, event: str, body: bytes, words: tuple[str, ...] = ()) -> bytes:
        if event == "crash":
            raise ValueError(f"with the payload in its message: {body.decode()}")
        if event == "garbage":
            return b"Welcome to my shell!\n{}"
        if event == "slow":
            while not self._answer.exists():  # noqa: ASYNC110 (another process makes it)
                await anyio.sleep(0.01)
        if event == "busy":
            time.sleep(0.5)  # noqa: ASYNC251 (it is meant to hold the loop)
        return msgspec.json.encode({"agent": agent, "event": event, "length": len(body)})

    async def call(self, method: str, body: bytes) -> ReplyFrame:
        if method == "crash":
            raise KeyError(method)
        return ReplyFrame(0, msgspec.json.encode({"method": method, "length": len(body)}), b"")

    async def start(self, tasks: anyio.abc.TaskGroup) -> None:
        if os.environ.get("ECHO_FAILS_AT_START"):
            raise RuntimeError("made to fail")

    async def close(self) -> None:
        self._closed.write_text("closed")

    def status(self) -> dict[str, Any]:
        return {"echo": True}


if __name__ == "__main__":
    module = ModuleType("borgd.server.service")
    vars(module)["build"] = Echo
    sys.modules["borgd.server.service"] = module
    from borgd import cli

    server.READ_S = server.WRITE_S = 60.0  # no busy machine makes a request come too late
    sys.argv[1:] = ["run"]
    assert daemon_run
    cli.main()
