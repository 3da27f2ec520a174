"""What speaks for a lesson, and what does not."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.lessons.lesson import Lesson
from borgd.recall.context import Context
from borgd.recall.evidence import CANDIDATES, MATCH_FLOOR, WEIGHTS, Index, Match
from borgd.recall.text.document_frequencies import ContextPrior

RETRY = Lesson(
    id="RETRY",
    question="Does the new write endpoint take an idempotency key, so that a retry cannot create a second record?",
    situations=("adding a POST endpoint", "clients retry after a timeout"),
    consequence="A lost response is retried and the customer is charged twice.",
    scope=("Orion",),
)
FLAKY = Lesson(
    id="FLAKY",
    question="Does the test wait for a condition with a deadline, instead of sleeping for a fixed time?",
    situations=("flaky tests", "tests of asynchronous code"),
    consequence="The suite gets slower and still fails on a busy runner.",
)
MONEY = Lesson(
    id="MONEY",
    question="Are amounts carried as integers in minor units, never as floats?",
    consequence="Cents go missing in sums.",
    scope=("billing-ledger", "Answer Guard"),
)


def index_of(*lessons: Lesson) -> Index:
    index = Index()
    for lesson in lessons:
        index.add(lesson)
    return index


def recalled(index: Index, text: str, cwd: str = "/home/u/elsewhere", moment: str = "early") -> list[str]:
    return [match.id for match in index.match(Context(text=text, cwd=cwd, moment=moment)) if match.evidence >= MATCH_FLOOR]


STORES = [(RETRY,), (RETRY, FLAKY), (RETRY, FLAKY, MONEY)]


@pytest.mark.parametrize("store", STORES)
def test_the_lesson_comes_when_its_system_is_worked_on_and_its_situation_arises(store: tuple[Lesson, ...]) -> None:
    index = index_of(*store)
    assert recalled(index, "add a POST /v1/refunds endpoint to orion, it writes to the ledger", "/home/u/orion") == ["RETRY"]
    assert recalled(index, "Orion: add a POST endpoint for refunds. Clients retry after timeouts.") == ["RETRY"]


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(
    "text",
    [
        "write a haiku about autumn leaves",
        "center the logo on the landing page, it is four pixels off on phones",
        "what does the -k option of tar do?",
        "Add a POST endpoint for refunds. Clients retry after timeouts.",
        "",
        "     \n\n",
        "🦀🦀🦀",
    ],
)
def test_nothing_comes_for_work_on_something_else(store: tuple[Lesson, ...], text: str) -> None:
    assert recalled(index_of(*store), text) == []


def test_an_empty_store_recalls_nothing() -> None:
    assert Index().match(Context(text="anything at all")) == []


def test_a_scoped_lesson_needs_one_of_its_scopes_named() -> None:
    index = index_of(MONEY)
    text = "parse the amount as a float and sum the cents"
    assert index.match(Context(text=text, cwd="/srv/other")) == []
    for place in (
        Context(text=f"{text}, in AnswerGuard"),
        Context(text=text, cwd="/srv/billing-ledger"),
        Context(text=text, cwd="/srv/x", remote="acme/answer-guard.git"),
    ):
        (match,) = index.match(place)
        assert match.scoped
        assert match.in_scope
    assert index.match(Context(text=f"{text}. Their answer. Guard it")) == []


def test_working_in_a_system_is_stronger_than_naming_it() -> None:
    index = index_of(RETRY)
    text = "add a POST endpoint to orion"
    (named,) = index.match(Context(text=text, cwd="/tmp/x"))
    (placed,) = index.match(Context(text=text, cwd="/home/u/orion"))
    assert placed.evidence > named.evidence


def test_work_on_wording_is_weaker_than_work_on_behaviour() -> None:
    index = index_of(RETRY)
    (behaviour,) = index.match(Context(text="add the POST endpoint for refunds", cwd="/home/u/orion"))
    (wording,) = index.match(Context(text="docs: fix the typo in the POST endpoint for refunds", cwd="/home/u/orion"))
    assert wording.evidence < behaviour.evidence


def test_other_forms_and_kin_of_a_word_count() -> None:
    index = index_of(FLAKY)
    place = "/home/u/app"
    for text in ("the flaky tests again", "intermittent failures of the spec suite, poll"):
        assert index.match(Context(text=text, cwd=place)), text


def test_a_new_lesson_is_seen_by_the_next_match_and_a_newer_version_replaces() -> None:
    index = index_of(FLAKY)
    context = Context(text="zeppelin hangar doors", cwd="")
    assert index.match(context) == []
    index.add(Lesson(id="Z", question="Are the zeppelin's hangar doors open?", consequence="Dents.", version=2))
    assert [match.id for match in index.match(context)] == ["Z"]
    index.add(Lesson(id="Z", question="Is the kettle on?", consequence="No tea.", version=1))
    assert [match.id for match in index.match(context)] == ["Z"]
    index.add(Lesson(id="Z", question="Is the kettle on?", consequence="No tea.", version=3))
    assert index.match(context) == []
    index.remove("Z")
    index.remove("Z")
    assert len(index) == 1


def test_parts_add_up_to_the_evidence_and_terms_name_the_words() -> None:
    index = index_of(RETRY, FLAKY)
    context = Context(text="add a POST endpoint\nsrc/endpoints/post.py", cwd="/home/u/orion", moment="stop")
    for match in index.match(context, explain=True):
        assert match.parts.keys() == WEIGHTS.keys()
        assert match.evidence == pytest.approx(1 / (1 + math.exp(-sum(match.parts.values()))))
        assert set(match.terms) >= {"endpoint"} if match.id == "RETRY" else True
    assert all(not match.parts and not match.terms for match in index.match(context))


def test_touched_paths_speak() -> None:
    index = index_of(FLAKY)
    text = "make it stable\n{}\nthe worker"
    (without,) = index.match(Context(text=text.format("flaky tests"), cwd=""))
    (touched,) = index.match(Context(text=text.format("tests/flaky_tests.py"), cwd=""), explain=True)
    assert touched.parts["paths"] > 0
    assert touched.evidence > without.evidence


def test_a_machine_s_own_contexts_make_its_common_words_weak() -> None:
    index = index_of(RETRY, FLAKY)
    prior = ContextPrior.shipped()
    context = Context(text="the endpoint", cwd="/home/u/orion")
    before = index.match(context, prior)[0]
    for number in range(200):
        prior.add(f"change the endpoint number{number} of the service for team{number}")
    after = index.match(context, prior)[0]
    assert after.evidence < before.evidence


def test_the_same_context_finds_the_same_in_a_large_store() -> None:
    """Evidence means the same whatever else is in the store, and the candidates' limit loses no clear match."""
    small, large = index_of(RETRY), index_of(RETRY)
    for number in range(40 * CANDIDATES):
        large.add(
            Lesson(
                id=f"X{number}",
                question=f"Is part{number} of module{number % 97} checked before it is added to the endpoint?",
                consequence=f"Machine{number} stops.",
                situations=(f"adding part{number}",),
            )
        )
    text = "add a POST /v1/refunds endpoint to orion; clients retry after a timeout, no idempotency yet"
    context = Context(text=text, cwd="/home/u/orion")
    alone = small.match(context)[0]
    among = large.match(context)[0]
    assert among.id == alone.id == "RETRY"
    assert among.evidence == pytest.approx(alone.evidence, abs=0.15)


