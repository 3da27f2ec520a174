"""A lesson's patterns (``signs``, ``handled``) over edited code and closing words. They are untrusted text.

Promises linear time (RE2), bounded memory, length, number and text, a sentence for each pattern that cannot be used, and
that such a pattern is skipped, never raised, where texts are matched. Pure: the clock that guards a call is passed in.
A pattern is in Python's syntax, case does not matter, ^ and $ are those of a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

import re2

from borgd.lessons.pattern_syntax import OTHER_LETTER, Parsed, PatternError, parse
from borgd.lessons.sanitize import PATTERN_CHARS, PATTERNS

TEXT_CHARS = 32_000
"""guard: characters of a text that are looked at."""
PROGRAM = 2_500
"""guard: instructions of RE2's program for one pattern; the longest of 1,400 hand-written ones has 1,800."""
WORK = 2_500_000
"""guard: instructions × characters of one search; a text is looked at no further (about 15 ms where it is worst)."""
PIECES = 4
"""guard: pieces of a text in which a pattern with high counts is tried in full."""
MEMORY = 512 << 10
"""guard: bytes of one compiled pattern with its automaton."""
COMPILED = 256
"""guard: compiled patterns that are kept, the ones used last."""
CALL_SECONDS = 0.02
"""guard: time of one call from which the patterns that are left are skipped."""
READ_AT_ONCE = 100
"""guard: new patterns that a call with a clock reads first, some 4 ms; those that are left match later."""
GRAM = 3
"""design: characters of the pieces by which patterns are found in an index."""

Clock = Callable[[], float]


class PatternHits(NamedTuple):
    """Which of a lesson's patterns matched: bit n stands for the n-th. Those of two texts can be joined with |."""

    sign_bits: int
    handled_bits: int

    @property
    def signs(self) -> int:
        """How many signs matched."""
        return self.sign_bits.bit_count()

    @property
    def handled(self) -> int:
        """How many handled patterns matched."""
        return self.handled_bits.bit_count()

    def __or__(self, other: object) -> PatternHits:
        if not isinstance(other, PatternHits):
            return NotImplemented
        return PatternHits(self.sign_bits | other.sign_bits, self.handled_bits | other.handled_bits)


NONE_MATCHED = PatternHits(0, 0)


class PreparedText(NamedTuple):
    """A text made ready for any number of patterns: lower-cased, and as bytes for ASCII and for other patterns."""

    lowered: str
    narrow: bytes
    wide: bytes


Required = tuple[frozenset[str], ...]


