"""The six facts a policy decides by, exact: no float ever rounds a threshold.

A soft threshold of 29 % of 100 tokens is 29, not the 28 that a truncated product of floats gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from borgd.limits.escalation.syntax import PolicyError

FACTS = ("spent", "ceiling", "soft", "min_local", "iterations", "hard")
"""design: the facts, in the order of the rule's parameters."""

MAX_DIGITS = 18
"""guard: digits of a number in a policy and of a fact; larger ones are not token counts."""


_NUMBER = re.compile(rf"-?\d{{1,{MAX_DIGITS}}}(?:\.\d{{1,{MAX_DIGITS}}}|/\d{{1,{MAX_DIGITS}}})?", re.ASCII)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the meters say. Tokens and turns are whole numbers; ``soft`` is exact and may be a fraction."""

    spent: int
    ceiling: int
    soft: Fraction
    min_local: int
    iterations: int
    hard: bool

    def values(self) -> tuple[int | Fraction | bool, ...]:
        """The facts in the order of the rule's parameters."""
        return (self.spent, self.ceiling, self.soft, self.min_local, self.iterations, self.hard)

    def plain(self) -> dict[str, Any]:
        """The facts as JSON values; a ``soft`` that is not a whole number is written ``"1/2"``."""
        soft = self.soft.numerator if self.soft.denominator == 1 else str(self.soft)
        return {**dict(zip(FACTS, self.values(), strict=True)), "soft": soft}


def exact(value: Any, name: str) -> Fraction:
    """``value`` (a whole number, a decimal number, or text such as ``"0.58"`` or ``"1/3"``) without rounding.

    A float is read as the decimal number it prints as: 0.29 is 29/100.

    :raises PolicyError: not a finite number, or one of more digits than MAX_DIGITS.
    """
    problem = f"{name}: expected a number of at most {MAX_DIGITS} digits"
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise PolicyError(f"{problem}, not {type(value).__name__}")
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise PolicyError(f"{problem}, not {value[:40]!r}")
    try:
        number = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise PolicyError(f"{problem}, not {str(value)[:40]}") from None
    if max(abs(number.numerator), number.denominator) >= 10**MAX_DIGITS:
        raise PolicyError(problem)
    return number


def facts_from(table: Mapping[str, Any]) -> Facts:
    """The facts in ``table``.

    :raises PolicyError: one is missing, unknown, or not of its kind.
    """
    unknown = sorted(set(table) - set(FACTS))
    if unknown:
        raise PolicyError(f"{unknown[0]}: no such fact; the facts are {', '.join(FACTS)}")
    missing = [name for name in FACTS if name not in table]
    if missing:
        raise PolicyError(f"{missing[0]}: missing; the facts are {', '.join(FACTS)}")
    if not isinstance(table["hard"], bool):
        raise PolicyError(f"hard: expected true or false, not {str(table['hard'])[:40]!r}")
    numbers = {name: exact(table[name], name) for name in FACTS[:-1]}
    for name in ("spent", "ceiling", "min_local", "iterations"):
        if numbers[name].denominator != 1:
            raise PolicyError(f"{name}: expected a whole number, not {numbers[name]}")
    return Facts(
        spent=int(numbers["spent"]),
        ceiling=int(numbers["ceiling"]),
        soft=numbers["soft"],
        min_local=int(numbers["min_local"]),
        iterations=int(numbers["iterations"]),
        hard=table["hard"],
    )
