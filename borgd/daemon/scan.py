"""Finds the end of the first whole JSON container in bytes that arrive in pieces, without decoding them.

Promises O(n) over all pieces together. Knows brackets and strings only: whether what they hold is JSON is its reader's
business.
"""

from __future__ import annotations

import re

BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"[ \t\r\n]*+")
_STRING_REST = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
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
                self._depth += 1 if byte in _OPENING else -1
            self._position += 1
            if not self._depth:
                return self._position
        return None
