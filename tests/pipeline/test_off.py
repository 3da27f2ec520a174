"""What the person switched off is neither answered nor remembered; a repository may silence lessons, not limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.cli.service.off import run, span_ms
from borgd.errors import UsageError
from borgd.paths import user_paths
from borgd.stores.off_switch import OffSwitch, Switch
from tests.pipeline.test_forget_live import TASK, orion
from tests.server.support import Agent, running_service

__all__ = ["orion"]
pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("words", "silent"),
    [
        ([], True),
        (["--session", "s1"], True),
        (["--session", "another"], False),
        (["--agent", "claude-code"], True),
        (["--agent", "codex"], False),
        (["--repo", "/w/orion"], True),
        (["--repo", "/w/ori"], False),
        (["--for", "2h"], True),
    ],
)
async def test_a_switch_counts_from_the_next_event_on(orion: Path, words: list[str], silent: bool) -> None:
    async with running_service() as service:
        run(["off", *words])
        assert bool(await Agent(service, cwd="/w/orion").prompt(TASK)) is not silent
        assert (len(service.sessions.live) == 0) is silent, "what is off leaves no trace"
        assert service.status()["off"]
        run(["on", *(words if words[:1] != ["--for"] else [])])
        assert not service.status()["off"]
        assert await Agent(service, "s2", cwd="/w/orion").prompt(TASK)


async def test_a_repository_that_wants_no_lessons_gets_none(orion: Path, tmp_path: Path) -> None:
    (tmp_path / ".borgd.toml").write_text("off = true\n")
    async with running_service() as service:
        agent = Agent(service, cwd=str(tmp_path))
        assert await agent.prompt(TASK) == ""
        (tmp_path / ".borgd.toml").write_text("off = false\n")
        assert await Agent(service, "s2", cwd=str(tmp_path)).prompt(TASK)


def test_a_time_runs_out_and_a_damaged_file_switches_nothing_off(home: Path) -> None:
    state = user_paths().state
    state.mkdir(parents=True, mode=0o700)
    switch = OffSwitch(state)
    switch.add(Switch(kind="all", until_ms=1000), 0)
    assert switch.is_off("a", "s", "/", 999)
    assert not switch.is_off("a", "s", "/", 1000)
    for data in (b"", b"{", b"[1]", b'[{"kind":"moon"}]', b"\xff"):
        switch.path.write_bytes(data)
        assert not OffSwitch(state).is_off("a", "s", "/", 0)


@pytest.mark.parametrize(
    ("text", "expected"), [("2h", 7_200_000), ("30m", 1_800_000), ("1d", 86_400_000), ("2 hours", 7_200_000)]
)
def test_times_are_read(text: str, expected: int) -> None:
    assert span_ms(text) == expected


@pytest.mark.parametrize("text", ["", "h", "0h", "-2h", "2y", "1.5h"])
def test_other_words_are_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="30m"):
        span_ms(text)
