"""What a prompt costs the detector of corrections, beside the rules alone.

Run as a test (``pytest tests/perf/bench_hearing.py -s``). Prints milliseconds of processor time and the ratio.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from borgd.lessons.corrections.detect import detect
from borgd.lessons.corrections.training import Message, read_messages
from borgd.lessons.corrections.verdict import Situation, judge
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

TALK = Path(__file__).resolve().parents[1] / "data/talk-more.jsonl"
EVERY = sized(8, 80)
DEEDS = "Edited src/main.py. retries = 2"


def milliseconds(messages: list[Message], run: Callable[[Message], object]) -> float:
    """Processor time for a message, of the quickest of three rounds."""
    times = []
    for _ in range(4):
        start = time.process_time()
        for message in messages:
            run(message)
        times.append((time.process_time() - start) / len(messages) * 1000)
    return min(times[1:])


def test_a_prompt() -> None:
    messages = read_messages(TALK.read_bytes(), TALK.name)[::EVERY]
    rules = milliseconds(messages, lambda one: detect(one.said, one.before))
    whole = milliseconds(messages, lambda one: judge(one.said, Situation(said=one.before, deeds=DEEDS)))
    print(f"\nrules {rules:.2f} ms, rules and detector {whole:.2f} ms a message: {whole / rules:.1f} times")
    longest = max(messages, key=lambda one: len(one.said))
    took = milliseconds([longest] * 20, lambda one: judge(one.said, Situation(said=one.before)))
    print(f"the longest of them ({len(longest.said)} characters): {took:.2f} ms")
