"""A lesson tried on its own correction: each fault that it can have is one line of advice, and a good lesson gets none."""

from __future__ import annotations

import msgspec
import pytest

from borgd.lessons.episodes import Episode
from borgd.lessons.lesson import Lesson
from borgd.recall.context import Context
from borgd.recall.policy import RecallPolicy
from borgd.recall.trial import Trial, attempt

EPISODE = Episode(
    id="E1",
    ms=1,
    agent="claude-code",
    session="s1",
    correction="no, we never retry a charge without the idempotency key",
    repo="acme/till",
    task="retry failed charges of the till nightly",
    proposal="Failed charges are retried three times each night.",
    turn=2,
    paths=("till/charge.py",),
    lines=("for _ in range(3):", "    gateway.charge(card, amount)"),
)
GOOD = Lesson(
    id="",
    question="Does every retried charge carry the idempotency key of the first attempt?",
    consequence="The customer pays twice.",
    scope=("Till",),
    situations=("retry failed charges", "a nightly job that charges cards", "calls of gateway.charge in a loop"),
    signs=(r"gateway\.charge\([^)]*\)",),
    handled=("idempotency_key=",),
)
REPAIR = ["    gateway.charge(card, amount, idempotency_key=key)"]


def tried(lesson: Lesson = GOOD, **more: object) -> Trial:
    """``lesson`` tried on the episode."""
    arguments: dict[str, object] = {"policy": RecallPolicy(), "episode": EPISODE, "repair": REPAIR}
    return attempt(lesson, more.pop("others", ()), **{**arguments, **more})  # type: ignore[arg-type]


def test_a_good_lesson_gets_no_advice() -> None:
    trial = tried()
    assert trial.comes_up
    assert (trial.signs_in_mistake, trial.handled_in_mistake, trial.handled_in_repair) == (1, 0, 1)
    assert trial.advice == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"signs": ()}, "no --sign:"),
        ({"signs": (r"stripe\.refund",)}, "no --sign is in the work that was corrected (till/charge.py)"),
        ({"signs": (r"(?=charge)", r"gateway\.charge")}, "look-ahead"),
        ({"handled": ()}, "no --handled:"),
        ({"handled": ("amount|idempotency_key",)}, "is in the mistake too"),
        (
            {"handled": ("dedupe_token",)},
            "no --handled is in the repair (gateway.charge(card, amount, ",
        ),
        ({"situations": GOOD.situations[:1]}, "few situations"),
        (
            {"situations": (), "question": "Is the key there?", "scope": (), "consequence": "Twice."},
            "would not come up for its own task (retry failed charges of the till nightly)",
        ),
    ],
)
def test_each_fault_is_one_line(change: dict[str, object], said: str) -> None:
    trial = tried(msgspec.structs.replace(GOOD, **change))
    assert [line for line in trial.advice if said in line], trial.advice


def test_a_lesson_that_comes_up_everywhere_is_too_wide() -> None:
    work = "retry failed charges of customer {} nightly: calls of gateway.charge in a loop that charges cards"
    past = [Context(text=work.format(n), cwd="/src/till") for n in range(10)]
    wide = tried(past=past)
    assert wide.comes_up_elsewhere == wide.past_sessions == 10
    assert [line for line in wide.advice if "10 of 10 sessions" in line]
    other = [Context(text=f"draw the chart of month {n} in blue", cwd="/src/charts") for n in range(10)]
    assert (tried(past=other).comes_up_elsewhere, tried(past=other).advice) == (0, ())


def test_a_near_duplicate_is_named_and_the_lesson_itself_is_none() -> None:
    same = msgspec.structs.replace(GOOD, id="L7")
    trial = tried(others=[same])
    assert [one.id for one in trial.near_duplicates] == ["L7"]
    assert [line for line in trial.advice if line.startswith("like L7 (100%)")]
    assert tried(same, others=[same]).near_duplicates == ()
    assert tried(others=[msgspec.structs.replace(same, retired=True)]).near_duplicates == ()


def test_without_a_correction_nothing_is_claimed_of_it() -> None:
    trial = tried(episode=None, repair=())
    assert (trial.comes_up, trial.evidence, trial.signs_in_mistake, trial.handled_in_repair) == (None, None, None, None)
    assert trial.advice == ()
