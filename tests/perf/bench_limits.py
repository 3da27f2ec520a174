"""What a tool call's verdicts cost: the shell judge, the policy, the floor's proof, and the way through both journals.

Run as a test (``pytest tests/perf/bench_limits.py -s``). Prints microseconds beside a baseline of the same run (one durable
append of a line as long); asserts only that every case ran.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from borgd.agents.event import Event, Moment, ToolCall
from borgd.config.schema import Config
from borgd.journal import Journal
from borgd.limits.escalation.evaluate import compile_policy, evaluate
from borgd.limits.escalation.facts import facts_from
from borgd.limits.escalation.floor import as_strict
from borgd.limits.shell.judge import judge
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.escalations import shipped_policy
from borgd.stores.investigations import InvestigationStore
from tests.perf.sizes import sized

pytestmark = pytest.mark.perf

ROUNDS = sized(300, 30)
LINE = "cd src && git log --oneline -5 | head -3; for f in *.py; do sed -n '1,20p' \"$f\"; done 2>/dev/null"


def timed(work: Callable[[int], object]) -> float:
    """Median microseconds of ``work``."""
    times = []
    for number in range(ROUNDS):
        started = time.perf_counter_ns()
        work(number)
        times.append((time.perf_counter_ns() - started) / 1000)
    return median(times)


def test_what_a_verdict_costs(home: Path) -> None:
    where = user_paths()
    where.data.mkdir(parents=True)
    config = Config()
    investigations, trail = InvestigationStore(where.state / "investigations", config.investigation), AuditTrail(where)
    baseline = Journal(where.data / "baseline.jsonl")
    policy = compile_policy(shipped_policy().encode())
    facts = facts_from({"spent": 50, "ceiling": 100, "soft": "49.5", "min_local": 2, "iterations": 5, "hard": True})

    def call(number: int) -> None:
        tool = ToolCall(name="Bash", id=f"t{number}", input={"command": LINE})
        event = Event(agent="claude-code", name="PreToolUse", moment=Moment.BEFORE_TOOL, session="s", cwd="/r", tool=tool)
        verdict = investigations.before_tool(event, (), 1_000 + number)
        assert verdict.audit is not None
        trail.record([verdict.audit], 1_000 + number)

    cases: dict[str, Callable[[int], object]] = {
        "one durable append of 400 bytes": lambda _: baseline.append([{"text": "x" * 400}]),
        "shell line judged": lambda _: judge(LINE),
        "policy compiled": lambda _: compile_policy(shipped_policy().encode()),
        "policy evaluated": lambda _: evaluate(policy, facts),
        "policy shown as strict as itself": lambda _: as_strict(policy, policy),
        "tool call: verdict, ledger and trail": call,
    }
    figures = {name: timed(work) for name, work in cases.items()}
    base = figures["one durable append of 400 bytes"]
    print()
    for name, figure in figures.items():
        print(f"{name:<40} {figure:>10.1f} µs {figure / base:>7.2f} x")
    assert len(figures) == len(cases)
    assert trail.verify()[2] == []
