"""The reduction to one shared pool, and the differential test against buddhikernel 0.1.0.

The two agree on every verdict, bar and counter but for the divergences listed here, each asserted by a test of its own:

1. ulp at cap: buddhi's float bar can pass cap by one unit in the last place; ours never does.
2. ulp of the bar: an ask whose decimal confidence equals the exact bar, or lies between it and the float one.
3. ulp of a ceiling: weight × ceiling in floats can fall short of a half; ours rounds the decimals as written.
4. flat scopes: each is its own root there; here all share one root.
5. numbers outside [0, 1], NaN, true, text: verdicts or errors there; deferred and flagged here.
6. a ceiling of 0 (never), a budget of 0: not to be had there.
7. a child's path may escape its parent there ("/a"); here such a path is refused.
8. no window there: spend never ends.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.config.schema import InterruptsConfig, ScopeConfig
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.ceilings import InterruptPolicy, policy
from borgd.limits.interrupts.exact_fractions import unit
from borgd.limits.interrupts.replay import InterruptReplay
from borgd.limits.interrupts.verdict import Ask

pytest.importorskip("buddhi", reason="buddhikernel is not installed: pip install 'borgd[oracles]'")
from buddhi import policy as theirs
from buddhi.decisions.aggregate_budget import aggregate_budget, required_confidence

ROOT = theirs.GLOBAL_SCOPE
NOON = 1_767_182_400_000


class _Store:
    """buddhi's store protocol, the part that the decision uses."""

    def __init__(self, excluded: frozenset[str] = frozenset()) -> None:
        self.counts: dict[str, int] = {}
        self.excluded = excluded

    def interrupts_today(self, scope: str) -> int:
        return self.counts.get(scope, 0)

    def record_interrupt(self, scope: str) -> None:
        self.counts[scope] = self.counts.get(scope, 0) + 1

    def is_excluded(self, source: str) -> bool:
        return source in self.excluded


class _Question:
    def __init__(self, source: str, stakes: object) -> None:
        self.source, self.stakes = source, stakes


class _TheirAsk:
    def __init__(self, source: str, confidence: object, stakes: object) -> None:
        self.question, self.confidence = _Question(source, stakes), confidence


def _their_verdict(
    knobs: theirs.BudgetKnobs, store: _Store, scope: str, confidence: object, stakes: object, source: str = "s"
) -> Any:
    pack = theirs.PolicyPack(name="p", version="1", budget=knobs)
    under = ROOT if scope == "" else f"{ROOT}/{scope}"
    return aggregate_budget(_TheirAsk(source, confidence, stakes), store, pack, under)  # type: ignore[arg-type]


class _SharedPool:
    """The oracle of the reduction: one counter, one bar, nothing else."""

    def __init__(self, budget: int, base: Fraction, cap: Fraction, threshold: Fraction) -> None:
        self.budget, self.base, self.cap, self.threshold = budget, base, cap, threshold
        self.spent = 0

    def admits(self, confidence: Fraction, stakes: Fraction) -> bool:
        bar = self.base + (self.cap - self.base) * min(Fraction(1), Fraction(self.spent, self.budget))
        admitted = stakes >= self.threshold or confidence >= bar
        self.spent += admitted
        return admitted


PACKS = [
    (1, ".5", ".95", ".9"),
    (2, ".4", ".8", ".85"),
    (3, ".5", ".95", ".9"),
    (5, ".3", ".9", ".95"),
    (8, ".6", ".99", ".8"),
]


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("seed", range(12))
def test_reduction_generalized_matches_oracle_step_for_step(pack: tuple[int, str, str, str], seed: int) -> None:
    budget, base, cap, threshold = pack
    ours = InterruptReplay(
        policy(
            InterruptsConfig(
                daily_interrupt_budget=budget, base=Decimal(base), cap=Decimal(cap), high_stakes_threshold=Decimal(threshold)
            )
        )
    )
    oracle = _SharedPool(budget, Fraction(base), Fraction(cap), Fraction(threshold))
    draw = random.Random(seed)
    for step in range(40):
        confidence, stakes = Fraction(draw.randrange(1001), 1000), Fraction(draw.randrange(1001), 1000)
        verdict = ours.ask(Ask(scope=f"scope-{step % 5}", confidence=confidence, stakes=stakes), NOON)
        assert verdict.admitted == oracle.admits(confidence, stakes)
        assert ours.spent(scopes.ROOT) == oracle.spent


