"""Bytes to records: whole lines in, records and damage out. Never raises for what a file holds.

A run of sound lines is decoded in one call; anything else is taken line by line, and what is whole in a damaged line
is kept. A part of a line is only taken for a record when it is a complete object bounded by the line's ends, NUL
bytes or other objects, so that an object nested in a torn record does not come out as a record of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

MAX_REASON_CHARS = 200
"""guard: a damaged line's own text must not flood a report."""
MARK_BYTES = 256
"""method: consumed bytes a follower compares again; longer than the part in which two records of a kind may agree."""

BLANK = b" \t\r"
_BOM = b"\xef\xbb\xbf"
_CONFLICT_MARKER = re.compile(rb"(?:<{7}|>{7}|={7}|\|{7})(?: .*)?\Z", re.DOTALL)
_BLANK_CHARS = frozenset(" \t\r")
_GOES_ON = frozenset("}],:")
_FIRST, _LAST = itemgetter(slice(0, 1)), itemgetter(slice(-1, None))
_NULS = re.compile(rb"\0+")
_UNDECODABLE = (msgspec.MsgspecError, RecursionError, ValueError)


class Damage(NamedTuple):
    """Something in a file that should not be there. ``str(damage)`` is a line for a person.

    ``line`` is 1-based, ``offset`` in bytes, both of the line's start. ``lost``: a record could not be read because of it;
    False where everything around it was read.
    """

    line: int
    offset: int
    reason: str
    lost: bool = True
    path: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}" if self.path else f"line {self.line}: {self.reason}"


@dataclass(slots=True)
class TypedReading(Generic[T]):
    """What one read returned.

    ``torn``: the file ends in a line that is not whole (yet); it is in no record, and ``offset`` (bytes consumed) is before
    it. ``replaced``: the file shrank, was replaced or was edited since this follower's last read, and ``records`` is all
    of it again.
    """

    records: list[T] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    torn: bool = False
    offset: int = 0
    replaced: bool = False


Reading: TypeAlias = TypedReading[dict[str, Any]]


