"""What a replay keeps of each outcome and decision: a few bytes, while reading as well as afterwards."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.replay import engine, values_by_key
from borgd.replay.candidates import parse
from borgd.replay.engine import Replay
from borgd.replay.outcomes import Outcomes
from borgd.replay.records import hash64
from borgd.replay.simulate import simulate
from borgd.replay.values_by_key import ValuesByKey

NOW = 1_900_000_000_000
SMALL = 4_000
TIMES = 4


@given(
    pairs=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 1 << 15)), max_size=200),
    pending=st.integers(1, 30),
    longest=st.integers(1, 60),
)
def test_values_are_those_of_a_dictionary_however_they_are_cut_into_runs(
    pairs: list[tuple[int, int]], pending: int, longest: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values_by_key, "PENDING", pending)
        patch.setattr(values_by_key, "LARGEST_RUN", longest)
        bits, least = ValuesByKey(np.bitwise_or, np.uint16), ValuesByKey(np.minimum, np.int64)
        together: dict[int, int] = {}
        smallest: dict[int, int] = {}
        for key, value in pairs:
            bits.add(key, value)
            least.add(key, value)
            together[key] = together.get(key, 0) | value
            smallest[key] = min(smallest.get(key, value), value)
        bits.seal()
        least.seal()
    asked = np.array([0, *range(1, 45), 7, 7], dtype=np.uint64)
    assert bits.of(asked).tolist() == [together.get(key, 0) for key in asked.tolist()]
    assert least.of(asked).tolist() == [smallest.get(key, 0) for key in asked.tolist()]


def outcome_lines(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield (
            b'{"id":"o%d","ms":%d,"lesson":"L%d","kind":"%s","evidence":"-","decision":"d%d","agent":"x","session":"s%d"}'
            % (number, 1_700_000_000_000 + number, number % 50, (b"corrected", b"changed")[number % 2], number, number // 9)
        )


def peak(work: Callable[[], object]) -> int:
    """Bytes that were held at once at most, besides those of before."""
    tracemalloc.start()
    try:
        kept = work()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kept is not None
    return most


@pytest.mark.parametrize(("salt", "bytes_each"), [("", 30), ("0f" * 16, 60)])
def test_reading_outcomes_takes_a_few_bytes_each(monkeypatch: pytest.MonkeyPatch, salt: str, bytes_each: int) -> None:
    """A key and kinds are 10 bytes, half of these outcomes are corrections with 16 more, a team's have 8 for the id."""
    monkeypatch.setattr(values_by_key, "PENDING", 256)
    monkeypatch.setattr(values_by_key, "LARGEST_RUN", 1024)

    def read(count: int) -> Outcomes:
        outcomes = Outcomes(beliefs=False, salt=salt)
        outcomes.add(outcome_lines(count))
        return outcomes.seal()

    read(SMALL)  # what is made once
    less, more = peak(lambda: read(SMALL)), peak(lambda: read(SMALL * TIMES))
    assert (more - less) / (SMALL * (TIMES - 1)) < bytes_each
    assert read(SMALL).kinds(np.array([hash64("d7", "L7")], dtype=np.uint64))[0] > 0


@pytest.mark.slow
def test_feeding_decisions_takes_a_few_bytes_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of decisions and of sessions, 8 bytes each, and as much again for a moment when they are merged."""
    monkeypatch.setattr(engine, "SESSIONS_KEPT", 50)
    sessions = list(simulate(150, 3, lessons=30))
    decisions = [msgspec.json.encode(record) for each in sessions for record in each.decisions]
    outcomes = Outcomes(beliefs=False)
    outcomes.add(msgspec.json.encode(record) for each in sessions for record in each.outcomes)
    outcomes.seal()

    def feed(copies: int) -> Replay:
        replay = Replay([parse("bolder", ["block=0.7"])], ("changed",), outcomes, NOW)
        for copy in range(copies):
            replay.feed(replay.read(re.sub(rb'"s0', b'"s%d-0' % copy, line) for line in decisions))
        return replay

    assert len(feed(2).sessions) > 200
    less, more = peak(lambda: feed(4)), peak(lambda: feed(16))
    assert (more - less) / (12 * len(decisions)) < 80
