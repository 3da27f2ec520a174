"""The verdict: its order, its bar, what it charges, and each invariant of the budget by name."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.config.schema import ExclusionConfig, InterruptsConfig, ScopeConfig
from borgd.errors import ConfigError
from borgd.limits.interrupts.ceilings import policy
from borgd.limits.interrupts.exclusions import Exclusion, Exclusions, configured
from borgd.limits.interrupts.replay import InterruptReplay
from borgd.limits.interrupts.threshold import fullest, pace, threshold_at
from borgd.limits.interrupts.verdict import Ask, AskOption, InterruptVerdict, decide

NOON = 1_767_182_400_000  # 2025-12-31T12:00:00Z
UNIT = st.fractions(0, 1, max_denominator=1000)
SCOPES = ["", "a", "a/b", "a/b/c", "a/d", "e"]


def _replay(*exclusions: Exclusion, scopes: dict[str, ScopeConfig] | None = None, **settings: object) -> InterruptReplay:
    config = InterruptsConfig(scopes=scopes or {}, **settings)  # type: ignore[arg-type]
    return InterruptReplay(policy(config), exclusions)


def _ask(scope: str = "", confidence: object = 0.6, stakes: object = 0.1, source: str = "s") -> Ask:
    return Ask(scope=scope, source=source, confidence=confidence, stakes=stakes)


def _permanent(source: str = "s") -> Exclusion:
    return Exclusion(source=source, tier="permanent", cause="operator")


# the bar


def test_the_default_ramp_is_exact() -> None:
    replay = _replay()
    bars = []
    for _ in range(5):
        bars.append(replay.ask(_ask(confidence=1), NOON).threshold)
    assert bars == [Fraction(1, 2), Fraction(13, 20), Fraction(4, 5), Fraction(19, 20), Fraction(19, 20)]


@given(UNIT, UNIT, st.integers(1, 30))
def test_monotone_admission_bar(one: Fraction, other: Fraction, ceiling: int) -> None:
    base, cap = min(one, other), max(one, other)
    bars = [threshold_at("linear", base, cap, fullest([spent], [ceiling]).ratio) for spent in range(ceiling + 3)]
    assert bars == sorted(bars)
    assert bars[0] == base
    assert bars[ceiling:] == [cap] * 3
    assert all(base <= value <= cap for value in bars)


@given(UNIT, UNIT, st.integers(1, 30), UNIT)
def test_monotone_timed_bar(one: Fraction, other: Fraction, ceiling: int, elapsed: Fraction) -> None:
    base, cap = min(one, other), max(one, other)
    bars = [threshold_at("timed", base, cap, fullest([spent], [ceiling]).ratio, elapsed) for spent in range(ceiling + 2)]
    assert bars == sorted(bars)
    assert all(base <= value <= cap for value in bars)
    assert bars[ceiling] == cap


@given(UNIT, UNIT, UNIT)
def test_timed_bar_falls_with_the_day(ratio: Fraction, one: Fraction, other: Fraction) -> None:
    assert pace(ratio, max(one, other)) <= pace(ratio, min(one, other))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
def test_the_bar_is_the_highest_of_the_chain(chain: list[tuple[int, int]]) -> None:
    spent, ceilings = [pair[0] for pair in chain], [pair[1] for pair in chain]
    ratios = [Fraction(1) if used >= most else Fraction(used, most) for used, most in chain]
    full = fullest(spent, ceilings)
    assert full.ratio == max(ratios)
    assert full.at == min(range(len(chain)), key=lambda at: (-ratios[at], ceilings[at], at))


@pytest.mark.parametrize("hundredths", range(0, 101, 7))
def test_confidence_at_cap_always_clears(hundredths: int) -> None:
    """In binary floating point the bar passes cap by an ulp on 144 of 5151 pairs, 0.03 to 0.29 among them."""
    cap = Decimal(hundredths) / 100
    for base in range(hundredths + 1):
        replay = _replay(base=Decimal(base) / 100, cap=cap, high_stakes_threshold=Decimal(1))
        for _ in range(4):
            assert replay.ask(_ask(confidence=float(cap), stakes=0), NOON).admitted


def test_a_spent_scope_needs_exactly_cap() -> None:
    replay = _replay(base=Decimal("0.03"), cap=Decimal("0.29"))
    for _ in range(3):
        replay.ask(_ask(confidence=1), NOON)
    assert not replay.ask(_ask(confidence=Decimal("0.28999999999999999999")), NOON).admitted
    assert replay.ask(_ask(confidence=0.29), NOON).admitted


def test_half_the_weight_of_four_is_two_and_its_bar_after_one() -> None:
    replay = _replay(scopes={"a": ScopeConfig(weight=Decimal("0.5"))}, daily_interrupt_budget=4)
    replay.ask(_ask("a", 1), NOON)
    assert replay.ask(_ask("a", 0), NOON).threshold == Fraction("0.725")
    assert replay.ask(_ask("", 0), NOON).threshold == Fraction("0.6125")


# order


def test_exclusion_dominance_an_excluded_source_is_denied_before_the_bar() -> None:
    replay = _replay(_permanent())
    verdict = replay.ask(_ask(confidence=1, stakes=1), NOON)
    assert (verdict.outcome, verdict.rule) == ("excluded", "excluded")
    assert replay.spent("") == 0


def test_an_excluded_source_with_a_bad_number_is_excluded() -> None:
    assert _replay(_permanent()).ask(_ask(confidence=math.nan), NOON).outcome == "excluded"


@given(
    st.lists(st.sampled_from(["permanent", "transient"]), max_size=3),
    st.lists(st.tuples(st.sampled_from(SCOPES), UNIT, UNIT), max_size=12),
)
def test_exclusion_dominance(tiers: list[str], asks: list[tuple[str, Fraction, Fraction]]) -> None:
    exclusions = [
        Exclusion(source="s", tier="permanent" if tier == "permanent" else "transient", cause=str(place))
        for place, tier in enumerate(tiers)
    ]
    replay = _replay(*exclusions)
    outcomes = {replay.ask(_ask(scope, confidence, stakes), NOON).outcome for scope, confidence, stakes in asks}
    assert outcomes <= ({"excluded"} if tiers else {"admit", "defer"})
    assert replay.ask(_ask(source="other", confidence=1), NOON).admitted


def test_transient_retraction_never_crosses_into_permanent() -> None:
    exclusions = Exclusions([_permanent(), Exclusion(source="s", tier="transient", cause="operator")])
    assert exclusions.retract("s", "operator")
    assert not exclusions.retract("s", "operator")
    assert exclusions.excluded("s", NOON) == _permanent()


def test_causes_never_cross() -> None:
    exclusions = Exclusions(Exclusion(source="s", tier="transient", cause=cause) for cause in ("quota", "errored"))
    assert exclusions.retract("s", "errored")
    left = exclusions.excluded("s", NOON)
    assert left is not None
    assert left.cause == "quota"
    assert not exclusions.retract("unknown", "quota")


def test_a_transient_exclusion_ends_at_its_expiry_and_a_permanent_one_never() -> None:
    exclusions = Exclusions([Exclusion(source="s", tier="transient", cause="c", expires_ms=NOON)])
    assert exclusions.excluded("s", NOON - 1) is not None
    assert exclusions.excluded("s", NOON) is None
    exclusions.exclude(Exclusion(source="s", tier="permanent", cause="c", expires_ms=NOON))
    assert exclusions.excluded("s", NOON * 2) is not None
    assert [entry.tier for entry in exclusions.all(NOON * 2)] == ["permanent"]


def test_configured_exclusions_name_what_is_wrong() -> None:
    with pytest.raises(ConfigError, match=r"exclusions\[0\]\.source"):
        configured([ExclusionConfig(source="")])


BAD = [math.nan, math.inf, -math.inf, 2, -1, 1.0000001, True, False, "0.9", "", b"1", [], {}, 1j, Decimal("sNaN")]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("field", ["confidence", "stakes"])
def test_a_number_that_is_none_goes_to_the_inbox_flagged(field: str, bad: object) -> None:
    replay = _replay()
    values: dict[str, object] = {"confidence": 1, "stakes": 1, field: bad}
    verdict = replay.ask(_ask(**values), NOON)  # type: ignore[arg-type]
    assert (verdict.outcome, verdict.rule, verdict.flags) == ("defer", "invalid", (field,))
    assert replay.spent("") == 0


@pytest.mark.parametrize("scope", ["a//b", "/a", "a/", "..", None, 3, "/".join("x" * 3000)])
def test_a_scope_that_is_none_goes_to_the_inbox_flagged(scope: object) -> None:
    verdict = _replay().ask(Ask(scope=scope, confidence=1, stakes=1), NOON)  # type: ignore[arg-type]
    assert (verdict.outcome, verdict.flags) == ("defer", ("scope",))


def test_stakes_at_the_threshold_bypass_a_spent_budget() -> None:
    replay = _replay(high_stakes_threshold=Decimal("0.6"), daily_interrupt_budget=1)
    replay.ask(_ask(confidence=1), NOON)
    verdict = replay.ask(_ask(confidence=0, stakes=0.6), NOON)
    assert verdict.admitted
    assert verdict.bypass
    assert not replay.ask(_ask(confidence=0, stakes=0.599), NOON).admitted


def test_a_bypass_is_charged_to_its_own_account_too() -> None:
    replay = _replay(daily_interrupt_budget=5)
    replay.ask(_ask("a/b", 0, 1), NOON)
    replay.ask(_ask("a", 1, 0), NOON)
    assert dict(replay.counters()) == {
        "__global__": {"spent": 2, "ceiling": 5, "bypass": 1},
        "a": {"spent": 2, "ceiling": 5, "bypass": 1},
        "a/b": {"spent": 1, "ceiling": 5, "bypass": 1},
    }


def test_a_ceiling_of_zero_is_never_passed_not_by_stakes_either() -> None:
    replay = _replay(scopes={"quiet": ScopeConfig(ceiling=0)})
    verdict = replay.ask(_ask("quiet/x", 1, 1), NOON)
    assert (verdict.outcome, verdict.rule, verdict.binding) == ("defer", "never", "quiet")


def test_hard_cap_lets_nothing_past_a_spent_ceiling() -> None:
    replay = _replay(hard_cap=True, daily_interrupt_budget=2)
    outcomes = [replay.ask(_ask(confidence=1, stakes=1), NOON).outcome for _ in range(4)]
    assert outcomes == ["admit", "admit", "defer", "defer"]
    assert replay.ask(_ask(confidence=1, stakes=1), NOON).rule == "hard cap"


@given(st.lists(st.tuples(st.sampled_from(SCOPES), UNIT, UNIT), max_size=40))
def test_hard_cap_is_hard_for_every_scope(asks: list[tuple[str, Fraction, Fraction]]) -> None:
    replay = _replay(
        hard_cap=True, scopes={"a": ScopeConfig(ceiling=2), "a/b": ScopeConfig(ceiling=1)}, daily_interrupt_budget=4
    )
    for scope, confidence, stakes in asks:
        replay.ask(_ask(scope, confidence, stakes), NOON)
    assert all(row["spent"] <= row["ceiling"] for _, row in replay.counters())


def test_strict_scopes_defer_what_is_not_configured() -> None:
    replay = _replay(strict_scopes=True, scopes={"a": ScopeConfig()})
    assert replay.ask(_ask("a", 1), NOON).admitted
    assert replay.ask(_ask("", 1), NOON).admitted
    verdict = replay.ask(_ask("a/b", 1, 1), NOON)
    assert (verdict.rule, verdict.flags) == ("unknown scope", ("unknown scope",))


def test_without_strict_scopes_an_unknown_scope_has_its_ancestors_budget() -> None:
    verdict = _replay(scopes={"a": ScopeConfig(ceiling=1)}).ask(_ask("a/new", 1), NOON)
    assert (verdict.binding, verdict.ceiling) == ("a", 1)


# charging


def test_flat_scopes_share_the_root() -> None:
    """Three flat scopes with a budget of 2 admit 2 in all: the root is everyone's ancestor."""
    replay = _replay(daily_interrupt_budget=2)
    admitted = [replay.ask(_ask(scope, 0.9), NOON).admitted for scope in ("team-a", "team-b", "team-c") for _ in range(2)]
    assert admitted.count(True) == 2
    assert replay.spent("") == 2


