"""A message and what the agent last said or did as numbers for the linear detector: n-grams, classes of words, a few counts.

Pure, numpy at most. Deterministic on every machine: features are hashed with CRC-32 and a fixed multiplicative hash, never
with Python's own ``hash``. What training sees and what runs is this one function; a change of it asks for new weights.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from borgd.lessons.corrections import vocabulary

BITS = 18
"""method: the table of weights has 2**BITS places; at 50,000 features few share one."""
MESSAGE_CHARS = 500
"""design: characters of a message that are looked at, from its start."""
PROPOSAL_CHARS = 400
"""design: characters of what the agent said or did that are looked at, from its end."""
CHARACTERS = (2, 4)
"""tuned (``borg debug loop --cross-fit``): shortest and longest run of characters that is a feature."""
SHARES = {"character": 1.0, "word": 0.8, "proposal": 0.8, "class": 0.5, "count": 0.2, "rule": 0.25, "shape": 0.6}
"""tuned (``borg debug loop --cross-fit``): how much each kind of feature may say; divided among those that are there."""
STEM = 5
"""design: two words are the same where they begin with the same STEM characters."""
PHRASE_WORDS = 4
"""method: words of the longest phrase in the vocabulary that is looked for."""

_WORD = re.compile(r"[^\W_]+(?:['/-][^\W_]+)*|[?!,.:;。？！、，¿]")
_SPACE = re.compile(r"\s+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[-'/]")
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"`[^`]+`|\b\w+[_./:]\w[\w./:()-]*|\b[a-z]+[A-Z]\w*|\b\w+\(\)?|--\w[\w-]*")
_QUOTE = re.compile(r"[\"“«„「][^\"”»“」\n]{3,300}[\"”»“」]")
_CHANGE = re.compile(r"\d ?[a-z%]{0,3} ?(?:->|→) ?\d|\b\d+/\d+\b")
_EQUALS = re.compile(r" = | == |:=|=>")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+|; | - |, (?=but |and then |so )")
_MARK = re.compile(r"[?？](?![\w=&/])")
_ASKS = re.compile(r"[?？](?![\w=&/])|(?:吗|呢|か)[。\s]*$")
_MIXED = np.uint64(0xBF58476D1CE4E5B9)

Places = NDArray[np.int64]


class Features(NamedTuple):
    """``places`` in the table of weights, each with its value; a place may come more than once."""

    places: Places
    values: NDArray[np.float64]


def features(message: str, proposal: str, rules: Sequence[tuple[str, float]] = ()) -> Features:
    """The features of ``message`` as a reply to ``proposal``.

    :param rules: (name, strength) of the detectors' rules that match it.
    """
    shape = _Shape(message, proposal)
    blocks = {
        "character": _runs(shape.said),
        "word": _places(["w " + run for run in _grams(shape.words, 3)]),
        "proposal": _places(["b " + run for run in _grams(shape.earlier_words, 2)]),
        "class": _places(shape.classes()),
        "shape": _places(shape.shape()),
    }
    parts = [(found, np.full(len(found), SHARES[name] / np.sqrt(max(1, len(found))))) for name, found in blocks.items()]
    counts = {"p " + name: SHARES["count"] * value for name, value in shape.counts().items() if value}
    counts |= {f"r {name}": SHARES["rule"] for name, _ in rules}
    if rules:
        counts["r"] = SHARES["rule"] * max(strength for _, strength in rules)
    parts.append((np.array([_place(name) for name in counts], dtype=np.int64), np.array(list(counts.values()))))
    return Features(np.concatenate([found for found, _ in parts]), np.concatenate([values for _, values in parts]))


def classes_of(message: str) -> list[str]:
    """The classes of the vocabulary that ``message`` holds, for ``why``."""
    said = _normal(message)[:MESSAGE_CHARS]
    return list(_classes(said, _words(said), "message"))


def shared_stems(message: str, code: str) -> int:
    """How many words of ``message`` (by their stems) stand in ``code`` too, its identifiers taken apart."""
    return len(stems_of(message[:MESSAGE_CHARS]) & stems_of(code))


def stems_of(text: str) -> set[str]:
    """The stems of the words of more than three letters in ``text``, its identifiers taken apart."""
    parts = _WORD.findall(_DIGIT.sub("0", _HUMP.sub(" ", text.replace("’", "'")).casefold()))
    return {part[:STEM] for part in parts if len(part) > 3}


class _Shape:
    """What kind of words stand where, in the message and in what it replies to."""

    def __init__(self, message: str, proposal: str) -> None:
        said, before = _normal(message)[:MESSAGE_CHARS], _normal(proposal)[-PROPOSAL_CHARS:]
        words, earlier = _words(said), _words(before)
        self.message, self.proposal, self.said, self.words, self.earlier_words = message, proposal, said, words, earlier
        sentences = [_normal(part) for part in _sentences(message)[:5]]
        self.sentences = [(part, _words(part)) for part in sentences]
        self.asks = bool(_MARK.search(said))
        self.found = _classes(said, words, "message")
        first, first_words = self.sentences[0] if self.sentences else ("", [])
        self.opening = _classes(first, first_words[:8], "message")
        self.earlier = _classes(before, earlier, "proposal")
        parts = _sentences(proposal[-2 * PROPOSAL_CHARS :])
        questions = [part for part in parts if _ASKS.search(part)]
        self.question = {word[:STEM] for word in _words(_normal(" ".join(questions))) if len(word) > 3}
        self.deed = {word[:STEM] for word in earlier if len(word) > 3} - self.question
        self.stems = {word[:STEM] for word in words if len(word) > 3}
        self.before_stems = {word[:STEM] for word in earlier}
        self.kind = "none" if not questions else "question" if len(questions) == len(parts) else "both"
        if self.kind == "both" and "did" in self.earlier:
            self.kind = "deed and question"
        self.code = {word for part in _CODE.findall(message[:MESSAGE_CHARS]) for word in _words(_normal(part))}
        self.shared_code = len(self.code & set(earlier))
        self.shared_wide = _shared_wide(said, before)

    def classes(self) -> list[str]:
        firsts = [next(iter(_message_words().get(word, ())), "-") for word in self.words[:3]]
        return [
            *(f"c {name}" for name in self.found),
            *(f"o {name}" for name in self.opening),
            *(f"e {name}" for name in self.earlier),
            *(f"f {' '.join(firsts[:count])}" for count in (1, 2, 3)),
            f"k {self.kind}",
            f"q {self.asks}",
        ]

    def shape(self) -> list[str]:
        kind, length = self.kind, min(8, len(self.words) // 4)
        first = self.words[0] if self.words else ""
        role = "shared" if first[:STEM] in self.before_stems else next(iter(_message_words().get(first, ())), "other")
        with_question, with_deed = min(3, len(self.stems & self.question)), min(3, len(self.stems & self.deed))
        orders = [_is_order(words) for _, words in self.sentences[:4]]
        starts_order = bool(orders) and orders[0]
        ends_asking = bool(self.sentences) and self.sentences[-1][0].endswith("?")
        return [
            f"kf {kind} {role}",
            f"kq {kind} {self.asks}",
            f"sq {with_question}",
            f"sd {with_deed}",
            f"ks {kind} {min(1, with_question)}{min(1, with_deed)}",
            f"qs {self.asks} {min(1, with_deed)}",
            f"ln {length}",
            f"kl {kind} {min(4, length)}",
            f"lq {ends_asking} {min(3, len(self.sentences))}",
            f"io {starts_order} {len(self.sentences) > 1}",
            f"ia {bool(orders) and all(orders)}",
            f"in {any(orders)}",
            *(f"ko {kind} {name}" for name in self.opening),
            *(f"kc {kind} {name}" for name in self.found),
            *(f"eq {name} {self.asks}" for name in self.earlier),
            *(f"ei {name} {starts_order}" for name in self.earlier),
            *(f"ec {name} {other}" for name in self.earlier for other in self.opening),
        ]

    def counts(self) -> dict[str, float]:
        message, said, stems = self.message, self.said, self.stems
        shared = len(stems & (self.question | self.deed))
        return {
            "asked": float(self.kind == "question"),
            "asked too": float(self.kind != "none"),
            "questions": min(2, len(_MARK.findall(said))) / 2,
            "ends asking": float(said.endswith("?")),
            "long": min(1.0, len(message) / 200),
            "short": float(len(message) < 25),
            "shared": min(3, shared) / 3,
            "shared part": shared / max(1, len(stems)),
            "shared characters": self.shared_wide,
            "shared code": min(3, self.shared_code) / 3,
            "code": min(3, len(self.code)) / 3,
            "lines": float("\n" in message),
            "quote": float(bool(_QUOTE.search(message[:MESSAGE_CHARS]))),
            "exclamations": min(2, message.count("!")) / 2,
            "commas": min(3, said.count(",")) / 3,
            "colon": float(":" in said),
            "digits": float("0" in said),
            "sentences": min(4, len(self.sentences)) / 4,
            "earlier long": min(1.0, len(self.proposal) / 120),
            "earlier code": float("`" in self.proposal),
            "change": float(bool(_CHANGE.search(said))),
            "equals": float(bool(_EQUALS.search(said))),
        }


def _normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", text[: 4 * MESSAGE_CHARS] if len(text) > 8 * MESSAGE_CHARS else text)
    return _SPACE.sub(" ", _DIGIT.sub("0", text.replace("’", "'").casefold())).strip()


def _words(text: str) -> list[str]:
    return [vocabulary.SPELLINGS.get(word, word) for word in _WORD.findall(text)]


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text.strip()) if part and not part.isspace()]


def _grams(words: Sequence[str], longest: int) -> Iterable[str]:
    for count in range(1, longest + 1):
        for start in range(len(words) - count + 1):
            yield " ".join(words[start : start + count])


def _place(name: str) -> int:
    return (crc32(name.encode("utf-8", "replace")) * 2654435761 & 0xFFFFFFFF) >> (32 - BITS)


def _places(names: Iterable[str]) -> Places:
    return np.array(sorted({_place(name) for name in names}), dtype=np.int64)


def _runs(text: str) -> Places:
    """Places of all runs of CHARACTERS in ``text``, its ends marked by a space."""
    characters = np.frombuffer(f" {text} ".encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)
    hashed = np.full(len(characters), 0x9E3779B97F4A7C15, dtype=np.uint64)
    found = []
    for count in range(1, min(CHARACTERS[1], len(characters)) + 1):
        hashed = (hashed[: len(characters) - count + 1] ^ characters[count - 1 :]) * np.uint64(0x100000001B3)
        hashed ^= hashed >> np.uint64(29)
        if count >= CHARACTERS[0]:
            found.append(((hashed * _MIXED) >> np.uint64(64 - BITS)).astype(np.int64))
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


def _shared_wide(said: str, before: str) -> float:
    if not _WIDE.search(said):
        return 0.0
    mine = {said[start : start + 2] for start in range(len(said) - 1) if _WIDE.match(said[start])}
    theirs = {before[start : start + 2] for start in range(len(before) - 1)}
    return len(mine & theirs) / max(1, len(mine))


def _is_order(words: Sequence[str]) -> bool:
    leaders, orders = _listed("leaders"), _listed("orders")
    return next((word in orders for word in words if word.isalpha() and word not in leaders), False)


def _classes(text: str, words: Sequence[str], side: str) -> dict[str, None]:
    """The vocabulary's classes in a text, in a fixed order."""
    phrases = _message_words() if side == "message" else _proposal_words()
    found = {name for run in _grams(words, PHRASE_WORDS) for name in phrases.get(run, ())}
    if _WIDE.search(text):
        found |= {name for name, parts in _wide(side).items() if any(part in text for part in parts)}
    return dict.fromkeys(sorted(found))