class _Compiled(NamedTuple):
    """``find`` gives where in data, from a place on, a match begins that may be longer than the pattern allows, or -1;
    ``holds`` says whether the pattern itself matches in a piece, None where ``find`` says so already."""

    find: Callable[[bytes, int], int]
    holds: Callable[[bytes], bool] | None
    span: int
    limit: int
    narrow: bool

    def search(self, data: bytes) -> bool:
        """Whether the pattern is in ``data``; of a long text with many near matches the first PIECES are looked at."""
        data = data[: self.limit]
        place = self.find(data, 0)
        for _ in range(PIECES):
            if place < 0 or self.holds is None or self.holds(data[place : place + self.span]):
                return place >= 0
            place = self.find(data, place + max(1, self.span // 2))
        return False


def prepare(text: str) -> PreparedText:
    """``text`` made ready, cut to TEXT_CHARS."""
    cut = text[:TEXT_CHARS]
    if cut.isascii():
        data = cut.encode()
        return PreparedText(cut.lower(), data, data)
    others = {ord(sign): OTHER_LETTER if sign.isalnum() else "\xfe" for sign in set(cut) if sign >= "\x80"}
    return PreparedText(cut.lower(), cut.translate(others).encode("latin-1"), cut.encode("utf-8", "replace"))


def problem(pattern: str) -> str:
    """Why ``pattern`` cannot be used, as a sentence's end; empty: it can."""
    compiled = _compiled(pattern)
    return compiled if isinstance(compiled, str) else ""


def problems(signs: Sequence[str], handled: Sequence[str]) -> list[str]:
    """A line for each pattern that will be skipped, with the flag that it came by."""
    found = []
    for flag, patterns in (("--sign", signs), ("--handled", handled)):
        found += [f"{flag} {pattern!r}: {why}" for pattern in patterns[:PATTERNS] if (why := problem(pattern))]
        if len(patterns) > PATTERNS:
            found.append(f"{flag}: {len(patterns)} patterns, the first {PATTERNS} are used")
    return found


def match(signs: Sequence[str], handled: Sequence[str], text: str | PreparedText) -> PatternHits:
    """Which of the patterns of one lesson ``text`` matches; those that cannot be used match nothing."""
    ready = prepare(text) if isinstance(text, str) else text
    return PatternHits(_bits(signs, ready), _bits(handled, ready))


def _bits(patterns: Sequence[str], text: PreparedText) -> int:
    return sum(1 << number for number, pattern in enumerate(patterns[:PATTERNS]) if matches(pattern, text))


def matches(pattern: str, text: PreparedText) -> bool:
    """Whether ``pattern`` is anywhere in ``text``; False where it cannot be used."""
    try:
        required = _parsed(pattern).required
    except PatternError:
        return False
    return _may_match(required, text) and _searches(pattern, text)


def _may_match(required: Required, text: PreparedText) -> bool:
    return all(any(literal in text.lowered for literal in literals) for literals in required)


@lru_cache(maxsize=4 * COMPILED)
def _parsed(pattern: str) -> Parsed:
    return _read(pattern)


def _read(pattern: str) -> Parsed:
    if len(pattern) > PATTERN_CHARS:
        raise PatternError(f"it has {len(pattern)} characters, at most {PATTERN_CHARS} are taken")
    if not pattern.strip():
        raise PatternError("it is empty")
    return parse(pattern)


@lru_cache(maxsize=COMPILED)
def _compiled(pattern: str) -> _Compiled | str:
    """``pattern`` ready to search, or why it cannot be used."""
    try:
        return _compile(_read(pattern))
    except PatternError as error:
        return str(error)


def _compile(parsed: Parsed) -> _Compiled:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = MEMORY
    if parsed.is_ascii:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        compiled = re2.compile(f"(?m){parsed.text}".encode(), options)
        loose = re2.compile(f"(?m){parsed.loose}".encode(), options) if parsed.loose else compiled
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        if "too large" in said or "repetition size" in said:
            raise PatternError(_TOO_LARGE) from None
        raise PatternError(f"it cannot be read: {said}") from None
    size = compiled.programsize
    if size > PROGRAM:
        raise PatternError(_TOO_LARGE)
    if compiled.search(b"") is not None:
        raise PatternError("it matches every text, the empty one too")
    holds = partial(_holds, compiled) if parsed.loose else None
    span = max(1, min(parsed.span, WORK // size))
    limit = max(1, WORK // min(size, loose.programsize))
    return _Compiled(partial(_find, loose), holds, span, limit, parsed.is_ascii)


def _find(compiled: re2._Regexp, data: bytes, place: int) -> int:
    found = compiled.search(data, place)
    return -1 if found is None else int(found.start())


def _holds(compiled: re2._Regexp, data: bytes) -> bool:
    return compiled.search(data) is not None


_TOO_LARGE = "its counted repetitions multiply to too much; use smaller counts, or * and +"


class _Owner(NamedTuple):
    """The ``bit``-th of the signs, or of the handled patterns, of lesson ``id``."""

    id: str
    handled: bool
    bit: int


class PatternIndex:
    """The patterns of any number of lessons; a text is tried against those only whose literals it contains.

    Adding and taking away cost that lesson's patterns; a pattern is read the first time that a text is matched after.
    """

    def __init__(self) -> None:
        self.slow: set[str] = set()
        """Patterns that once took half of CALL_SECONDS by themselves and are skipped since."""
        self._lessons: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._owners: dict[str, set[_Owner]] = defaultdict(set)
        self._unread: dict[str, None] = {}
        self._required: dict[str, Required] = {}
        self._filed: dict[str, set[str]] = defaultdict(set)
        """Patterns by a literal of the most telling set that they require; by the empty string where there is none."""
        self._literals: dict[str, set[str]] = defaultdict(set)
        """Those literals by one of their pieces; the short ones by the empty string."""

    def __len__(self) -> int:
        return len(self._lessons)

    def put(self, key: str, signs: Sequence[str], handled: Sequence[str]) -> None:
        """The lesson ``key`` has these patterns now."""
        signs, handled = tuple(signs[:PATTERNS]), tuple(handled[:PATTERNS])
        if self._lessons.get(key, ((), ())) == (signs, handled):
            return
        self.drop(key)
        self._lessons[key] = (signs, handled)
        for is_handled, patterns in ((False, signs), (True, handled)):
            for bit, pattern in enumerate(patterns):
                if pattern not in self._owners:
                    self._unread[pattern] = None
                self._owners[pattern].add(_Owner(key, is_handled, bit))

    def drop(self, key: str) -> None:
        """The lesson ``key`` is gone; nothing happens where it has no patterns."""
        signs, handled = self._lessons.pop(key, ((), ()))
        for pattern in {*signs, *handled}:
            owners = {owner for owner in self._owners.pop(pattern) if owner.id != key}
            if owners:
                self._owners[pattern] = owners
            else:
                self._forget(pattern)

    def _forget(self, pattern: str) -> None:
        self._unread.pop(pattern, None)
        self.slow.discard(pattern)
        for literal in _first(self._required.pop(pattern, ())):
            self._filed[literal].discard(pattern)
            if not self._filed[literal]:
                del self._filed[literal]
                for piece in _pieces(literal):
                    self._literals.get(piece, set()).discard(literal)

    def read(self, most: int | None = None) -> bool:
        """Read the patterns that are new (about 40 µs each), at most ``most`` of them; whether some are left."""
        for pattern in list(islice(self._unread, most)):
            del self._unread[pattern]
            try:
                required = _read(pattern).required
            except PatternError:
                continue
            self._required[pattern] = required
            for literal in _first(required):
                if literal not in self._filed:
                    piece = min(_pieces(literal), key=lambda one: (len(self._literals.get(one, ())), one))
                    self._literals[piece].add(literal)
                self._filed[literal].add(pattern)
        return bool(self._unread)

    def match(
        self, text: str | PreparedText, among: Collection[str] | None = None, clock: Clock | None = None
    ) -> dict[str, PatternHits]:
        """The lessons of which a pattern is in ``text``, with which of them.

        :param among: ids of the lessons that count; None: all.
        :param clock: seconds; where given, the call stops near CALL_SECONDS and what was not looked at does not match.
        """
        self.read(None if clock is None else READ_AT_ONCE)
        ready = prepare(text) if isinstance(text, str) else text
        found: dict[str, PatternHits] = {}
        start = clock() if clock else 0.0
        for pattern in sorted(self._candidates(ready)):
            owners = [owner for owner in self._owners[pattern] if among is None or owner.id in among]
            if not owners or pattern in self.slow or not _may_match(self._required[pattern], ready):
                continue
            before = clock() if clock else 0.0
            hit = _searches(pattern, ready)
            for owner in owners if hit else ():
                bits = PatternHits(0, 1 << owner.bit) if owner.handled else PatternHits(1 << owner.bit, 0)
                found[owner.id] = found.get(owner.id, NONE_MATCHED) | bits
            if clock:
                last = clock()
                if last - before >= CALL_SECONDS / 2:
                    self.slow.add(pattern)
                if last - start >= CALL_SECONDS:
                    break
        return found

    def _candidates(self, text: PreparedText) -> set[str]:
        lowered = text.lowered
        pieces = set(map("".join, zip(lowered, lowered[1:], lowered[2:], strict=False)))
        pieces.add("")
        near = {literal for piece in self._literals.keys() & pieces for literal in self._literals[piece]}
        return set().union(*(self._filed[literal] for literal in near if literal in lowered))


def _first(required: Required) -> frozenset[str]:
    """The literals by which a pattern is found; the empty one, which every text contains, where it requires none."""
    return required[0] if required else frozenset({""})


def _pieces(literal: str) -> set[str]:
    return {literal[place : place + GRAM] for place in range(len(literal) - GRAM + 1)} or {""}


def _searches(pattern: str, text: PreparedText) -> bool:
    compiled = _compiled(pattern)
    if isinstance(compiled, str):
        return False
    return compiled.search(text.narrow if compiled.narrow else text.wide)