def test_parent_bounds_subtree_child_cannot_spend_past_an_intermediate_ancestor_ceiling() -> None:
    replay = _replay(daily_interrupt_budget=10, scopes={"p": ScopeConfig(ceiling=2)})
    admitted = [replay.ask(_ask("p/c", 0.9, 0.8), NOON).admitted for _ in range(8)]
    assert admitted == [True] * 2 + [False] * 6
    assert [replay.spent(path) for path in ("p/c", "p", "")] == [2, 2, 2]


def test_parent_bounds_subtree_combined_child_spend_cannot_exceed_parent_ceiling() -> None:
    replay = _replay(daily_interrupt_budget=10, scopes={"p": ScopeConfig(ceiling=2)})
    admitted = [replay.ask(_ask(f"p/{child}", 0.9), NOON).admitted for child in ("c", "d") * 3]
    assert admitted.count(True) == 2
    assert replay.spent("p/c") + replay.spent("p/d") == replay.spent("p") == 2


@given(
    st.dictionaries(st.sampled_from(SCOPES[1:]), st.tuples(st.integers(1, 300), st.none() | st.integers(1, 8))),
    st.lists(st.tuples(st.sampled_from(SCOPES), UNIT), max_size=60),
)
def test_parent_bounds_subtree(tree: dict[str, tuple[int, int | None]], asks: list[tuple[str, Fraction]]) -> None:
    """Below cap and without bypass no scope passes its ceiling, whatever the tree and the asks."""
    scopes = {name: ScopeConfig(weight=Decimal(weight) / 100, ceiling=own) for name, (weight, own) in tree.items()}
    replay = _replay(scopes=scopes, daily_interrupt_budget=6)
    below_cap = Fraction(19, 20) - Fraction(1, 10**6)
    for scope, confidence in asks:
        replay.ask(_ask(scope, min(confidence, below_cap), 0), NOON)
    for path, row in replay.counters():
        assert row["spent"] <= row["ceiling"], path


