"""A stretch of a journal's file, from the disk through the parser, in bounded pieces."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import TypeVar

from borgd.errors import JournalError
from borgd.journal.layer import FileLayer
from borgd.journal.parse import BLANK, ParsedPiece, Parser, TypedReading, whole_size

T = TypeVar("T")

CHUNK_BYTES = 1 << 22
"""method: bytes per read; larger ones decode no faster."""


def open_to_read(path: str, layer: FileLayer) -> int | None:
    """A descriptor, or None where there is no file.

    :raises JournalError: it cannot be opened, or is not a file (a directory, a pipe).
    """
    try:
        descriptor = layer.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe in a shared directory must not hold us up
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}; check its permissions") from error
    if not stat.S_ISREG(layer.fstat(descriptor).st_mode):
        layer.close(descriptor)
        raise JournalError(f"{path} cannot be read: expected a file; move it away")
    return descriptor


def readable_size(path: str, layer: FileLayer, size: int) -> int:
    """Bytes that count, of a file of ``size`` bytes: what a failed write left behind does not."""
    failure = layer.read_only.get(path)
    return size if failure is None or failure.size is None else min(size, failure.size)


def chunks(descriptor: int, start: int, end: int, path: str, layer: FileLayer) -> Iterator[bytes]:
    """Whole lines of the bytes ``start`` to ``end``, many at a time; at last the rest after the last LF, perhaps empty.

    :raises JournalError: the disk fails.
    """
    pending: list[bytes] = []
    while start < end:
        try:
            data = layer.pread(descriptor, min(CHUNK_BYTES, end - start), start)
        except OSError as error:
            raise JournalError(f"{path} cannot be read at byte {start}: {error.strerror}") from error
        if not data:
            break
        start += len(data)
        cut = data.rfind(b"\n") + 1
        if cut:
            pending.append(data[:cut] if cut < len(data) else data)
            yield b"".join(pending)
            pending = [data[cut:]]
        else:
            pending.append(data)
    yield b"".join(pending)


def read_records(descriptor: int, end: int, parser: Parser[T], layer: FileLayer) -> TypedReading[T]:
    """All from the parser's position to byte ``end``."""
    reading: TypedReading[T] = TypedReading()
    for chunk in chunks(descriptor, parser.offset, end, parser.path, layer):
        if not chunk:
            break
        size = len(chunk) if chunk.endswith(b"\n") else whole_size(chunk)
        reading.records += parser.records(chunk[:size])
        reading.torn = bool(chunk[size:].strip(BLANK))
    reading.damage, reading.offset = parser.damage, parser.offset
    return reading


def read_pieces(descriptor: int, end: int, parser: Parser[T], layer: FileLayer) -> Iterator[ParsedPiece[T]]:
    """As ``read_records``, each record with the bytes that hold it."""
    for chunk in chunks(descriptor, parser.offset, end, parser.path, layer):
        size = len(chunk) if chunk.endswith(b"\n") else whole_size(chunk)
        yield from parser.pieces(chunk[:size])
