"""The runaway guard: loops and endless reading are told, then stopped; work, polls and changes pass; a person lifts it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.agents.event import Event, Moment, ToolCall
from borgd.config.schema import load
from borgd.limits.investigation.runaway import (
    PAUSE_MS,
    READS_STOPPED,
    REPEATS_STOPPED,
    REPEATS_TOLD,
    RunawayGuard,
    same_call,
)
from borgd.limits.investigation.verdict import InvestigationVerdict
from borgd.paths import user_paths
from borgd.stores.investigations import InvestigationStore


def read(name: str) -> ToolCall:
    return ToolCall(name="Read", id="", input={"file_path": name})


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(0, PAUSE_MS - 1))
def test_a_loop_over_a_few_calls_is_told_again_and_again_and_stopped(calls: int, pause: int) -> None:
    guard = RunawayGuard()
    told = []
    for number in range(calls * REPEATS_STOPPED):
        found = guard.saw("", read(f"f{number % calls}"), number * pause // calls)
        told.append(found)
    stopped = [one for one in told if one is not None and one.stopped]
    hints = [one for one in told if one is not None and not one.stopped and one.kind == "repeats"]
    assert len(stopped) == calls
    assert [one.times for one in hints if one is not None] == [
        times for times in range(REPEATS_TOLD, REPEATS_STOPPED, REPEATS_TOLD) for _ in range(calls)
    ]


def test_reading_without_end_is_stopped_though_no_call_repeats() -> None:
    guard = RunawayGuard()
    found = [guard.saw("a", read(f"f{number}"), number) for number in range(READS_STOPPED)]
    assert found[-1] is not None
    assert found[-1].stopped
    assert [one for one in found[:-1] if one is not None and one.stopped] == []
    assert guard.saw("b", read("f"), 1) is None, "another subagent is counted apart"


@given(st.integers(PAUSE_MS, 10 * PAUSE_MS))
def test_a_poll_is_no_loop(pause: int) -> None:
    guard = RunawayGuard()
    assert all(guard.saw("", read("log"), number * pause) is None for number in range(2 * REPEATS_STOPPED))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=48))
def test_work_of_the_size_of_recorded_subagents_passes_untouched(targets: list[int]) -> None:
    guard = RunawayGuard()
    seen: dict[int, int] = {}
    for at, target in enumerate(targets):
        seen[target] = seen.get(target, 0) + 1
        if seen[target] < REPEATS_TOLD:
            assert guard.saw("s", read(f"f{target}"), at * 700) is None


def test_the_same_call_is_the_same_whatever_the_order_of_its_keys() -> None:
    one = ToolCall(name="Grep", id="1", input={"pattern": "x", "path": "/w"})
    two = ToolCall(name="Grep", id="2", input={"path": "/w", "pattern": "x"})
    assert same_call(one) == same_call(two) != same_call(ToolCall(name="Glob", id="1", input=one.input))


class Host:
    """One session's hooks against a store with default settings, or ``config``."""

    def __init__(self, config: str = "") -> None:
        self.store = InvestigationStore(user_paths().state / "investigations", load(config.encode()).investigation)
        self.number = 0

    def call(self, name: str, subagent: str = "", **given: object) -> InvestigationVerdict:
        self.number += 1
        event = Event(
            agent="claude-code", name="PreToolUse", moment=Moment.BEFORE_TOOL, session="s1", subagent=subagent,
            subagent_type="Explore" if subagent else "", cwd="/r",
            tool=ToolCall(name=name, id=f"t{self.number}", input=dict(given)),
        )  # fmt: skip
        return self.store.before_tool(event, (), 1_000 + self.number)


def test_a_loop_is_stopped_by_default_named_and_lifted_by_a_change_and_by_a_person(home: object) -> None:
    host = Host()
    outs = [host.call("Grep", "a1", pattern="same") for _ in range(REPEATS_STOPPED + 20)]
    assert [out.allow for out in outs] == [True] * (REPEATS_STOPPED - 1) + [False] * 21
    assert sum(bool(out.context) for out in outs) == REPEATS_STOPPED // REPEATS_TOLD - 1
    for part in ("same Grep call", "runaway", "[investigation]", "config.toml", "borg investigate extend --session s1"):
        assert part in outs[-1].deny_reason
    assert outs[-1].note == outs[-1].deny_reason
    assert host.call("Grep", "a1", pattern="another").allow
    assert host.call("Edit", "a1", file_path="/r/x").allow
    assert host.call("Grep", "a1", pattern="same").allow
    for _ in range(REPEATS_STOPPED):
        last = host.call("Read", "a2", file_path="/r/y")
    assert not last.allow
    host.store.extend("s1", {"max_retrieval_calls": 10}, 9_000)
    assert host.call("Read", "a2", file_path="/r/y").allow


def test_the_setting_tells_only_or_not_at_all(home: object) -> None:
    outs = [Host('[investigation]\nrunaway = "warn"').call("Read", file_path="x")]
    host = Host('[investigation]\nrunaway = "warn"')
    outs = [host.call("Read", file_path="x") for _ in range(2 * REPEATS_STOPPED)]
    assert all(out.allow for out in outs)
    assert sum(bool(out.context) for out in outs) == 2 * REPEATS_STOPPED // REPEATS_TOLD
    host = Host('[investigation]\nrunaway = "off"')
    assert not any(host.call("Glob", pattern="x").context for _ in range(2 * REPEATS_STOPPED))
