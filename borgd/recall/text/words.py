"""Text into words, for matching and for scope. Pure functions of the text.

Promises: any string is fine (empty, huge, unpaired surrogates, any script); the same text always gives the same words.
Must not drop a part of a name for being short (that is ``segments``); only ``tokens`` leaves out short words.
"""

from __future__ import annotations

import re
import unicodedata

MIN_WORD = 3
"""design: words shorter than this say too little to be matched ("is", "to", "id")."""

MIN_SYLLABLES = 2
"""design: the same of words in Hangul, of which each character is a syllable; most nouns have two."""

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Kana and Han: scripts that do not put spaces between words."""
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
"""Signs that ``\\w`` does not take for a part of a word although they are: combining marks, Indic vowels."""

_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_WORD = re.compile(rf"[{_SPACELESS}]+|(?:(?![{_SPACELESS}])[^\W_]|[{_MARKS}])+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+\Z")
_SPACELESS_RUN = re.compile(rf"[{_SPACELESS}]+\Z")
_ASCII_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def normalise(text: str) -> str:
    """``text`` in NFKC, case kept: full-width and compatibility forms become the plain ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _words(text: str) -> list[str]:
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def _humps(word: str) -> list[str]:
    """The parts of one word at its camelCase humps; digits stay with the letters before them."""
    if word.islower() or word.isupper() or word.isdigit():
        return [word]
    if word.isascii():
        return _ASCII_HUMP.split(word)
    parts: list[str] = []
    start = 0
    for i in range(1, len(word)):
        before, here = word[i - 1], word[i]
        after = word[i + 1] if i + 1 < len(word) else ""
        if here.isupper() and (not before.isupper() or after.islower()):
            parts.append(word[start:i])
            start = i
    return [*parts, word[start:]]


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def segments(text: str) -> list[str]:
    """The parts of ``text`` in order, case-folded: split at every non-alphanumeric and at camelCase humps.

    ``HTTPClientFactory`` gives http, client, factory; ``sr3`` and ``v2`` stay whole. A run of a script without spaces
    gives its characters one by one, so that a name in it is found inside a sentence.
    """
    parts: list[str] = []
    for word in _words(normalise(text)):
        if word.isascii() and word.islower():
            parts.append(word)
        elif not word.isascii() and _SPACELESS_RUN.match(word):
            parts.extend(word)
        else:
            parts.extend(part.casefold() for part in _humps(word))
    return parts


def tokens(text: str) -> list[str]:
    """The words of ``text`` that matching looks at, in order, case-folded, with repeats.

    Words of ``MIN_WORD`` characters or more (in Hangul ``MIN_SYLLABLES``); a camelCase word is followed by its parts, of any
    length above one.
    Runs of scripts without spaces come as bigrams.
    """
    found: list[str] = []
    for word in _words(normalise(text)):
        if word.isascii() and word.islower():
            if len(word) >= MIN_WORD:
                found.append(word)
            continue
        if not word.isascii() and _SPACELESS_RUN.match(word):
            found.extend(_bigrams(word))
            continue
        humps = _humps(word)
        folded = word.casefold()
        if len(folded) >= MIN_WORD or (len(folded) >= MIN_SYLLABLES and _HANGUL.match(folded)):
            found.append(folded)
        if len(humps) > 1:
            found.extend(part.casefold() for part in humps if len(part) > 1)
    return found
