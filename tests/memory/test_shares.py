"""Evidence grows old by sessions, and no one person or repository decides; replay's running tally says the same."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.memory.belief import RANKS, Belief, BeliefRule, believe, packed, rank_of, units_of
from borgd.memory.columns import FoldColumns
from borgd.memory.memory import Memory, MemoryRule
from borgd.memory.records import Outcome
from borgd.replay.lesson_evidence import LessonEvidence, SessionResult
from tests.memory.support import lesson, outcome, store


def told(kind: str, count: int, who: str = "ann", repo: str = "r", start: int = 0) -> list[Outcome]:
    return [
        outcome("L1", kind, f"{who}{repo}{start + n}", ms=1000 + start + n, engineer=who, repo=repo) for n in range(count)
    ]


def belief(outcomes: Iterable[Outcome], own: str = "ann", rule: MemoryRule | None = None) -> Belief:
    columns = FoldColumns()
    columns.extend(outcomes)
    return Memory.of_columns(store(lesson("L1")), columns, own=own, rule=rule or MemoryRule()).belief("L1")


@pytest.mark.parametrize(("bad", "most"), [("ignored", 30), ("corrected", 12), ("regretted", 20), ("vetoed", 12)])
@pytest.mark.parametrize("good", [40, 300, 3000])
def test_a_lesson_that_was_good_and_is_not_any_more_is_believed_so_soon(good: int, bad: str, most: int) -> None:
    assert belief(told("changed", good)).mean >= 0.9
    assert belief([*told("changed", good), *told(bad, most, start=good)]).mean <= 0.5
    assert belief([*told("changed", good), *told(bad, 60, start=good)]).mean <= 0.15


@pytest.mark.parametrize("good", [50, 1000])
def test_a_lesson_that_was_bad_and_is_good_now_comes_back(good: int) -> None:
    assert belief([*told("vetoed", good), *told("changed", 60, start=good)]).mean >= 0.8


def test_a_veto_grows_old_by_what_speaks_for_the_lesson_alone() -> None:
    vetoed = told("vetoed", 4)
    assert belief([*vetoed, *told("ignored", 200, start=10)]).doubted
    assert belief([*vetoed, *told("not_arisen", 200, start=10)]).doubted
    assert not belief([*vetoed, *told("changed", 20, start=10)]).doubted


def test_what_nobody_speaks_of_any_more_does_not_fade() -> None:
    others = [outcome("L2", "changed", f"o{n}", ms=5000 + n, engineer="ann") for n in range(500)]
    assert belief([*told("changed", 9), *others]) == belief(told("changed", 9))


@pytest.mark.parametrize("own", ["eve", "ann", ""])
@pytest.mark.parametrize(("flood", "said"), [("changed", "corrected"), ("vetoed", "changed")])
def test_one_persons_thousands_do_not_outweigh_nine_others(own: str, flood: str, said: str) -> None:
    nine = [one for n in range(9) for one in told(said, 3, who=f"p{n}", repo=f"r{n}")]
    many = told(flood, 2000, who="eve", repo="e", start=100)
    outweighed = belief([*nine, *many], own=own).mean
    assert outweighed < 0.5 if said == "corrected" else outweighed > 0.45


def test_one_repositorys_thousands_do_not_outweigh_nine_others() -> None:
    nine = [one for n in range(9) for one in told("corrected", 3, who=f"p{n}", repo=f"r{n}")]
    many = [one for n in range(20) for one in told("changed", 100, who=f"q{n}", repo="big", start=100)]
    assert belief([*nine, *many]).mean < 0.5


@pytest.mark.parametrize("kind", ["vetoed", "corrected", "regretted"])
def test_a_teammates_forged_file_does_not_silence_a_lesson_and_ones_own_word_does(kind: str) -> None:
    forged = told(kind, 200, who="mallory")
    assert not belief(forged).doubted
    assert belief([*told("changed", 4), *forged]).mean > 0.4
    assert belief(told("vetoed", 4)).doubted
    three = [one for who in ("bo", "cy", "di", "ed") for one in told("vetoed", 3, who=who)]
    assert belief(three).doubted, "several people may"


def test_nobody_can_speak_for_another() -> None:
    mine = told("changed", 6)
    theirs = [outcome("L1", "vetoed", one.session, ms=one.ms, engineer="mallory", id=f"x{one.id}") for one in mine]
    assert belief([*mine, *theirs]).alpha == 7


def test_a_veto_taken_back_is_none_and_may_be_said_again() -> None:
    veto = outcome("L1", "vetoed")
    back = outcome("L1", "withdrawn")
    again = outcome("L1", "vetoed", id="again", turn=2)
    assert belief([veto]) == Belief(1.0, 4.0)
    assert belief([back, veto]) == Belief(1.0, 1.0)
    assert belief([again, back, veto]) == Belief(1.0, 4.0)
    assert belief([again, back, veto, outcome("L1", "withdrawn", id="b2", turn=2)]) == Belief(1.0, 1.0)


rows = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bo", "cy"]), st.integers(0, 12), st.sampled_from(sorted(RANKS)), st.sampled_from([1.0, 0.3])
    ),
    max_size=40,
)


@given(rows, st.sampled_from([(1, 1), (1, 2), (3, 1), (5, 5)]), st.sampled_from([0.0, 1 / 3]))
def test_the_running_tally_is_the_folded_one(
    found: list[tuple[str, int, str, float]], ages: tuple[int, int], share: float
) -> None:
    fresh, half_life = ages
    rule = BeliefRule(fresh=fresh, half_life=half_life, own_credits=2.0, repository_credits=1.5, most_share=share)
    evidence, best, outcomes = LessonEvidence(rule), dict[tuple[str, int], int](), list[Outcome]()
    for place, (who, session, kind, credit) in enumerate(found):
        repo, value = f"r{session % 3}", packed(RANKS[kind], credit)
        outcomes.append(
            outcome("L1", kind, f"s{session}", ms=session // 2, engineer=who, repo=repo, credit=credit, id=str(place))
        )
        if value > best.get((who, session), 0):
            best[who, session] = value
            row = SessionResult(session, session % 3, rank_of(value), units_of(value))
            evidence.add(["ann", "bo", "cy"].index(who) + 1, row, session // 2)
        expected = belief(outcomes, own="", rule=MemoryRule(belief=rule))
        assert believe(evidence.tally(), rule) == expected
