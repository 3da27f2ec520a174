"""Servers that do nothing but answer a hook, to measure the daemon against: ``python baselines.py KIND SOCKET``."""

from __future__ import annotations

import sys

REPLY = b"borg/1 0 2 0\n{}"


DENIAL = (
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    b'"permissionDecisionReason":"no more reads"}}'
)


def denying(path: str) -> None:
    """As ``protocol``, with a denial for everything."""
    protocol(path, b"borg/1 0 %d 0\n%b" % (len(DENIAL), DENIAL))


def protocol(path: str, reply: bytes = REPLY) -> None:
    """An asyncio Protocol: the least that asyncio can do."""
    import asyncio

    class Once(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            self.transport.write(reply)  # type: ignore[attr-defined]
            self.transport.close()

    async def main() -> None:
        server = await asyncio.get_running_loop().create_unix_server(Once, path, backlog=1024)
        await server.serve_forever()

    asyncio.run(main())


def empty(path: str) -> None:
    """An anyio server without anything behind it."""
    import anyio

    async def handle(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(REPLY)

    async def main() -> None:
        listener = await anyio.create_unix_listener(path, backlog=1024)
        await listener.serve(handle)

    anyio.run(main)


if __name__ == "__main__":
    {"protocol": protocol, "denying": denying, "empty": empty}[sys.argv[1]](sys.argv[2])
