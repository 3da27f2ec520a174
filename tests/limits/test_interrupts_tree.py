"""Scope paths and ceilings: one spelling per scope, one root, half-up, the smallest of the chain."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.config.schema import InterruptsConfig, ScopeConfig
from borgd.errors import ConfigError, LimitError
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.ceilings import InterruptPolicy, local_ceiling, policy
from borgd.limits.interrupts.exact_fractions import fraction, half_up, unit

SEGMENT = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)
PATH = st.lists(SEGMENT, min_size=1, max_size=6).map("/".join)


def _policy(budget: int = 10, **named: ScopeConfig) -> InterruptPolicy:
    return policy(InterruptsConfig(daily_interrupt_budget=budget, scopes=named))


def _scope(weight: str = "1", ceiling: int | None = None) -> ScopeConfig:
    return ScopeConfig(weight=Decimal(weight), ceiling=ceiling)


@pytest.mark.parametrize("spelled", ["", "__global__"])
def test_both_spellings_of_the_root_are_the_root(spelled: str) -> None:
    assert scopes.parse(spelled) == scopes.ROOT


def test_a_path_under_the_spelled_root_is_the_same_scope() -> None:
    assert scopes.parse("__global__/a/b") == scopes.parse("a/b") == "a/b"


def test_the_chain_of_a_flat_scope_starts_at_the_root() -> None:
    assert scopes.chain("team-a") == ("", "team-a")


@given(PATH)
def test_chain_is_every_prefix_under_the_root(path: str) -> None:
    parsed = scopes.parse(path)
    parts = parsed.split("/")
    assert scopes.chain(parsed) == ("", *("/".join(parts[: end + 1]) for end in range(len(parts))))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "a/./b",
        "a\x00b",
        "a\nb",
        "a\u202eb",
        "a\u200bb",
        "a\u2028b",
        " a",
        "a /b",
        "a/__global__",
        "__global__/",
        "__global__/__global__",
        "\ud800",
        "a" * 129,
        "/".join("a" * 33),
        "/" * 3000,
        "x" * 10_000_000,
        None,
        7,
        True,
        ["a"],
        b"a",
    ],
)
def test_a_path_with_two_readings_is_refused(path: object) -> None:
    with pytest.raises(LimitError):
        scopes.parse(path)


def test_the_deepest_and_longest_path_is_taken() -> None:
    path = "/".join("s" * 128 for _ in range(32))
    assert len(scopes.chain(scopes.parse(path))) == 33


def test_composed_and_decomposed_letters_are_one_scope() -> None:
    assert scopes.parse("cafe\u0301") == scopes.parse("caf\u00e9")


def test_case_matters() -> None:
    assert scopes.parse("A") != scopes.parse("a")


@given(st.text(max_size=60))
def test_parsing_is_idempotent_or_refuses(path: str) -> None:
    try:
        parsed = scopes.parse(path)
    except LimitError:
        return
    assert scopes.parse(parsed) == parsed


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_default_scope_always_parses(remote: str, stream: str) -> None:
    path = scopes.default_scope(remote, stream, {})
    assert scopes.parse(path) == path


def test_a_branch_with_a_slash_is_one_segment() -> None:
    assert scopes.default_scope("o/r", "feature/x", {}) == "o/r/feature%2Fx"


def test_config_maps_a_repository_and_its_streams() -> None:
    paths = {"o/r": "team/shop", "o/r/release": "team/release"}
    assert scopes.default_scope("o/r", "main", paths) == "team/shop"
    assert scopes.default_scope("o/r", "release", paths) == "team/release"


@pytest.mark.parametrize(("own", "expected"), [(1, 1), (3, 2), (5, 3), (7, 4), (9, 5), (11, 6)])
def test_halves_round_up_and_not_to_even(own: int, expected: int) -> None:
    assert local_ceiling(Fraction(1, 2), own, 100) == expected


def test_half_up_differs_from_half_to_even_exactly_where_it_should() -> None:
    weights = [Fraction(step, 20) for step in range(1, 41)]
    differ = sum(half_up(weight * own) != round(weight * own) for weight in weights for own in range(1, 21))
    assert differ == sum((weight * own * 2) % 4 == 1 for weight in weights for own in range(1, 21)) > 0


@given(st.fractions(min_value=0, max_value=10_000))
def test_half_up_is_the_nearest_integer(value: Fraction) -> None:
    assert value - Fraction(1, 2) < half_up(value) <= value + Fraction(1, 2)


def test_parent_bounds_subtree_effective_ceiling_is_min_over_scope_and_ancestors() -> None:
    tree = _policy(10, **{"p": _scope(ceiling=2), "p/c": _scope(ceiling=5)})
    assert [tree.ceiling(path) for path in ("p/c", "p", "")] == [2, 2, 10]


@given(st.dictionaries(PATH, st.tuples(st.integers(1, 400), st.none() | st.integers(0, 30)), max_size=6), PATH)
def test_a_child_never_has_more_than_any_ancestor(tree: dict[str, tuple[int, int | None]], path: str) -> None:
    named = {scopes.parse(name): _scope(str(Decimal(weight) / 100), ceiling) for name, (weight, ceiling) in tree.items()}
    built = _policy(12, **named)
    found = built.ceilings(scopes.chain(scopes.parse(path)))
    assert found == sorted(found, reverse=True)
    assert all(0 <= ceiling <= 12 for ceiling in found)


def test_a_weight_scales_the_roots_ceiling_where_a_scope_has_none_and_never_its_parents() -> None:
    tree = _policy(10, **{"p": _scope(ceiling=4), "p/c": _scope("0.5")})
    assert tree.local["p/c"] == 5
    assert tree.ceiling("p/c") == 4


def test_a_ceiling_is_at_least_one_and_at_most_the_roots() -> None:
    tree = _policy(3, small=_scope("0.1", 1), heavy=_scope("10"), wide=_scope(ceiling=99))
    assert [tree.ceiling(path) for path in ("small", "heavy", "wide")] == [1, 3, 3]


def test_a_ceiling_of_zero_means_never_for_the_scope_and_all_below_it() -> None:
    tree = _policy(3, quiet=_scope("5", 0))
    assert tree.ceiling("quiet") == tree.ceiling("quiet/loud") == 0


def test_a_budget_of_zero_means_never_everywhere() -> None:
    assert _policy(0, wide=_scope(ceiling=9)).ceiling("wide") == 0


def test_the_root_itself_may_be_configured_under_its_name() -> None:
    assert _policy(10, **{"__global__": _scope(ceiling=4)}).ceiling("any/where") == 4


def test_a_weight_is_the_decimal_as_written() -> None:
    # in binary floating point 0.285 × 100 + 0.5 is 28.999…, which truncates to 28
    assert _policy(10, p=_scope("0.35")).ceiling("p") == 4
    assert _policy(100, p=_scope("0.285")).ceiling("p") == 29


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (InterruptsConfig(base=Decimal("1.1")), "interrupts.base"),
        (InterruptsConfig(base=Decimal("nan")), "interrupts.base"),
        (InterruptsConfig(cap=Decimal("-0.1")), "interrupts.cap"),
        (InterruptsConfig(base=Decimal("0.9"), cap=Decimal("0.8")), "interrupts.cap"),
        (InterruptsConfig(high_stakes_threshold=Decimal("inf")), "interrupts.high_stakes_threshold"),
        (InterruptsConfig(bar="timed", window="rolling"), "interrupts.bar"),
        (InterruptsConfig(scopes={"a": _scope("0")}), 'interrupts.scopes."a".weight'),
        (InterruptsConfig(scopes={"a": _scope("-1")}), 'interrupts.scopes."a".weight'),
        (InterruptsConfig(scopes={"a": _scope("nan")}), 'interrupts.scopes."a".weight'),
        (InterruptsConfig(scopes={"a": _scope("inf")}), 'interrupts.scopes."a".weight'),
        (InterruptsConfig(scopes={"a/": _scope()}), 'interrupts.scopes."a/"'),
        (InterruptsConfig(scopes={"caf\u00e9": _scope(), "cafe\u0301": _scope()}), 'interrupts.scopes."cafe\u0301"'),
    ],
)
def test_a_bad_policy_names_the_field(config: InterruptsConfig, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        policy(config)
    assert caught.value.field == field


def test_base_may_equal_cap() -> None:
    built = policy(InterruptsConfig(base=Decimal("0.7"), cap=Decimal("0.7")))
    assert built.base == built.cap == Fraction(7, 10)


def test_the_policy_hash_changes_with_every_setting_and_the_zone() -> None:
    configs = [
        InterruptsConfig(),
        InterruptsConfig(daily_interrupt_budget=4),
        InterruptsConfig(hard_cap=True),
        InterruptsConfig(bar="timed"),
        InterruptsConfig(scopes={"a": _scope()}),
        InterruptsConfig(scopes={"a": _scope("0.5")}),
    ]
    hashes = [policy(config).hash for config in configs] + [policy(InterruptsConfig(), "Asia/Tokyo").hash]
    assert len(set(hashes)) == len(hashes)
    assert policy(InterruptsConfig()).hash == hashes[0]


class _Counted(dict[str, int]):
    """Counts its look-ups."""

    looked = 0

    def get(self, key: str, default: int | None = None) -> int | None:  # type: ignore[override]
        self.looked += 1
        return super().get(key, default)


@pytest.mark.parametrize("depth", [1, 2, 8, 32])
def test_ceilings_cost_one_look_up_per_path(depth: int) -> None:
    local = _Counted({"s/" * level + "s": 5 for level in range(depth)})
    InterruptPolicy(root=9, local=local).ceilings(scopes.chain("/".join("s" * depth)))
    assert local.looked == depth + 2  # the root's own, then the root and each level once


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.29, Fraction(29, 100)),
        (0.1 + 0.2, Fraction("0.30000000000000004")),
        (1, Fraction(1)),
        (0, Fraction(0)),
        (-0.0, Fraction(0)),
        (Decimal("0.35"), Fraction(7, 20)),
        (Fraction(1, 3), Fraction(1, 3)),
        (5e-324, Fraction(Decimal("5e-324"))),
        (True, None),
        ("0.5", None),
        (None, None),
        (float("nan"), None),
        (float("inf"), None),
        (2.0, None),
        (-1, None),
        (Decimal("NaN"), None),
        (Decimal("1e-999999999"), None),
        (Decimal("0." + "1" * 500), None),
        (b"1", None),
    ],
)
def test_a_number_is_exact_or_no_number(value: object, expected: Fraction | None) -> None:
    assert unit(value) == expected


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_a_float_is_the_shortest_decimal_that_reads_back_as_it(value: float) -> None:
    exact = fraction(value)
    assert exact is not None
    assert float(exact) == value
