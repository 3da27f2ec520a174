"""Designs side by side: occasions until the difference is told, what withholding costs until then, how often it misses.

Run as a test (``pytest tests/perf/bench_evidence.py -s``). Prints figures; asserts that every case ran.
"""

from __future__ import annotations

import numpy as np
import pytest

from borgd.replay.estimate import betting
from tests.perf.sizes import sized
from tests.replay.occasion_worlds import WORLDS, run

pytestmark = [pytest.mark.perf, pytest.mark.timeout(1800)]

TEAMS = sized(100, 20)
VALIDATION = sized(1000, 40)
METHODS: tuple[betting.Method, ...] = ("empirical Bernstein", "betting")
DESIGNS: dict[str, float | None] = {"holdout .05": 0.05, "holdout .20": 0.2, "the rule": None}


def test_designs_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for world, most in (("effect", sized(2600, 300)), ("weak effect", sized(7000, 300))):
        for design, fixed in DESIGNS.items():
            found = run(WORLDS[world], most if fixed == 0.05 else most // 2, TEAMS, fixed=fixed)
            for method in METHODS:
                told, extra = np.median(found.told[method]), np.median(found.extra[method])
                rows.append(
                    (world, design, method, told, float(np.quantile(found.told[method], 0.9, method="higher")), extra)
                )
    with capsys.disabled():
        print(f"\n{TEAMS} teams of ten, 80 occasions a day: .27 against .06, and .10 against .03")
        print(f"{'':14}{'':14}{'':22}{'median until told':>18}{'of 9 in 10':>12}{'extra corrections':>19}")
        for world, design, method, told, most_of, extra in rows:
            print(f"{world:14}{design:14}{method:22}{told:18.0f}{most_of:12.0f}{extra:19.1f}")
    assert len(rows) == 12


def test_validation(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[tuple[str, str, list[float]]] = []
    for world, rates in WORLDS.items():
        for design, fixed in DESIGNS.items():
            found = run(rates, sized(1000, 100), VALIDATION, fixed=fixed, seed=3)
            figures = [float(value) for name in METHODS for value in (found.missed[name].mean(), found.miss_bound(name))]
            rows.append((world, design, figures))
    with capsys.disabled():
        print(f"\n{VALIDATION} teams, 1,000 occasions, 30 looks and more: share that ever missed (upper 95 % bound)")
        for world, design, figures in rows:
            said = "".join(
                f"{name} {figures[2 * place]:.1%} ({figures[2 * place + 1]:.1%})   " for place, name in enumerate(METHODS)
            )
            print(f"{world:44}{design:14}{said}")
        for place, name in enumerate(METHODS):
            print(f"{name}: worst bound {max(row[2][1 + 2 * place] for row in rows):.4f}, as kept {betting.VALIDATED[name]}")
    assert len(rows) == len(WORLDS) * len(DESIGNS)
