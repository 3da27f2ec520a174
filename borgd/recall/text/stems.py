"""English stems by the Porter2 algorithm (Snowball's "english"), so that "retries" meets "retrying".

Promises: the stem of any string is a string, found once and then remembered; words with anything but a–z in them are
their own stems. Must not be used for names of systems: those are matched part by part (``scope``).

Written from the published description of the algorithm, https://snowballstem.org/algorithms/english/stemmer.html
"""

from __future__ import annotations

import re
from functools import lru_cache

CACHE_WORDS = 65536
"""guard: how many stems are remembered; a year of work names fewer distinct words than this at a time."""

MAX_WORD = 40
"""guard: longer strings of letters are not words (hashes, base64) and are left as they are."""

_VOWELS = "aeiouy"
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_LI_ENDING = "cdeghkmnrt"

_WHOLE = {
    "skis": "ski",
    "skies": "sky",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    "sky": "sky",
    "news": "news",
    "howe": "howe",
    "atlas": "atlas",
    "cosmos": "cosmos",
    "bias": "bias",
    "andes": "andes",
}
_R1_PREFIX = re.compile(r"gener|commun|arsen|past|univers|later|emerg|organ|inter")
_R1 = re.compile(r"[^aeiouy]*[aeiouy]+[^aeiouy]")
_VOWEL = re.compile(r"[aeiouy]")
_SHORT_END = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|^past)\Z")

_STEP2 = (
    ("ational", "ate"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ization", "ize"),
    ("ousness", "ous"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("tional", "tion"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ation", "ate"),
    ("entli", "ent"),
    ("fulli", "ful"),
    ("iviti", "ive"),
    ("ousli", "ous"),
    ("ogist", "og"),
    ("abli", "able"),
    ("alli", "al"),
    ("anci", "ance"),
    ("ator", "ate"),
    ("enci", "ence"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
)
_STEP3 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("ative", ""),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP4 = (
    *("ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize", "ous"),
    *("al", "er", "ic"),
)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin: after the first consonant that follows a vowel, and the same again from there."""
    prefix = _R1_PREFIX.match(word)
    found = prefix or _R1.match(word)
    r1 = found.end() if found else len(word)
    again = _R1.match(word, r1)
    return r1, again.end() if again else len(word)


def _mark_y(word: str) -> str:
    """Y that stands for a consonant (first letter, or after a vowel) in upper case, so that it counts as none."""
    if "y" not in word:
        return word
    letters = list(word)
    for i, letter in enumerate(letters):
        if letter == "y" and (i == 0 or letters[i - 1] in _VOWELS):
            letters[i] = "Y"
    return "".join(letters)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    if word.endswith("s") and _VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _past(word: str, r1: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            kept = word[: -len(ending)]
            if len(kept) >= r1 and kept not in ("proc", "exc", "succ"):
                return kept + "ee"
            return word
    for ending in ("ingly", "edly", "ing", "ed"):
        if not word.endswith(ending):
            continue
        kept = word[: -len(ending)]
        if ending == "ing":
            if len(kept) == 2 and kept[1] == "y" and kept[0] not in _VOWELS:
                return kept[0] + "ie"
            if kept in ("inn", "out", "cann", "herr", "earr", "even"):
                return word
        if not _VOWEL.search(kept):
            return word
        return _repaired(kept, r1)
    return word


def _repaired(kept: str, r1: int) -> str:
    """What ``ed`` or ``ing`` was taken from gets its e back, or loses a doubled consonant."""
    if kept.endswith(("at", "bl", "iz")):
        return kept + "e"
    if kept.endswith(_DOUBLES):
        return kept if len(kept) == 3 and kept[0] in "aeo" else kept[:-1]
    if len(kept) <= r1 and _SHORT_END.search(kept):
        return kept + "e"
    return kept


def _derived(word: str, r1: int, r2: int) -> str:
    for ending, new in _STEP2:
        if word.endswith(ending):
            kept = word[: -len(ending)]
            fits = len(kept) >= r1
            if ending == "ogi":
                fits = fits and kept.endswith("l")
            elif ending == "li":
                fits = fits and kept[-1:] in _LI_ENDING and kept != ""
            word = kept + new if fits else word
            break
    for ending, new in _STEP3:
        if word.endswith(ending):
            kept = word[: -len(ending)]
            if len(kept) >= (r2 if ending == "ative" else r1):
                word = kept + new
            break
    for ending in _STEP4:
        if word.endswith(ending):
            kept = word[: -len(ending)]
            if len(kept) >= r2 and (ending != "ion" or kept.endswith(("s", "t"))):
                word = kept
            break
    return word


@lru_cache(maxsize=CACHE_WORDS)
def stem(word: str) -> str:
    """The stem of a lower-case word; a word that is not of a–z alone, or is shorter than three letters, is its own."""
    if not 2 < len(word) <= MAX_WORD or not (word.isascii() and word.isalpha()):
        return word
    whole = _WHOLE.get(word)
    if whole is not None:
        return whole
    word = _mark_y(word)
    r1, r2 = _regions(word)
    word = _past(_plural(word), r1)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _derived(word, r1, r2)
    if word.endswith("e"):
        kept = word[:-1]
        if len(kept) >= r2 or (len(kept) >= r1 and not _SHORT_END.search(kept)):
            word = kept
    elif word.endswith("ll") and len(word) - 1 >= r2:
        word = word[:-1]
    return word.lower()
