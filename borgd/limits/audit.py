"""The trail of verdicts: every line carries its number, the hash of the line before, and its own hash.

Promises: ``verify`` names every changed, missing, repeated or reordered line of a trail, and a cut end where the head that
was kept apart is given. The hash is over the line's exact bytes, so no edit is too small.
Cannot promise: there is no secret in the chain. Who can write both the trail and the kept head can write another past,
and lines cut from the end are unseen where no head (the kept file or one a person wrote down) is older than the cut.

Pure; must not read or write the trail itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec

from borgd.errors import LimitError
from borgd.journal import encode

GENESIS = "0" * 64
"""method: what the first line names as the hash before it."""

MAX_REASON_CHARS = 600
"""guard: a reason is a sentence for a person; longer ones are cut with an ellipsis."""

INT64 = 2**63 - 1
"""host: JSON readers of other languages keep integers exact up to here; larger ones are written as text."""

_SEALED = re.compile(rb'(\{.*),"hash":"([0-9a-f]{64})"\}', re.DOTALL)

ProblemKind = Literal["changed", "missing", "repeated", "reordered", "replaced", "cut", "torn"]


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict, before it has a place in the trail.

    ``limit`` is which of the limits spoke (``investigation``, ``interrupt``, ``escalation``, ``policy``); ``policy`` is the
    hash of what it decided by (a policy file, a configuration); ``evaluator`` names the code that decided and its version.
    """

    limit: str
    verdict: str
    reason: str
    evaluator: str
    facts: dict[str, Any] = {}
    policy: str = ""
    agent: str = ""
    session: str = ""
    subagent: str = ""


class TrailHead(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a trail: how many lines it has and the hash of the last."""

    seq: int = 0
    hash: str = GENESIS

    @classmethod
    def parse(cls, text: str) -> TrailHead:
        """``SEQ:HASH`` as ``borg audit verify`` prints it.

        :raises LimitError: not of that form.
        """
        number, _, digest = text.strip().partition(":")
        if not (number.isascii() and number.isdigit()) or not re.fullmatch("[0-9a-f]{64}", digest):
            raise LimitError(f"a head is SEQ:HASH as borg audit verify prints it, not {text[:90]!r}")
        return cls(seq=int(number), hash=digest)

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"


class TrailProblem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing wrong with a trail; ``line`` is the 1-based line of the file it shows at, 0 for the file's end."""

    line: int
    kind: ProblemKind
    text: str


def _plain(value: Any) -> Any:
    """``value`` as JSON that every reader understands the same way: no NaN, no 64-bit overflow, no lone surrogate."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -INT64 <= value <= INT64 else str(value)
    if isinstance(value, Fraction):
        return _plain(value.numerator) if value.denominator == 1 else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {str(_plain(str(key))): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return _plain(str(value))


def link(entries: Sequence[AuditEntry], head: TrailHead, now_ms: int) -> tuple[list[dict[str, Any]], TrailHead]:
    """The records to append for ``entries`` behind ``head``, and the head after them. Key order is part of the format."""
    records: list[dict[str, Any]] = []
    for entry in entries:
        body = {"seq": head.seq + 1, "ms": now_ms, "prev": head.hash}
        for name in ("limit", "verdict", "reason", "facts", "policy", "evaluator", "agent", "session", "subagent"):
            body[name] = _plain(getattr(entry, name))
        reason = str(body["reason"])
        body["reason"] = reason if len(reason) <= MAX_REASON_CHARS else reason[: MAX_REASON_CHARS - 1] + "…"
        head = TrailHead(seq=head.seq + 1, hash=sha256(encode([body])[:-1]).hexdigest())
        records.append({**body, "hash": head.hash})
    return records, head


def head_of(record: Mapping[str, Any]) -> TrailHead | None:
    """The head that the trail has after ``record``; None when it is not a line of a trail."""
    seq, digest = record.get("seq"), record.get("hash")
    if isinstance(seq, int) and seq > 0 and isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest):
        return TrailHead(seq=seq, hash=digest)
    return None


class _Line(msgspec.Struct):
    number: int
    seq: int
    prev: str
    hash: str
    intact: bool


class _Place(msgspec.Struct):
    """Where a line says that it stands."""

    seq: int
    prev: str


def _read(number: int, raw: bytes) -> _Line | None:
    """One line of the file; None where not even its number and links can be read."""
    sealed = _SEALED.fullmatch(raw)
    if sealed is None:
        return None
    whole = sealed[1] + b"}"
    try:
        body = msgspec.json.decode(whole, type=_Place)
    except (msgspec.DecodeError, RecursionError):
        return None
    digest = sealed[2].decode()
    return _Line(number, body.seq, body.prev, digest, sha256(whole).hexdigest() == digest)


TrailLines = Callable[[], Iterable[tuple[bytes, bool]]]
"""The lines of a trail from its first on, each time it is called: without their line end, and whether they had one."""


def verify(data: bytes, head: TrailHead | None = None) -> list[TrailProblem]:
    """Everything wrong with the trail in ``data`` (the whole of it); empty: nothing is. See ``verify_lines``."""

    def lines() -> Iterable[tuple[bytes, bool]]:
        pieces = data.split(b"\n")
        last = pieces.pop()
        yield from ((piece, True) for piece in pieces)
        if last:
            yield last, False

    return verify_lines(lines, head).problems


class TrailReport(NamedTuple):
    """What a trail was found to be: its lines, the last that can be read, everything wrong."""

    lines: int
    head: TrailHead
    problems: list[TrailProblem]


def verify_lines(lines: TrailLines, head: TrailHead | None = None) -> TrailReport:
    """Everything wrong with a trail, line by line: memory does not grow with it, time does.

    Read once where its numbers are in order, three times where they are not.

    :param head: a head kept apart from the file, at most as new as the trail; None: a cut end cannot be seen.
    """
    problems: list[TrailProblem] = []
    last, highest, found_head, head_line, count = TrailHead(), 0, False, 0, 0
    in_order, before = True, _Line(0, 0, "", GENESIS, intact=True)
    order: list[TrailProblem] = []
    for line, ended in _parsed(lines):
        if not ended:
            problems.append(
                TrailProblem(line=line.number, kind="torn", text="the last line has no end: cut, or being written")
            )
        if not line.intact:
            text = "the line's content does not match its hash" if line.hash else "not a line of the trail any more"
            problems.append(TrailProblem(line=line.number, kind="changed", text=f"changed: {text}"))
        if line.hash:
            last = TrailHead(seq=line.seq, hash=line.hash)
        count += ended
        highest = max(highest, line.seq)
        if head is not None and line.seq == head.seq:
            found_head = found_head or line.hash == head.hash
            head_line = head_line or line.number
        in_order = in_order and line.seq == before.seq + 1
        if in_order and (problem := _unlinked(before, line)):
            order.append(problem)
        before = line
    problems += order if in_order else _order(lines)
    if head is not None and head.seq:
        problems += _end(highest, head, head_line, found=found_head)
    return TrailReport(count, last, sorted(problems, key=lambda problem: (problem.line == 0, problem.line)))


def _parsed(lines: TrailLines) -> Iterator[tuple[_Line, bool]]:
    """Each line as far as it can be read; one that cannot stands for the number it should have."""
    seq = 0
    for number, (raw, ended) in enumerate(lines(), 1):
        line = _read(number, raw) or _Line(number, seq + 1, "", "", intact=False)
        seq = line.seq
        yield line, ended


def _unlinked(before: _Line, line: _Line) -> TrailProblem | None:
    if before.hash and line.prev and line.prev != before.hash:
        text = f"replaced: verdict {line.seq} followed another verdict {before.seq}"
        return TrailProblem(line=line.number, kind="replaced", text=text)
    return None


class _Numbers:
    """A set of numbers as runs: small where most follow each other."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def add(self, number: int) -> None:
        """One more number."""
        at = bisect_right(self._begins, number) - 1
        if at >= 0 and number <= self._ends[at]:
            return
        if at >= 0 and number == self._ends[at] + 1:
            self._ends[at] = number
        else:
            at += 1
            self._begins.insert(at, number)
            self._ends.insert(at, number)
        if at + 1 < len(self._begins) and self._begins[at + 1] == number + 1:
            self._ends[at] = self._ends.pop(at + 1)
            del self._begins[at + 1]

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._begins, number) - 1
        return at >= 0 and number <= self._ends[at]

    def lacks_one_of(self, begin: int, end: int) -> bool:
        """Whether one of the numbers from ``begin`` up to, without, ``end`` is not in it."""
        at = bisect_right(self._begins, begin) - 1
        return begin < end and not (at >= 0 and end - 1 <= self._ends[at])


