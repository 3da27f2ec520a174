"""One journal: append, read, transact, rewrite. See the package for the guarantees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

from borgd.errors import JournalError
from borgd.journal.append import QUARANTINE_SUFFIX, Quarantined, Writer, sync_directory, write_all, writing
from borgd.journal.encoding import Record, encode
from borgd.journal.follow import TypedFollower
from borgd.journal.layer import REAL, FileLayer
from borgd.journal.lock import locked
from borgd.journal.parse import Damage, Parser, Reading, TypedReading
from borgd.journal.read import read_pieces

T = TypeVar("T")
R = TypeVar("R")

REWRITE_SUFFIX = ".rewrite"


class Rewritten(NamedTuple):
    """What a rewrite did: records kept as they were, changed, dropped; damaged lines moved to quarantine."""

    kept: int
    changed: int
    dropped: int
    quarantined: int


class Journal:
    """The journal at ``path``. Cheap: nothing is opened until used; the directory is the caller's to make."""

    def __init__(self, path: Path, layer: FileLayer = REAL) -> None:
        self.path = path
        self.name = os.fspath(path)
        self.layer = layer
        self.repairs: list[Damage] = []
        """What this object's writes had to repair; each is also logged as a warning."""

    @property
    def read_only(self) -> str | None:
        """Why the journal takes no writes in this process, or None."""
        failure = self.layer.read_only.get(self.name)
        return None if failure is None else failure.reason

    @property
    def quarantine_path(self) -> Path:
        return self.path.with_name(self.path.name + QUARANTINE_SUFFIX)

    def append(self, records: Sequence[Record]) -> None:
        """Store ``records``, together; durable on return. None of them is stored if it raises.

        :raises JournalError: the lock, the disk or a record; says which and what to do.
        :raises ReadOnlyError: this process may not write here any more.
        """
        if records:
            self.append_encoded(encode(records))

    def append_encoded(self, lines: bytes) -> None:
        """As ``append``, for what ``encode`` made of the records."""
        with self._writing() as writer:
            writer.append(lines)

    @overload
    def read(self) -> Reading: ...
    @overload
    def read(self, kind: type[T]) -> TypedReading[T]: ...
    def read(self, kind: type[T] | None = None) -> TypedReading[T] | Reading:
        """The whole file; an empty reading where there is none.

        :param kind: a Struct (or a union of tagged ones) to decode records as; about twice as fast as dicts. Keys it does
            not know are ignored in the view; a record that does not fit it is reported as damage and stays on the disk.
        :raises JournalError: the file cannot be read at all.
        """
        return TypedFollower(self, kind).read_contents()

    def transact(self, follower: TypedFollower[T], decide: Callable[[TypedReading[T]], tuple[Sequence[Record], R]]) -> R:
        """Read, decide and append as one step that no other writer can come between.

        ``decide`` gets what is new to ``follower`` (of this journal) and returns the records to append and the value to
        return. Afterwards the follower is past those records as well. What ``decide`` was given counts as read even if it or
        the append raises; its own records then were not stored, so apply them after ``transact`` returned.

        :raises JournalError: as ``append``; and whatever ``decide`` raises.
        """
        if follower.journal.name != self.name:
            raise JournalError(f"a follower of {follower.journal.name} cannot be used on {self.name}")
        with self._writing() as writer:
            records, value = decide(follower.read_contents(locked=True))
            if records:
                writer.append(encode(records))
                follower.skip_own(writer.descriptor)
        return value

    def rewrite(self, transform: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> Rewritten:
        """Replace the file by one in which each record is ``transform(record)``; None drops it.

        Atomic and durable: after a crash either file is there, whole. A record that comes back equal keeps its bytes.
        Damaged lines go to quarantine. Nothing is written where nothing changes. Followers read the file anew.

        :raises JournalError: the old file is still there, untouched.
        :raises ReadOnlyError: the new file is there, but may not outlive a crash.
        """
        with self._writing() as writer:
            if writer.size == 0:
                return Rewritten(0, 0, 0, 0)
            parser: Parser[dict[str, Any]] = Parser(None, self.name)
            temporary = os.path.realpath(self.name) + REWRITE_SUFFIX
            try:
                return self._rewrite(writer, parser, transform, temporary)
            except OSError as error:
                raise JournalError(f"{self.name} cannot be rewritten: {error.strerror}; the old one is untouched") from error

    def purge_quarantine(self) -> bool:
        """Delete the quarantine file (what is forgotten must not live on there); True if there was one."""
        with locked(self.name, self.layer):
            try:
                self.layer.unlink(os.fspath(self.quarantine_path))
            except FileNotFoundError:
                return False
            except OSError as error:
                raise JournalError(f"{self.quarantine_path} cannot be deleted: {error.strerror}") from error
        return True

    def quarantined(self) -> list[Quarantined]:
        """What was taken out of this journal, oldest first."""
        return Journal(self.quarantine_path, self.layer).read(Quarantined).records

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        with writing(self.name, self.layer) as writer:
            self._say(writer.repairs)
            yield writer

    def _say(self, repairs: Sequence[Damage]) -> None:
        if repairs:
            import logging

            self.repairs += repairs
            for repair in repairs:
                logging.getLogger("borgd.journal").warning("%s: %s", self.name, repair.reason)

    def _make_rename_durable(self, writer: Writer) -> None:
        try:
            sync_directory(self.name, self.layer)
        except OSError as error:  # the old file may come back and later appends would go with the new one
            writer.fail(f"the fsync of its directory failed ({error.strerror})", error)

    def _rewrite(
        self,
        writer: Writer,
        parser: Parser[dict[str, Any]],
        transform: Callable[[dict[str, Any]], Mapping[str, Any] | None],
        temporary: str,
    ) -> Rewritten:
        kept = changed = dropped = 0
        with suppress(FileNotFoundError):  # of a crash; never written into, it may be a second name of the journal itself
            self.layer.unlink(temporary)
        output = self.layer.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            for piece in read_pieces(writer.descriptor, writer.size, parser, self.layer):
                before = encode([piece.record])
                record = transform(piece.record)
                after = None if record is None else encode([record])
                if after is None:
                    dropped += 1
                    continue
                if after == before:
                    kept += 1
                    after = piece.raw + b"\n"
                else:
                    changed += 1
                write_all(output, after, self.layer)
            result = Rewritten(kept, changed, dropped, len(parser.lost))
            if changed or dropped or parser.damage:
                for lost in parser.lost:
                    writer.quarantine(lost.raw, lost.offset, lost.reason)
                self.layer.sync(output)
                self.layer.rename(temporary, os.path.realpath(self.name))
                self._make_rename_durable(writer)
            else:
                self.layer.unlink(temporary)
            return result
        except BaseException:
            with suppress(OSError):
                self.layer.unlink(temporary)
            raise
        finally:
            self.layer.close(output)
