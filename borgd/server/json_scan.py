"""Finds the end of the first whole JSON container in bytes that arrive in pieces, without decoding them.

Promises O(n) over all pieces together. Knows brackets and strings only: whether what they hold is JSON is its reader's
business.
"""

from __future__ import annotations

import re
from itertools import accumulate
from operator import sub

BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"[ \t\r\n]*+")
_STRING_REST = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_STEPS = bytes(2 if byte in b"{[" else 0 if byte in b"}]" else 1 for byte in range(256))
"""One more than what a byte outside a string adds to the depth."""
_QUOTE = ord('"')
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

    def end(self, data: bytearray) -> int | None:
        """The offset behind the first container, None while it is incomplete or where the value is no container."""
        if self.start is None and not self._find_start(data):
            return None
        if not self._depth:
            return None
        return self._advance(data)

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
