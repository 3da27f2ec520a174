"""A long trail: started from its end, put aside by size with the chain carried over, counted, shown and verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from borgd.journal import Journal
from borgd.limits.audit import AuditEntry, TrailHead
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail


def entry(number: int, verdict: str = "allow") -> AuditEntry:
    return AuditEntry(
        limit="investigation", verdict=verdict, reason=f"call {number}", evaluator="t/1", session=f"s{number % 3}"
    )


def small() -> AuditTrail:
    return AuditTrail(user_paths(), part_bytes=2_000)


def test_the_chain_goes_on_in_the_next_file_over_restarts(home: Path) -> None:
    for number in range(40):
        (small() if number % 7 == 0 else (trail := small())).record([entry(number)], number)
    names = sorted(path.name for path in trail.journal.path.parent.glob("audit*.jsonl"))
    assert len(names) > 4
    lines, head, problems = small().verify()
    assert (lines, head.seq, problems) == (40, 40, [])
    shown = small().show(25)
    assert [record["seq"] for record in shown.records] == list(range(16, 41))
    assert [record["seq"] for record in small().show(0, "s1").records] == [n + 1 for n in range(40) if n % 3 == 1]
    assert small().counts() == {"investigation": {"allow": 40}}


def test_a_line_that_is_gone_from_any_file_is_seen(home: Path) -> None:
    trail = small()
    for number in range(30):
        trail.record([entry(number)], number)
    parts = sorted(trail.journal.path.parent.glob("audit-*.jsonl"))
    lines = parts[1].read_bytes().splitlines(keepends=True)
    parts[1].write_bytes(b"".join(lines[1:]))
    assert [problem.kind for problem in small().verify()[2]] == ["missing"]
    parts[1].unlink()
    assert [problem.kind for problem in small().verify()[2]] == ["missing"]


def test_a_start_reads_the_end_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trail = AuditTrail(user_paths())
    trail.record([entry(number) for number in range(2_000)], 1)
    read: list[int] = []
    real = Journal.transact

    def watched(self: Journal, follower: object, decide: object) -> object:
        read.append(getattr(follower, "offset", 0))
        return real(self, follower, decide)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "transact", watched)
    assert AuditTrail(user_paths()).record([entry(1)], 2).seq == 2_001
    assert read[0] > 100_000, "the follower stood at the end before the first line was appended"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["restart", "append", "later", "other", "lost counts"]), st.integers(1, 4)), max_size=12
    )
)
def test_counts_agree_with_the_trail_whatever_happens(home: Path, steps: list[tuple[str, int]]) -> None:
    for path in user_paths().journal("audit").parent.glob("audit*.jsonl"):
        path.unlink()
    for name in ("audit.head", "audit.counts"):
        (user_paths().state / name).unlink(missing_ok=True)
    trail, other = small(), small()
    for number, (step, many) in enumerate(steps):
        verdict = "deny" if number % 2 else "allow"
        if step == "restart":
            trail.background.flush(120)
            trail = small()
        elif step == "append":
            trail.record([entry(number, verdict)] * many, number)
        elif step == "later":
            trail.later([entry(number, verdict)] * many, number)
        elif step == "other":
            other.record([entry(number, verdict)] * many, number)
    trail.background.flush(120)
    expected: dict[str, int] = {}
    for raw in trail.show(0).records:
        expected[raw["verdict"]] = expected.get(raw["verdict"], 0) + 1
    assert trail.counts().get("investigation", {}) == expected
    assert small().counts().get("investigation", {}) == expected
    assert trail.verify()[2] == []


def test_a_trail_that_was_never_counted_is_counted_behind(home: Path) -> None:
    trail = AuditTrail(user_paths())
    trail.record([entry(number, "deny" if number % 5 else "warn") for number in range(500)], 1)
    trail.counts_file.unlink()
    again = AuditTrail(user_paths())
    assert again.counts() == {}
    assert again._counter is not None
    again._counter.join(120)
    assert again.counts() == {"investigation": {"warn": 100, "deny": 400}}
    assert json.loads(trail.counts_file.read_bytes())["seq"] == 500


def test_what_the_disk_refuses_is_counted_and_costs_nothing_else(home: Path) -> None:
    trail = AuditTrail(user_paths())
    trail.journal.path.parent.mkdir(parents=True, exist_ok=True)
    trail.journal.path.mkdir()
    trail.later([entry(1)], 1)
    assert trail.background.flush(120)
    assert trail.background.failed == 1
    assert "audit.jsonl" in trail.background.problem
    trail.journal.path.rmdir()
    trail.later([entry(2)], 2)
    assert trail.background.flush(120)
    assert trail.background.problem == ""
    assert trail.verify() == (1, TrailHead.parse(str(trail.kept_head())), [])
