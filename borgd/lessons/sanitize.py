"""Text hygiene: what any text must go through before it is stored and again before it is shown.

Promises one line of visible text in NFC: no control, bidirectional, zero-width, tag or other invisible characters, no
lone surrogates, no line separator of any kind, single spaces, at most the field's length. Cleaning twice changes nothing.
Must not judge what a text says: harmless lessons that quote an attack stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import msgspec

from borgd.lessons.lesson import Lesson

QUESTION_CHARS = 400
"""guard: longest question of a lesson."""
CONSEQUENCE_CHARS = 400
"""guard: longest consequence."""
PHRASE_CHARS = 200
"""guard: longest situation, facet, overridden rule or origin."""
FILE_WORD_CHARS = 60
"""guard: characters of a person's or a machine's name in a file's name."""
NAME_CHARS = 80
"""guard: longest scope name, engineer, area or id."""
REPO_CHARS = 200
"""guard: longest ``owner/name`` of a repository."""
LIST_ITEMS = 16
"""guard: most situations, scopes or facets of a lesson."""
PEOPLE_ITEMS = 64
"""guard: most engineers or superseded ids of a lesson."""
PATTERN_CHARS = 200
"""guard: longest pattern; a longer one is left out, since half a pattern means something else."""
PATTERNS = 8
"""guard: most signs, and most handled patterns, of a lesson."""
HISTORY_ITEMS = 50
"""guard: most history entries kept, the newest."""
HISTORY_DEPTH = 4
"""guard: deepest nesting inside a history entry."""

ELLIPSIS = "…"

_ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_BLANK = "\u2800\u3164\uffa0\u115f\u1160"
_BLANKS = str.maketrans(dict.fromkeys(_BLANK, " "))
_ESCAPED = {9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r", 0x85: r"\x85", 0x2028: r"\u2028", 0x2029: r"\u2029"}
_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are not white space
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, Arabic letter mark, Mongolian selectors
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidirectional marks, embeddings and isolates
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufdd0-\ufdef"  # variation selectors, BOM, annotations, noncharacters
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and variation selectors: whole texts hide in them
    + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)


def clean(text: str, limit: int) -> str:
    """``text`` as one visible line of at most ``limit`` characters, the last one … where it was cut."""
    if text.isascii() and text.isprintable():
        if len(text) <= limit and "  " not in text and text[:1] != " " and text[-1:] != " ":
            return text
    else:
        text = _INVISIBLE.sub("", _ESCAPE_SEQUENCE.sub("", text).translate(_BLANKS))
        text = unicodedata.normalize("NFC", text)
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + ELLIPSIS if limit > 0 else ""


def clean_all(texts: Iterable[str], limit: int, items: int) -> tuple[str, ...]:
    """Each of ``texts`` cleaned, the empty and the repeated left out, at most ``items`` of them, in their order."""
    kept = dict.fromkeys([clean(text, limit) for text in texts])
    kept.pop("", None)
    return tuple(kept)[:items]


def clean_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Each of ``patterns`` without invisible characters, its line breaks and tabs written as escapes, at most PATTERNS.

    White space is part of a pattern and stays. Left out: what is empty, repeated or longer than PATTERN_CHARS.
    """
    visible = (_INVISIBLE.sub("", pattern.translate(_ESCAPED)) for pattern in patterns)
    return tuple(dict.fromkeys(one for one in visible if one.strip() and len(one) <= PATTERN_CHARS))[:PATTERNS]


def _clean_value(value: object, depth: int) -> object:
    if isinstance(value, str):
        return clean(value, QUESTION_CHARS)
    if isinstance(value, dict):
        if depth == 0:
            return {}
        return {clean(str(key), NAME_CHARS): _clean_value(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [] if depth == 0 else [_clean_value(item, depth - 1) for item in value]
    return value


def _clean_entry(entry: dict[str, object]) -> dict[str, object]:
    cleaned = _clean_value(entry, HISTORY_DEPTH)
    assert isinstance(cleaned, dict)
    return cleaned


def clean_lesson(lesson: Lesson) -> Lesson:
    """``lesson`` with every text field cleaned to its cap; ids, numbers, source and reach are left alone."""
    return msgspec.structs.replace(
        lesson,
        question=clean(lesson.question, QUESTION_CHARS),
        consequence=clean(lesson.consequence, CONSEQUENCE_CHARS),
        situations=clean_all(lesson.situations, PHRASE_CHARS, LIST_ITEMS),
        scope=clean_all(lesson.scope, NAME_CHARS, LIST_ITEMS),
        area=clean(lesson.area, NAME_CHARS),
        engineers=clean_all(lesson.engineers, NAME_CHARS, PEOPLE_ITEMS),
        repo=clean(lesson.repo, REPO_CHARS),
        supersedes=clean_all(lesson.supersedes, NAME_CHARS, PEOPLE_ITEMS),
        overrides=clean(lesson.overrides, PHRASE_CHARS),
        origin=clean(lesson.origin, PHRASE_CHARS),
        facets=clean_all(lesson.facets, PHRASE_CHARS, LIST_ITEMS),
        signs=clean_patterns(lesson.signs),
        handled=clean_patterns(lesson.handled),
        history=tuple(_clean_entry(entry) for entry in lesson.history[-HISTORY_ITEMS:]),
    )


def file_word(name: str) -> str:
    """A person's or a machine's name as one word of a file's name; empty where nothing of it can stand there."""
    return re.sub(r"[^\w.-]+", "-", clean(name, FILE_WORD_CHARS)).strip(".-")
