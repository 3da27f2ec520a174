"""Where an ask's confidence and stakes come from: stated by the agent, else a rule over its words (stakes), else a default.

Stakes: what a wrong guess would cost, in [0, 1]. Confidence: that a person is needed for it, in [0, 1]. Pure. The rules are
few and reasoned, English, and decide nothing alone: where a number came from goes with it into the verdict. None of them
lowers a confidence: an ask that states none clears while its account is unspent, whatever it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from borgd.limits.interrupts.exact_fractions import unit, written

FORM = "[stakes 0.8 confidence 0.7]"
"""design: how an agent states them, anywhere in the question; one alone is fine."""

DEFAULT_STAKES = Fraction(1, 2)
"""design: neither low nor high."""
DEFAULT_CONFIDENCE = Fraction(4, 5)
"""design: what ``threshold.unspent`` gives for the default budget; where no account is asked."""

_NAMED = r"(stakes|confidence)\b[\s:=]{0,4}([^\s,;\[\]]{0,40})"
_TAG = re.compile(rf"\[\s{{0,4}}(?:{_NAMED}[\s,;]{{0,4}}){{1,4}}\]", re.IGNORECASE)
_PAIR = re.compile(_NAMED, re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{0,9}(?:\.[0-9]{1,30})?\Z")
MAX_TEXT = 20_000
"""guard: characters of an ask that the rules read."""


class SourcedStakes(NamedTuple):
    """A number and where it came from: ``stated``, ``rule <name>``, ``default``. ``value`` None: stated, not in [0, 1]."""

    value: Fraction | None
    origin: str
    given: str = ""


class StakesRule(NamedTuple):
    """``reason`` says why words that match deserve these stakes. No rule touches the confidence."""

    name: str
    stakes: Fraction
    matches: Callable[[str], object]
    reason: str


def _any(*patterns: str) -> Callable[[str], object]:
    return re.compile("|".join(patterns), re.IGNORECASE).search


def _near(verbs: str, objects: str) -> Callable[[str], object]:
    """One of ``verbs`` (stems), then one of ``objects`` at most six words on."""
    return re.compile(rf"\b(?:{verbs})\w*(?:\W+\w+){{0,6}}?\W+(?:{objects})", re.IGNORECASE).search


RULES: tuple[StakesRule, ...] = (
    StakesRule(
        "irreversible",
        Fraction(19, 20),
        _any(r"\birreversibl", r"\bcan(?:no|')t be undone", r"\bpermanently\b", r"\bforce[- ]push", r"\brm -rf\b"),
        "a wrong guess cannot be taken back",
    ),
    StakesRule(
        "loses shared data",
        Fraction(19, 20),
        _near(
            "delet|drop|truncat|purg|wip|destroy|eras",
            r"(?:databases?|tables?|buckets?|backups?|repositor(?:y|ies)|(?:user|customer) (?:data|records|accounts))\b",
        ),
        "what others rely on would be gone",
    ),
    StakesRule(
        "production",
        Fraction(9, 10),
        _near("deploy|releas|migrat|restart|roll|appl|push|updat|enabl|disabl", r"prod(?:uction)?\b"),
        "users feel it at once",
    ),
    StakesRule(
        "secrets",
        Fraction(9, 10),
        _near(
            "rotat|revok|expos|commit|shar|publish|print|upload|send|logg",
            r"(?:secrets?|passwords?|credentials?|api[ _-]?keys?|private keys?|access tokens?)\b",
        ),
        "a secret that is out stays out",
    ),
    StakesRule(
        "money",
        Fraction(9, 10),
        _near(
            "charg|pay(?!load)|refund|purchas|buy|transfer|bill(?!ing)|subscrib",
            r"(?:customers?|cards?|accounts?|plans?|subscriptions?|invoices?|licen[cs]es?|money|[$€£] ?\d|\d+ ?(?:usd|eur))",
        ),
        "it spends somebody's money",
    ),
    StakesRule(
        "public interface",
        Fraction(3, 4),
        _any(
            r"\bpublic (?:api|interface)\b",
            r"\bbreaking change",
            r"\bbackwards?[- ]compatib",
            r"\b(?:api contract|wire format)\b",
        ),
        "others build on it",
    ),
    StakesRule(
        "schema",
        Fraction(3, 4),
        _any(r"\bschemas?\b", r"\bdata(?:base)? migrations?\b", r"\balter table\b"),
        "data outlives the code",
    ),
    StakesRule(
        "external mutation",
        Fraction(7, 10),
        _near("publish|e-?mail|post|send|announc|merg|push", r"(?:to|into|on)\b"),
        "it leaves this machine",
    ),
    StakesRule(
        "reversible and local",
        Fraction(1, 5),
        _any(
            r"\bvariable names?\b",
            r"\bname (?:of|for) (?:the|this|a) (?:local )?variable",
            r"\b(?:whitespace|indentation|import order|tabs or spaces|typo)\b",
            r"\bcomment (?:wording|style)\b",
            r"\bwording of (?:the|this|a) comment\b",
        ),
        "it can be changed later in a minute",
    ),
)
"""design: the first rule that matches counts; the higher stakes stand first."""


def stated(text: str) -> dict[str, str]:
    """What tags of FORM in ``text`` state, as written, by name; the last one of a name counts."""
    found: dict[str, str] = {}
    if "[" not in text:
        return found
    for tag in _TAG.finditer(text[:MAX_TEXT]):
        for pair in _PAIR.finditer(tag[0]):
            found[pair[1].lower()] = pair[2]
    return found


def without_tag(text: str) -> str:
    """``text`` without its tags: what a person reads, and what makes two asks the same."""
    return re.sub(r"\s{2,}", " ", _TAG.sub(" ", text)).strip()


def rule(text: str) -> StakesRule | None:
    """The rule for the words of an ask, None where none matches."""
    text = text[:MAX_TEXT]
    return next((entry for entry in RULES if entry.matches(text)), None)


def judge(
    text: str, confidence: object, stakes: object, default: Fraction = DEFAULT_CONFIDENCE
) -> tuple[SourcedStakes, SourcedStakes]:
    """An ask's confidence and stakes.

    :param text: question and options; ``confidence``, ``stakes``: as its program stated them, None where it did not.
    :param default: the confidence of an ask that states none, in [0, 1].
    """
    tags = stated(text)
    matched = rule(text) if stakes is None and "stakes" not in tags else None
    return (
        _one(confidence, tags.get("confidence"), None, default),
        _one(stakes, tags.get("stakes"), matched, DEFAULT_STAKES),
    )


def _one(given: object, tag: str | None, matched: StakesRule | None, default: Fraction) -> SourcedStakes:
    if given is not None:
        return SourcedStakes(unit(given), "stated", written(given))
    if tag is not None:
        number = unit(Decimal(tag)) if tag and _NUMBER.match(tag) else None
        return SourcedStakes(number, "stated", tag[:40])
    if matched is not None:
        return SourcedStakes(matched.stakes, f"rule {matched.name}")
    return SourcedStakes(default, "default")
