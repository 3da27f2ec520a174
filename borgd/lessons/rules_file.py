"""Rules files such as CLAUDE.md and AGENTS.md: each rule a candidate for a lesson, its own wording kept visible.

Pure: text in, candidates out. Every item that was read comes out, a rule or with why it is none: a description, too short,
a repetition, a table's row, HTML, code, a heading. Nothing is kept without a person.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from borgd.lessons.redact import redact
from borgd.lessons.rule_words import FORMS, VERBS, WIDE, is_rule, quoted
from borgd.lessons.rules_markdown import BULLET, MarkdownItem, items
from borgd.lessons.sanitize import CONSEQUENCE_CHARS, PHRASE_CHARS, QUESTION_CHARS, clean, clean_all

RULE_CHARS = 12
"""design: a shorter item says nothing that can be asked; a character of a script without spaces counts WIDE_CHARS."""
WIDE_CHARS = 3
"""design: characters of a Latin word that a character of Chinese, Japanese or Korean stands for."""
SITUATIONS = 5
"""design: situations taken from a rule itself."""

_ENDS = " .!;:,。！；：，"
_NEGATIVE = re.compile("[❌🚫⛔👎✖✗✘🙅]")
_LABEL = re.compile(r"^(?P<label>[^`:：.]{2,60})[:：]\s+(?P<rest>\S.*)$")
_MARKER = re.compile(
    r"(?i)^\W*(?:warning|note|important|critical|caution|tip|rule\s*\w*|remember|must|do|don'?t|always|never)\W*$"
)
_BECAUSE = re.compile(
    r"(?i)(?:[,;:(–—-]\s*|\s)(?:because|since|otherwise|or else|or it|as this|which (?:would|will"
    r"|can))\b\s*(?P<why>[^)]{8,})\)?$"
)
_PLAIN_HEADING = re.compile(
    r"(?i)^\W*+(?:(?:critical|important|general|key|core|the|our|my|project|coding|code|development|agent|ai|claude|mandatory|must"
    r"|rules?|guidelines?|instructions?|conventions?|principles?|practices?|best|notes?|overview|style|standards?|do'?s?|don'?ts?|and"
    r"|for|other|additional|misc\w*|tips?|requirements?|policy|policies|always|never|of|to|\d++)(?!\w)\W*+)++$"
)
_PREPOSITION = re.compile(
    r"\s+(?:in|of|on|at|to|for|from|with|without|outside|inside|unless|by|as|into|over|after|before)\b"
)
_PATH = re.compile(r"[\w.*@-]*/[\w./*@{},-]+|[\w*-]+\.[A-Za-z]{1,5}\b")


class RuleCandidate(NamedTuple):
    """A rule as it stands in the file (``rule``, ``line``, under ``heading``) and the lesson it might become.

    ``why_not`` says why it is taken for none: description, short, repeated, table, html, code, heading; empty: it is one.
    """

    rule: str
    line: int
    heading: str
    question: str
    consequence: str
    is_rule: bool
    situations: tuple[str, ...] = ()
    why_not: str = ""


_BRACKETS = re.compile(r"[\[\]]{32,}")
"""Runs that no rule has, and that a Markdown reader takes seconds for."""


def candidates(text: str, name: str) -> list[RuleCandidate]:
    """Every item of the Markdown ``text``, in order, rules and others; ``name`` is the file's for people.

    Headings come only where they read like rules: so that nobody wonders where one went.
    """
    found: list[RuleCandidate] = []
    seen: set[str] = set()
    for item in items(_BRACKETS.sub("", text)):
        rule = clean(_rule(item), PHRASE_CHARS * 4)
        if not any(character.isalnum() for character in rule) or (item.kind == "heading" and not is_rule(rule)):
            continue
        why_not = _why_not(item, rule)
        if not why_not and rule.casefold() in seen:
            why_not = "repeated"
        seen.add(rule.casefold())
        found.append(_candidate(item, rule, name, why_not))
    return found


def _rule(item: MarkdownItem) -> str:
    bullet = BULLET.match(item.text)
    text = item.text[bullet.end() :] if bullet else item.text
    if bullet and _NEGATIVE.match(bullet[0]) and not re.match(r"(?i)(?:never|do not|don't|don’t|no|avoid)\b", text):
        text = f"Never {text[:1].lower()}{text[1:]}" if re.match(rf"(?i){VERBS}\b", text) else f"Not allowed: {text}"
    return f"{item.lead} {text}".strip() if item.kind == "item" else text


def _why_not(item: MarkdownItem, rule: str) -> str:
    if item.kind not in ("item", "sentence"):
        return item.kind
    if length(rule) < RULE_CHARS or not any(character.isalpha() for character in rule):
        return "short"
    if rule.startswith(("@", "http://", "https://")) or not any(map(is_rule, _readings(item, rule))):
        return "description"
    return ""


def _readings(item: MarkdownItem, rule: str) -> tuple[str, ...]:
    """``rule`` with and without what leads it: a label before a colon, the list item above."""
    label = _LABEL.match(rule)
    own = rule[len(item.lead) :].strip() if item.lead and rule.startswith(item.lead) else rule
    return (rule, own, label["rest"]) if label else (rule, own)


def length(rule: str) -> int:
    """How much ``rule`` says, in characters of a Latin script."""
    return len(rule) + (WIDE_CHARS - 1) * len(WIDE.findall(rule))


def _candidate(item: MarkdownItem, rule: str, name: str, why_not: str) -> RuleCandidate:
    because = _BECAUSE.search(rule)
    core = rule[: because.start()] if because and because.start() > RULE_CHARS else rule
    why = because["why"] if because and core is not rule else f"It breaks a rule of {name}: {rule}"
    consequence = clean(why[:1].upper() + why[1:].rstrip(_ENDS) + ".", CONSEQUENCE_CHARS)
    heading = item.headings[-1] if item.headings else ""
    return RuleCandidate(
        rule, item.line, heading, as_question(core), consequence, not why_not, _situations(item, core), why_not
    )


def _situations(item: MarkdownItem, core: str) -> tuple[str, ...]:
    """When the rule applies, from what it stands under, its own words, and the code and paths that it names."""
    core = redact(core)  # the paths are looked for in what is left: an address holds a password in a path's shape
    found = [heading for heading in item.headings[-2:] if not _PLAIN_HEADING.match(heading)]
    found.append(item.lead.rstrip(":： "))
    label = _LABEL.match(core)
    if label and not _MARKER.match(label["label"]):
        found.append(label["label"])
    found.append((label["rest"] if label else core).replace("`", ""))
    spans = [*map(redact, item.code), *_PATH.findall(re.sub(r"`[^`]*`", " ", core))]
    if spans:
        found.append(f"work with {', '.join(dict.fromkeys(spans))}")
    return clean_all((one.strip(_ENDS) for one in found), PHRASE_CHARS, SITUATIONS)


def as_question(rule: str) -> str:
    """``rule`` turned around by the first form that fits, else quoted in a question; empty stays empty."""
    bare = clean(rule, PHRASE_CHARS * 4).rstrip(_ENDS)
    if not bare:
        return ""
    if bare.endswith(("?", "？")):
        return clean(bare, QUESTION_CHARS)
    label = _LABEL.match(bare)
    if label and is_rule(label["rest"]):
        asked = as_question(label["rest"])
        if _MARKER.match(label["label"]) or asked == quoted(label["rest"]):
            return asked if _MARKER.match(label["label"]) else clean(quoted(bare), QUESTION_CHARS)
        return clean(f"{label['label']}: {_lowered(asked)}", QUESTION_CHARS)
    single = not re.search(r"[.!?。！？]\s+[A-Z]|;| [-–—→] ", re.sub(r"`[^`]*`", "x", bare))
    for form in FORMS if single else ():
        if match := form.pattern.match(bare):
            parts = {name: _lowered(part) if name == "rest" else part for name, part in match.groupdict().items()}
            return clean(form.question.format(**parts, be=_be(parts["rest"] or "")), QUESTION_CHARS)
    return clean(quoted(bare), QUESTION_CHARS)


def _be(noun: str) -> str:
    """Is or are, as the thing that ``noun`` begins with asks for."""
    thing = _PREPOSITION.split(noun, maxsplit=1)[0].rstrip("`\"' ")
    return "Are" if re.search(r"[a-z](?<!s)(?<!u)(?<!i)s$", thing) else "Is"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