def _order(lines: TrailLines) -> list[TrailProblem]:
    """Missing, repeated, reordered and replaced lines."""
    problems: list[TrailProblem] = []
    present, count = _Numbers(), 0
    for line, _ in _parsed(lines):
        present.add(line.seq)
        count += 1
    seen = _Numbers()
    before = _Line(0, 0, "", GENESIS, intact=True)
    for line, _ in _parsed(lines):
        here = line.number
        if line.seq in seen:
            problems.append(TrailProblem(line=here, kind="repeated", text=f"repeated: verdict {line.seq} is there already"))
        elif line.seq <= before.seq:
            problems.append(
                TrailProblem(line=here, kind="reordered", text=f"reordered: verdict {line.seq} after {before.seq}")
            )
        elif line.seq > before.seq + 1:
            gap = present.lacks_one_of(before.seq + 1, min(line.seq, before.seq + 1 + count + 1))
            kind: ProblemKind = "missing" if gap else "reordered"
            last = line.seq - 1
            span = f"verdict {before.seq + 1}" if before.seq + 1 == last else f"verdicts {before.seq + 1} to {last}"
            problems.append(
                TrailProblem(line=here, kind=kind, text=f"{kind}: {span} should stand before verdict {line.seq}")
            )
        elif problem := _unlinked(before, line):
            problems.append(problem)
        seen.add(line.seq)
        before = line
    return problems


def _end(last: int, head: TrailHead, where: int, *, found: bool) -> list[TrailProblem]:
    """What the kept head says about lines up to it."""
    if last < head.seq:
        gone = f"verdict {head.seq} is" if last + 1 == head.seq else f"verdicts {last + 1} to {head.seq} are"
        return [TrailProblem(line=0, kind="cut", text=f"cut: {gone} gone from the end; the kept head names {head.seq}")]
    if not found:
        text = f"replaced: verdict {head.seq} is not the one the kept head names"
        return [TrailProblem(line=where, kind="replaced", text=text)]
    return []
