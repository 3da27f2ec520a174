"""Is one policy never looser than another? Shown for all facts, or answered with facts that show the contrary.

``looser_than`` follows every way through both policies. Each way that ends in allow here and in deny there is a set of
comparisons between polynomials of the facts; where no facts can satisfy them together (Fourier–Motzkin elimination, whole
numbers tightened), the way is harmless. Products of facts count as unknowns of their own, which can only make the answer
more careful. What is neither shown harmless nor found harmful within the bounds is refused: being intricate loosens nothing.

Pure and bounded. Must not be weakened to a sample of facts: the proposer may know the sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, gcd, lcm

from borgd.limits.escalation.evaluate import Apply, CompiledPolicy, Constant, FactReference, If, Node, Say, evaluate
from borgd.limits.escalation.facts import FACTS, Facts

MAX_WAYS = 4_000
"""guard: ways through one policy, and pairs of ways compared; five rules have six."""

MAX_TERMS = 40
"""guard: terms of one polynomial."""

MAX_CONSTRAINTS = 600
"""guard: inequalities while eliminating; a pair of ways of the shipped policy needs under twenty."""

SAMPLE_VALUES = 7
"""method: values tried for each number when looking for facts that show the difference."""

_HARD = FACTS.index("hard")
_SOFT = FACTS.index("soft")

Monomial = tuple[int, ...]
"""The facts multiplied, by their places, sorted; the empty one is the constant term."""

Polynomial = Mapping[Monomial, Fraction]


class _TooIntricateError(Exception):
    """A bound was reached."""


@dataclass(frozen=True, slots=True)
class Looser:
    """Why a policy is refused; ``facts`` shows it where such facts were found."""

    reason: str
    facts: Facts | None


@dataclass(frozen=True, slots=True)
class _Constraint:
    """``polynomial < 0`` or, not ``strict``, ``polynomial <= 0``."""

    polynomial: Polynomial
    strict: bool


@dataclass(frozen=True, slots=True)
class _Branch:
    """What must hold to get somewhere."""

    constraints: tuple[_Constraint, ...] = ()
    hard: bool | None = None

    def join(self, other: _Branch) -> _Branch | None:
        """Both together; None where they exclude each other."""
        if self.hard is not None and other.hard is not None and self.hard != other.hard:
            return None
        return _Branch(self.constraints + other.constraints, other.hard if self.hard is None else self.hard)


def _combine(left: Polynomial, right: Polynomial, factor: Fraction) -> Polynomial:
    terms = dict(left)
    for monomial, value in right.items():
        terms[monomial] = terms.get(monomial, Fraction(0)) + factor * value
    return _bounded(terms)


def _multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    terms: dict[Monomial, Fraction] = {}
    for (one, value), (two, other) in product(left.items(), right.items()):
        monomial = tuple(sorted(one + two))
        terms[monomial] = terms.get(monomial, Fraction(0)) + value * other
    return _bounded(terms)


def _bounded(terms: Mapping[Monomial, Fraction]) -> Polynomial:
    kept = {monomial: value for monomial, value in terms.items() if value}
    if len(kept) > MAX_TERMS:
        raise _TooIntricateError
    return kept


Value = Polynomial | bool | Say


class _Branches:
    """The ways through one policy: each with what must hold and what it ends in."""

    def __init__(self) -> None:
        self.count = 0

    def of(self, node: Node) -> list[tuple[_Branch, Value]]:
        found = list(self._of(node))
        self.count += len(found)
        if self.count > MAX_WAYS:
            raise _TooIntricateError
        return found

    def _of(self, node: Node) -> Iterator[tuple[_Branch, Value]]:
        match node:
            case Say():
                yield _Branch(), node
            case Constant(value):
                yield _Branch(), value if isinstance(value, bool) else _bounded({(): Fraction(value)})
            case FactReference(index):
                if index == _HARD:
                    yield _Branch(hard=True), True
                    yield _Branch(hard=False), False
                else:
                    yield _Branch(), {(index,): Fraction(1)}
            case If(condition, then, other):
                branches = {True: self.of(then), False: self.of(other)}
                for branch, truth in self.of(condition):
                    yield from self._joined(branch, branches[bool(truth)])
            case Apply(operator, arguments):
                yield from self._apply(operator, arguments)

    def _joined(self, branch: _Branch, ends: list[tuple[_Branch, Value]]) -> Iterator[tuple[_Branch, Value]]:
        for other, value in ends:
            joined = branch.join(other)
            if joined is not None:
                yield joined, value

    def _apply(self, operator: str, arguments: tuple[Node, ...]) -> Iterator[tuple[_Branch, Value]]:
        lefts = self.of(arguments[0])
        if operator == "not":
            yield from ((branch, not truth) for branch, truth in lefts)
            return
        rights = self.of(arguments[1])
        for branch, left in lefts:
            if operator in ("and", "or") and bool(left) == (operator == "or"):
                yield branch, left
                continue
            for joined, right in self._joined(branch, rights):
                if operator in ("and", "or"):
                    yield joined, right
                elif isinstance(left, bool) or isinstance(right, bool):
                    yield joined, left == right
                else:
                    assert not isinstance(left, Say)
                    assert not isinstance(right, Say)
                    yield from self._numbers(operator, joined, left, right)

    def _numbers(
        self, operator: str, branch: _Branch, left: Polynomial, right: Polynomial
    ) -> Iterator[tuple[_Branch, Value]]:
        if operator == "*":
            yield branch, _multiply(left, right)
        elif operator in "+-":
            yield branch, _combine(left, right, Fraction(1 if operator == "+" else -1))
        else:
            less = _combine(left, right, Fraction(-1))
            more = _combine(right, left, Fraction(-1))
            below, above = _Constraint(less, strict=True), _Constraint(more, strict=True)
            at_most, at_least = _Constraint(less, strict=False), _Constraint(more, strict=False)
            outcomes: dict[str, list[tuple[tuple[_Constraint, ...], bool]]] = {
                "<": [((below,), True), ((at_least,), False)],
                "<=": [((at_most,), True), ((above,), False)],
                ">": [((above,), True), ((at_most,), False)],
                ">=": [((at_least,), True), ((below,), False)],
                "==": [((at_most, at_least), True), ((below,), False), ((above,), False)],
            }
            for constraints, truth in outcomes[operator]:
                yield _Branch(branch.constraints + constraints, branch.hard), truth


def _tightened(constraint: _Constraint) -> _Constraint | bool:
    """In lowest whole terms; strict ones over whole numbers become ``<= -1``. True: always holds; False: never."""
    terms = {monomial: value for monomial, value in constraint.polynomial.items() if monomial}
    constant = constraint.polynomial.get((), Fraction(0))
    if not terms:
        return constant < 0 or (constant == 0 and not constraint.strict)
    scale = Fraction(lcm(*(value.denominator for value in terms.values())))
    scale /= gcd(*(int(value * scale) for value in terms.values()))
    terms = {monomial: value * scale for monomial, value in terms.items()}
    bound = -constant * scale
    if any(_SOFT in monomial for monomial in terms):
        return _Constraint({**terms, (): -bound}, constraint.strict)
    whole = ceil(bound) - 1 if constraint.strict else floor(bound)
    return _Constraint({**terms, (): Fraction(-whole)}, strict=False)


def _impossible(constraints: tuple[_Constraint, ...]) -> bool:
    """Whether no facts satisfy all of them (never wrongly True)."""
    pool: dict[tuple[tuple[Monomial, Fraction], ...], tuple[Fraction, bool]] = {}

    def add(constraint: _Constraint) -> bool:
        tight = _tightened(constraint)
        if isinstance(tight, bool):
            return tight
        key = tuple(sorted((monomial, value) for monomial, value in tight.polynomial.items() if monomial))
        bound = (tight.polynomial[()], tight.strict)
        pool[key] = max(pool.get(key, bound), bound)  # the larger constant binds harder; at the same constant, strict
        return True

    if not all(add(constraint) for constraint in constraints):
        return True
    while pool:
        counts: dict[Monomial, list[int]] = {}
        for key in pool:
            for monomial, value in key:
                counts.setdefault(monomial, [0, 0])[value > 0] += 1
        target = min(sorted(counts), key=lambda monomial: counts[monomial][0] * counts[monomial][1])
        lower: list[_Constraint] = []
        upper: list[_Constraint] = []
        for key in [key for key in pool if any(monomial == target for monomial, _ in key)]:
            constant, strict = pool.pop(key)
            constraint = _Constraint({**dict(key), (): constant}, strict)
            (upper if constraint.polynomial[target] > 0 else lower).append(constraint)
        for below, above in product(lower, upper):
            factor = -below.polynomial[target] / above.polynomial[target]
            if not add(_Constraint(_combine(below.polynomial, above.polynomial, factor), below.strict or above.strict)):
                return True
            if len(pool) > MAX_CONSTRAINTS:
                raise _TooIntricateError
    return False


def looser_than(floor_policy: CompiledPolicy, candidate: CompiledPolicy) -> Looser | None:
    """None when ``candidate`` denies, for all facts, whatever ``floor_policy`` denies; else why it is refused."""
    shown = as_strict(floor_policy, candidate)
    if shown:
        return None
    facts = _difference(floor_policy, candidate)
    if facts is not None:
        return Looser("it allows what the floor denies", facts)
    if shown is None:
        return Looser(
            "it is too intricate to be shown as strict as the floor; write it with fewer or simpler conditions", None
        )
    return Looser("it could not be shown to be as strict as the floor for all facts; keep the floor's comparisons", None)


def as_strict(floor_policy: CompiledPolicy, candidate: CompiledPolicy) -> bool | None:
    """Whether it is shown for all facts that ``candidate`` denies what the floor denies; None: a bound was reached."""
    try:
        allowing = [branch for branch, end in _Branches().of(candidate.body) if isinstance(end, Say) and end.allow]
        denying = [branch for branch, end in _Branches().of(floor_policy.body) if isinstance(end, Say) and not end.allow]
        if len(allowing) * len(denying) > MAX_WAYS:
            return None
        for one, other in product(allowing, denying):
            joined = one.join(other)
            if joined is not None and not _impossible(joined.constraints):
                return False
    except _TooIntricateError:
        return None
    return True


def _numbers_in(node: Node) -> Iterator[Fraction]:
    match node:
        case Constant(value):
            if not isinstance(value, bool):
                yield Fraction(value)
        case If(condition, then, other):
            for part in (condition, then, other):
                yield from _numbers_in(part)
        case Apply(_, arguments):
            for part in arguments:
                yield from _numbers_in(part)


_PARTS = (Fraction(0), Fraction(1, 2), Fraction(1))


def sample(*policies: CompiledPolicy) -> Iterator[Facts]:
    """Facts at and around every number in ``policies`` and around each other: where policies usually differ."""
    numbers = sorted(
        {whole for policy in policies for value in _numbers_in(policy.body) for whole in (floor(value), ceil(value))}
    )
    tokens = sorted(
        {0, 1, 100} | {value + step for value in numbers[:SAMPLE_VALUES] for step in (-1, 0, 1) if value + step >= 0}
    )
    turns = [value for value in tokens if value < 100][:SAMPLE_VALUES]
    for ceiling, part, hard in product(tokens[:SAMPLE_VALUES], _PARTS, (True, False)):
        soft = ceiling * part
        near = {floor(soft), ceil(soft), max(0, floor(soft) - 1), floor(soft) + 1, max(0, ceiling - 1), ceiling, ceiling + 1}
        for spent, min_local, iterations in product(sorted(near | set(tokens)), turns, turns):
            yield Facts(spent=spent, ceiling=ceiling, soft=soft, min_local=min_local, iterations=iterations, hard=hard)


def _difference(floor_policy: CompiledPolicy, candidate: CompiledPolicy) -> Facts | None:
    """Facts that ``candidate`` allows and ``floor_policy`` denies, if the sample has some."""
    for facts in sample(floor_policy, candidate):
        if evaluate(candidate, facts).allow and not evaluate(floor_policy, facts).allow:
            return facts
    return None