@given(st.integers(1, 50), st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=6))
def test_reduction_every_scope_collapses_to_the_root_budget(budget: int, path: list[str]) -> None:
    assert policy(InterruptsConfig(daily_interrupt_budget=budget)).ceiling("/".join(path)) == budget


@given(
    st.integers(1, 8),
    st.lists(st.tuples(st.sampled_from(["", "a", "b", "c"]), st.fractions(0, 1), st.fractions(0, 1)), max_size=40),
)
def test_reduction_to_one_shared_pool(budget: int, asks: list[tuple[str, Fraction, Fraction]]) -> None:
    """Depth 1, uniform weights, inherited ceilings, written out: exactly one shared pool."""
    spelled = InterruptReplay(
        policy(InterruptsConfig(daily_interrupt_budget=budget, scopes={name: ScopeConfig() for name in "abc"}))
    )
    pool = _SharedPool(budget, Fraction(1, 2), Fraction(19, 20), Fraction(9, 10))
    for scope, confidence, stakes in asks:
        assert spelled.ask(Ask(scope=scope, confidence=confidence, stakes=stakes), NOON).admitted == pool.admits(
            confidence, stakes
        )


# the differential test


def _tree(draw: random.Random) -> tuple[InterruptsConfig, theirs.BudgetKnobs, list[str]]:
    """One random policy in both forms, and the paths that asks come from."""
    paths = [""]
    for _ in range(draw.randrange(9)):
        parent = draw.choice(paths)
        if parent.count("/") < 5:
            paths.append(f"{parent}/{draw.choice('abcde')}".lstrip("/"))
    budget = draw.randint(1, 12)
    base = draw.randrange(0, 96)
    cap = draw.randint(base, 100)
    threshold = draw.randrange(50, 101)
    own: dict[str, tuple[str, int | None]] = {}
    for path in set(paths):
        if draw.random() < 0.6:
            weight = f"{draw.randint(1, 300) / 100:.2f}"
            own[path] = (weight, draw.choice([None, draw.randint(1, 15)]))
    config = InterruptsConfig(
        daily_interrupt_budget=budget,
        base=Decimal(base) / 100,
        cap=Decimal(cap) / 100,
        high_stakes_threshold=Decimal(threshold) / 100,
        scopes={
            path or ROOT: ScopeConfig(weight=Decimal(weight), ceiling=ceiling) for path, (weight, ceiling) in own.items()
        },
    )
    knobs = theirs.BudgetKnobs(
        daily_interrupt_budget=budget,
        base=base / 100,
        cap=cap / 100,
        high_stakes_threshold=threshold / 100,
        scope_allocations={
            f"{ROOT}/{path}" if path else ROOT: theirs.ScopeAllocation(weight=float(weight), ceiling=ceiling)
            for path, (weight, ceiling) in own.items()
        },
    )
    return config, knobs, paths


def _same_ceilings(ours: InterruptPolicy, knobs: theirs.BudgetKnobs, paths: list[str]) -> bool:
    return all(ours.ceiling(path) == knobs.effective_ceiling(f"{ROOT}/{path}" if path else ROOT) for path in paths)


