"""The policy language: one rule over six facts, compiled once, evaluated to exactly one verdict.

The language is a part of MeTTa, with the same meaning: ``(= (NAME six parameters) BODY)``, ``if``, the comparisons
``< <= > >= ==``, ``and or not``, ``+ - *``, numbers, ``True``, ``False``, and the verdicts ``(allow "…")``, ``(deny "…")``.
Parameters are bound by position. There is no call, no loop, no definition: a policy cannot run long, only be wrong.

Promises: what ``compile_policy`` accepts, ``evaluate`` answers, for all facts, in at most MAX_NODES steps, in exact
arithmetic. Types are settled when compiling, so nothing can fail later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, Literal

import msgspec

from borgd.limits.escalation.facts import FACTS, MAX_DIGITS, Facts
from borgd.limits.escalation.syntax import (
    MAX_NODES,
    Form,
    PolicyError,
    SourceText,
    StringLiteral,
    SyntaxWord,
    Tree,
    decode,
    parse,
)

EVALUATOR = "borgd-policy/1"
"""method: name and version of this evaluator, in every verdict's line of the trail."""

MAX_STEPS = MAX_NODES
"""guard: without calls or loops each node is visited at most once."""

Kind = Literal["number", "truth", "verdict"]


class EscalationVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy says: ``allow`` or not, the reason in its own words, the file's hash, the steps taken."""

    allow: bool
    reason: str
    policy: str
    steps: int

    @property
    def word(self) -> str:
        """``allow`` or ``deny``."""
        return "allow" if self.allow else "deny"


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or a truth value."""

    value: Fraction | int | bool


@dataclass(frozen=True, slots=True)
class FactReference:
    """The fact at this place of FACTS."""

    index: int


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator over one or two arguments."""

    operator: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Only the branch that is taken is evaluated."""

    condition: Node
    then: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Say:
    """A verdict."""

    allow: bool
    reason: str


Node = Constant | FactReference | Apply | If | Say


@dataclass(frozen=True, slots=True)
class CompiledPolicy:
    """A policy that can be evaluated. ``hash`` is the SHA-256 of the file's bytes."""

    hash: str
    body: Node


_COMPARISONS = frozenset({"<", "<=", ">", ">=", "=="})
_ARITHMETIC = frozenset({"+", "-", "*"})
_RESERVED = _COMPARISONS | _ARITHMETIC | {"if", "and", "or", "not", "allow", "deny", "=", "True", "False"}


def digest(data: bytes) -> str:
    """The hash a policy is pinned by."""
    return sha256(data).hexdigest()


def compile_policy(data: bytes) -> CompiledPolicy:
    """The policy in a file's bytes.

    :raises PolicyError: anything but exactly one rule of the language; names line, column and what was expected.
    """
    source = decode(data)
    trees = parse(source)
    if not trees:
        raise PolicyError("no rule in the file; expected (= (escalate $spent …) BODY)")
    if len(trees) > 1:
        raise source.error("expected exactly one rule; a policy with two would have two verdicts", trees[1].at)
    rule = trees[0]
    if not isinstance(rule, Form) or len(rule.items) != 3 or not _is_word(rule.items[0], "="):
        raise source.error("expected one rule: (= (escalate $spent …) BODY)", rule.at)
    parameters = _parameters(rule.items[1], source)
    body, kind = _Compiler(source, parameters).node(rule.items[2])
    if kind != "verdict":
        raise source.error(f'the rule must end in (allow "…") or (deny "…"), not in a {kind}', rule.items[2].at)
    return CompiledPolicy(digest(data), body)


def _is_word(tree: Tree, text: str) -> bool:
    return isinstance(tree, SyntaxWord) and tree.text == text


def _parameters(head: Tree, source: SourceText) -> dict[str, int]:
    """The place of each parameter.

    :raises PolicyError: not a name and six different variables, or a fact's name in another fact's place.
    """
    expected = f"expected (escalate {' '.join('$' + fact for fact in FACTS)})"
    if not isinstance(head, Form) or len(head.items) != len(FACTS) + 1:
        raise source.error(expected, head.at)
    name = head.items[0]
    if not isinstance(name, SyntaxWord) or name.text in _RESERVED or not name.text[0].isalpha():
        raise source.error(expected, name.at)
    places: dict[str, int] = {}
    for index, item in enumerate(head.items[1:]):
        if not isinstance(item, SyntaxWord) or not item.text.startswith("$") or len(item.text) < 2 or item.text in places:
            raise source.error(f"{expected}: six different variables", item.at)
        if item.text[1:] in FACTS and item.text[1:] != FACTS[index]:
            raise source.error(f"{item.text} stands in the place of ${FACTS[index]}; {expected}", item.at)
        places[item.text] = index
    return places


