"""The interrupt policy as exact numbers, and the ceiling of every scope in it.

ceiling(s) = min over s and its ancestors of clamp(half-up(weight × (own ceiling or the root's)), 1, root); 0 means never.
A weight scales the scope's own ceiling, or the root's where it has none: never its parent's. Pure, one pass per path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import msgspec

from borgd.config.schema import InterruptsConfig, ScopeConfig
from borgd.errors import ConfigError, LimitError
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.exact_fractions import ONE, fraction, half_up, unit

ThresholdKind = Literal["linear", "timed"]
WindowKind = Literal["day", "rolling"]
Counting = Literal["count", "meter"]
"""count: such asks are counted and never deferred; meter: the budget decides."""


@dataclass(frozen=True)
class InterruptPolicy:
    """What an ask is judged by. ``local`` holds the ceiling of each configured scope, its ancestors left out.

    ``root`` in asks per window; ``base``, ``cap``, ``high_stakes`` in [0, 1], base ≤ cap; ``hash`` names exactly
    this policy.
    """

    root: int = 3
    base: Fraction = Fraction(1, 2)
    cap: Fraction = Fraction(19, 20)
    high_stakes: Fraction = Fraction(9, 10)
    threshold_kind: ThresholdKind = "linear"
    window: WindowKind = "day"
    zone: str = "UTC"
    hard_cap: bool = False
    strict_scopes: bool = False
    attended: Counting = "count"
    plan: Counting = "count"
    permission: Counting = "count"
    local: Mapping[str, int] = field(default_factory=dict)
    hash: str = ""

    def ceiling(self, scope: str) -> int:
        """The ceiling of the parsed path ``scope``."""
        return self.ceilings(scopes.chain(scope))[-1]

    def ceilings(self, chain: tuple[str, ...]) -> list[int]:
        """The ceiling of every path of ``chain`` (root first), each the smallest so far: one look-up per path."""
        smallest, found = self.local.get(scopes.ROOT, self.root), []
        for path in chain:
            own = self.local.get(path)
            if own is not None and own < smallest:
                smallest = own
            found.append(smallest)
        return found


def local_ceiling(weight: Fraction, ceiling: int | None, root: int) -> int:
    """One scope's own ceiling: clamp(half-up(weight × (ceiling or root)), 1, root), or 0 where the ceiling is 0."""
    own = root if ceiling is None else ceiling
    if own == 0 or root == 0:
        return 0
    return max(1, min(root, half_up(weight * own)))


def policy(config: InterruptsConfig, zone: str = "UTC", source: str = "config.toml") -> InterruptPolicy:
    """``config`` as exact numbers.

    :param zone: the machine's IANA zone, used where the configuration names none.
    :raises ConfigError: base, cap or threshold outside [0, 1], base over cap, a weight not above 0, a bad scope path.
    """
    numbers: dict[str, Fraction] = {}
    for name in ("base", "cap", "high_stakes_threshold"):
        given = getattr(config, name)
        number = unit(given)
        if number is None:
            raise ConfigError(source, f"expected a number in [0, 1], got {given}", field=f"interrupts.{name}")
        numbers[name] = number
    if numbers["cap"] < numbers["base"]:
        raise ConfigError(source, f"expected at least base ({config.base}), got {config.cap}", field="interrupts.cap")
    if config.bar == "timed" and config.window != "day":
        raise ConfigError(source, 'expected window = "day", a timed bar needs one', field="interrupts.bar")
    local: dict[str, int] = {}
    for name, scope in config.scopes.items():
        where = f'interrupts.scopes."{name[:80]}"'
        path = _path(name, where, source)
        if path in local:
            raise ConfigError(source, "expected each scope once, this is a second spelling of one", field=where)
        local[path] = local_ceiling(_weight(scope, where, source), scope.ceiling, config.daily_interrupt_budget)
    return InterruptPolicy(
        root=config.daily_interrupt_budget,
        base=numbers["base"],
        cap=numbers["cap"],
        high_stakes=numbers["high_stakes_threshold"],
        threshold_kind=config.bar,
        window=config.window,
        zone=config.time_zone or zone,
        hard_cap=config.hard_cap,
        strict_scopes=config.strict_scopes,
        attended=config.attended,
        plan=config.plan,
        permission=config.permission,
        local=local,
        hash=policy_hash(config, config.time_zone or zone),
    )


def _path(name: str, where: str, source: str) -> str:
    try:
        return scopes.parse(name)
    except LimitError as error:
        raise ConfigError(source, str(error), field=where) from None


def _weight(scope: ScopeConfig, where: str, source: str) -> Fraction:
    weight = fraction(scope.weight)
    if weight is None or weight <= 0:
        expected = f"expected a number above 0, got {scope.weight} (ceiling = 0 means never)"
        raise ConfigError(source, expected, field=f"{where}.weight")
    return ONE if weight == 1 else weight


def policy_hash(config: InterruptsConfig, zone: str) -> str:
    """16 hexadecimal digits that change with any setting of ``config`` or the zone, and with nothing else."""
    return hashlib.sha256(msgspec.json.encode((zone, config), order="deterministic")).hexdigest()[:16]
