"""A small labelled set of our own, so that a change which makes recall worse is seen without any other file.

Three systems and general lessons. The weights were not fitted on them, but they were looked at when the floor was
settled, so this holds what was reached and is not an independent measurement. The bounds leave one case of slack.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from borgd.cli.debug.recall import live, plain_rankings, read_cases, read_lessons, recall_rankings
from borgd.recall.evidence import MATCH_FLOOR
from borgd.recall.quality import SAME_SYSTEM, SAME_WORDS, UNRELATED, figures, silencing_floor

SET = Path(__file__).parent / "labelled"


@pytest.mark.parametrize("own", [True, False], ids=["with past contexts", "on a new machine"])
def test_recall_keeps_what_it_reached_on_other_systems(own: bool) -> None:
    lessons, wrong = read_lessons(str(SET / "lessons.jsonl"))
    cases, more = read_cases(str(SET / "contexts.jsonl"))
    assert not wrong
    assert not more
    seen = figures(cases, recall_rankings(live(lessons), cases, own=own), MATCH_FLOOR)
    assert seen.contexts == 36
    assert seen.ndcg5 is not None
    assert seen.ndcg5 >= 0.95
    assert (seen.hit_recall or 0) >= 13 / 15
    assert (seen.precision or 0) >= 0.9
    assert seen.silent[UNRELATED] == 1.0
    assert seen.silent[SAME_WORDS] == 1.0
    assert seen.silent[SAME_SYSTEM] >= 7 / 12
    plain = plain_rankings(live(lessons), cases)
    beside = figures(cases, plain, silencing_floor(cases, plain))
    assert (seen.hit_recall or 0) > (beside.hit_recall or 0)
    assert seen.ndcg5 > (beside.ndcg5 or 0)
