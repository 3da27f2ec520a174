"""The end of a file of the audit trail, read without what comes before it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from borgd.journal import Position
from borgd.journal.parse import MARK_BYTES
from borgd.limits.audit import TrailHead, head_of


def tail_of(path: Path, size: int) -> tuple[bytes, int]:
    """The last whole lines in the last ``size`` bytes of a file, and the file's size; nothing of one that is not there."""
    try:
        with open(path, "rb") as file:
            whole = file.seek(0, os.SEEK_END)
            file.seek(max(0, whole - size))
            data = file.read(size)
    except OSError:
        return b"", 0
    if whole > size:
        data = data[data.find(b"\n") + 1 :]
    return data, whole


def decoded(raw: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def verdicts_in(data: bytes) -> Iterator[dict[str, Any]]:
    """The verdicts in ``data``."""
    for raw in data.split(b"\n"):
        record = decoded(raw)
        if record is not None and head_of(record) is not None:
            yield record


def first_seq(records: Sequence[dict[str, Any]]) -> int:
    return int(records[0]["seq"])


def last_head(data: bytes) -> TrailHead:
    found = TrailHead()
    for record in verdicts_in(data):
        found = head_of(record) or found
    return found


def position_behind(path: Path, tail: bytes, size: int) -> Position | None:
    """Behind the last whole line of a file, for a follower; None where the tail holds none or the file has changed."""
    try:
        info = path.stat()
    except OSError:
        return None
    whole = tail[: tail.rfind(b"\n") + 1]
    if not whole or info.st_size != size:
        return None
    offset = size - len(tail) + len(whole)
    mark = whole[-MARK_BYTES:]
    return Position(info.st_dev, info.st_ino, size, info.st_mtime_ns, offset, 0, mark, offset != size)