@cache
def _message_words() -> Mapping[str, tuple[str, ...]]:
    return _by_phrase(vocabulary.MESSAGE)


@cache
def _proposal_words() -> Mapping[str, tuple[str, ...]]:
    return _by_phrase(vocabulary.PROPOSAL)


@cache
def _wide(side: str) -> Mapping[str, list[str]]:
    classes = vocabulary.WIDE_MESSAGE if side == "message" else vocabulary.WIDE_PROPOSAL
    return {name: parts.split() for name, parts in classes.items()}


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset((vocabulary.LEADERS if name == "leaders" else vocabulary.IMPERATIVES).split())


def _by_phrase(classes: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, text in classes.items():
        for phrase in phrases(text):
            key = " ".join(_words(phrase))
            if name not in found.setdefault(key, []):
                found[key].append(name)
    return {phrase: tuple(names) for phrase, names in found.items()}


def phrases(text: str) -> list[str]:
    """The phrases that a class of the vocabulary stands for: ``(a|b) c`` is ``a c`` and ``b c``."""
    joined = re.sub(r"\s*\n\s*", "|", text.strip())
    joined = re.sub(r"\|\|", "|", joined)
    found = []
    for part in _split(joined):
        pieces = [piece.split("|") for piece in re.split(r"[()]", part)]
        found += [" ".join("".join(choice).split()) for choice in itertools.product(*pieces)]
    return [phrase for phrase in found if phrase]


def _split(text: str) -> list[str]:
    """``text`` at each bar outside of brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
