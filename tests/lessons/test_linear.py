"""The linear detector: its weights come from the labelled messages, its figures hold for authors that it has not seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import InputError
from borgd.lessons.corrections import training, vocabulary
from borgd.lessons.corrections.features import BITS, PHRASE_WORDS, features, phrases, shared_stems
from borgd.lessons.corrections.linear import Band, shipped
from borgd.lessons.corrections.training import Message
from borgd.lessons.corrections.verdict import NOTHING, Situation, deeds_text, judge

DATA = Path(__file__).resolve().parents[1] / "data"
FILES = ("talk.jsonl", "talk-more.jsonl", "talk-own.jsonl")


def messages(name: str) -> list[Message]:
    return training.read_messages((DATA / name).read_bytes(), name)


def labels(found: list[Message]) -> np.ndarray:
    return np.array([message.correction for message in found])


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_shipped_weights_come_from_the_labelled_messages() -> None:
    made = training.train([message for name in FILES for message in messages(name)])
    ours = shipped()
    assert np.mean(made.weights == ours.weights) > 0.999  # the last bit of a sum is the machine's own
    assert np.abs(made.weights.astype(int) - ours.weights).max() <= 1
    assert made.thresholds == pytest.approx(ours.thresholds, abs=0.01)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_it_hears_an_author_that_it_has_not_seen() -> None:
    talk, more, own = (messages(name) for name in FILES)
    for trained_on in (more, [*more, *own]):
        scores = training.tested(trained_on, talk)
        assert training.heard(scores, labels(talk), 0.15) >= 0.88
        assert training.heard(scores, labels(talk), 0.03) >= 0.60


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_it_hears_each_left_out_author() -> None:
    found = [*messages("talk.jsonl"), *messages("talk-more.jsonl")]
    scores, authors = training.cross_fit(found), np.array([message.id[0] for message in found])
    for author in "ABCDE":
        own = authors == author
        assert training.heard(scores[own], labels(found)[own], 0.15) >= 0.83
        assert training.heard(scores[own], labels(found)[own], 0.03) >= 0.45


def test_pairs_are_one_authors() -> None:
    """So a split by author parts no pair."""
    for name in FILES:
        pairs: dict[str, set[str]] = {}
        for message in messages(name):
            if message.pair:
                pairs.setdefault(message.pair, set()).add(message.id[0])
        assert all(len(authors) == 1 for authors in pairs.values())


@given(st.text(max_size=700), st.text(max_size=500))
def test_features_are_places_of_the_table_for_whatever_text(message: str, proposal: str) -> None:
    found = features(message, proposal)
    assert found.places.shape == found.values.shape
    assert ((found.places >= 0) & (found.places < 1 << BITS)).all()
    assert np.isfinite(found.values).all()
    again = features(message, proposal)
    assert (again.places == found.places).all()
    assert (again.values == found.values).all()


@given(st.text(max_size=700), st.text(max_size=300), st.text(max_size=300), st.booleans())
def test_a_verdict_has_its_reason_and_nothing_said_before_is_nothing(
    message: str, said: str, deeds: str, interrupting: bool
) -> None:
    verdict = judge(message, Situation(said=said, deeds=deeds, interrupting=interrupting))
    assert (verdict.correction is None) == (verdict.band is Band.NONE)
    if verdict.correction is not None:
        assert verdict.correction.reason
        assert 0 < verdict.correction.strength <= 1
    assert judge(message, Situation(interrupting=interrupting)) == NOTHING


@pytest.mark.parametrize(
    "text",
    ["no " * 300_000, "why? " * 200_000, "不" * 500_000, "\u0301" * 300_000, "a" * 1_000_000, "(" * 500_000, "\n" * 500_000],
)
def test_a_long_text_costs_no_more_than_a_short_one(text: str) -> None:
    judge(text, Situation(said=text, deeds=text))


def test_thresholds_are_in_order() -> None:
    limits = shipped().thresholds
    assert limits.interrupting < limits.doubtful < limits.sure
    assert [shipped().band(score) for score in (limits.sure, limits.doubtful, limits.interrupting)] == [
        Band.SURE,
        Band.DOUBTFUL,
        Band.NONE,
    ]
    assert shipped().band(limits.interrupting, interrupting=True) is Band.DOUBTFUL


@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=1), st.floats(0, 0.99))
def test_no_more_than_the_share_passes_a_threshold(rows: list[tuple[float, bool]], share: float) -> None:
    scores, truth = np.array([score for score, _ in rows]), np.array([label for _, label in rows])
    if truth.all():
        return
    passed = scores[~truth] >= training.threshold(scores, truth, share)
    assert passed.sum() <= share * len(passed) + 1e-6


def test_the_vocabulary_says_what_it_seems_to_say() -> None:
    for side in (vocabulary.MESSAGE, vocabulary.PROPOSAL):
        for name, text in side.items():
            assert text.count("(") == text.count(")"), name
            long = [one for one in phrases(text) if len(one.split()) > PHRASE_WORDS + 1 or set(one) & set("()|")]
            assert not long, name
    assert phrases("(a|b) c|(|very )d") == ["a c", "b c", "d", "very d"]


def test_a_line_that_is_no_message_names_its_place() -> None:
    good = b'{"id": "A1", "before": "x", "said": "y", "correction": true}\n'
    with pytest.raises(InputError, match=r"t\.jsonl:3: expected a labelled message"):
        training.read_messages(good + b"\n" + b'{"id": "A2"}\n', "t.jsonl")


def test_words_that_the_edited_code_shares() -> None:
    assert shared_stems("the key of each layer is its id", "for (const layerIndex of layers) keyOf(layerIndex)") == 1
    assert deeds_text([], []) == ""
    assert deeds_text(["a.py", "a.py"], ["x = 1"]) == "Edited a.py. x = 1"