class ParsedPiece(NamedTuple, Generic[T]):
    """A record and the bytes that hold it."""

    raw: bytes
    record: T


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    """A decoder of ``kind``, None for a dict; built once, which costs more than a small read."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.json.Decoder(dict[str, Any] if kind is None else kind)
    return decoder


class LostBytes(NamedTuple):
    """Bytes that are in no record."""

    raw: bytes
    offset: int
    reason: str


class Parser(Generic[T]):
    """Takes a file's whole lines in order, chunk by chunk; collects records and damage, and knows the position."""

    def __init__(self, kind: type[T] | None, path: str, *, line: int = 0, offset: int = 0, mark: bytes = b"") -> None:
        self._decoder: msgspec.json.Decoder[T] = decoder_of(kind)
        self.path = path
        self._noted: set[str] = set()
        self.line = line
        """Lines consumed."""
        self.offset = offset
        """Bytes consumed."""
        self.mark = mark
        """The last MARK_BYTES of them."""
        self.damage: list[Damage] = []
        self.lost: list[LostBytes] = []

    def records(self, chunk: bytes) -> list[T]:
        """The records of ``chunk``, which ends in LF (or is the file's last line, whole without one)."""
        self.mark = (self.mark + chunk[-MARK_BYTES:])[-MARK_BYTES:]
        records = self._sound(chunk)
        return [piece.record for piece in self._line_by_line(chunk)] if records is None else records

    def pieces(self, chunk: bytes) -> list[ParsedPiece[T]]:
        """As ``records``, each with the bytes that hold it."""
        records = self._sound(chunk)
        if records is None:
            return list(self._line_by_line(chunk))
        return [ParsedPiece(raw, record) for raw, record in zip(chunk.split(b"\n"), records, strict=False)]

    def _sound(self, chunk: bytes) -> list[T] | None:
        """All records, if ``chunk`` is nothing but one object a line; else None, and nothing is consumed."""
        if not chunk.startswith(b"{") or not chunk.endswith(b"}\n"):
            return None
        try:
            records = self._decoder.decode_lines(chunk)
        except _UNDECODABLE:
            return None
        # A decoder of lines also takes several objects in one line and one over several; "}" LF "{" only parts two objects.
        lines = chunk.split(b"\n")
        lines.pop()
        if len(lines) != len(records) or {*map(_FIRST, lines)} != {b"{"} or {*map(_LAST, lines)} != {b"}"}:
            return None
        self.line += len(records)
        self.offset += len(chunk)
        return records

    def _line_by_line(self, chunk: bytes) -> Iterator[ParsedPiece[T]]:
        *lines, last = chunk.split(b"\n")
        for line in lines:
            yield from self._one(line)
            self.line += 1
            self.offset += len(line) + 1
        if last:
            yield from self._one(last)
            self.offset += len(last)

    def _one(self, line: bytes) -> Iterator[ParsedPiece[T]]:
        text = line.strip(BLANK)
        if line.endswith(b"\r"):
            self._note_once("lines end in CRLF; read as if they ended in LF")
        if not text:
            return
        try:
            yield ParsedPiece(text, self._decoder.decode(text))
            return
        except _UNDECODABLE:
            pass
        if _CONFLICT_MARKER.match(text):
            self._report("a merge-conflict marker; both sides are read", lost=False)
            return
        yield from self._salvage(text)

    def _salvage(self, text: bytes) -> Iterator[ParsedPiece[T]]:
        """What is whole in a damaged line."""
        if b"\0" in text:
            self._report(f"{text.count(0)} NUL bytes, skipped", lost=False)
        if text.startswith(_BOM):
            self._note_once("a byte order mark, skipped")
        reason = ""
        for raw in _parts(text):
            try:
                yield ParsedPiece(raw, self._decoder.decode(raw))
            except _UNDECODABLE as error:
                reason = _reason(error)
                self.lost.append(LostBytes(raw, self.offset, reason))
        if reason:
            self._report(reason, lost=True)

    def _report(self, reason: str, *, lost: bool) -> None:
        self.damage.append(Damage(self.line + 1, self.offset, reason, lost, self.path))

    def _note_once(self, reason: str) -> None:
        if reason not in self._noted:
            self._noted.add(reason)
            self._report(reason, lost=False)


def whole_size(data: bytes) -> int:
    """Bytes of ``data``, a file's last line without LF, that are records all the same.

    All of them where an editor left the LF out; those in front of a torn record where something else wrote on.
    """
    if _all_sound(_parts(data)):
        return len(data)
    size = 0
    for part in _glued(data):
        if not _all_sound([part]):
            break
        size = data.index(part, size) + len(part)
    return size


def _all_sound(parts: Iterable[bytes]) -> bool:
    """There is at least one part, and each is a record."""
    decoder = decoder_of(None)
    count = 0
    for part in parts:
        try:
            decoder.decode(part)
        except _UNDECODABLE:
            return False
        count += 1
    return count > 0


def _parts(text: bytes) -> Iterator[bytes]:
    """What may be a record in a line: the objects between NUL bytes, blanks and byte order marks, and all that is none."""
    for part in _NULS.split(text):
        yield from _glued(part.strip(BLANK).removeprefix(_BOM))


def _glued(data: bytes) -> list[bytes]:
    """The complete JSON objects that ``data`` starts with; then what is left, if anything is.

    What is left must not go on as if the objects had been inside something: then ``data`` is one torn piece.
    """
    text = data.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder()
    pieces: list[str] = []
    position = 0
    while text.startswith("{", position):
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        pieces.append(text[position:end])
        position = end
        while text[position : position + 1] in _BLANK_CHARS:
            position += 1
    if position < len(text):
        if text[position] in _GOES_ON:
            return [data]
        pieces.append(text[position:])
    return [piece.encode("utf-8", "surrogateescape") for piece in pieces]


def _reason(error: Exception) -> str:
    text = str(error) if isinstance(error, msgspec.MsgspecError) else f"not JSON: {type(error).__name__}"
    return f"not a record: {text}"[:MAX_REASON_CHARS]