@pytest.mark.parametrize(
    "text",
    [
        "a/" * 200_000 + " x",
        "a." * 200_000 + " x",
        "src/a.py\n" * 40_000,
        "aB" * 200_000,
        "漢字かな" * 50_000,
        "- " * 200_000,
    ],
    ids=["slashes", "dots", "paths", "humps", "han", "signs"],
)
def test_odd_megabytes_are_read_like_any_other_context(text: str) -> None:
    """Quadratic work would run into the suite's time limit."""
    assert recalled(index_of(RETRY, FLAKY, MONEY), text, "/home/u/orion", "stop") == []


def test_documents_among_the_touched_paths_speak_against() -> None:
    index = index_of(RETRY)
    text = "describe how to add a POST endpoint\n{}"
    found = [
        index.match(Context(text=text.format(path), cwd="/home/u/orion"))[0].evidence
        for path in ("src/guide.go", "guides/start.md")
    ]
    assert found[1] < found[0]


def ordered(matches: list[Match]) -> bool:
    return [(-match.evidence, match.id) for match in matches] == sorted((-match.evidence, match.id) for match in matches)


pieces = st.sampled_from(
    ["add", "POST", "endpoint", "Orion", "flaky", "tests", "漢字", "\n", "a/b.py", "amount", "\x00", "🦀"]
)


@given(st.lists(pieces, max_size=40), st.sampled_from(["", "/srv/orion", "~"]), st.sampled_from(["early", "stop"]))
@settings(max_examples=200, deadline=None)
def test_any_context_gives_evidence_between_nothing_and_certainty_best_first(
    words: list[str], cwd: str, moment: str
) -> None:
    index = index_of(RETRY, FLAKY, MONEY)
    matches = index.match(Context(text=" ".join(words), cwd=cwd, moment=moment), explain=True)
    assert ordered(matches)
    assert all(0 < match.evidence < 1 for match in matches)
    again = index.match(Context(text=" ".join(words), cwd=cwd, moment=moment), explain=True)
    assert matches == again


@given(st.permutations([RETRY, FLAKY, MONEY]))
def test_the_order_of_additions_changes_nothing(lessons: list[Lesson]) -> None:
    context = Context(text="add flaky POST endpoint amount tests in Orion and the billing-ledger", cwd="/srv/orion")
    assert index_of(*lessons).match(context) == index_of(RETRY, FLAKY, MONEY).match(context)
