"""Rules by which a prompt pushes back on what an agent just proposed, one module per language.

A module has ``RULES`` and ``HARMLESS``, a pattern of idioms that look like push-back and are none. All languages are
tried on every prompt, since people mix them. Patterns are matched on lower-cased text with straight apostrophes.
Adding a language is a new module and a line in ``LANGUAGES``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple

LANGUAGES: Mapping[str, str] = {
    "en": "borgd.lessons.corrections.english",
    "de": "borgd.lessons.corrections.german",
    "fr": "borgd.lessons.corrections.french",
    "es": "borgd.lessons.corrections.spanish",
    "ja": "borgd.lessons.corrections.japanese",
}


class PatternRule(NamedTuple):
    """``where``: ``opening`` (the first clause, from its start), ``first`` (anywhere in the first sentence) or ``early``
    (anywhere in the first sentences). ``strength`` in (0, 1]: how sure this alone makes us."""

    name: str
    where: str
    strength: float
    reason: str
    pattern: re.Pattern[str]


def rule(name: str, where: str, strength: float, reason: str, pattern: str) -> PatternRule:
    """A Rule with its pattern compiled."""
    return PatternRule(name, where, strength, reason, re.compile(pattern))


@cache
def language(code: str) -> tuple[tuple[PatternRule, ...], re.Pattern[str]]:
    """The rules and the harmless idioms of the language ``code``."""
    module = import_module(LANGUAGES[code])
    return module.RULES, module.HARMLESS
