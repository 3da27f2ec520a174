"""The page laid out by a real browser: nothing off the page, nothing over anything else, at any width, light and dark."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from borgd.memory.belief import BeliefRule
from borgd.replay.engine import Replay
from borgd.replay.outcomes import Outcomes
from borgd.replay.page.page import page
from borgd.replay.records import hash64
from borgd.replay.result import result
from borgd.replay.rewards import REWARDS
from borgd.replay.simulate import simulate, world
from tests.replay.chromium import browser, measured

pytestmark = [
    pytest.mark.skipif(browser() is None, reason="no Chromium on this machine: the page cannot be laid out"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]

SEED, LESSONS = 4, 60
Box = tuple[float, float, float, float]


def made(sessions: int) -> str:
    """The page of a simulated month, or of its first days."""
    log = list(simulate(sessions, SEED, LESSONS))
    outcomes = Outcomes()
    outcomes.add(msgspec.json.encode(one) for each in log for one in each.outcomes)
    outcomes.seal()
    decisions = sorted((one for each in log for one in each.decisions), key=lambda one: one.ms)
    now = max(decisions[-1].ms, outcomes.latest_ms)
    replay = Replay([], REWARDS, outcomes, now, since_ms=now - 7 * 86_400_000)
    replay.feed(replay.read([msgspec.json.encode(one) for one in decisions]))
    lessons = world(SEED, LESSONS).lessons
    return page(
        result(replay, areas={name: one.area for name, one in lessons.items()}),
        title="A week of lessons, this machine",
        period="the last week",
        timeline=replay.outcomes.beliefs(BeliefRule()),
        names={hash64(name): name for name in replay.lessons.names},
        hooks=[("claude-code Stop", 1.2, 3.4, 9.0)],
        questions={name: one.question for name, one in lessons.items()},
    )


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {"undecided": made(60), "decided": made(900), "one point": made(110)}


def overlap(one: Box, other: Box, slack: float) -> bool:
    return min(one[2], other[2]) - max(one[0], other[0]) > slack and min(one[3], other[3]) - max(one[1], other[1]) > slack


def within(one: Box, other: Box, slack: float) -> bool:
    inside = [one[side] >= other[side] - slack for side in (0, 1)]
    return all(inside + [one[side] <= other[side] + slack for side in (2, 3)])


@pytest.mark.parametrize(("dark", "opened"), [(False, False), (True, True)], ids=["light, closed", "dark, opened"])
@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", ["undecided", "decided", "one point"])
def test_nothing_off_the_page_and_nothing_over_anything_else(
    pages: dict[str, str], tmp_path: Path, name: str, width: int, *, dark: bool, opened: bool
) -> None:
    found = measured(pages[name], width, tmp_path, dark=dark, opened=opened)
    assert found["inner"] == width
    assert found["width"] <= width, "the page scrolls sideways"
    assert found["wide"] == []
    blocks = found["blocks"]
    for one, other in combinations([block for block in blocks if not block["card"]], 2):
        assert not overlap(one["box"], other["box"], 1.0), (one["name"], other["name"])
    for one, other in combinations([block for block in blocks if block["card"]], 2):
        assert not overlap(one["box"], other["box"], 1.0), (one["name"], other["name"])
    assert found["svgs"], "plots are shown"
    for svg in found["svgs"]:
        for text in svg["texts"]:
            assert within(text["box"], svg["box"], 1.0), (svg["label"], text["text"], text["box"], svg["box"])
        for one, other in combinations([text for text in svg["texts"] if text["text"]], 2):
            assert not overlap(one["box"], other["box"], 2.0), (svg["label"], one["text"], other["text"])
        for mark in svg["marks"]:
            assert within(mark, svg["box"], 6.0), (svg["label"], mark)
