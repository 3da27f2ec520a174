"""The trail of verdicts on disk: appended by any process, each line chained to the one before, the head kept apart.

The head (how many lines, the last hash) is found at the trail's end, whatever its length, and extended
under the journal's lock, so verdicts of several processes form one chain. It is also kept in a file of its own, written
after the line: a cut end of the trail shows against it. After a crash it may be a few lines old, which only means that a cut
of those lines would not be seen. A kept head that the trail does not continue is left as it is, so that verdicts appended
later cannot cover the cut; a person who has seen the report removes the file.

A file that has grown to PART_BYTES is put aside (``audit-<number of its last verdict>.jsonl``) and the chain goes on in a
new one. How many verdicts of each kind there are is kept beside the head and caught up from the trail's end. Calls
block on the disk; ``later`` does not.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple

import msgspec

from borgd.errors import JournalError, LimitError
from borgd.files import replace_file
from borgd.journal import REAL, Follower, Journal, Reading
from borgd.journal.append import sync_directory
from borgd.journal.lock import locked
from borgd.limits.audit import AuditEntry, TrailHead, TrailReport, head_of, link, verify_lines
from borgd.paths import Paths, private_dir
from borgd.stores.audit.tail import decoded, first_seq, last_head, position_behind, tail_of, verdicts_in
from borgd.stores.background import BackgroundWriter

TAIL_BYTES = 1 << 16
"""method: the part of a file in which its last line is looked for at first; a hundred lines."""

MOST_TAIL_BYTES = 1 << 22
"""guard: the part of a file in which lines are looked for that a kept file does not know yet."""

PART_BYTES = 64 << 20
"""design: size from which a file of the trail is put aside; some seventy thousand verdicts."""

CHUNK_BYTES = 1 << 20
"""method: bytes in memory while a trail is read."""

YIELD_LINES, YIELD_S = 200, 0.002
"""method: while a trail of any length is counted, so often and so long whoever asks for a verdict goes first."""

_PART = re.compile(r"audit-(\d{12,})\.jsonl")
_COUNTED = re.compile(rb'"limit":"([^"]{1,40})","verdict":"([^"]{1,40})"')

Counts = dict[str, dict[str, int]]


class _Kept(msgspec.Struct, frozen=True):
    """What is kept of the counts: of the verdicts up to ``seq``."""

    seq: int
    counts: Counts


class Shown(NamedTuple):
    """Verdicts in the order of the trail, and how many lines could not be read."""

    records: list[dict[str, Any]]
    damaged: int


class AuditTrail:
    """The one trail of this user. Any number of objects in any number of processes may append."""

    def __init__(self, places: Paths, *, part_bytes: int = PART_BYTES) -> None:
        self.journal = Journal(places.journal("audit"))
        self.head_file = places.state / "audit.head"
        self.counts_file = places.state / "audit.counts"
        self.background = BackgroundWriter()
        self._part_bytes = part_bytes
        self._follower = Follower(self.journal)
        self._head = TrailHead()
        self._counts: Counts = {}
        self._counted = 0
        """Number of the last verdict that is in the counts; below 0: they were never counted."""
        self._started = False
        self._counter: Thread | None = None
        self._lock = Lock()
        self._waiting: list[tuple[AuditEntry, int]] = []
        self._waiting_lock = Lock()

    # appending

    def later(self, entries: Sequence[AuditEntry], now_ms: int) -> None:
        """Append the ``entries`` soon, in order with others; whoever is told of a verdict does not wait for its line."""
        with self._waiting_lock:
            self._waiting += [(entry, now_ms) for entry in entries]
        self.background.put(self._write_waiting)

    def _write_waiting(self) -> None:
        with self._lock:
            with self._waiting_lock:
                waiting, self._waiting = self._waiting, []
            self._append(waiting)

    def record(self, entries: Sequence[AuditEntry], now_ms: int) -> TrailHead:
        """Append the ``entries`` in order; durable on return.

        :raises JournalError: none of them is in the trail.
        """
        with self._lock:
            return self._append([(entry, now_ms) for entry in entries])

    def _append(self, entries: Sequence[tuple[AuditEntry, int]]) -> TrailHead:
        if not entries:
            return self._head

        def decide(reading: Reading) -> tuple[Sequence[dict[str, Any]], tuple[TrailHead, TrailHead, list[dict[str, Any]]]]:
            before = after = self._newest(reading)
            records: list[dict[str, Any]] = []
            for entry, ms in entries:
                linked, after = link([entry], after, ms)
                records += linked
            return records, (before, after, records)

        private_dir(self.journal.path.parent)
        self._start()
        self._put_aside()
        before, self._head, records = self.journal.transact(self._follower, decide)
        self._count(records)
        self._keep(before, self._head)
        return self._head

    def _newest(self, reading: Reading) -> TrailHead:
        self._count(reading.records)
        heads = (head_of(record) for record in reversed(reading.records))
        found = next((head for head in heads if head is not None), None)
        if found is not None:
            self._head = found
        elif reading.replaced or not self._head.seq:  # another process may have begun the trail and put it aside since
            self._head = self._last_of_parts()
        return self._head

    # where it ends

    def _start(self) -> None:
        """Stand at the trail's end, from the end of its file alone; once."""
        if self._started:
            return
        self._started = True
        kept = self._kept_counts()
        self._counted, self._counts = (kept.seq, kept.counts) if kept else (-1, {})
        path = self.journal.path
        tail, size = tail_of(path, TAIL_BYTES)
        if not size:
            self._head = self._last_of_parts()
            if kept is None and not self._head.seq:
                self._counted = 0
            return
        records = list(verdicts_in(tail))
        position = position_behind(path, tail, size)
        if not records or position is None or not self._follower.resume(position):
            return  # everything is read, by the first append
        self._head = next(head for record in reversed(records) if (head := head_of(record)))
        self._count(records)

    def _last_of_parts(self) -> TrailHead:
        for part in reversed(self._parts()):
            found = last_head(tail_of(part, TAIL_BYTES)[0])
            if found.seq:
                return found
        return TrailHead()

    def _parts(self) -> list[Path]:
        """The files that were put aside, the oldest first."""
        found: list[tuple[int, Path]] = []
        with suppress(OSError):
            for path in self.journal.path.parent.iterdir():
                if match := _PART.fullmatch(path.name):
                    found.append((int(match[1]), path))
        return [path for _, path in sorted(found)]

    def _put_aside(self) -> None:
        """Give a file that has grown enough another name; what is appended next makes a new one."""
        try:
            if self.journal.path.stat().st_size < self._part_bytes:
                return
        except OSError:
            return
        with locked(self.journal.name, REAL), suppress(OSError):
            tail, size = tail_of(self.journal.path, TAIL_BYTES)
            last = last_head(tail)
            part = self.journal.path.with_name(f"audit-{last.seq:012}.jsonl")
            if size >= self._part_bytes and last.seq and tail.endswith(b"\n") and not part.exists():
                self.journal.path.rename(part)
                sync_directory(self.journal.name, REAL)

    # the head and the counts, kept apart

    def _keep(self, before: TrailHead, head: TrailHead) -> None:
        """Write ``head`` down, unless the trail before it does not go on from the kept one, or another process has kept a
        later one since; a failure costs no verdict."""
        self._keep_counts()
        private_dir(self.head_file.parent)
        with suppress(OSError, JournalError), locked(str(self.journal.path), REAL):
            kept = self.kept_head()
            if kept is not None and kept != before and (kept.seq >= head.seq or not self._contains(kept)):
                return
            replace_file(self.head_file, f"{head}\n".encode("ascii"), 0o600)

    def _contains(self, head: TrailHead) -> bool:
        """Whether the trail has the line that ``head`` names. Asked only when a head was left behind: then all is read."""
        if head == TrailHead():
            return True
        near = verdicts_in(tail_of(self.journal.path, MOST_TAIL_BYTES)[0])
        return any(head_of(record) == head for record in near) or any(
            head_of(record) == head for raw, _ in self._lines() if (record := decoded(raw)) is not None
        )

    def kept_head(self) -> TrailHead | None:
        """The head that was kept apart; None where there is none or it cannot be read."""
        try:
            return TrailHead.parse(self.head_file.read_text(encoding="ascii"))
        except (OSError, UnicodeDecodeError, LimitError):
            return None

    def _kept_counts(self) -> _Kept | None:
        try:
            return msgspec.json.decode(self.counts_file.read_bytes(), type=_Kept)
        except (OSError, msgspec.DecodeError):
            return None

    def _keep_counts(self) -> None:
        if self._counted >= 0:
            private_dir(self.counts_file.parent)
            with suppress(OSError):
                replace_file(self.counts_file, msgspec.json.encode(_Kept(self._counted, self._counts)), 0o600)

    def _count(self, records: Sequence[dict[str, Any]]) -> None:
        """Add the verdicts that are not in the counts yet; each has a number, so none is added twice."""
        if self._counted < 0:
            return
        for record in records:
            head = head_of(record)
            if head is not None and head.seq > self._counted + 1 and not self._fill(head.seq):
                self._counted = -1  # counted anew when somebody asks
                return
            if head is not None and head.seq > self._counted:
                self._counted = head.seq
                _add(self._counts, str(record.get("limit", "")), str(record.get("verdict", "")))

    def _fill(self, before: int) -> bool:
        """Count verdicts up to ``before`` that stand in files which another process put aside; False: not all are near."""
        missed: dict[int, dict[str, Any]] = {}
        for path in [self.journal.path, *reversed(self._parts())]:
            found = list(verdicts_in(tail_of(path, MOST_TAIL_BYTES)[0]))
            missed |= {seq: record for record in found if self._counted < (seq := int(record["seq"])) < before}
            if len(missed) >= before - self._counted - 1 or (found and first_seq(found) <= self._counted):
                break
        if len(missed) < before - self._counted - 1:
            return False
        for seq in sorted(missed):
            self._counted = seq
            _add(self._counts, str(missed[seq].get("limit", "")), str(missed[seq].get("verdict", "")))
        return True

    def counts(self) -> Counts:
        """How many verdicts there are, by limit and verdict, those that are about to be written included.

        A trail that was never counted is counted once, in the background; until then it is empty.
        """
        with self._lock:
            with suppress(JournalError):
                self._start()
                self._newest(self._follower.read())
            if self._counted < 0:
                if self._counter is None:
                    self._counter = Thread(target=self._count_all, name="borgd-count", daemon=True)
                    self._counter.start()
                return {}
            found = {limit: dict(verdicts) for limit, verdicts in self._counts.items()}
            with self._waiting_lock:  # inside the other lock, so that no entry is just between waiting and written
                for entry, _ in self._waiting:
                    _add(found, entry.limit, entry.verdict)
        return found

    def _count_all(self) -> None:
        """Count a trail from its first line on."""
        with self._lock:
            if self._counted >= 0:
                return
        counts: Counts = {}
        last = b""
        for number, (raw, _) in enumerate(self._lines()):
            if found := _COUNTED.search(raw):
                _add(counts, found[1].decode("utf-8", "replace"), found[2].decode("utf-8", "replace"))
            last = raw
            if number % YIELD_LINES == 0:
                time.sleep(YIELD_S)
        head = head_of(decoded(last) or {})
        with self._lock:
            if head is not None:
                self._counts, self._counted = counts, head.seq
                self._keep_counts()

    # reading

    def _lines(self) -> Iterator[tuple[bytes, bool]]:
        """All lines, the oldest first, without their line end and whether they had one."""
        for path in [*self._parts(), self.journal.path]:
            try:
                with open(path, "rb", buffering=CHUNK_BYTES) as file:
                    for line in file:
                        yield line.removesuffix(b"\n"), line.endswith(b"\n")
            except FileNotFoundError:
                continue
            except OSError as error:
                raise LimitError(f"{path} cannot be read: {error.strerror}") from None

    def verify(self, head: TrailHead | None = None) -> TrailReport:
        """How many lines there are, the head as the files have it, and everything wrong; in bounded memory.

        :param head: one that a person kept; else the one that was kept apart.
        """
        with self._lock:
            kept = self.kept_head() if head is None else head
        return verify_lines(self._lines, kept)

    def show(self, last: int, session: str = "") -> Shown:
        """The last verdicts, ``session``'s only where one is named; ``last`` 0: all of them.

        Without a session only as much of the end is read as it takes.

        :raises LimitError: the trail is there and cannot be read.
        """
        if self.journal.path.exists() and not os.access(self.journal.path, os.R_OK):
            raise LimitError(f"{self.journal.path} cannot be read: Permission denied; check its permissions")
        if last and not session:
            found: list[dict[str, Any]] = []
            damaged = 0
            for path in [self.journal.path, *reversed(self._parts())]:
                step = TAIL_BYTES
                while True:
                    tail, size = tail_of(path, step)
                    raws = [raw for raw in tail.split(b"\n") if raw.strip()]
                    records = [record for raw in raws if (record := decoded(raw)) is not None]
                    if len(records) >= last - len(found) or step >= size:
                        break
                    step *= 4
                damaged += len(raws) - len(records)
                found = records[-(last - len(found)) :] + found
                if len(found) >= last:
                    break
            return Shown(found, damaged)
        kept: deque[dict[str, Any]] = deque(maxlen=last or None)
        damaged = 0
        for raw, _ in self._lines():
            record = decoded(raw)
            damaged += record is None and bool(raw.strip())
            if record is not None and str(record.get("session", "")).startswith(session):
                kept.append(record)
        return Shown(list(kept), damaged)


def _add(counts: Counts, limit: str, verdict: str) -> None:
    of_limit = counts.setdefault(limit, {})
    of_limit[verdict] = of_limit.get(verdict, 0) + 1
