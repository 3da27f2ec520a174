"""What the headline counts of a daemon's journals is what happened, whatever sessions do: early, Stop, subagents, no end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.evidence_worlds import WORLDS, lived

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


@pytest.mark.parametrize("name", WORLDS)
async def test_each_occasion_is_counted_once_as_it_was(home: Path, name: str) -> None:
    world = WORLDS[name]
    seen, found = await lived(home, world, 24)
    told, untold = seen.corrected(told=True), seen.corrected(told=False)
    rate = found.headline.overall
    assert rate is not None
    assert (rate.shown, rate.held) == (len(told), len(untold))
    assert rate.shown_rate == pytest.approx(sum(told) / len(told))
    assert rate.held_rate == pytest.approx(sum(untold) / len(untold))
    assert found.headline.young == found.headline.old == 0
    assert set(found.coverage.skipped) <= {"draw used before"}
