"""What the disk refuses to the limits stops neither recall nor what needs no record, and is told in the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.support import Agent, running_service

pytestmark = pytest.mark.anyio


async def test_a_place_that_cannot_be_written_costs_the_limits_count_and_no_event(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Look at the importer.")
        trail, meters = home / ".local/share/borgd/audit.jsonl", home / ".local/state/borgd/investigations"
        for path in meters.iterdir():
            path.unlink()
        meters.rmdir()
        meters.write_text("a file in the way")
        if trail.exists():
            trail.unlink()
        trail.mkdir()
        other = Agent(service, session="another")
        await other.prompt("And at the exporter.")
        assert await other.tool("Read", {"file_path": "/w/a.py"}) == {}
        await other.stop("Done.")
        told = service.status()["limits"]
        assert told["uncounted"] > 0
        assert told["disk"]
