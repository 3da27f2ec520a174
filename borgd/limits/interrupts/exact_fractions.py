"""Numbers as exact fractions. A float stands for the shortest decimal that reads back as it, so 0.29 is 29/100.

Pure. Must not guess: what is not a number in its range is None, and the caller sends it to a person.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

MAX_DIGITS = 400
"""guard: digits before or after the point; a float needs at most 324."""

ONE = Fraction(1)
HALF = Fraction(1, 2)


def fraction(value: object) -> Fraction | None:
    """``value`` exactly, or None: not a number (text, true, NaN, infinite) or one with absurdly many digits."""
    if isinstance(value, float):
        value = Decimal(repr(value))
    elif isinstance(value, bool):
        return None
    elif isinstance(value, int):
        return Fraction(value)
    elif isinstance(value, Fraction):
        return value
    if not isinstance(value, Decimal) or not value.is_finite():
        return None
    _, digits, exponent = value.as_tuple()
    if len(digits) > MAX_DIGITS or not isinstance(exponent, int) or abs(exponent) > MAX_DIGITS:
        return None
    return Fraction(*value.as_integer_ratio())


def unit(value: object) -> Fraction | None:
    """``value`` exactly where it is a number in [0, 1], else None."""
    number = fraction(value)
    return number if number is not None and 0 <= number.numerator <= number.denominator else None


def written(value: object) -> str:
    """``value`` as it was given, in at most 40 characters."""
    try:
        return str(value)[:40]
    except ValueError:  # an integer of thousands of digits
        return f"a very long {type(value).__name__}"


def half_up(value: Fraction) -> int:
    """The nearest integer of a value ≥ 0, halves away from zero (5/2 is 3), never to even."""
    return (value.numerator * 2 + value.denominator) // (value.denominator * 2)
