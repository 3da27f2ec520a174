"""What the record of a choice says: the place of each lesson in the pool, and the systems of what was shown or held out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from borgd.recall.choose import choose_early, choose_stop
from tests.recall.choice_support import POLICY, SYSTEM, lesson, matches, scoped, store

LESSONS = store(
    *(scoped(f"S{i}", question=f"Is {i} minded, {'and so on ' * 20}?") for i in range(14)),
    *(lesson(f"G{i}") for i in range(3)),
    scoped("both", scope=(SYSTEM, "Beacon")),
    scoped("rule", source="constraint"),
)
EVIDENCE = {name: 0.9 - 0.01 * place for place, name in enumerate(LESSONS) if name != "rule"}


@pytest.mark.parametrize("moment", ["early", "stop"])
@pytest.mark.parametrize("held", [0.0, 0.5])
@pytest.mark.parametrize("session", ["s1", "s2", "s3", "s4"])
def test_places_and_systems_in_the_record(moment: str, held: float, session: str) -> None:
    policy = msgspec.structs.replace(POLICY, holdout=held, early_chars=900, host_chars=1500)
    told: dict[str, Any] = {"done": (), "session": session, "decision_id": "d", "now_ms": 7, "policy": policy}
    found = matches(LESSONS, EVIDENCE)
    choice = (
        choose_early(found, LESSONS, topics=[SYSTEM], **told) if moment == "early" else choose_stop(found, LESSONS, **told)
    )
    assert choice.decision is not None
    pool = choice.decision.pool
    assert [entry.rank for entry in pool] == list(range(len(pool)))
    groups = [0 if entry.standing else 1 if entry.shown or entry.held else 2 if entry.cut else 3 for entry in pool]
    assert groups == sorted(groups)
    rest = [entry.score for entry, group in zip(pool, groups, strict=True) if group == 3]
    assert rest == sorted(rest, reverse=True)
    systems = {name for entry in pool if entry.shown or entry.held for name in LESSONS[entry.id].scope}
    assert choice.decision.scopes == tuple(sorted(systems))
    assert systems
