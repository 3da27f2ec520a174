"""Convergence safety and termination: a failure in passing is neither progress nor the end, and retries are bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.limits.investigation.convergence import (
    StopState,
    TransientFailure,
    accounted,
    bounded_retry,
    course,
    kind,
    nothing_new,
)

KINDS = st.sampled_from(["substantive", "cosmetic", "polish", "transient", "transient_failure", "something new"])


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([], "continue"),
        (["transient_failure"], "continue"),
        (["transient", "transient_failure"], "continue"),
        (["substantive"], "continue"),
        (["cosmetic"], "converged"),
        (["substantive", "polish"], "converged"),
        (["cosmetic", "substantive"], "continue"),
        (["cosmetic", "transient_failure"], "converged"),
        (["substantive", "transient_failure"], "continue"),
        (["something new"], "continue"),
    ],
)
def test_convergence_safety_course(history: list[str], expected: str) -> None:
    assert course(history) == expected


def test_convergence_safety_accounted_changes_filter_transient_failures() -> None:
    assert accounted(("substantive", "transient_failure", "cosmetic")) == ("substantive", "cosmetic")


@given(st.lists(KINDS), st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["transient", "transient_failure"]))))
def test_convergence_safety_transient_failures_change_nothing(history: list[str], failures: list[tuple[int, str]]) -> None:
    mixed = list(history)
    for place, failure in failures:
        mixed.insert(place, failure)
    assert course(mixed) == course(history)


BASE = StopState(work=frozenset({"a:1"}), asked=frozenset({"L1"}), answered=frozenset({"L1"}))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (BASE, "cosmetic"),
        (StopState(work=frozenset({"a:2"}), asked=BASE.asked, answered=BASE.answered), "substantive"),
        (StopState(work=frozenset(), asked=BASE.asked, answered=BASE.answered), "substantive"),
        (StopState(work=BASE.work, asked=BASE.asked | {"L2"}, answered=BASE.answered), "substantive"),
        (StopState(work=BASE.work, asked=BASE.asked, answered=BASE.answered | {"L2"}), "substantive"),
        (StopState(work=BASE.work), "cosmetic"),
        (StopState(work=frozenset({"a:2"}), failed=True), "transient"),
    ],
)
def test_what_is_new_about_a_stop(now: StopState, expected: str) -> None:
    assert kind(BASE, now) == expected


def test_a_stop_that_comes_back_unchanged_has_nothing_new() -> None:
    assert not nothing_new([])
    assert not nothing_new([BASE])
    assert nothing_new([BASE, BASE])


def test_a_failure_in_passing_between_two_stops_is_looked_through() -> None:
    failed = StopState(failed=True)
    assert not nothing_new([BASE, failed])
    assert nothing_new([BASE, failed, failed, BASE])
    assert not nothing_new([failed, BASE])
    assert not nothing_new([BASE, failed, StopState(work=frozenset({"a:2"}))])


class _Flaky:
    def __init__(self, failures: int, error: type[Exception] = TransientFailure) -> None:
        self.left, self.calls, self.error = failures, 0, error

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self.left:
            raise self.error(f"call {self.calls}")
        return "done"


def test_bounded_retry_succeeds_within_the_bound() -> None:
    attempt = _Flaky(2)
    assert bounded_retry(attempt, 2) == "done"
    assert attempt.calls == 3


def test_bounded_retry_reraises_once_the_bound_is_exceeded() -> None:
    attempt = _Flaky(99)
    with pytest.raises(TransientFailure, match="call 3"):
        bounded_retry(attempt)
    assert attempt.calls == 3


def test_bounded_retry_passes_every_other_error_through_at_once() -> None:
    attempt = _Flaky(99, ValueError)
    with pytest.raises(ValueError, match="call 1"):
        bounded_retry(attempt)


@given(st.integers(-5, 8), st.integers(0, 12))
def test_bounded_retry_terminates(retries: int, failures: int) -> None:
    attempt = _Flaky(failures)
    if failures <= max(0, retries):
        assert bounded_retry(attempt, retries) == "done"
    else:
        with pytest.raises(TransientFailure):
            bounded_retry(attempt, retries)
    assert attempt.calls == min(failures, max(0, retries)) + 1
