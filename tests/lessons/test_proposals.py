"""A proposal waits, is decided once, and a merge never widens what a lesson reaches."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import BorgError
from borgd.lessons.episodes import Episode
from borgd.lessons.lesson import Lesson
from borgd.lessons.proposals import Proposal, ProposalVerdict, as_lesson, merged, of_invariant, propose, table, unheard
from borgd.lessons.store import REACHES, LessonStore, visible


def made(question: str = "Is it closed?", **fields: Any) -> Proposal:
    return propose(question, "It leaks.", **({"ms": 1} | fields))


def records(*values: Proposal | ProposalVerdict) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(value) for value in values]


def test_what_was_decided_waits_no_longer_in_any_order() -> None:
    one, other = made(ms=5), made("Is it open?", ms=3)
    lines = records(one, other, ProposalVerdict(id=one.id, ms=9, verdict="drop"), msgspec.structs.replace(one, ms=8))
    for order in (lines, lines[::-1]):
        found = table([*order, {"nonsense": 1}, {"verdict": "burn", "id": "x", "ms": 1}])
        assert found.waiting == (other,)
        assert found.verdicts[one.id].verdict == "drop"


def test_text_is_sealed_and_must_be_there() -> None:
    key = "ghp_" + "a1B2" * 9
    one = made(f"Is {key}\u2028gone?", situations=[key, ""], scope=["Ori\u200bon"], area=key)
    assert "a1B2" not in str(one)
    assert one.scope == ("Orion",)
    with pytest.raises(BorgError, match="--question"):
        made("\u200b")
    with pytest.raises(msgspec.ValidationError):
        made(reach="galaxy")


def test_kept_it_says_where_it_came_from() -> None:
    answer = Episode(id="E1", ms=1, agent="a", session="s", correction="c", rule="answer-rule")
    assert as_lesson(made(), None, engineer="ada", ms=2).source == "correction"
    assert as_lesson(made(), answer, engineer="ada", ms=2).source == "answer"
    standing = as_lesson(made(invariant=True), answer, engineer="ada", ms=2)
    assert standing.standing
    assert standing.engineers == ("ada",)


def test_an_invariant_becomes_a_question_and_keeps_its_wording() -> None:
    one = of_invariant("Never edit dist/ by hand.", "", ms=1, scope=["Orion"])
    assert (one.question, one.facets, one.scope) == (
        "Did I make sure not to edit dist/ by hand?",
        ("Never edit dist/ by hand.",),
        ("Orion",),
    )
    assert one.consequence == "It breaks what always holds: Never edit dist/ by hand."
    assert propose("Is it sorted?", "c", ms=1, invariant=True).question == "Is it sorted?"
    with pytest.raises(BorgError, match="--question"):
        of_invariant("\u200b", "why", ms=1)


reaches = st.sampled_from(REACHES)


@given(reaches, reaches, st.sampled_from(["acme/x", "other/y"]), st.sampled_from(["acme/x", "other/y"]))
def test_a_merge_never_widens_reach(have: Any, want: Any, repo: str, proposed: str) -> None:
    store = LessonStore()
    lesson = Lesson(id="La", question="Is it shut?", consequence="c", reach=have, repo=repo, engineers=("ada",))
    store.apply([store.record(lesson)])
    try:
        changes = merged(lesson, made(reach=want, repo=proposed))
    except BorgError:
        assert {have, want} == {"personal", "repo"} or (have == want == "repo" and repo != proposed)
        return
    store.apply([store.edit("La", changes, ms=2)])
    (after,) = store
    lone = as_lesson(made(reach=want, repo=proposed), None, engineer="ada", ms=2)
    for where in ("acme/x", "other/y", ""):
        for who in ("ada", "bo"):
            if visible(after, where, who):
                assert visible(lesson, where, who)
                assert visible(lone, where, who)


def test_a_merge_keeps_the_wording_findable_and_the_scope_honest() -> None:
    scoped = Lesson(id="La", question="q", consequence="c", scope=("Orion",), facets=("f",), support=2)
    changes = merged(scoped, made(scope=["Vega", "Orion"], situations=["closing"]))
    assert changes["scope"] == ["Orion", "Vega"]
    assert changes["facets"] == ["f", "Is it closed?"]
    assert changes["situations"] == ["closing"]
    assert changes["support"] == 3
    assert merged(scoped, made())["scope"] == ["Orion"]
    assert merged(Lesson(id="La", question="q", consequence="c"), made(scope=["Vega"]))["scope"] == []
    assert merged(scoped, made(invariant=True))["source"] == "constraint"


def test_episodes_without_a_proposal_or_verdict() -> None:
    episodes = [Episode(id=f"E{n}", ms=10 - n, agent="a", session="s", correction="c") for n in range(4)]
    lines = records(made(episode="E1"), ProposalVerdict(id="E2", ms=1, verdict="drop"))
    found = unheard([*episodes, episodes[0]], lines, table(lines).verdicts)
    assert [one.id for one in found] == ["E3", "E0"]
