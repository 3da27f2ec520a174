"""A pattern in Python's syntax read once: the same pattern for RE2, and the literals that any match of it must contain.

Pure, and linear in the pattern's length. Promises a sentence for everything that RE2 or a reader of ``re`` would not take
as it is meant: look-around, backreferences, possessive and conditional parts, unknown escapes, what is not closed. Must
not compile or match anything; patterns does.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

DEPTH = 20
"""guard: groups inside each other."""
COUNT = 1000
"""host: the highest count of a repetition that RE2 takes."""
HIGH = 48
"""design: a count above it makes a program long; texts are sought with such counts unbounded first."""
REST = 400
"""design: characters of a match beside what its high counts take."""
EXACT = 16
"""design: alternatives that are followed as whole strings; beyond them only what each must contain is kept."""
SMALL_CLASS = 4
"""design: characters of a class whose members are followed one by one."""

OTHER_LETTER = "\xff"
"""design: the byte that stands for every letter or digit outside ASCII where an ASCII pattern is matched."""

_PLAIN = re.compile(r"[A-Za-z0-9_ ]+(?![*+?{])")
_SPELLED = re.compile(r"\\[xuUN0]")
_COUNTED = re.compile(r"\{(?P<low>\d*)(?P<comma>,?)(?P<high>\d*)\}")
_FLAGS = re.compile(r"\(\?(?P<flags>[aiLmsux]*)(?:-(?P<off>[imsx]+))?(?P<end>[:)])")
_NAME = re.compile(r"\(\?P?<(?P<name>[A-Za-z_]\w*)>")
_REFUSED = (
    (re.compile(r"\(\?[=!]"), "look-ahead (?=…) is not taken; make it a second pattern, or one of --handled"),
    (re.compile(r"\(\?<[=!]"), "look-behind (?<=…) is not taken; name what stands before as part of the pattern"),
    (re.compile(r"\(\?P="), "a group cannot be referred back to (?P=…); write the text out"),
    (re.compile(r"\(\?>"), "atomic groups (?>…) are not taken; (?:…) does the same here"),
    (re.compile(r"\(\?\("), "conditions (?(1)…) are not taken; write two patterns"),
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_HEX = {"x": 2, "u": 4, "U": 8}


class PatternError(ValueError):
    """Why a pattern is not taken, as the end of a sentence."""


class Parsed(NamedTuple):
    """``text`` for RE2; ``required``: any match contains one literal of each of these sets, lower-cased, the most telling
    set first (empty: nothing is known); ``is_ascii``: it names no character outside ASCII, so that bytes will do.
    ``loose``: the same with high counts unbounded, which matches wherever ``text`` does; empty where there are none.
    ``span``: characters that a match of ``text`` is taken to have at most."""

    text: str
    required: tuple[frozenset[str], ...]
    is_ascii: bool
    loose: str
    span: int


class _Part(NamedTuple):
    """``exact``: all that the part can match, or None; ``needs``: any match contains one of each set."""

    text: str
    exact: frozenset[str] | None
    needs: tuple[frozenset[str], ...] = ()
    bound: str = ""
    """With high counts unbounded, where that is another text."""

    @property
    def loose(self) -> str:
        """``text`` with high counts unbounded."""
        return self.bound or self.text

    def required(self) -> tuple[frozenset[str], ...]:
        """``needs`` and ``exact`` together, the most telling first; sets with an empty string say nothing."""
        told = [one for one in (*self.needs, self.exact or ()) if one and all(one)]
        return tuple(sorted(map(frozenset, told), key=_telling))


_NOTHING = frozenset({""})


def parse(pattern: str) -> Parsed:
    """What ``pattern`` means.

    :raises PatternError: it is not a pattern that can be used; says why.
    """
    reader = _Reader(pattern)
    part = reader.alternatives(0)
    if reader.place < len(pattern):
        raise PatternError(f"a ) at character {reader.place + 1} closes nothing")
    loose = part.loose if part.loose != part.text else ""
    return Parsed(part.text, part.required(), reader.is_ascii, loose, REST + reader.far)


def _telling(literals: frozenset[str]) -> tuple[int, int, list[str]]:
    """Sorts sets: a long shortest literal first, then few literals."""
    return -min(len(text) for text in literals), len(literals), sorted(literals)


class _Reader:
    """Recursive descent over one pattern; ``place`` is the next character's."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = 0
        self.far = 0
        self.is_ascii = pattern.isascii() and _SPELLED.search(pattern) is None

    def alternatives(self, depth: int) -> _Part:
        """Sequences with | between them, up to a ) or the end."""
        if depth > DEPTH:
            raise PatternError(f"more than {DEPTH} groups inside each other")
        parts = [self.sequence(depth)]
        while self._at("|"):
            self.place += 1
            parts.append(self.sequence(depth))
        if len(parts) == 1:
            return parts[0]
        text, loose = "|".join(part.text for part in parts), "|".join(part.loose for part in parts)
        if all(part.exact is not None for part in parts):
            exact = frozenset().union(*(part.exact or () for part in parts))
            if len(exact) <= EXACT:
                return _Part(text, exact, (), loose)
        told = [part.required() for part in parts]
        return _Part(text, None, (frozenset().union(*(one[0] for one in told)),) if all(told) else (), loose)

    def sequence(self, depth: int) -> _Part:
        """Parts one after another, up to a |, a ) or the end."""
        texts: list[str] = []
        bounds: list[str] = []
        needs: list[frozenset[str]] = []
        run: frozenset[str] = _NOTHING
        whole = True
        while self.place < len(self.pattern) and self.pattern[self.place] not in "|)":
            plain = _PLAIN.match(self.pattern, self.place)
            if plain is not None:
                self.place = plain.end()
                part = _Part(plain[0], frozenset({plain[0].lower()}))
            else:
                part = self.repeated(self.atom(depth))
            texts.append(part.text)
            bounds.append(part.loose)
            if part.exact is not None and len(run) * len(part.exact) <= EXACT:
                run = frozenset(head + tail for head in run for tail in part.exact)
                continue
            whole = False
            needs += [run, *part.needs]
            run = part.exact if part.exact is not None else _NOTHING
        text, loose = "".join(texts), "".join(bounds)
        return _Part(text, run, (), loose) if whole else _Part(text, None, (*needs, run), loose)

    def repeated(self, part: _Part) -> _Part:
        """``part`` with the repetition that follows it, if one does."""
        low, high, text = self._count()
        if not text:
            return part
        if self._at("+") or (self._at("*")):
            raise PatternError(f"{text}{self.pattern[self.place]} repeats a repetition; possessive ones are not taken")
        if self._at("?"):
            self.place += 1
            text += "?"
        if self._count()[2]:
            raise PatternError(f"what {text} repeats is repeated again; put it in (?:…)")
        bound = text
        if max(low, high or 0) > HIGH:
            self.far += max(low, high or 0)
            bound = "*" if low == 0 else "+"
        text, loose = f"{part.text}{text}", f"{part.loose}{bound}"
        if low == 0:
            exact = part.exact | _NOTHING if part.exact is not None and high == 1 else None
            return _Part(text, exact, (), loose)
        if low == high == 1:
            return _Part(text, part.exact, part.needs, loose)
        return _Part(text, None, part.required(), loose)

    def _count(self) -> tuple[int, int | None, str]:
        """(least, most, as RE2 writes it) of the repetition here, which is passed; an empty text: there is none."""
        if self.place >= len(self.pattern):
            return 1, 1, ""
        sign = self.pattern[self.place]
        if sign in "*+?":
            self.place += 1
            return (0 if sign in "*?" else 1), (1 if sign == "?" else None), sign
        match = _COUNTED.match(self.pattern, self.place)
        if match is None or not (match["low"] or match["high"]):
            return 1, 1, ""
        self.place = match.end()
        low = int(match["low"] or 0)
        high = (int(match["high"]) if match["high"] else None) if match["comma"] else low
        if max(low, high or 0) > COUNT:
            raise PatternError(f"{match[0]} counts further than {COUNT}; use * or +")
        if high is not None and low > high:
            raise PatternError(f"{match[0]} counts down")
        return low, high, f"{{{low}}}" if high == low else f"{{{low},{'' if high is None else high}}}"

    def atom(self, depth: int) -> _Part:
        """One character, class, escape, anchor or group."""
        sign = self.pattern[self.place]
        if sign == "(":
            return self.group(depth)
        if sign == "[":
            return self.character_class()
        if sign == "\\":
            return self.escape()
        self.place += 1
        if sign in "*+?":
            raise PatternError(f"the {sign} at character {self.place} repeats nothing")
        if sign == ".":
            return _Part(".", None)
        if sign in "^$":
            return _Part(sign, _NOTHING)
        return _literal(sign)

    def group(self, depth: int) -> _Part:
        """A group in whatever brackets; its name and its capture are left out."""
        for refused, why in _REFUSED:
            if refused.match(self.pattern, self.place):
                raise PatternError(why)
        start, opening = self.place, "(?:"
        if self.pattern.startswith("(?#", start):
            self.place = self.pattern.find(")", start) + 1
            if not self.place:
                raise PatternError("a comment (?#…) is not closed")
            return _Part("", _NOTHING)
        if flags := _FLAGS.match(self.pattern, start):
            self.place = flags.end()
            opening = _flags(flags)
            if flags["end"] == ")":
                return _Part(opening, _NOTHING)
        elif name := _NAME.match(self.pattern, start):
            self.place = name.end()
        elif self.pattern.startswith("(?", start):
            raise PatternError(f"{self.pattern[start : start + 4]!r} opens no group that is known")
        else:
            self.place += 1
        inside = self.alternatives(depth + 1)
        if not self._at(")"):
            raise PatternError(f"the ( at character {start + 1} is not closed")
        self.place += 1
        return _Part(f"{opening}{inside.text})", inside.exact, inside.needs, f"{opening}{inside.loose})")

    def escape(self) -> _Part:
        """A backslash and what it makes of the character after it."""
        name = self._escaped()
        if name in "wWdDsS":
            return _Part(self._letters(name), None)
        if name == "b":
            return _Part(self._boundary(), _NOTHING)
        if name in "BA":
            return _Part(f"\\{name}", _NOTHING)
        if name == "Z":
            return _Part(r"\z", _NOTHING)
        return _literal(self._character(name))

    def _escaped(self) -> str:
        if self.place + 1 >= len(self.pattern):
            raise PatternError("a \\ at the end escapes nothing")
        self.place += 2
        return self.pattern[self.place - 1]

    def _character(self, name: str) -> str:
        """The character that ``\\name`` stands for; digits that belong to it are passed."""
        if name in _SIMPLE:
            return _SIMPLE[name]
        if name in _HEX:
            digits = self.pattern[self.place : self.place + _HEX[name]]
            if not re.fullmatch(rf"[0-9a-fA-F]{{{_HEX[name]}}}", digits) or int(digits, 16) > 0x10FFFF:
                raise PatternError(f"\\{name} needs {_HEX[name]} hexadecimal digits")
            self.place += _HEX[name]
            return chr(int(digits, 16))
        if name == "0":
            octal = self.pattern[self.place : self.place + 2]
            octal = octal[: len(octal) - len(octal.lstrip("01234567"))]
            self.place += len(octal)
            return chr(int(octal or "0", 8))
        if name.isdigit():
            raise PatternError(f"a group cannot be referred back to (\\{name}); write the text out")
        if name == "N":
            named = re.match(r"\{([^}]{1,80})\}", self.pattern[self.place :])
            try:
                found = unicodedata.lookup(named[1]) if named else ""
            except KeyError:
                found = ""
            if not named or len(found) != 1:
                raise PatternError("\\N needs the name of a character in {…}")
            self.place += named.end()
            return found
        if name.isascii() and name.isalpha():
            raise PatternError(f"\\{name} is not a known escape")
        return name

    def _letters(self, name: str) -> str:
        """A class of characters outside brackets; ``\\w`` takes letters outside ASCII too, as Python's does."""
        return {"w": f"[{self._word()}]", "W": f"[^{self._word()}]"}.get(name, f"\\{name}")

    def _word(self) -> str:
        return r"\w\xff" if self.is_ascii else r"\w\x{80}-\x{10ffff}"

    def _boundary(self) -> str:
        """A word's edge; RE2 knows only ASCII words, so beside another letter the character before or after is taken."""
        after = self.pattern[self.place : self.place + 1]
        before = self.pattern[self.place - 3 : self.place - 2] if self.place >= 3 else ""
        if not after.isascii() and after.isalnum():
            return rf"(?:^|[^{self._word()}])"
        if not before.isascii() and before.isalnum():
            return rf"(?:$|[^{self._word()}])"
        return r"\b"

    def character_class(self) -> _Part:
        """What stands in [ ]."""
        start = self.place
        self.place += 1
        negated = self._at("^")
        self.place += negated
        items: list[str] = []
        members: set[str] = set()
        small = not negated
        first = True
        while first or not self._at("]"):
            first = False
            low, text = self._member(start)
            if self._at("-") and self.place + 1 < len(self.pattern) and self.pattern[self.place + 1] != "]":
                self.place += 1
                high, end = self._member(start)
                if not low or not high:
                    raise PatternError("a range in […] goes from one character to another")
                if low > high:
                    raise PatternError(f"the range {low}-{high} in […] runs backwards")
                text, small = f"{text}-{end}", False
            small = small and bool(low)
            items.append(text)
            members.add(low.lower())
        self.place += 1
        exact = frozenset(members) if small and len(members) <= SMALL_CLASS else None
        return _Part(f"[{'^' * negated}{''.join(items)}]", exact)

    def _member(self, start: int) -> tuple[str, str]:
        """(the character, or empty where it is a class of several; as RE2 writes it)."""
        if self.place >= len(self.pattern):
            raise PatternError(f"the [ at character {start + 1} is not closed")
        if self.pattern[self.place] != "\\":
            self.place += 1
            sign = self.pattern[self.place - 1]
            return sign, _quoted(sign)
        name = self._escaped()
        if name in "dDsSW":
            return "", f"\\{name}"
        if name == "w":
            return "", self._word()
        sign = "\b" if name == "b" else self._character(name)
        return sign, _quoted(sign)

    def _at(self, sign: str) -> bool:
        return self.pattern.startswith(sign, self.place)


def _flags(match: re.Match[str]) -> str:
    """The flags of ``match`` as RE2 has them; those that say only how Python reads text are left out."""
    on, off = (match["flags"] or ""), (match["off"] or "")
    if "x" in on or "L" in on:
        raise PatternError("the flags x and L are not taken; write the pattern without white space")
    on = "".join(sorted(set(on) - set("au")))
    said = on + (f"-{off.replace('x', '')}" if off.replace("x", "") else "")
    if match["end"] == ")":
        return f"(?{said})" if said else ""
    return f"(?{said}:"


def _literal(sign: str) -> _Part:
    lowered = sign.lower()
    return _Part(_quoted(sign), frozenset({lowered if len(lowered) == 1 else sign}))


def _quoted(sign: str) -> str:
    """``sign`` as RE2 takes it for itself, in and outside of brackets."""
    if not sign.isprintable():
        return f"\\x{{{ord(sign):x}}}"
    return f"\\{sign}" if sign.isascii() and not sign.isalnum() and sign not in "_ " else sign
