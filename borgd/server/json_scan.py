"""Finds the end of the first whole JSON container in bytes that arrive in pieces, without decoding them.

Promises O(n) over all pieces together. Knows brackets and strings only: whether what they hold is JSON is its reader's
business.
"""

from __future__ import annotations

import re
from itertools import accumulate
from operator import sub

CUT = b" [\xe2\x80\xa6] "
"""design: what stands for the middle of a string that was taken out."""
ESCAPE_BYTES = 6
"""host: the longest escape in a JSON string."""
BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"[ \t\r\n]*+")
_STRING_REST = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_STEPS = bytes(2 if byte in b"{[" else 0 if byte in b"}]" else 1 for byte in range(256))
"""One more than what a byte outside a string adds to the depth."""
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ESCAPE = re.compile(rb"\\u[0-9a-fA-F]{4}|\\[^u]", re.DOTALL)
_LOW_SURROGATE = re.compile(rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_UNITS = re.compile(
    rb"(?:[^\"\\\x80-\xff]|[\xc0-\xff][\x80-\xbf]*+(?=[^\x80-\xbf])|\\[^u]"
    rb"|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4})*",
    re.DOTALL,
)
"""What a string may end after: a character, an escape."""
_QUOTE = ord('"')
_BACKSLASH = ord("\\")
_OPENING = b"{["


class ContainerScanner:
    """Over one growing buffer: call ``end`` after each piece with the whole buffer so far.

    ``start`` is the offset of the first byte that is neither BOM nor white space, None until there is one.
    """

    def __init__(self) -> None:
        self.start: int | None = None
        self._position = 0
        self._depth = 0
        self._in_string = False
        self._string_start = 0

    def end(self, data: bytearray) -> int | None:
        """The offset behind the first container, None while it is incomplete or where the value is not a container."""
        if self.start is None and not self._find_start(data):
            return None
        if not self._depth:
            return None
        return self._advance(data)

    def shorten(self, data: bytearray, keep: int) -> None:
        """As the function ``shorten``, for what came so far of a container that is not whole yet."""
        if self._in_string:
            self._position -= _take_middle(data, self._string_start + 1, len(data), keep)
        removed = shorten(data, keep, self.start or 0, self._string_start if self._in_string else self._position)
        self._position -= removed
        self._string_start -= removed

    def _find_start(self, data: bytearray) -> bool:
        if self._position == 0:
            if len(data) < len(BOM) and BOM.startswith(bytes(data)):
                return False
            if data.startswith(BOM):
                self._position = len(BOM)
        blank = _BLANK.match(data, self._position)
        assert blank is not None
        self._position = blank.end()
        if self._position == len(data):
            return False
        self.start = self._position
        if data[self.start] in _OPENING:
            self._depth = 1
            self._position += 1
        return True

    def _advance(self, data: bytearray) -> int | None:
        size = len(data)
        while self._position < size:
            skipped = (_STRING_REST if self._in_string else _NO_BRACKET).match(data, self._position)
            assert skipped is not None
            self._position = skipped.end()
            if self._position == size:
                break
            byte = data[self._position]
            if self._in_string:
                if byte != _QUOTE:  # a backslash whose second half has not come yet
                    break
                self._in_string = False
            elif byte == _QUOTE:
                self._in_string = True
                self._string_start = self._position
            else:
                end = self._brackets(data)
                if end is not None:
                    return end
                continue
            self._position += 1
        return None

    def _brackets(self, data: bytearray) -> int | None:
        """Take all up to the next string at once: brackets alone must not cost a turn of the interpreter each."""
        quote = data.find(b'"', self._position)
        stretch = data[self._position : quote if quote >= 0 else len(data)]
        closings = stretch.count(b"}") + stretch.count(b"]")
        if closings < self._depth:
            self._depth += stretch.count(b"{") + stretch.count(b"[") - closings
        else:
            depths = list(map(sub, accumulate(stretch.translate(_STEPS), initial=self._depth), range(len(stretch) + 1)))
            if 0 in depths:
                self._depth = 0
                return self._position + depths.index(0)
            self._depth = depths[-1]
        self._position += len(stretch)
        return None


def shorten(data: bytearray, keep: int, start: int = 0, stop: int | None = None) -> int:
    """Take the middle out of every string in ``data[start:stop]`` that is longer than ``2 * keep`` bytes; bytes removed.

    What is left is as much JSON as it was: no escape and no character is cut in half.

    :param start: outside any string.
    """
    strings = [found.span() for found in _STRING.finditer(data, start, len(data) if stop is None else stop)]
    return sum(_take_middle(data, begin + 1, end - 1, keep) for begin, end in reversed(strings))


def _take_middle(data: bytearray, start: int, end: int, keep: int) -> int:
    if end - start <= 2 * keep + len(CUT):
        return 0
    head = _UNITS.match(data, start, start + keep)
    assert head is not None
    first, last = head.end(), _whole_from(data, end - keep, end)
    data[first:last] = CUT
    return last - first - len(CUT)


def _whole_from(data: bytearray, at: int, end: int) -> int:
    """The first place from ``at`` on, before ``end``, where neither an escape nor a character is cut."""
    for back in range(ESCAPE_BYTES):  # is there an escape that reaches over the place?
        place = at - back
        if data[place] == _BACKSLASH and _is_odd(data, place):
            found = _ESCAPE.match(data, place, end)
            at = max(at, found.end()) if found is not None and back else at
            break
    while at < end and data[at] & 0xC0 == 0x80:
        at += 1
    while (found := _LOW_SURROGATE.match(data, at, end)) is not None:
        at = found.end()
    return at


def _is_odd(data: bytearray, at: int) -> bool:
    """Whether the backslash at ``at`` begins an escape: an even number of them stands before it."""
    before = at
    while data[before - 1] == _BACKSLASH:
        before -= 1
    return (at - before) % 2 == 0
