"""On a team with a known truth, memory comes to believe in what helps."""

from __future__ import annotations

from tests.memory.simulated_team import run


def test_lessons_that_help_end_above_those_that_do_not() -> None:
    season = run("memory", sessions=150, seed=1)
    helpful, useless = season.mean_beliefs()
    assert helpful > useless
    assert season.memory.sessions == 150
