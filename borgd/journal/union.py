"""Several files read as one, whatever the order of files and lines; and the latest version of each id."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from borgd.errors import JournalError
from borgd.journal.layer import REAL, FileLayer
from borgd.journal.parse import Damage, Parser, Reading, TypedReading
from borgd.journal.read import open_to_read, read_records, readable_size

T = TypeVar("T")

_Key = tuple[float, str]
_CANONICAL = msgspec.json.Encoder(order="sorted")


@overload
def read_union(paths: Iterable[Path], *, layer: FileLayer = REAL) -> Reading: ...
@overload
def read_union(paths: Iterable[Path], kind: type[T], *, layer: FileLayer = REAL) -> TypedReading[T]: ...
def read_union(paths: Iterable[Path], kind: type[T] | None = None, *, layer: FileLayer = REAL) -> TypedReading[T] | Reading:
    """The records of all files, each distinct one once, ordered by ``ms``, ``id`` and then content.

    Two records are the same where their JSON is, whatever the order of keys (of a ``kind``, the JSON of that view). A file
    that is not there counts as empty, one that cannot be read as damage. ``torn``: a file ends in a line that is not whole.

    :param kind: as in ``Journal.read``.
    """
    union: TypedReading[Any] = TypedReading()
    distinct: dict[_Key, Any] = {}
    alike: dict[_Key, dict[bytes, Any]] = {}  # only these need their whole content compared
    for name in sorted({os.fspath(path) for path in paths}):
        reading = _read_one(name, kind, layer)
        union.damage += reading.damage
        union.torn |= reading.torn
        for record in reading.records:
            key = _key(record)
            first = distinct.setdefault(key, record)
            if first is not record:
                group = alike.setdefault(key, {_CANONICAL.encode(first): first})
                group.setdefault(_CANONICAL.encode(record), record)
    for key, record in sorted(distinct.items(), key=itemgetter(0)):
        same = alike.get(key)
        if same is None:
            union.records.append(record)
        else:
            union.records += [same[content] for content in sorted(same)]
    return union


def _read_one(name: str, kind: Any, layer: FileLayer) -> TypedReading[Any]:
    try:
        descriptor = open_to_read(name, layer)
        if descriptor is None:
            return TypedReading()
        try:
            end = readable_size(name, layer, layer.fstat(descriptor).st_size)
            return read_records(descriptor, end, Parser(kind, name), layer)
        finally:
            layer.close(descriptor)
    except JournalError as error:
        return TypedReading(damage=[Damage(0, 0, str(error), path=name)])


def _key(record: Any) -> _Key:
    if type(record) is dict:
        ms, name = record.get("ms"), record.get("id")
    else:
        ms, name = getattr(record, "ms", None), getattr(record, "id", None)
    if type(ms) is not int and not isinstance(ms, float):
        ms = 0
    return ms, name if type(name) is str else ""


def latest(records: Iterable[T]) -> list[T]:
    """The latest version of each ``id``, ordered by id: the larger ``version`` (none: 0), of equal ones the larger hash.

    The hash is SHA-256 over the record's JSON with sorted keys, so every machine chooses the same one from the same records.
    Records without an id are each their own, after the others.
    """
    best: dict[str, T] = {}
    nameless: dict[bytes, T] = {}
    for record in records:
        name = _field(record, "id")
        if not isinstance(name, str):
            nameless[_CANONICAL.encode(record)] = record
        elif name not in best or _beats(record, best[name]):
            best[name] = record
    return [best[name] for name in sorted(best)] + [nameless[content] for content in sorted(nameless)]


def _field(record: Any, name: str) -> Any:
    return record.get(name) if isinstance(record, dict) else getattr(record, name, None)


def _beats(record: Any, other: Any) -> bool:
    version, others = _version(record), _version(other)
    if version != others:
        return version > others
    return hashlib.sha256(_CANONICAL.encode(record)).digest() > hashlib.sha256(_CANONICAL.encode(other)).digest()


def _version(record: Any) -> float:
    version = _field(record, "version")
    return version if isinstance(version, int | float) else 0