@given(st.lists(st.tuples(st.sampled_from(SCOPES), UNIT, UNIT), max_size=40))
def test_an_ancestors_spend_is_its_subtrees(asks: list[tuple[str, Fraction, Fraction]]) -> None:
    replay = _replay()
    admitted = [scope for scope, confidence, stakes in asks if replay.ask(_ask(scope, confidence, stakes), NOON).admitted]
    for path in SCOPES:
        below = [scope for scope in admitted if path in ("", scope) or scope.startswith(f"{path}/")]
        assert replay.spent(path) == len(below)


@given(st.lists(st.tuples(st.sampled_from(SCOPES), UNIT, UNIT), max_size=30))
def test_a_refusal_changes_nothing(asks: list[tuple[str, Fraction, Fraction]]) -> None:
    replay = _replay()
    for scope, confidence, stakes in asks:
        before = dict(replay.account.spent)
        verdict = replay.ask(_ask(scope, confidence, stakes), NOON)
        if not verdict.admitted:
            assert dict(replay.account.spent) == before


class _CountedState:
    """Counts the questions that a verdict asks of the state."""

    def __init__(self) -> None:
        self.asked = 0

    def spent(self, scope: str) -> int:
        self.asked += 1
        return 0

    def excluded(self, source: str, now_ms: int) -> Exclusion | None:
        self.asked += 1
        return None


