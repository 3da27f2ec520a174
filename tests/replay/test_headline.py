"""One running conclusion: over all data, whatever the period; strata for releases; hostile lines of a team move nothing."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import numpy as np
import pytest

from borgd.memory.records import Decision
from borgd.recall.policy import RecallPolicy
from borgd.replay.engine import Replay
from borgd.replay.findings import ReplayResult
from borgd.replay.headline import Headline
from borgd.replay.outcomes import Outcomes
from borgd.replay.result import result
from borgd.replay.simulate import Course, simulate

DAY_MS = 86_400_000
NOW = 1_900_000_000_000


class Lived:
    """A simulated log; its replay may look at a period alone."""

    def __init__(self, sessions: int = 160, seed: int = 9, course: Course | None = None, holdout: float = 0.3) -> None:
        log = list(simulate(sessions, seed, 40, RecallPolicy(holdout=holdout), course=course or Course()))
        self.decisions: list[Decision] = [one for each in log for one in each.decisions]
        self.truth = {(one.decision, one.lesson): one for each in log for one in each.known}
        self.outcomes = [one for each in log for one in each.outcomes]

    def found(self, since_ms: int = 0, decisions: list[Decision] | None = None) -> ReplayResult:
        outcomes = Outcomes()
        outcomes.add(msgspec.json.encode(one) for one in self.outcomes)
        replay = Replay([], ("changed",), outcomes.seal(), NOW, since_ms=since_ms)
        replay.feed(replay.read([msgspec.json.encode(one) for one in decisions or self.decisions]))
        return result(replay)


@pytest.fixture(scope="module")
def lived() -> Lived:
    return Lived()


@pytest.mark.parametrize("days", [0.5, 2, 4])
def test_a_period_has_its_own_tiles_and_not_its_own_conclusion(lived: Lived, days: float) -> None:
    whole = lived.found().headline
    part = lived.found(since_ms=lived.decisions[-1].ms - int(days * DAY_MS)).headline
    for name in ("overall", "sentence", "plan", "weeks", "so_far", "lessons", "occasions"):
        assert getattr(part, name) == getattr(whole, name), name
    assert part.period is not None
    assert whole.overall is not None
    assert part.period.shown < whole.overall.shown
    assert part.recalls < whole.recalls


def test_a_release_that_ranks_differently_starts_a_stratum_and_no_new_sequence(lived: Lived) -> None:
    half = len(lived.decisions) // 2
    later = [msgspec.structs.replace(one, ranking=one.ranking + 1) for one in lived.decisions[half:]]
    mixed = lived.found(decisions=[*lived.decisions[:half], *later]).headline
    assert mixed.overall == lived.found().headline.overall
    assert len({each.key.rpartition(" ")[2] for each in mixed.strata}) == 2
    assert sum(each.shown for each in mixed.strata) == sum(each.shown for each in lived.found().headline.strata)


def test_early_and_stop_of_one_session_are_one_occasion() -> None:
    """A lesson that was told early and again at Stop counts as told once; none is withheld after it was told."""
    log = Lived(120, 3, Course(again=1.0, subagents=0.5, tasks=2))
    seen: dict[tuple[str, str], int] = {}
    told: set[tuple[str, str]] = set()
    for decision in log.decisions:
        for entry in decision.pool:
            if entry.shown or entry.held:
                key = (decision.session, entry.id)
                seen[key] = seen.get(key, 0) + (entry.holdout > 0)
                assert not (entry.held and key in told)
                told.update({key} if entry.shown else set())
    assert max(seen.values()) == 1
    overall = log.found().headline.overall
    assert overall is not None
    assert overall.shown + overall.held == sum(seen.values())


@pytest.mark.parametrize(
    "course",
    [
        Course(open=1.0), Course(lost_shown=0.9), Course(lost_held=0.9), Course(drift=True), Course(flood=0.6),
        Course(attention=0.2, tasks=2), Course(subagents=1.0),
    ],
    ids=["never end", "lost where shown", "lost where withheld", "drift", "one floods", "attention", "subagents"],
)  # fmt: skip
def test_the_truth_is_inside_whatever_sessions_do(course: Course) -> None:
    log = Lived(100, course=course)
    rate = log.found().headline.overall
    assert rate is not None
    thrown = [(d.id, e.id, e.holdout) for d in log.decisions for e in d.pool if (e.shown or e.held) and e.holdout > 0]
    weights = np.array([chance * (1 - chance) for _, _, chance in thrown])
    known = [log.truth[decision, lesson] for decision, lesson, _ in thrown]
    prevented = float(weights @ np.array([one.corrected_held - one.corrected_shown for one in known]) / weights.sum())
    assert rate.low <= prevented <= rate.high
    assert rate.bernstein_low <= prevented <= rate.bernstein_high


GOOD: dict[str, Any] = {
    "id": "x", "ms": 1_700_086_400_000, "lesson": "A", "kind": "corrected", "evidence": "e", "decision": "d", "agent": "a",
    "held": True, "coin_ms": 1_700_000_000_000, "horizon_ms": DAY_MS, "holdout": 0.2, "ranking": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"holdout": 0.0}, {"holdout": 1.0}, {"holdout": -0.1}, {"holdout": 7}, {"holdout": "0.2"}, {"holdout": None},
        {"holdout": 1e-30}, {"coin_ms": 0}, {"coin_ms": NOW}, {"coin_ms": 10**40}, {"coin_ms": -5}, {"horizon_ms": 0},
        {"horizon_ms": -1}, {"horizon_ms": 1}, {"kind": "changed"}, {"kind": ""}, {"lesson": ""}, {"lesson": None},
        {"held": "yes"},
    ],
)  # fmt: skip
def test_a_line_of_a_team_that_cannot_be_believed_moves_nothing(change: dict[str, Any]) -> None:
    head = Headline(NOW)
    head.hear([json.dumps(GOOD).encode() + b"\n"], "one")
    assert head.occasions.used == 1
    other = json.dumps({**GOOD, "decision": "e", **change}).encode()
    head.hear([other, other[:-7], b'{"coin_ms":', b"\xff\xfe" + other, b'"coin_ms":NaN'], "two")
    assert head.occasions.used == 1


def test_what_is_told_twice_counts_once_whoever_tells_it() -> None:
    head = Headline(NOW)
    line = json.dumps(GOOD).encode()
    head.hear([line, line], "one")
    head.hear([line], "a copy of one")
    assert head.occasions.used == 1
    assert not math.isnan(head.occasions.rows()[0].holdout)


def test_nothing_is_foretold_from_next_to_nothing() -> None:
    """Without a correction no rate is known: how long it takes to know is not said as a number."""
    log = Lived(60)
    log.outcomes = [one for one in log.outcomes if one.kind != "corrected"]
    head = log.found().headline
    assert head.occasions > 0
    assert head.plan == "Too few corrections yet to say how long it takes to know."
