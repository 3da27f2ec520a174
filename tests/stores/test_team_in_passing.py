"""A team's directory that refuses in passing is asked again, a bounded number of times; any other is told at once."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.limits.investigation.convergence import MAX_RETRIES
from borgd.stores.team import PASSING, persistently


@given(st.sampled_from(sorted(PASSING)), st.integers(0, MAX_RETRIES + 3))
def test_a_refusal_in_passing_is_tried_again_and_no_more_than_that(code: int, refusals: int) -> None:
    tries: list[int] = []

    def read() -> str:
        tries.append(1)
        if len(tries) <= refusals:
            raise OSError(code, "not now")
        return "there"

    if refusals <= MAX_RETRIES:
        assert persistently(read) == "there"
    else:
        with pytest.raises(OSError, match="not now") as raised:
            persistently(read)
        assert raised.value.errno == code
    assert len(tries) == min(refusals, MAX_RETRIES) + 1


def test_what_is_not_passing_is_told_at_once() -> None:
    tries: list[int] = []

    def read() -> str:
        tries.append(1)
        raise PermissionError(errno.EACCES, "no")

    with pytest.raises(PermissionError):
        persistently(read)
    assert len(tries) == 1
