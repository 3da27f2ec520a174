"""Rules files such as CLAUDE.md and AGENTS.md: each rule a candidate for a lesson, its own wording kept visible.

Pure: text in, candidates out. Headings, code, tables, links and plain descriptions are no rules. A candidate's question
is the rule turned around by a few fixed forms; where none fits, the rule is quoted. Nothing is kept without a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from borgd.lessons.sanitize import CONSEQUENCE_CHARS, PHRASE_CHARS, QUESTION_CHARS, clean

RULE_CHARS = 12
"""design: a shorter item says nothing that can be asked."""

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*$")
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)$")
_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|~~")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[A-ZÄÖÜÉÀ¡¿「])|(?<=[。！？])")
_NOT = r"(?:never|do not|don't|don’t|must not|should not|shouldn't|mustn't)"
_VERBS = (
    r"(?:add|always|ask|assume|await|break|build|call|catch|change|check|clean|close|commit|copy|create|define"
    r"|delete|deploy|describe"
    r"|document|edit|ensure|escape|explain|export|expose|extend|fix|follow|format|group|handle|hash|import|inject"
    r"|keep|limit|link|log"
    r"|maintain|mark|mock|move|name|open|order|pass|pin|place|prefer|prefix|put|quote|raise|read|rebase|reference"
    r"|remove|rename|replace"
    r"|return|reuse|review|round|run|sanitize|separate|set|sort|split|squash|start|stop|store|stick to|test|throw"
    r"|treat|try|update|use"
    r"|validate|verify|version|wait|wrap|write)"
)
_ENDS = " .!;:,。！"
_IS_RULE = re.compile(
    rf"(?i)^(?:please\s+)?(?:{_NOT}|no|only|avoid|make sure|be sure|{_VERBS})\b|\b(?:must|never|always|should|shall"
    rf"|do not|don't|don’t"
    r"|avoid|prefer|required|forbidden|not allowed|instead of)\b|\b(?:immer|nie|niemals|nicht|kein\w*|muss|müssen"
    r"|verwende|toujours|jamais"
    r"|ne pas|n'utilise\w*|siempre|nunca|usa|evita)\b|必ず|しない|禁止|使う|してください"
)
_BECAUSE = re.compile(
    r"(?i)(?:[,;:(–—-]\s*|\s)(?:because|since|otherwise|or else|or it|as this|which (?:would|will"
    r"|can))\b\s*(?P<why>[^)]{8,})\)?$"
)
_FORMS = (
    (re.compile(rf"(?i)^(?:please\s+)?(?:you\s+)?{_NOT}\s+(?:ever\s+)?(?P<rest>.+)$"), "Did I make sure not to {rest}?"),
    (re.compile(r"(?i)^(?:please\s+)?avoid\s+(?P<rest>.+)$"), "Did I avoid {rest}?"),
    (re.compile(r"(?i)^no\s+(?P<rest>.+)$"), "Is there no {rest}?"),
    (re.compile(r"(?i)^(?:please\s+)?(?:always\s+)?(?:make sure|be sure"
    r"|ensure)\s+(?P<rest>(?:that\s+)?.+)$"), "Did I make sure {rest}?"),
    (re.compile(rf"(?i)^(?:please\s+)?always\s+(?P<rest>{_VERBS}\b.+)$"), "Did I {rest}?"),
    (re.compile(rf"(?i)^(?:please\s+)?(?P<rest>{_VERBS}\b.+)$"), "Did I {rest}?"),
)  # fmt: skip


class RuleCandidate(NamedTuple):
    """A rule as it stands in the file (``rule``, ``line``, under ``heading``) and the lesson it might become."""

    rule: str
    line: int
    heading: str
    question: str
    consequence: str
    is_rule: bool


def candidates(text: str, name: str) -> list[RuleCandidate]:
    """Every item of the Markdown ``text`` that could be a rule, in order, each once; ``name`` is the file's for people."""
    found: dict[str, RuleCandidate] = {}
    for rule, line, heading in _items(text):
        if len(rule) >= RULE_CHARS and any(character.isalpha() for character in rule):
            found.setdefault(rule.casefold(), _candidate(rule, line, heading, name))
    return list(found.values())


def _candidate(rule: str, line: int, heading: str, name: str) -> RuleCandidate:
    because = _BECAUSE.search(rule)
    core = rule[: because.start()] if because and because.start() > RULE_CHARS else rule
    why = because["why"] if because and core is not rule else f"It breaks a rule of {name}: {rule}"
    consequence = clean(why[:1].upper() + why[1:].rstrip(_ENDS) + ".", CONSEQUENCE_CHARS)
    return RuleCandidate(rule, line, heading, as_question(core), consequence, _IS_RULE.search(rule) is not None)


def as_question(rule: str) -> str:
    """``rule`` turned around by the first form that fits, else quoted in a question; empty stays empty."""
    bare = clean(rule, PHRASE_CHARS * 4).rstrip(_ENDS)
    if not bare:
        return ""
    single = len(_SENTENCE.split(bare)) == 1 and not re.search(r";| [-–—] ", bare)
    for pattern, form in _FORMS if single else ():
        if match := pattern.match(bare):
            rest = match["rest"]
            return clean(form.format(rest=rest[:1].lower() + rest[1:] if rest[1:2].islower() else rest), QUESTION_CHARS)
    return clean(f"Does this hold here: {bare}?", QUESTION_CHARS)


def _items(text: str) -> Iterator[tuple[str, int, str]]:
    """(text, 1-based line, heading) of each list item and each sentence of a paragraph that reads like a rule."""
    heading, parents, block = "", list[tuple[int, str]](), list[str]()
    start = 0
    for number, line in [*_lines(text), (0, "")]:
        item, title = _ITEM.match(line), _HEADING.match(line)
        if item or title or not line.strip():
            yield from _block(block, start, heading, parents)
            block = []
        if title:
            heading, parents = _plain(title["title"]), []
        elif item:
            indent = len(item["indent"].expandtabs(4))
            parents = [parent for parent in parents if parent[0] < indent]
            block, start = [item["text"]], number
            parents.append((indent, item["text"]))
        elif line.strip():
            if not block:
                parents, start = [], number
            block.append(line.strip())


def _block(block: list[str], line: int, heading: str, parents: list[tuple[int, str]]) -> Iterator[tuple[str, int, str]]:
    text = _plain(" ".join(block))
    if not text or text.startswith(("|", "@", ">", "<", "http")):
        return
    if parents:
        above = [_plain(parent) for _, parent in parents[:-1]]
        lead = above[-1] if above and above[-1].endswith(":") else ""
        if not text.endswith(":"):
            yield f"{lead} {text}".strip(), line, heading
        return
    for sentence in _SENTENCE.split(text):
        if _IS_RULE.search(sentence) and not sentence.endswith(":"):
            yield sentence.strip(), line, heading


def _plain(text: str) -> str:
    return clean(_MARKUP.sub("", _LINK.sub(r"\1", text)), PHRASE_CHARS * 4)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines outside front matter, code and comments; those are blank."""
    text = re.sub(
        r"<!--.*?(?:-->|\Z)",
        lambda match: "\n" * match[0].count("\n"),
        text.removeprefix("\ufeff").replace("\r\n", "\n"),
        flags=re.S,
    )
    text = re.sub(r"\A---[ \t]*\n.*?\n---[ \t]*(?=\n|\Z)", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
            yield number, ""
        else:
            yield number, "" if fence else line
