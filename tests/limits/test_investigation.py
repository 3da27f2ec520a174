"""BudgetPolicy against a second account of the same rule, written from the rule alone, and case by case."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.errors import LimitError
from borgd.limits.investigation.budget import BUDGETS, BudgetPolicy, Exhausted, Limits, Units

SECOND = 1000


@dataclass
class Reference:
    """The rule and nothing else: before the next unit, used + n > limit is exhausted. Events, counted anew each time."""

    limits: dict[str, float | None]
    counter: bool = False
    events: list[tuple[str, Any]] = field(default_factory=list)
    open: dict[str, tuple[Units, int]] = field(default_factory=dict)
    started: int | None = None
    clock: int = 0

    def sum(self, budget: str, documents: tuple[str, ...] = ()) -> float:
        if budget == "max_wall_time_seconds":
            return 0 if self.started is None else self.clock - self.started
        units = [told for kind, told in self.events if kind == "units"] + [told for told, _ in self.open.values()]
        if budget == "max_evidence_documents":
            return len({name for told in units for name in told.documents} | set(documents))
        name = budget.removeprefix("max_")
        return sum(getattr(told, name) for told in units) + sum(n for kind, n in self.events if kind == budget)

    def can_count(self, budget: str) -> bool:
        return self.counter or any(kind == budget for kind, _ in self.events)

    def move(self, now: int) -> None:
        self.clock = max(self.clock, now)
        for key, (told, until) in list(self.open.items()):
            if until <= self.clock:
                del self.open[key]
                self.events.append(("units", told))

    def stopped(self, want: Units) -> str | None:
        for budget in (
            "max_iterations", "max_retrieval_calls", "max_subqueries", "max_graph_expansions", "max_evidence_documents",
            "max_wall_time_seconds", "max_context_tokens", "max_model_tokens",
        ):  # fmt: skip
            limit = self.limits[budget]
            if limit is None:
                continue
            if budget == "max_wall_time_seconds":
                over = self.started is not None and self.sum(budget) + 1 > limit * 1000
            elif budget == "max_evidence_documents":
                over = self.sum(budget, want.documents) > limit and self.sum(budget, want.documents) > self.sum(budget)
                over = over or self.sum(budget) > limit
            elif budget.endswith("tokens"):
                over = self.can_count(budget) and self.sum(budget) + 1 > limit
            else:
                over = self.sum(budget) + getattr(want, budget.removeprefix("max_")) > limit
            if over:
                return budget
        return None


def units() -> st.SearchStrategy[Units]:
    small = st.integers(0, 3)
    return st.builds(
        Units,
        iterations=small,
        retrieval_calls=small,
        subqueries=small,
        graph_expansions=small,
        documents=st.lists(st.sampled_from("abcdefgh"), max_size=4).map(tuple),
    )


def limits() -> st.SearchStrategy[Limits]:
    count = st.none() | st.integers(0, 7)
    seconds = st.none() | st.integers(0, 3) | st.floats(0, 3)
    fields = {budget: seconds if budget == "max_wall_time_seconds" else count for budget in BUDGETS}
    fields |= {budget: st.none() | st.integers(0, 50) for budget in ("max_context_tokens", "max_model_tokens")}
    return st.builds(Limits, **fields)


STEP = st.one_of(
    st.tuples(st.just("debit"), units()),
    st.tuples(st.just("reserve"), st.sampled_from("xyz"), units()),
    st.tuples(st.just("settle"), st.sampled_from("xyz")),
    st.tuples(st.just("release"), st.sampled_from("xyz")),
    st.tuples(st.just("charge"), units()),
    st.tuples(st.just("tokens"), st.none() | st.integers(0, 20), st.none() | st.integers(0, 20), st.integers(0, 9)),
    st.tuples(st.just("wait"), st.integers(-500, 900)),
    st.tuples(st.just("start")),
)


def limited(budget: str, most: int | None) -> BudgetPolicy:
    """The defaults, but for one limit."""
    return BudgetPolicy.of(msgspec.structs.replace(Limits(), **{budget: most}))


def reserve(policy: BudgetPolicy, key: str, want: Units, now_ms: int, ttl_ms: int = 60_000) -> Exhausted | None:
    """As the ledger judges a call: a call that was judged before costs nothing, one that has no room sets nothing aside."""
    policy._tick(now_ms)
    if key in policy._reserved:
        return None
    exhausted = policy.check(now_ms, want)
    if exhausted is None:
        policy.hold(key, want, now_ms, ttl_ms)
    return exhausted


@settings(max_examples=400, deadline=None)
@given(limits(), st.booleans(), st.lists(STEP, max_size=25))
def test_the_account_agrees_with_the_rule(told: Limits, counter: bool, steps: list[tuple[Any, ...]]) -> None:
    policy = BudgetPolicy.of(told, len if counter else None)
    reference = Reference({budget: told.of(budget) for budget in BUDGETS}, counter)
    now = 5_000
    for step in steps:
        kind = step[0]
        if kind == "wait":
            now += step[1]
        reference.move(now)
        if kind == "debit":
            stopped = reference.stopped(step[1])
            exhausted = policy._debit(now, step[1], happened=False)
            assert (exhausted.budget if exhausted else None) == stopped
            if stopped is None:
                reference.events.append(("units", step[1]))
        elif kind == "reserve":
            stopped = None if step[1] in reference.open else reference.stopped(step[2])
            exhausted = reserve(policy, step[1], step[2], now, ttl_ms=700)
            assert (exhausted.budget if exhausted else None) == stopped
            if stopped is None:
                reference.open.setdefault(step[1], (step[2], reference.clock + 700))
        elif kind in ("settle", "release"):
            getattr(policy, kind)(step[1], now)
            held = reference.open.pop(step[1], None)
            if held and kind == "settle":
                reference.events.append(("units", held[0]))
        elif kind == "charge":
            policy.settle("never announced", now, step[1])
            reference.events.append(("units", step[1]))
        elif kind == "tokens":
            policy.debit_tokens(now, context=step[1], model=step[2], cached=step[3])
            reported = zip(("max_context_tokens", "max_model_tokens"), step[1:3], strict=True)
            reference.events += [(budget, n) for budget, n in reported if n is not None]
        elif kind == "start":
            policy.start(now)
            if reference.started is None:
                reference.started = now
        stopped = reference.stopped(Units(retrieval_calls=1))
        exhausted = policy.check(now, Units(retrieval_calls=1))
        assert (exhausted.budget if exhausted else None) == stopped
        for budget in BUDGETS:
            scale = 1000 if budget == "max_wall_time_seconds" else 1
            assert policy.used(budget) * scale == pytest.approx(reference.sum(budget))
            left = policy.remaining()[budget.removeprefix("max_")]
            assert left is None or left >= 0


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 12),
    st.lists(st.tuples(st.sampled_from(["reserve", "settle", "release"]), st.integers(0, 30)), max_size=80),
)
def test_callers_that_ask_at_once_never_overspend(limit: int, steps: list[tuple[str, int]]) -> None:
    policy = BudgetPolicy(max_retrieval_calls=limit, max_iterations=None, max_wall_time_seconds=None)
    running: set[int] = set()
    ran = 0
    for action, caller in steps:
        if action == "reserve" and caller not in running:
            if reserve(policy, str(caller), Units(retrieval_calls=1), 0) is None:
                running.add(caller)
        elif action == "settle" and caller in running:
            policy.settle(str(caller), 0)
            running.discard(caller)
            ran += 1
        elif action == "release" and caller in running:
            assert policy.release(str(caller), 0)
            running.discard(caller)
        assert policy.used("max_retrieval_calls") == ran + len(running) <= limit


def test_ten_that_ask_at_once_get_what_is_there() -> None:
    policy = BudgetPolicy(max_retrieval_calls=3)
    answers = [reserve(policy, f"agent{n}", Units(retrieval_calls=1), 0) for n in range(10)]
    assert [answer is None for answer in answers] == [True] * 3 + [False] * 7
    assert answers[9] == Exhausted(budget="max_retrieval_calls", limit=3, spent=3)
    assert policy.release("agent1", 0)
    assert reserve(policy, "agent9", Units(retrieval_calls=1), 0) is None


def test_a_reservation_nobody_settled_counts_as_used_and_frees_nothing() -> None:
    policy = BudgetPolicy(max_retrieval_calls=1, max_wall_time_seconds=None)
    assert reserve(policy, "a", Units(retrieval_calls=1), 0, ttl_ms=100) is None
    assert reserve(policy, "a", Units(retrieval_calls=1), 50, ttl_ms=100) is None
    assert reserve(policy, "b", Units(retrieval_calls=1), 500) is not None
    assert policy.spent()["in_flight"] == 0
    assert not policy.release("a", 500)
    assert policy.used("max_retrieval_calls") == 1
    policy.settle("a", 600)
    assert policy.used("max_retrieval_calls") == 1


@pytest.mark.parametrize(
    ("budget", "debit"),
    [
        ("max_iterations", "debit_iteration"),
        ("max_retrieval_calls", "debit_retrieval"),
        ("max_subqueries", "debit_subquery"),
        ("max_graph_expansions", "debit_graph_expansion"),
    ],
)
def test_every_count_stops_the_unit_after_its_limit(budget: str, debit: str) -> None:
    default = {"max_iterations": 4, "max_retrieval_calls": 8, "max_subqueries": 8, "max_graph_expansions": 4}[budget]
    policy = BudgetPolicy()
    for _ in range(default):
        assert getattr(policy, debit)(0) is None
    assert getattr(policy, debit)(0) == Exhausted(budget=budget, limit=default, spent=default, stage="investigate")
    assert policy.used(budget) == default
    assert getattr(limited(budget, 3), debit)(0, 4) is not None
    assert getattr(limited(budget, 3), debit)(0, 3) is None
    assert getattr(limited(budget, 0), debit)(0).limit == 0
    assert getattr(limited(budget, None), debit)(0, 10**6) is None


def test_evidence_counts_distinct_documents_and_never_jumps_past_its_limit() -> None:
    policy = BudgetPolicy(max_evidence_documents=3)
    assert policy.debit_evidence(0, ["a", "b", "a"]) is None
    assert policy.debit_evidence(0, ["a", "b"]) is None
    refused = policy.debit_evidence(0, ["c", "d"])
    assert refused is not None
    assert (refused.budget, refused.limit, refused.spent) == ("max_evidence_documents", 3, 2)
    assert policy.debit_evidence(0, ["c"]) is None
    assert policy.debit_evidence(0, ["a", "b", "c"]) is None
    assert policy.debit_evidence(0, ["d"]) is not None


def test_wall_time_runs_from_start_and_needs_room_for_the_next_action() -> None:
    policy = BudgetPolicy(max_wall_time_seconds=30)
    assert policy.check(10**9) is None
    policy.start(10**9)
    assert policy.check(10**9 + 30 * SECOND - 1) is None
    stopped = policy.check(10**9 + 30 * SECOND)
    assert stopped == Exhausted(budget="max_wall_time_seconds", limit=30, spent=30.0)
    assert stopped.text == "30 of 30 seconds of wall time"
    none_at_all = BudgetPolicy(max_wall_time_seconds=0)
    none_at_all.start(5)
    assert none_at_all.check(5) is not None
    off = BudgetPolicy(max_wall_time_seconds=None)
    off.start(0)
    assert off.check(10**12) is None


def test_a_second_start_gives_no_second_clock_and_a_clock_set_back_gives_no_time_back() -> None:
    policy = BudgetPolicy(max_wall_time_seconds=10)
    policy.start(0)
    policy.start(9 * SECOND)
    assert policy.check(10 * SECOND) is not None
    assert policy.check(1) is not None
    assert policy.remaining(1)["wall_time_seconds"] == 0


def test_token_limits_stop_once_usage_is_reported() -> None:
    policy = BudgetPolicy(max_context_tokens=100, max_model_tokens=10)
    assert policy.unenforceable() == ["max_context_tokens", "max_model_tokens"]
    assert policy.check(0) is None
    assert policy.remaining()["context_tokens"] is None
    assert policy.debit_tokens(0, context=99, model=9) is None
    assert policy.unenforceable() == []
    assert policy.check(0, Units(context_tokens=2)) is not None
    assert policy.debit_tokens(0, context=1) == Exhausted(budget="max_context_tokens", limit=100, spent=100)
    assert policy.debit_retrieval(0) is not None
    output_only = BudgetPolicy(max_context_tokens=100, max_model_tokens=10)
    output_only.debit_tokens(0, model=3)
    assert output_only.unenforceable() == ["max_context_tokens"]
    assert BudgetPolicy().unenforceable() == []


def test_a_counter_is_called_and_enforces() -> None:
    policy = BudgetPolicy(max_context_tokens=3, token_counter=lambda text: len(text.split()))
    assert policy.unenforceable() == []
    assert policy.debit_tokens(0, context="two words") is None
    assert policy.debit_tokens(0, context="and two")  # 4 of 3: it was used, the next is stopped
    assert policy.used("max_context_tokens") == 4
    with pytest.raises(LimitError, match="no token_counter"):
        BudgetPolicy().debit_tokens(0, model="words")


def test_cached_tokens_are_told_and_charged_to_nothing() -> None:
    policy = BudgetPolicy(max_context_tokens=10)
    assert policy.debit_tokens(0, context=5, cached=10**6) is None
    assert policy.spent()["cached_tokens"] == 10**6
    assert policy.used("max_context_tokens") == 5


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("value", [-1, True, "8", float("nan"), float("inf"), -0.5])
def test_what_is_no_limit_is_refused_by_name(budget: str, value: object) -> None:
    with pytest.raises(LimitError, match=budget):
        BudgetPolicy(**{budget: value})  # type: ignore[arg-type]
    if budget != "max_wall_time_seconds":
        with pytest.raises(LimitError, match=budget):
            Limits(**{budget: 2.0})  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [-1, True, 1.5, "1"])
def test_what_is_no_count_cannot_be_charged(n: object) -> None:
    policy = BudgetPolicy()
    with pytest.raises(LimitError, match="whole number"):
        policy.debit_retrieval(0, n)  # type: ignore[arg-type]
    with pytest.raises(LimitError):
        policy.debit_tokens(0, context=n)  # type: ignore[arg-type]
    assert policy.spent()["retrieval_calls"] == 0


def test_the_first_exhausted_budget_is_named_in_a_fixed_order() -> None:
    policy = BudgetPolicy(max_iterations=0, max_retrieval_calls=0, max_evidence_documents=0, max_wall_time_seconds=0)
    policy.start(0)
    want = Units(iterations=1, retrieval_calls=1, documents=("a",))
    wants = (want, Units(retrieval_calls=1, documents=("a",)), Units(documents=("a",)), None)
    stops = [policy.check(0, each) for each in wants]
    assert [stop and stop.budget for stop in stops] == [
        "max_iterations",
        "max_retrieval_calls",
        "max_evidence_documents",
        "max_wall_time_seconds",
    ]


def test_spent_is_json_and_an_extension_keeps_what_was_used() -> None:
    policy = BudgetPolicy(max_retrieval_calls=1)
    assert policy.debit_retrieval(0) is None
    assert policy.debit_retrieval(0) is not None
    policy.extend(Limits(max_retrieval_calls=2))
    assert policy.debit_retrieval(0) is None
    assert policy.debit_retrieval(0) is not None
    told = json.loads(json.dumps(policy.spent(7)))
    assert told["retrieval_calls"] == 2
    assert policy.remaining()["retrieval_calls"] == 0


def test_more_documents_than_are_remembered_still_count() -> None:
    policy = BudgetPolicy(max_evidence_documents=None)
    for start in range(0, 12_000, 100):
        policy.debit_evidence(0, [str(n) for n in range(start, start + 100)], happened=True)
    assert policy.used("max_evidence_documents") == 12_000
