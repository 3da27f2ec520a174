"""The hash chain: what was written verifies, and no edit, deletion or swap goes unseen."""

from __future__ import annotations

import random
from fractions import Fraction
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.errors import LimitError
from borgd.journal import encode
from borgd.limits.audit import GENESIS, AuditEntry, TrailHead, head_of, link, verify


def entry(number: int = 0, **fields: object) -> AuditEntry:
    values = {
        "limit": "investigation",
        "verdict": "allow" if number % 3 else "deny",
        "reason": f"retrieval {number} of 8",
        "evaluator": "test/1",
        "facts": {"retrieval_calls": number, "soft": Fraction(1, 3), "unenforceable": ["max_context_tokens"]},
        "policy": "ab" * 32,
        "session": f"s{number % 4}",
        **fields,
    }
    return msgspec.convert(values, AuditEntry)


def trail(count: int) -> tuple[list[bytes], TrailHead]:
    head, lines = TrailHead(), []
    for number in range(count):
        records, head = link([entry(number)], head, 1_000 + number)
        lines += [msgspec.json.encode(record) for record in records]
    return lines, head


def join(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def on_disk(records: list[dict[str, object]]) -> bytes:
    """As a journal writes them: line separators inside strings escaped."""
    return encode(records)


def test_what_was_written_verifies_with_and_without_its_head() -> None:
    lines, head = trail(50)
    assert verify(join(lines)) == []
    assert verify(join(lines), head) == []
    assert verify(join(lines), TrailHead(seq=20, hash=msgspec.json.decode(lines[19])["hash"])) == []
    assert verify(b"") == verify(b"", TrailHead()) == []


def test_a_line_names_the_one_before_and_hashes_its_own_bytes() -> None:
    lines, head = trail(2)
    first, second = (msgspec.json.decode(line) for line in lines)
    assert first["prev"] == GENESIS
    assert second["prev"] == first["hash"]
    assert head == head_of(second)
    body = {key: value for key, value in first.items() if key != "hash"}
    assert sha256(msgspec.json.encode(body)).hexdigest() == first["hash"]
    assert first["facts"]["soft"] == "1/3"


def test_entries_written_together_chain_as_if_written_apart() -> None:
    together, _ = link([entry(number) for number in range(5)], TrailHead(), 7)
    head, apart = TrailHead(), []
    for number in range(5):
        records, head = link([entry(number)], head, 7)
        apart += records
    assert together == apart


EDITS = 1000


@pytest.mark.parametrize("kind", ["edit", "delete_byte", "insert_byte", "delete_line", "swap_lines", "repeat_line"])
def test_each_of_a_thousand_random_faults_is_caught(kind: str) -> None:
    lines, head = trail(40)
    whole = join(lines)
    draw = random.Random(kind)
    for _ in range(EDITS):
        damaged = bytearray(whole)
        at = draw.randrange(len(whole))
        if kind == "edit":
            damaged[at] ^= draw.randrange(1, 256)
        elif kind == "delete_byte":
            del damaged[at]
        elif kind == "insert_byte":
            damaged.insert(at, draw.randrange(256))
        else:
            rows = list(lines)
            one, other = draw.sample(range(len(rows)), 2)
            if kind == "delete_line":
                del rows[one]
            elif kind == "swap_lines":
                rows[one], rows[other] = rows[other], rows[one]
            else:
                rows.insert(other, rows[one])
            damaged = bytearray(join(rows))
        assert verify(bytes(damaged), head), (kind, at, bytes(damaged))


def test_problems_are_named_for_what_they_are() -> None:
    lines, head = trail(10)

    def kinds(rows: list[bytes], kept: TrailHead | None = None) -> list[tuple[str, int]]:
        return [(problem.kind, problem.line) for problem in verify(join(rows), kept)]

    assert kinds([*lines[:3], lines[3].replace(b"retrieval 3", b"retrieval 2"), *lines[4:]]) == [("changed", 4)]
    assert kinds([*lines[:3], b"", *lines[4:]]) == [("changed", 4)]
    assert kinds(lines[:3] + lines[5:]) == [("missing", 4)]
    assert "verdicts 4 to 5 " in verify(join(lines[:3] + lines[5:]))[0].text
    assert kinds(lines[1:]) == [("missing", 1)]
    assert {kind for kind, _ in kinds([*lines[:2], lines[3], lines[2], *lines[4:]])} == {"reordered"}
    assert ("repeated", 6) in kinds([*lines[:5], lines[2], *lines[5:]])
    assert kinds(lines[:7]) == []
    assert kinds(lines[:7], head) == [("cut", 0)]
    assert kinds([], head) == [("cut", 0)]
    assert [problem.kind for problem in verify(join(lines)[:-1], head)] == ["torn"]


def test_a_line_rewritten_with_a_fitting_hash_breaks_the_next_one() -> None:
    lines, _ = trail(10)
    before = head_of(msgspec.json.decode(lines[3]))
    assert before is not None
    forged, _ = link([entry(4, verdict="allow", reason="nothing to see")], before, 1_004)
    rows = [*lines[:4], msgspec.json.encode(forged[0]), *lines[5:]]
    assert [(problem.kind, problem.line) for problem in verify(join(rows))] == [("replaced", 6)]


def test_only_the_kept_head_sees_a_forged_or_cut_end() -> None:
    lines, head = trail(10)
    before = head_of(msgspec.json.decode(lines[8]))
    assert before is not None
    forged, _ = link([entry(9, reason="another end")], before, 1_009)
    rows = [*lines[:9], msgspec.json.encode(forged[0])]
    assert verify(join(rows)) == []
    assert [problem.kind for problem in verify(join(rows), head)] == ["replaced"]


def test_a_trail_that_claims_a_huge_number_costs_nothing() -> None:
    records, _ = link([entry()], TrailHead(seq=10**15, hash=GENESIS), 1)
    assert [problem.kind for problem in verify(join([msgspec.json.encode(records[0])]))] == ["missing"]


@settings(max_examples=200)
@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=5),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.fractions(),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
                max_leaves=6,
            ),
            max_size=4,
        ),
        max_size=4,
    ),
    st.text(st.characters(), max_size=700),
)
def test_any_facts_and_any_reason_make_a_trail_that_verifies(facts: list[dict[str, object]], reason: str) -> None:
    records, head = link([entry(facts=fact, reason=reason) for fact in facts], TrailHead(), 5)
    assert verify(on_disk(records), head) == []
    assert all(len(record["reason"]) <= 600 for record in records)


def test_line_separators_in_a_reason_do_not_break_the_chain() -> None:
    records, head = link([entry(reason="a\u2028b\u2029c\u0085d\x0b\x0c"), entry(1)], TrailHead(), 5)
    assert on_disk(records).count(b"\n") == 2
    assert verify(on_disk(records), head) == []


def test_a_head_is_read_as_it_is_printed() -> None:
    _, head = trail(3)
    assert TrailHead.parse(f" {head}\n") == head
    for text in ("", "3", "3:", "x:" + "0" * 64, "3:" + "g" * 64, "-3:" + "0" * 64, "²:" + "0" * 64):
        with pytest.raises(LimitError, match="SEQ:HASH"):
            TrailHead.parse(text)
