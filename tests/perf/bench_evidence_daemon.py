"""Two thousand sessions a world through the whole daemon: are the true rates inside the intervals of the page?

Run as a test (``pytest tests/perf/bench_evidence_daemon.py -s``). Prints figures; asserts that nothing was lost on the way.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.perf.sizes import sized
from tests.pipeline.evidence_worlds import WORLDS, lived

pytestmark = [pytest.mark.perf, pytest.mark.anyio, pytest.mark.timeout(3000)]

SESSIONS = sized(2000, 20)


@pytest.mark.parametrize("name", WORLDS)
async def test_a_world(home: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    world = WORLDS[name]
    seen, found = await lived(home, world, SESSIONS)
    told, untold = seen.corrected(told=True), seen.corrected(told=False)
    rate = found.headline.overall
    assert rate is not None
    assert (rate.shown, rate.held) == (len(told), len(untold))
    shown, held = seen.true_rate(told=True), seen.true_rate(told=False)
    inside = [rate.shown_low <= shown <= rate.shown_high, rate.held_low <= held <= rate.held_high]
    said = f"shown {shown:.2f} in {rate.shown_low:.3f} to {rate.shown_high:.3f}, "
    said += f"withheld {held:.2f} in {rate.held_low:.3f} to {rate.held_high:.3f}: {inside}"
    with capsys.disabled():
        print(f"\n{name}, {SESSIONS} sessions: {said}")
        print(f"  {found.headline.sentence}")