@dataclass(frozen=True, slots=True)
class _Compiler:
    source: SourceText
    parameters: dict[str, int]

    def fail(self, problem: str, tree: Tree) -> PolicyError:
        return self.source.error(problem, tree.at)

    def node(self, tree: Tree) -> tuple[Node, Kind]:
        if isinstance(tree, StringLiteral):
            raise self.fail("a text can only stand in a verdict", tree)
        if isinstance(tree, SyntaxWord):
            return self.word(tree)
        if not tree.items or not isinstance(tree.items[0], SyntaxWord):
            raise self.fail("expected an operator", tree)
        operator, arguments = tree.items[0].text, tree.items[1:]
        if operator in ("allow", "deny"):
            return self.verdict(operator, arguments, tree), "verdict"
        if operator == "if":
            return self.branch(arguments, tree)
        if operator in ("and", "or"):
            return Apply(operator, self.all(arguments, "truth", 2, tree)), "truth"
        if operator == "not":
            return Apply(operator, self.all(arguments, "truth", 1, tree)), "truth"
        if operator in _ARITHMETIC:
            return Apply(operator, self.all(arguments, "number", 2, tree)), "number"
        if operator == "==":
            return Apply(operator, self.same(arguments, tree)), "truth"
        if operator in _COMPARISONS:
            return Apply(operator, self.all(arguments, "number", 2, tree)), "truth"
        raise self.fail(f"{operator[:40]!r} is not in the policy language", tree.items[0])

    def word(self, tree: SyntaxWord) -> tuple[Node, Kind]:
        if tree.text in self.parameters:
            index = self.parameters[tree.text]
            return FactReference(index), "truth" if FACTS[index] == "hard" else "number"
        if tree.text in ("True", "False"):
            return Constant(tree.text == "True"), "truth"
        digits = tree.text.removeprefix("-")
        whole, point, part = digits.partition(".")
        if all(piece.isascii() and piece.isdigit() for piece in ((whole, part) if point else (whole,))):
            if len(digits) - len(point) > MAX_DIGITS:
                raise self.fail(f"a number of more than {MAX_DIGITS} digits", tree)
            return Constant(Fraction(tree.text) if point else int(tree.text)), "number"
        if tree.text.startswith("$"):
            raise self.fail(f"{tree.text[:40]} is not one of the rule's parameters", tree)
        raise self.fail(f"expected a number, True, False or a parameter, not {tree.text[:40]!r}", tree)

    def all(self, arguments: tuple[Tree, ...], kind: Kind, count: int, tree: Form) -> tuple[Node, ...]:
        nodes = self.count(arguments, count, tree)
        for (_, found), argument in zip(nodes, arguments, strict=True):
            if found != kind:
                raise self.fail(f"expected a {kind}, not a {found}", argument)
        return tuple(node for node, _ in nodes)

    def same(self, arguments: tuple[Tree, ...], tree: Form) -> tuple[Node, ...]:
        (left, kind), (right, other) = self.count(arguments, 2, tree)
        if kind != other or kind == "verdict":
            raise self.fail(f"== compares two numbers or two truths, not a {kind} and a {other}", tree)
        return (left, right)

    def count(self, arguments: tuple[Tree, ...], count: int, tree: Form) -> list[tuple[Node, Kind]]:
        if len(arguments) != count:
            name = tree.items[0].text if isinstance(tree.items[0], SyntaxWord) else ""
            raise self.fail(f"{name} takes {count} argument{'s' * (count > 1)}, not {len(arguments)}", tree)
        return [self.node(argument) for argument in arguments]

    def branch(self, arguments: tuple[Tree, ...], tree: Form) -> tuple[Node, Kind]:
        (condition, kind), (then, left), (other, right) = self.count(arguments, 3, tree)
        if kind != "truth":
            raise self.fail(f"the condition of if must be a truth, not a {kind}", arguments[0])
        if left != right:
            raise self.fail(f"both branches of if must be of one kind, not a {left} and a {right}", tree)
        return If(condition, then, other), left

    def verdict(self, word: str, arguments: tuple[Tree, ...], tree: Form) -> Say:
        if len(arguments) != 1 or not isinstance(arguments[0], StringLiteral) or not arguments[0].text.strip():
            raise self.fail(f'expected ({word} "a reason")', tree)
        return Say(word == "allow", arguments[0].text)


class _Walk:
    """One evaluation, counting its steps."""

    def __init__(self, facts: Facts, max_steps: int) -> None:
        self.values = facts.values()
        self.left = max_steps

    def value(self, node: Node) -> Fraction | int | bool | Say:
        self.left -= 1
        if self.left < 0:
            raise PolicyError("the policy takes more steps than it may")
        match node:
            case If(condition, then, other):
                return self.value(then if self.value(condition) else other)
            case FactReference(index):
                return self.values[index]
            case Constant(value):
                return value
            case Say():
                return node
            case Apply(operator, arguments):
                return self.apply(operator, arguments)

    def apply(self, operator: str, arguments: tuple[Node, ...]) -> Fraction | int | bool:
        left: Any = self.value(arguments[0])
        if operator == "not":
            return not left
        if operator == "and":
            return bool(left and self.value(arguments[1]))
        if operator == "or":
            return bool(left or self.value(arguments[1]))
        right: Any = self.value(arguments[1])
        result: Fraction | int | bool = _BINARY[operator](left, right)
        return result


_BINARY: Mapping[str, Any] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "==": lambda left, right: left == right,
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}


def evaluate(policy: CompiledPolicy, facts: Facts, max_steps: int = MAX_STEPS) -> EscalationVerdict:
    """The one verdict of ``policy`` for ``facts``.

    :raises PolicyError: only where ``max_steps`` is smaller than MAX_STEPS and the policy needs more.
    """
    walk = _Walk(facts, max_steps)
    said = walk.value(policy.body)
    assert isinstance(said, Say), "compiling settled that the body is a verdict"
    return EscalationVerdict(allow=said.allow, reason=said.reason, policy=policy.hash, steps=max_steps - walk.left)