@pytest.mark.parametrize("depth", [1, 2, 8, 16, 32])
def test_a_verdict_costs_one_look_up_per_path(depth: int) -> None:
    state = _CountedState()
    decide(state, _ask("/".join("s" * depth)), policy(InterruptsConfig()), NOON)
    assert state.asked == depth + 1 + 1  # the chain with its root, and the source


def test_a_depth_of_3000_is_refused_before_it_is_split() -> None:
    state = _CountedState()
    verdict = decide(state, _ask("/".join("s" * 3000)), policy(InterruptsConfig()), NOON)
    assert verdict.rule == "invalid"
    assert state.asked == 2  # the root's spend, and the source


# what the verdict carries


def test_a_verdict_says_where_its_numbers_came_from() -> None:
    verdict = _replay().ask(Ask(source="s", question="Drop the orders table? [confidence 0.4]"), NOON)
    assert verdict.stakes.origin == "rule loses shared data"
    assert (verdict.confidence.origin, verdict.confidence.given) == ("stated", "0.4")
    entry = verdict.entry(Ask(source="s", agent="a", session="x"))
    assert entry.facts["stakes"] == {"value": "19/20", "from": "rule loses shared data", "given": ""}
    assert (entry.policy, entry.session, entry.limit) == (verdict.policy, "x", "interrupt")