def _streams(seed: int, asks: int) -> Iterator[tuple[InterruptsConfig, theirs.BudgetKnobs, list[str], random.Random]]:
    draw = random.Random(seed)
    for _ in range(asks // 100):
        yield (*_tree(draw), draw)


def _compare(seed: int, cases: int) -> dict[str, int]:
    """``cases`` random asks through both; counts of agreements and of each listed divergence. Anything else fails."""
    found = {"agree": 0, "bar ulp": 0, "ceiling ulp": 0}
    for config, knobs, paths, draw in _streams(seed, cases):
        ours = policy(config)
        if not _same_ceilings(ours, knobs, paths):
            _check_ceiling_ulp(config, knobs)
            found["ceiling ulp"] += 100
            continue
        replay, store = InterruptReplay(ours), _Store(frozenset({"muted"}))
        replay.exclusions.exclude(_muted())
        for _ in range(100):
            scope, source = draw.choice(paths), draw.choice(["s", "s", "s", "s", "muted"])
            confidence, stakes = draw.randrange(1001) / 1000, draw.randrange(1001) / 1000
            verdict = replay.ask(Ask(scope=scope, source=source, confidence=confidence, stakes=stakes), NOON)
            other = _their_verdict(knobs, store, scope, confidence, stakes, source)
            if verdict.outcome == "excluded" or other.required_confidence == 0.0:
                assert (verdict.outcome == "excluded") == (source == "muted")
                assert other.admitted == verdict.admitted
                found["agree"] += 1
                continue
            assert abs(float(verdict.threshold) - other.required_confidence) <= 2.3e-16, (config, scope)
            if verdict.admitted == other.admitted:
                found["agree"] += 1
                continue
            exact = unit(confidence)
            assert exact is not None
            assert abs(exact - verdict.threshold) < Fraction(1, 10**15), "they differ only where confidence is the threshold"
            found["bar ulp"] += 1
            _follow(replay, store)
        assert {path: replay.spent(path) for path in paths if replay.spent(path)} == {
            ("" if path == ROOT else path.removeprefix(f"{ROOT}/")): count for path, count in store.counts.items() if count
        }
    return found


def _follow(replay: InterruptReplay, store: _Store) -> None:
    """After a listed divergence both go on from our counters."""
    store.counts = {f"{ROOT}/{path}" if path else ROOT: count for path, count in replay.account.spent.items() if count}


def _check_ceiling_ulp(config: InterruptsConfig, knobs: theirs.BudgetKnobs) -> None:
    """Ceilings differ only where weight × ceiling is a half that the float product misses."""
    for path, scope in config.scopes.items():
        own = config.daily_interrupt_budget if scope.ceiling is None else scope.ceiling
        product = Fraction(scope.weight) * own
        if int(float(scope.weight) * own + 0.5) != (product * 2 + 1) // 2:
            assert (product * 2).denominator == 1, path
            return
    raise AssertionError(f"the ceilings differ and no product is a half: {config} {knobs}")


def _muted() -> Any:
    from borgd.limits.interrupts.exclusions import Exclusion

    return Exclusion(source="muted", tier="permanent", cause="test")


def test_differential_against_buddhikernel() -> None:
    found = _compare(seed=1, cases=6_000)
    assert found["agree"] > 5_500


@pytest.mark.slow
def test_differential_against_buddhikernel_300_000() -> None:
    found = _compare(seed=2, cases=300_000)
    print(found)
    assert sum(found.values()) == 300_000
    assert found["agree"] > 290_000


# each divergence, asserted


def _knobs(**settings: Any) -> theirs.BudgetKnobs:
    return theirs.BudgetKnobs(**settings)


def test_divergence_1_their_bar_passes_cap_by_an_ulp() -> None:
    knobs = _knobs(daily_interrupt_budget=1, base=0.03, cap=0.29)
    store = _Store()
    assert _their_verdict(knobs, store, "", 1.0, 0.0).admitted
    assert not _their_verdict(knobs, store, "", 0.29, 0.0).admitted
    ours = InterruptReplay(policy(InterruptsConfig(daily_interrupt_budget=1, base=Decimal("0.03"), cap=Decimal("0.29"))))
    assert ours.ask(Ask(confidence=1), NOON).admitted
    assert ours.ask(Ask(confidence=0.29), NOON).admitted


def test_divergence_1_is_counted_on_the_whole_grid() -> None:
    pairs = [(base, cap) for cap in range(101) for base in range(cap + 1)]
    knobs = [_knobs(daily_interrupt_budget=1, base=base / 100, cap=cap / 100) for base, cap in pairs]
    over = sum(required_confidence(1, entry) > entry.cap for entry in knobs)
    assert (len(pairs), over) == (5151, 144)


def test_divergence_2_confidence_equal_to_the_exact_bar_is_admitted_here() -> None:
    """With 1 of 3 spent the bar is 0.65; their float bar 0.6499999999999999 also takes what is below it."""
    store, knobs = _Store(), _knobs(daily_interrupt_budget=3)
    _their_verdict(knobs, store, "", 1.0, 0.0)
    between = 0.6499999999999999
    assert _their_verdict(knobs, store, "", between, 0.0).admitted
    ours = InterruptReplay(policy(InterruptsConfig()))
    ours.ask(Ask(confidence=1), NOON)
    assert not ours.ask(Ask(confidence=between), NOON).admitted
    assert ours.ask(Ask(confidence=0.65), NOON).admitted


def test_divergence_3_a_half_that_the_float_product_misses() -> None:
    missed = [
        (thousandths, own)
        for thousandths in range(1, 1001)
        for own in range(1, 101)
        if int(thousandths / 1000 * own + 0.5) != (Fraction(thousandths, 1000) * own * 2 + 1) // 2
    ]
    assert (285, 100) in missed
    thousandths, own = missed[0]
    weight = Decimal(thousandths) / 1000
    ours = policy(InterruptsConfig(daily_interrupt_budget=100, scopes={"a": ScopeConfig(weight=weight, ceiling=own)}))
    knobs = _knobs(
        daily_interrupt_budget=100, scope_allocations={"a": theirs.ScopeAllocation(weight=float(weight), ceiling=own)}
    )
    assert ours.ceiling("a") == knobs.effective_ceiling("a") + 1


def test_divergence_4_flat_scopes_escape_their_root() -> None:
    knobs, store = _knobs(daily_interrupt_budget=2), _Store()
    pack = theirs.PolicyPack(name="p", version="1", budget=knobs)
    flat = [scope for scope in ("x", "y", "z") for _ in range(3)]
    admitted = sum(aggregate_budget(_TheirAsk("s", 0.9, 0.0), store, pack, scope).admitted for scope in flat)  # type: ignore[arg-type]
    ours = InterruptReplay(policy(InterruptsConfig(daily_interrupt_budget=2)))
    assert (admitted, sum(ours.ask(Ask(scope=scope, confidence=0.9, stakes=0), NOON).admitted for scope in flat)) == (6, 2)


@pytest.mark.parametrize(
    ("confidence", "stakes", "theirs_admits"),
    [
        (float("nan"), 0.0, False),
        (2.0, 0.0, True),
        (-1.0, 0.0, False),
        (True, 0.0, True),
        (0.0, 5.0, True),
        (0.4, float("nan"), False),
    ],
)
def test_divergence_5_what_is_no_number_is_flagged_here(confidence: object, stakes: object, theirs_admits: bool) -> None:
    assert _their_verdict(_knobs(), _Store(), "", confidence, stakes).admitted == theirs_admits
    verdict = InterruptReplay(policy(InterruptsConfig())).ask(Ask(confidence=confidence, stakes=stakes), NOON)
    assert verdict.outcome == "defer"
    assert verdict.flags


@pytest.mark.parametrize("bad", ["0.9", b"1"])
def test_divergence_5_text_is_an_error_there(bad: object) -> None:
    with pytest.raises(TypeError):
        _their_verdict(_knobs(), _Store(), "", bad, 0.0)
    assert InterruptReplay(policy(InterruptsConfig())).ask(Ask(confidence=bad, stakes=0), NOON).flags == ("confidence",)


def test_divergence_6_never_is_not_to_be_had_there() -> None:
    with pytest.raises(ValueError, match="ceiling"):
        theirs.ScopeAllocation(ceiling=0)
    with pytest.raises(ValueError, match="daily_interrupt_budget"):
        _knobs(daily_interrupt_budget=0)
    assert policy(InterruptsConfig(daily_interrupt_budget=0)).ceiling("") == 0


def test_divergence_7_a_leading_slash_escapes_its_parent_there() -> None:
    knobs = _knobs(daily_interrupt_budget=4, scope_allocations={"a": theirs.ScopeAllocation(ceiling=1)})
    assert (knobs.effective_ceiling("a/"), knobs.effective_ceiling("/a")) == (1, 4)
    ours = InterruptReplay(policy(InterruptsConfig(daily_interrupt_budget=4, scopes={"a": ScopeConfig(ceiling=1)})))
    assert [ours.ask(Ask(scope=scope, confidence=1, stakes=1), NOON).flags for scope in ("a/", "/a")] == [("scope",)] * 2


def test_divergence_8_spend_ends_with_the_window() -> None:
    ours = InterruptReplay(policy(InterruptsConfig(daily_interrupt_budget=1)))
    assert ours.ask(Ask(confidence=0.6, stakes=0), NOON).admitted
    assert not ours.ask(Ask(confidence=0.6, stakes=0), NOON).admitted
    assert ours.ask(Ask(confidence=0.6, stakes=0), NOON + 86_400_000).admitted
