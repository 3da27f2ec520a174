"""What a session changed in a turn can be asked for, so that a lesson is tried on the repair that it came from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from borgd.server.calls import answer
from tests.server.support import running_service

pytestmark = pytest.mark.anyio
KEY = "ghp_" + "a1B2" * 9


async def test_lines_of_the_running_turn_and_of_the_one_before(home: Path) -> None:
    async with running_service() as service:
        session = service.sessions.get("claude-code", "s1")
        session.turns.move("p1")
        session.turns.now.change(["a.py"], ["first = 1"])
        session.turns.move("p2")
        session.turns.now.change(["a.py"], ["second = 2", f"key = '{KEY}'"])

        async def lines(**asked: object) -> list[str]:
            return list((await answer(service, "turn_lines", msgspec.json.encode(asked)))["lines"])

        assert await lines(session="s1", turn=1) == ["first = 1"]
        told = await lines(session="s1", turn=2)
        assert told[0] == "second = 2"
        assert KEY not in "".join(told)
        for session_id, turn in (("s1", 3), ("s2", 1), ("", None)):
            assert await lines(session=session_id, turn=turn) == [""]