def test_an_asker_goes_on_with_its_fallback_then_the_recommended_then_the_first() -> None:
    options = (AskOption("a"), AskOption("b"))
    assert Ask(options=options, recommended=1, fallback="wait").goes_on_with == "wait"
    assert Ask(options=options, recommended=1).goes_on_with == "b"
    assert Ask(options=options).goes_on_with == "", "none is made up"
    assert Ask().goes_on_with == ""


def _verdict_is_plain(verdict: InterruptVerdict) -> bool:
    return bool(verdict.reason) and "\n" not in verdict.reason


@given(st.sampled_from([*SCOPES, "a//b"]), st.sampled_from([*BAD, 0.3, 0.97]), st.sampled_from([*BAD, 0.3, 0.97]))
def test_every_verdict_has_a_reason(scope: str, confidence: object, stakes: object) -> None:
    assert _verdict_is_plain(_replay().ask(_ask(scope, confidence, stakes), NOON))


def test_exclusions_are_global_and_not_scoped() -> None:
    replay = _replay(_permanent())
    assert all(replay.ask(_ask(scope, 1, 1), NOON).outcome == "excluded" for scope in SCOPES)


# not promised, said so beside the code, and held here so that a change is noticed


def test_not_promised_a_fair_share_among_siblings() -> None:
    replay = _replay(daily_interrupt_budget=10, scopes={"p": ScopeConfig(ceiling=2)})
    assert [replay.ask(_ask(f"p/{child}", 0.9), NOON).admitted for child in "aabc"] == [True, True, False, False]


def test_not_promised_independence_of_the_order() -> None:
    asks = [_ask(confidence=confidence) for confidence in (0.5, 0.6, 0.7, 0.9)]
    forwards, backwards = _replay(), _replay()
    up = sum(forwards.ask(ask, NOON).admitted for ask in asks)
    down = sum(backwards.ask(ask, NOON).admitted for ask in reversed(asks))
    assert (up, down) == (3, 2)


def test_soft_high_stakes_and_confidence_at_cap_clear_a_spent_budget() -> None:
    replay = _replay(daily_interrupt_budget=1)
    assert [
        replay.ask(_ask(confidence=confidence, stakes=stakes), NOON).admitted
        for confidence, stakes in ((1, 0), (0.95, 0), (0, 0.9), (0.94, 0.89))
    ] == [True, True, True, False]
