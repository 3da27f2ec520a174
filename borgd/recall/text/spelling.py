"""One spelling for British and American English, so that "normalise" meets "normalize" and "colour" meets "color".

Promises: the same for every form of a word; applied to lessons and contexts alike, a word that only looks British
("contour") meets itself all the same. Must not be shown to a person as a word.
"""

from __future__ import annotations

import re
from functools import lru_cache

from borgd.recall.text.stems import CACHE_WORDS, stem

_ISE = re.compile(r"(?<=[a-z]{3})(?<!r[ae])([iy])s(?=(?:e|ed|es|er|ers|ing|able|ation|ations)\Z)")
_OUR = re.compile(r"(?<=[a-z]{3})our(?=(?:s|ed|ing|al|able|ful|less|ite|ites|hood)?\Z)")
_SINGLE = {
    word: plain
    for plain, words in {
        "analog": "analogue analogues",
        "artifact": "artefact artefacts",
        "catalog": "catalogue catalogues",
        "center": "centre centres centred",
        "check": "cheque cheques",
        "defense": "defence defences",
        "dialog": "dialogue dialogues",
        "fiber": "fibre fibres",
        "fulfill": "fulfil fulfils",
        "gray": "grey greys",
        "judgment": "judgement judgements",
        "license": "licence licences",
        "liter": "litre litres",
        "meter": "metre metres",
        "offense": "offence offences",
        "practice": "practise practises practised",
        "program": "programme programmes",
    }.items()
    for word in words.split()
}


def american(word: str) -> str:
    """A lower-case word in American spelling, where the difference follows a rule or is well known."""
    single = _SINGLE.get(word)
    return single if single is not None else _OUR.sub("or", _ISE.sub(r"\1z", word))


@lru_cache(maxsize=CACHE_WORDS)
def term(word: str) -> str:
    """What a word is matched by: the stem of its American spelling."""
    return stem(american(word))
