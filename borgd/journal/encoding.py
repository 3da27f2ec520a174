"""Records to bytes: one JSON object and one LF each, with nothing inside that any program takes for a line end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from borgd.errors import JournalError
from borgd.journal.parse import decoder_of

Record = msgspec.Struct | Mapping[str, Any]

_ENCODER = msgspec.json.Encoder()
_LINE_SEPARATORS = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))


def encode(records: Iterable[Record]) -> bytes:
    """``records`` as lines, LF after each. Control characters, U+0085, U+2028 and U+2029 come out escaped.

    :raises JournalError: one of them is no JSON object, or holds what JSON cannot; names which and why.
    """
    lines = bytearray()
    for number, record in enumerate(records, 1):
        lines += _line(record, number)
        lines += b"\n"
    if not lines.isascii():  # UTF-8 is self-synchronising: these bytes are these characters, and only strings hold them
        for separator, escaped in _LINE_SEPARATORS:
            lines = lines.replace(separator, escaped)
    return bytes(lines)


def _line(record: Record, number: int) -> bytes:
    plain = dict(record) if isinstance(record, Mapping) and not isinstance(record, dict) else record
    try:
        line = _ENCODER.encode(plain)
    except UnicodeEncodeError as error:
        raise JournalError(f"record {number} cannot be stored: text that is not Unicode ({error.reason})") from error
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise JournalError(f"record {number} cannot be stored as JSON: {error}") from error
    try:  # whatever is acknowledged can be read back: no array, no NaN in a number's place, nothing out of its range
        decoder_of(type(record) if isinstance(record, msgspec.Struct) else None).decode(line)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise JournalError(f"record {number} cannot be stored, it could not be read back: {error}") from error
    if line[:1] != b"{":
        raise JournalError(f"record {number} cannot be stored: expected an object, got {type(record).__name__}")
    return line
