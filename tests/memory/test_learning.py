"""On a team with a known truth, memory comes to believe in what helps."""

from __future__ import annotations

import numpy as np
import pytest

from tests.memory.changing_world import Learning, live
from tests.memory.simulated_team import run


def test_lessons_that_help_end_above_those_that_do_not() -> None:
    season = run("memory", sessions=150, seed=1)
    helpful, useless = season.mean_beliefs()
    assert helpful > useless
    assert season.memory.sessions == 150


@pytest.mark.slow
def test_sixty_sessions_after_the_world_changed_beliefs_are_near_the_new_truth() -> None:
    half, after = 120, 60
    lives = [live(Learning(), 2 * half, seed) for seed in (11, 12, 13)]
    for nature in ("useful", "useless"):
        believed, truth = np.mean([one.error(half + after - 1, nature) for one in lives], axis=0)
        assert abs(believed - truth) <= 0.1, (nature, believed, truth)
