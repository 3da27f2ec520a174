"""``borg status`` is one screen for a person: ages in place of numbers of milliseconds, what lessons cost, what waits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from borgd import clock
from borgd.server import status_text
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

SCREEN_LINES = 24
"""A terminal that nobody has made larger."""


def whole(service: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": "9", "pid": 7, "uptime_s": 3 * 86400 + 5, "socket": "/run/x", "requests": 9, "in_flight": 1,
        "connections": {"total": 1, "open": 1, "refused": 0, "abandoned": 0}, "errors": {"crashes": 0, "malformed": 0},
        "hooks": {f"claude-code {event}": {"count": 3, "p50_ms": 1.0, "p95_ms": 2.0, "p99_ms": 3.5, "max_ms": 4.0}
                  for event in ("Stop", "PreToolUse", "PostToolUse", "SessionStart", "SessionEnd", "UserPromptSubmit")},
        "service": service,
    }  # fmt: skip


async def test_one_screen_after_a_days_work(home: Path) -> None:
    write_lessons(home, lesson("L1", "Is the cap of the uploader raised with its retry limit?", scope=["Orion"]))
    write_config(home, "[recall]\nholdout = 0.0\n")
    async with running_service() as service:
        agent = Agent(service, session="s-one")
        assert "L1" in await agent.prompt("In Orion, raise the retry limit of the uploader")
        status = whole(service.status())
        text = status_text.page(status, clock.now_ms())
        all_of_it = "\n".join(status_text.lines(status, clock.now_ms()))
    assert len(text) <= SCREEN_LINES
    said = "\n".join(text)
    assert "told         today 1 line and 0 blocks in 1 session (" in said
    assert re.search(r"claude-code  heard (just now|\d+ s ago) \(UserPromptSubmit\)", said)
    assert "up 3 d 0 h" in said
    for one in (said, all_of_it):
        assert not re.search(r"\d{12,}", re.sub(r"hash \w+", "", one)), "a person reads no milliseconds since 1970"
    assert "UserPromptSubmit just now" in all_of_it or re.search(r"UserPromptSubmit \d+ s ago", all_of_it)


def test_what_is_wrong_comes_first_and_what_is_off_is_said() -> None:
    off = [{"kind": "repo", "value": "/w/x", "until_ms": 0}, {"kind": "all", "value": "", "until_ms": 1_700_000_000_000}]
    text = status_text.page(whole({"loaded": True, "problems": ["the disk is full"], "off": off}), 0)
    assert text[1:4] == ["loaded       yes", "problems     1", "  the disk is full"]
    assert text[4] == "off          in /w/x"
    assert re.fullmatch(r"off          everywhere until 2023-11-1\d \d\d:\d\d", text[5])


def test_a_service_that_says_nothing_of_itself_is_shown() -> None:
    assert status_text.page(whole({"echo": True}), 0)[-2:] == ["socket       /run/x", "borg status --all has every figure."]


@pytest.mark.parametrize(
    ("ago_ms", "said"),
    [(-5000, "just now"), (0, "just now"), (999, "just now"), (61_000, "1 min 1 s ago"), (2 * 86_400_000, "2 d 0 h ago")],
)
def test_ages(ago_ms: int, said: str) -> None:
    assert status_text.age(10_000_000_000 - ago_ms, 10_000_000_000) == said


def test_waiting_questions_name_the_command() -> None:
    found = {"scopes": {"__global__": {"spent": 2, "ceiling": 3}}, "waiting": {"pending": 1, "deferred": 0}, "alarms": []}
    text = status_text.page(whole({"interrupts": found}), 0)
    assert text[1:3] == ["interrupts   2 of 3 spent", "  waiting    pending 1: borg inbox"]


def test_what_cannot_be_done_in_an_agent_stands_below_it() -> None:
    heard = {"cursor": {"stop": 1000}, "claude-code": {"Stop": 1000}}
    text = status_text.page(whole({"last_events": heard, "gaps": {"cursor": ["no Stop event, early recall only"]}}), 2000)
    place = next(number for number, line in enumerate(text) if line.startswith("cursor "))
    assert text[place + 1].strip() == "no Stop event, early recall only"
    assert sum("recall only" in line for line in text) == 1
