"""Hostile logs: every reason to skip a record, truncation anywhere, absurd values; none of it moves the rest."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.replay import records
from borgd.replay.candidates import parse
from borgd.replay.engine import Replay
from borgd.replay.outcomes import Outcomes
from borgd.replay.page.page import page
from borgd.replay.result import result
from borgd.replay.simulate import simulate

NOW = 1_900_000_000_000


def line(**changes: Any) -> bytes:
    """A sound decision with two lessons, changed."""
    entry = {
        "id": "a",
        "p": 0.95,
        "base": 0.5,
        "score": 0.5,
        "share": 1.0,
        "rank": 0,
        "draw": 0.5,
        "mean": 0.5,
        "shown": True,
    }
    other = {**entry, "id": "b", "p": 0.4, "shown": False}
    record: dict[str, Any] = {
        "id": "d", "ms": 1_767_225_600_000, "agent": "x", "session": "s", "channel": "early", "policy": "budget",
        "version": 1, "holdout": 0.05, "slots": 5, "pool": [entry, other],
    }  # fmt: skip
    for name, value in changes.items():
        if name.startswith("entry_"):
            record["pool"][0][name[6:]] = value
        elif value is None:
            record.pop(name, None)
        else:
            record[name] = value
    return json.dumps(record).encode()


CASES = [
    (records.NO_P, {"entry_p": None}),
    (records.ZERO_P, {"entry_p": 0.0}),
    (records.LARGE_P, {"entry_p": 1.0000001}),
    (records.NEGATIVE_P, {"entry_p": -0.5}),
    (records.NO_POOL, {"pool": []}),
    (records.UNKNOWN_POLICY, {"policy": "tarot"}),
    (records.OTHER_VERSION, {"version": 2}),
    (records.OTHER_VERSION, {"version": "next"}),
    (records.NOT_A_NUMBER, {"entry_p": float("nan")}),
    (records.NOT_A_NUMBER, {"entry_base": float("inf")}),
    (records.NOT_A_NUMBER, {"holdout": float("nan")}),
    (records.ABSURD, {"entry_base": -1.0}),
    (records.ABSURD, {"entry_alpha": 0.0}),
    (records.ABSURD, {"entry_alpha": 1e300}),
    (records.ABSURD, {"entry_p": 1e-12}),
    (records.ABSURD, {"ms": -5}),
    (records.ABSURD, {"ms": 10**17}),
    (records.ABSURD, {"holdout": 1.0}),
    (records.ABSURD, {"chars": -1}),
    (records.ABSURD, {"micros": 10**18}),
    (records.CONTRADICTORY, {"entry_held": True}),
    (records.CONTRADICTORY, {"entry_id": "b"}),
    (records.CONTRADICTORY, {"entry_id": ""}),
    (records.DAMAGED, {"pool": "none"}),
    (records.ABSURD, {"ms": 10**30}),
    (records.DAMAGED, {"entry_p": "0.5"}),
]


@pytest.mark.parametrize(("reason", "changes"), CASES)
def test_skipped_with_its_reason(reason: str, changes: dict[str, Any]) -> None:
    skipped: Counter[str] = Counter()
    found = records.columns([line(**changes), line()], skipped)
    assert found.count == 1, "the sound record beside it stays"
    assert skipped == {reason: 1}
    assert reason in records.REASONS


def test_a_decision_without_scopes_counts_under_its_topics_and_subagents_are_sessions_of_their_own() -> None:
    lines = [line(topics=["Orion", "Quill"]), line(scopes=["Beacon"], topics=["Orion"]), line(subagent="helper")]
    found = records.columns(lines, Counter())
    assert found.scopes == [("Orion", "Quill"), ("Beacon",), ()]
    assert found.session[0] == found.session[1] != found.session[2]


@pytest.mark.parametrize("raw", [b"", b"\n", b"\0\0\0", b"\xef\xbb\xbf", b"  \r\n"])
def test_blank_lines_are_nothing(raw: bytes) -> None:
    assert records.decode(raw) is None


@pytest.mark.parametrize(
    "raw",
    [b"<<<<<<< HEAD", b"[1]", b"null", b'{"id":"a"', b"\xff\xfe", b"[" * 100_000, b'"' + b"x" * 5000, b'{"id":"\\ud800"}'],
)
def test_what_is_no_record_is_damage(raw: bytes) -> None:
    assert records.decode(raw) == records.DAMAGED


def test_prefixed_and_padded_lines_are_read() -> None:
    for raw in (b"\xef\xbb\xbf" + line(), line() + b"\r\n", b"\0\0" + line() + b"\0"):
        assert isinstance(records.decode(raw), records.DecisionLine)


@pytest.fixture(scope="module")
def world() -> tuple[list[bytes], list[bytes]]:
    decisions, outcomes = [], []
    for each in simulate(150, 4, lessons=40):
        decisions += [msgspec.json.encode(decision) for decision in each.decisions]
        outcomes += [msgspec.json.encode(outcome) for outcome in each.outcomes]
    return decisions, outcomes


def replayed(decisions: list[bytes], outcomes: list[bytes]) -> Replay:
    known = Outcomes()
    known.add(outcomes)
    replay = Replay([parse("bolder", ["relative=0.7"])], ("changed", "not_corrected", "avoided"), known.seal(), NOW)
    replay.feed(replay.read(decisions))
    return replay


def values(replay: Replay) -> list[float]:
    return [value for account in replay.accounts.values() for value in account.points().values()]


HOSTILE = [
    b"\0", b"}{", b"NaN", b'{"id":"z","ms":1e999}', line(entry_p=float("nan"), id="n1"), line(entry_p=-3, id="n2"),
    line(entry_base=1e308, id="n3"), line(id="<script>alert(1)</script>", pool=[]), line(version=99, id="n5"),
    line(entry_p=5e-324, id="n6"), line(id="n7", policy="\u202e"), line(id="n8", entry_share=float("-inf")),
]  # fmt: skip


def test_hostile_records_move_nothing(world: tuple[list[bytes], list[bytes]]) -> None:
    decisions, outcomes = world
    clean = replayed(decisions, outcomes)
    mixed = list(decisions)
    for place, raw in enumerate(HOSTILE * 3):
        mixed.insert(place * 7 % len(mixed), raw)
    bad = [
        b'{"id":"q","ms":5,"lesson":"a","kind":"praised"}',
        b"{",
        b'{"id":1}',
        b'{"id":"q","ms":-5,"lesson":"a","kind":"changed"}',
    ]
    dirty = replayed(mixed, [*bad, *outcomes, *bad])
    np.testing.assert_allclose(values(dirty), values(clean), rtol=0, atol=0, equal_nan=True)
    assert sum(dirty.skipped.values()) == (len(HOSTILE) - 1) * 3, "all but the blank one"
    assert sum(dirty.outcomes.skipped.values()) == 2 * len(bad)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_log_cut_anywhere_loses_at_most_the_cut_record(
    world: tuple[list[bytes], list[bytes]], data: st.DataObject
) -> None:
    blob = b"\n".join(world[0][:40]) + b"\n"
    cut = data.draw(st.integers(0, len(blob)))
    skipped: Counter[str] = Counter()
    found = records.columns(blob[:cut].split(b"\n"), skipped)
    whole = blob[:cut].count(b"\n")
    assert found.count in (whole, whole + 1)
    assert sum(skipped.values()) <= 1


@given(st.binary(max_size=300), st.integers(0, 39))
@settings(max_examples=30, deadline=None)
def test_any_bytes_anywhere_never_raise(world: tuple[list[bytes], list[bytes]], junk: bytes, place: int) -> None:
    decisions = world[0][:40]
    torn = decisions[place][: len(junk) * 3 % len(decisions[place])] + junk
    lines = [*decisions[:place], *torn.split(b"\n"), *decisions[place + 1 :]]
    replay = replayed(lines, [torn, *world[1][:200], junk])
    assert all(np.isfinite(value) or np.isnan(value) for value in values(replay))


def test_html_in_ids_is_escaped_on_the_page() -> None:
    evil = '<img src=x onerror="alert(1)">&\u202e'
    decisions, outcomes = [], []
    for number in range(30):
        decisions.append(line(id=f"{evil}{number}", entry_id=evil, session=str(number), machine=evil, scopes=[evil]))
        outcome = {
            "lesson": evil,
            "decision": f"{evil}{number}",
            "evidence": evil,
            "session": str(number),
            "ms": 1_767_225_700_000,
        }
        outcomes.append(json.dumps({**outcome, "id": f"o{number}", "kind": "changed"}).encode())
        outcomes.append(json.dumps({**outcome, "id": f"p{number}", "kind": "not_corrected"}).encode())
    replay = replayed(decisions, outcomes)
    assert replay.used == 30
    timeline = replay.outcomes.beliefs(parse("x", []).policy.memory.belief)
    text = page(
        result(replay),
        title=evil,
        period=evil,
        timeline=timeline,
        names={records.hash64(evil): evil},
        hooks=[(evil, 1.0, 2.0, 3.0)],
    )
    assert "<img" not in text
    assert 'onerror="' not in text
    assert "\u202e" not in text
    assert "&lt;img" in text
    assert "<script" not in text
