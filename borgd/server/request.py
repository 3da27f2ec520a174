"""One request put together from the pieces in which it comes. Pure: no socket, no clock.

Promises to say as soon as a request is whole or can no longer become one, and to hold at most MAX_REQUEST bytes and a piece.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from borgd.errors import ProtocolError
from borgd.protocol import frames as wire
from borgd.protocol.frames import Header
from borgd.server.json_scan import ContainerScanner, shorten

KINDS = 256
"""method: different header lines whose parts are remembered; an agent sends a dozen."""
KEPT_OF_A_STRING = 1 << 15
"""design: bytes kept at either end of a string in a hook's body that is too large as a whole: enough to meter it by."""
_parsed = lru_cache(KINDS)(wire.parse_header)


class NothingSaidError(ProtocolError):
    """A connection without a byte in it: somebody looked whether we are here."""


class Request(NamedTuple):
    """``body``: a hook's is one JSON object or empty; a call's is the first JSON container or the whole stream."""

    header: Header
    body: bytes


class RequestReader:
    """Give it each piece with ``take``, an empty one at the stream's end."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._header: Header | None = None
        self._header_bytes = 0
        self._scanner = ContainerScanner()

    def take(self, piece: bytes) -> Request | None:
        """The request, None while it is not whole; never None for the empty piece.

        :raises ProtocolError: not a request, too large, or ended too early.
        :raises NothingSaidError: the stream ended before its first byte.
        """
        data = self._data
        data += piece
        header = self._header or self._take_header(ended=not piece)
        if header is None:
            return None
        end = self._scanner.end(data)
        start = self._scanner.start
        if self._header_bytes + (len(data) if end is None else end) > wire.MAX_REQUEST:
            end = self._shorten(header, end)
        if header.kind == "hook" and start is not None and data[start] != ord("{"):
            raise ProtocolError("a hook's body is one JSON object, and this one does not start with {")
        if end is not None:
            return Request(header, bytes(data[start:end]))
        if piece:
            return None
        if header.kind == "hook" and start is not None:
            raise ProtocolError("the request ended before its JSON object did")
        return Request(header, bytes(data[start:]) if start is not None else b"")

    def _shorten(self, header: Header, end: int | None) -> int | None:
        """Make the body fit by taking the middle out of its long strings; the end of it, where it has come.

        :raises ProtocolError: it does not fit all the same.
        """
        if header.kind == "hook":
            if end is None:
                self._scanner.shorten(self._data, KEPT_OF_A_STRING)
            else:
                end -= shorten(self._data, KEPT_OF_A_STRING, self._scanner.start or 0, end)
        if self._header_bytes + (len(self._data) if end is None else end) > wire.MAX_REQUEST:
            raise ProtocolError(f"the request is larger than {wire.MAX_REQUEST} bytes; nothing of it was used")
        return end

    def _take_header(self, *, ended: bool) -> Header | None:
        newline = self._data.find(b"\n", 0, wire.MAX_HEADER)
        if newline < 0:
            if not self._data and ended:
                raise NothingSaidError("nothing was asked")
            if not ended and len(self._data) < wire.MAX_HEADER:
                return None
            raise ProtocolError("the request does not start with a borg/1 header line")
        self._header = _parsed(bytes(self._data[:newline]))
        self._header_bytes = newline + 1
        del self._data[: self._header_bytes]
        return self._header
