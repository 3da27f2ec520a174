"""Both sides, their trust, and no verdict."""

from __future__ import annotations

from borgd.lessons.lesson import Lesson
from borgd.memory.memory import Memory
from borgd.recall.choose import choose_stop
from borgd.recall.disagreement import disagreement, disagreement_ids, disagreements
from borgd.recall.policy import changed
from borgd.recall.rank import Ranked
from tests.memory.support import fold_memory
from tests.recall.choice_support import POLICY, lesson, matches, outcome, ranking, store

ANN = lesson("A", engineers=("ann",), area="concurrency", situations=("two writers",), consequence="Locks deadlock.")
BOB = lesson(
    "B", engineers=("bob",), area="concurrency", situations=("Two  Writers",), consequence="Without locks it tears."
)


def selected(*lessons: Lesson, memory: Memory | None = None) -> tuple[list[Ranked], Memory]:
    known = store(*lessons)
    memory = memory or Memory(known)
    ranked = ranking(known, {found.id: 0.9 - i / 100 for i, found in enumerate(lessons)}, memory).ranked
    return list(ranked), memory


def test_same_situation_different_consequence() -> None:
    ranked, _ = selected(ANN, BOB, lesson("C", engineers=("cy",), situations=("elsewhere",)))
    assert disagreements(ranked, ()) == [(0, 1)]
    assert disagreement_ids(ranked, ()) == [("A", "B")]


def test_no_disagreement() -> None:
    agreeing = lesson("B", engineers=("bob",), situations=("two writers",), consequence="locks deadlock")
    hers = lesson("B", engineers=("ann", "bob"), situations=("two writers",), consequence="Another.")
    nobody = lesson("B", situations=("two writers",), consequence="Another.")
    for other in (agreeing, hers):
        assert disagreements(selected(ANN, other)[0], ()) == []
    assert disagreements(selected(lesson("A", situations=("two writers",)), nobody)[0], ()) == []
    assert disagreements([], ()) == []


def test_a_ring_of_supersession() -> None:
    ranked, memory = selected(lesson("A", supersedes=("B",)), lesson("B", supersedes=("A",)))
    assert disagreements(ranked, memory.succession().disputes) == [(0, 1)]


def test_groups_that_share_a_lesson_are_one() -> None:
    both = lesson("C", engineers=("cy",), situations=("two writers", "elsewhere"), consequence="Third.")
    far = lesson("D", engineers=("dee",), situations=("elsewhere",), consequence="Fourth.")
    ranked, _ = selected(ANN, far, both)
    assert disagreements(ranked, ()) == [(0, 1, 2)]


def test_the_most_trusted_first() -> None:
    known = store(ANN, BOB)
    memory = fold_memory(known, [outcome("B", "changed", str(i)) for i in range(3)])
    ranked, _ = selected(ANN, BOB, memory=memory)
    text = disagreement(ranked)
    assert text == (
        "Engineers disagree here: bob (trust 0.80 in concurrency) in B: Without locks it tears; "
        "ann (trust 0.50) in A: Locks deadlock. Weigh the evidence."
    )


def test_it_reaches_the_agent_inside_the_fence() -> None:
    theirs = lesson("B", engineers=("bob",), situations=("two writers",), consequence="It tears.", peer=True)
    known = store(ANN, theirs)
    choice = choose_stop(
        matches(known, {"A": 0.9, "B": 0.9}), known, None,
        done=(), session="s", decision_id="d", now_ms=0, policy=changed(POLICY, {"holdout": 0}),
    )  # fmt: skip
    lines = choice.text.split("\n")
    (place,) = [number for number, line in enumerate(lines) if line.startswith("Engineers disagree here: ")]
    assert lines[-1].startswith("--- end of peer data")
    assert place == len(lines) - 2


def test_a_note_never_breaks_the_bound() -> None:
    known = store(ANN, BOB)
    for chars in range(300, 800, 7):
        policy = changed(POLICY, {"holdout": 0, "host_chars": chars})
        choice = choose_stop(
            matches(known, {"A": 0.9, "B": 0.9}), known, None,
            done=(), session="s", decision_id="d", now_ms=0, policy=policy,
        )  # fmt: skip
        assert len(choice.text) <= chars
        assert "disagree" not in choice.text or len(choice.shown) == 2
