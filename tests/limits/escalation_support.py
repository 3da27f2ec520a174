"""Random policies, well-formed and broken, and the grid of facts that escalation tests share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.resources import files
from itertools import product

from borgd.limits.escalation.facts import FACTS, Facts, facts_from

SHIPPED = files("borgd.limits.escalation").joinpath("escalation.metta").read_bytes()
HEAD = "(escalate $spent $ceiling $soft $min_local $iterations $hard)"
NUMBERS = ("0", "1", "2", "3", "0.5", "-1", "50", "100", "7")


def bare(data: bytes = SHIPPED) -> bytes:
    """A policy without its comments."""
    return b"\n".join(line for line in data.split(b"\n") if not line.startswith(b";")).strip()


def grid() -> Iterator[Facts]:
    """Every fact at, just under and just over each threshold, for tiny, ordinary and huge budgets."""
    for ceiling, soft in (
        (0, 0),
        (1, "0.5"),
        (100, "50.5"),
        (100, 50),
        (100, 150),
        (2_000_000, 1_000_000),
        (10**17, 10**17 - 1),
    ):
        edges = {0, 1, 49, 50, 51, ceiling - 1, ceiling, ceiling + 1, ceiling // 2, ceiling // 2 - 1, ceiling // 2 + 1}
        spents = sorted(edge for edge in edges if edge >= 0)
        for spent, (min_local, iterations), hard in product(
            spents, ((0, 0), (1, 0), (2, 1), (2, 2), (2, 3), (5, 4)), (True, False)
        ):
            yield facts_from(
                {
                    "spent": spent,
                    "ceiling": ceiling,
                    "soft": soft,
                    "min_local": min_local,
                    "iterations": iterations,
                    "hard": hard,
                }
            )


def random_facts(draw: random.Random) -> Facts:
    """Facts near each other, so that comparisons go both ways."""
    ceiling = draw.choice([0, 1, 3, 7, 100])
    return facts_from(
        {
            "spent": draw.randrange(ceiling + 3),
            "ceiling": ceiling,
            "soft": f"{draw.randrange(2 * ceiling + 3)}/2",
            "min_local": draw.randrange(4),
            "iterations": draw.randrange(5),
            "hard": draw.random() < 0.5,
        }
    )


def number(draw: random.Random, depth: int) -> str:
    kind = draw.randrange(6 if depth > 0 else 2)
    if kind == 0:
        return draw.choice(NUMBERS)
    if kind == 1 or kind == 2:
        return "$" + draw.choice(FACTS[:-1])
    if kind == 3:
        return f"(if {truth(draw, depth - 1)} {number(draw, depth - 1)} {number(draw, depth - 1)})"
    return f"({draw.choice('+-*')} {number(draw, depth - 1)} {number(draw, depth - 1)})"


def truth(draw: random.Random, depth: int) -> str:
    kind = draw.randrange(8 if depth > 0 else 2)
    if kind == 0:
        return draw.choice(["$hard", "True", "False"])
    if kind == 1 and depth <= 0:
        return f"(< {draw.choice(NUMBERS)} ${draw.choice(FACTS[:-1])})"
    if kind < 5:
        return f"({draw.choice(['<', '<=', '>', '>=', '=='])} {number(draw, depth - 1)} {number(draw, depth - 1)})"
    if kind == 5:
        return f"(== {truth(draw, depth - 1)} {truth(draw, depth - 1)})"
    if kind == 6:
        return f"(not {truth(draw, depth - 1)})"
    return f"({draw.choice(['and', 'or'])} {truth(draw, depth - 1)} {truth(draw, depth - 1)})"


def verdict(draw: random.Random, depth: int) -> str:
    if depth <= 0 or draw.random() < 0.2:
        return f'({draw.choice(["allow", "deny"])} "reason {draw.randrange(9)}")'
    return f"(if {truth(draw, depth - 1)} {verdict(draw, depth - 1)} {verdict(draw, depth - 1)})"


def random_policy(draw: random.Random, depth: int = 4) -> bytes:
    """A policy of the language, of any meaning."""
    return f"(= {HEAD} {verdict(draw, depth)})".encode()


WORDS = ("if", "and", "or", "not", "<", "<=", ">", ">=", "==", "=", "+", "-", "*", "allow", "deny", "True", "False")
PIECES = (
    *WORDS,
    *(f"${name}" for name in FACTS),
    *("0", "1", "2", "-1", "0.5", "9" * 20),
    *("(", ")", '"', ";", "\\", "\n", " ", "\x00", "\u202e", "é"),
    *("(escalate 1 2 3 4 5 True)", "!(import! &self py)", "(py-atom os.system)", '(allow "x")', '(deny "y")'),
)


def mutated(draw: random.Random, data: bytes) -> bytes:
    """``data`` after one to four random edits: a byte, a piece put in, taken out, doubled or moved, a word exchanged."""
    broken = bytearray(data)
    for _ in range(draw.randrange(1, 5)):
        at = draw.randrange(len(broken) + 1)
        end = min(len(broken), at + draw.choice((1, 1, 2, 8, 30)))
        kind = draw.randrange(7)
        if kind == 0 and at < len(broken):
            broken[at] = draw.randrange(256)
        elif kind == 1:
            broken[at:at] = draw.choice(PIECES).encode()
        elif kind == 2:
            del broken[at:end]
        elif kind == 3:
            broken[at:at] = broken[at:end] * draw.choice((1, 2, 40))
        elif kind == 4:
            other = draw.randrange(len(broken) + 1)
            piece = bytes(broken[at:end])
            broken[other:other] = piece
        else:
            one, other_word = draw.choice(PIECES[:28]).encode(), draw.choice(PIECES[:28]).encode()
            found = broken.find(one, at if kind == 5 else 0)
            if found >= 0:
                broken[found : found + len(one)] = other_word
    return bytes(broken)
