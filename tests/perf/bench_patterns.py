"""Patterns of lessons over edited code: hostile ones against harmless ones, the index against one after the other.

Run as a test (``pytest tests/perf/bench_patterns.py -s -m perf``). Prints figures and ratios; asserts that every case ran.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from borgd.lessons import patterns
from borgd.lessons.patterns import PatternIndex, match, prepare
from tests.perf.sizes import sized

pytestmark = [pytest.mark.perf, pytest.mark.timeout(600)]

CODE = (Path(patterns.__file__).parents[1] / "sessions/session.py").read_text()
HOSTILE = (
    r"(a+)+$",
    r"(a|a)*b",
    r"(x+x+)+y",
    r"([a-z]+)*\d{3}!",
    r"(.*)(.*)(.*)(.*)(.*)(.*)~",
    r"[ab]*a[ab]{200}~",
    r"(?:a?){300}a{300}c",
    r"[^@]{0,600}@{2}",
    r".{0,400}q.{0,400}z~",
    r"(a|b|ab|ba|aab|bba){0,100}~",
    r"e[\s\S]{0,600}zzzz",
    r"(?:(?:(?:a{0,10}){0,10}){0,9})~",
)
TEXTS = {
    "one letter": "a" * 1_000_000,
    "two letters": "".join(random.Random(1).choices("ab", k=300_000)),
    "code": CODE * 10,
    "words": "a b x y z q @ ~ @@ " * 30_000,
}
LESSONS = sized(10_000, 500)
CALLS = sized(20, 5)


def worst_ms(call: Callable[[], object]) -> float:
    """The slowest of CALLS calls."""
    took = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return 1000 * max(took)


def test_hostile_patterns_beside_harmless_ones(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[tuple[str, float, float]] = []
    for name, text in TEXTS.items():
        found: list[float] = []
        for signs in (("gearbox", "crank"), HOSTILE):
            index = PatternIndex()
            for number in range(50):
                index.put(f"L{number}", signs, [f"{one}|w{number}" for one in signs[:4]])
            found.append(worst_ms(lambda index=index, text=text: index.match(text, clock=time.perf_counter)))  # type: ignore[misc]
        rows.append((name, found[0], found[1]))
    with capsys.disabled():
        print("\nworst call of 50 lessons, ms: harmless, hostile, the difference")
        for name, harmless, hostile in rows:
            print(f"{name:14}{harmless:8.1f}{hostile:8.1f}{hostile - harmless:8.1f}")
    assert len(rows) == len(TEXTS)


def test_an_index_against_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(2)
    words = ["".join(rng.choices("etaoinshrdlucmfwypvbgkjqxz", k=rng.randint(5, 9))) for _ in range(20_000)]
    lessons = {
        f"L{number}": tuple(
            rf"\b{rng.choice(words)}\w*\(|{rng.choice(words)}[^@]{{0,80}}{rng.choice(words)}" for _ in range(4)
        )
        for number in range(LESSONS)
    }
    index = PatternIndex()
    for key, signs in lessons.items():
        index.put(key, signs, ())
    start = time.perf_counter()
    index.read()
    read = time.perf_counter() - start
    text = CODE[:6000]
    ready = prepare(text)
    indexed = worst_ms(lambda: index.match(text))
    few = dict(list(lessons.items())[: max(1, LESSONS // 20)])
    one_by_one = worst_ms(lambda: [match(signs, (), ready) for signs in few.values()]) * LESSONS / len(few)
    with capsys.disabled():
        print(f"\n{LESSONS} lessons of four patterns over {len(text)} characters of code: read once in {read:.2f} s")
        print(f"the index {indexed:.1f} ms, one after the other {one_by_one:.1f} ms: {one_by_one / indexed:.0f} times")
    assert len(index) == LESSONS
