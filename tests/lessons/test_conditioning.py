"""Identity conditioning: one to one, the very same objects, in order; a trigger flags and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.corrections.conditioning import Conditioned, condition


@given(st.lists(st.text() | st.integers() | st.lists(st.integers())))
def test_identity_conditioning_is_a_passthrough(items: list[object]) -> None:
    conditioned: list[Conditioned[object, object]] = condition(items)
    assert len(conditioned) == len(items)
    assert all(one.item is item and not one.flagged for one, item in zip(conditioned, items, strict=True))


def test_identity_conditioning_a_trigger_is_detection_only_and_does_not_rewrite() -> None:
    items = [{"text": f"item {number}"} for number in range(8)]
    conditioned = condition(items, lambda item: item["text"].endswith("4"))
    assert [one.flagged for one in conditioned] == [number == 4 for number in range(8)]
    assert all(one.item is item for one, item in zip(conditioned, items, strict=True))


def test_a_trigger_that_fails_flags() -> None:
    def trigger(item: int) -> bool:
        return 1 // item > 0

    conditioned = condition([1, 0, 2], trigger)
    assert [(one.item, one.flagged) for one in conditioned] == [(1, True), (0, True), (2, False)]
    assert conditioned[1].found is None


def test_what_a_trigger_finds_stands_beside_the_item() -> None:
    assert condition(["a", "b"], {"b": "found"}.get) == [Conditioned("a"), Conditioned("b", True, "found")]
