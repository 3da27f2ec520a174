"""The trail of verdicts: every line carries its number, the hash of the line before, and its own hash.

Promises: ``verify`` names every changed, missing, repeated or reordered line of a trail, and a cut end where the head that
was kept apart is given. The hash is over the line's exact bytes, so no edit is too small.
Cannot promise: there is no secret in the chain. Who can write both the trail and the kept head can write another past,
and lines cut from the end are unseen where no head (the kept file or one a person wrote down) is older than the cut.

Pure; must not read or write the trail itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any, Literal

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
    """The head that the trail has after ``record``; None when it is no line of a trail."""
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


def _read(number: int, raw: bytes) -> _Line | None:
    """One line of the file; None where not even its number and links can be read."""
    sealed = _SEALED.fullmatch(raw)
    if sealed is None:
        return None
    try:
        body = msgspec.json.decode(sealed[1] + b"}")
    except (msgspec.DecodeError, RecursionError):
        return None
    seq, prev = body.get("seq"), body.get("prev")
    if type(seq) is not int or not isinstance(prev, str):
        return None
    digest = sealed[2].decode()
    return _Line(number, seq, prev, digest, sha256(sealed[1] + b"}").hexdigest() == digest)


def verify(data: bytes, head: TrailHead | None = None) -> list[TrailProblem]:
    """Everything wrong with the trail in ``data`` (the whole file); empty: nothing is.

    :param head: a head kept apart from the file, at most as new as the trail; None: a cut end cannot be seen.
    """
    problems: list[TrailProblem] = []
    pieces = data.split(b"\n")
    if pieces[-1] != b"":
        problems.append(TrailProblem(line=len(pieces), kind="torn", text="the last line has no end: cut, or being written"))
    else:
        pieces.pop()
    lines: list[_Line] = []
    for number, raw in enumerate(pieces, 1):
        line = _read(number, raw)
        if line is None or not line.intact:
            text = "the line's content does not match its hash" if line else "not a line of the trail any more"
            problems.append(TrailProblem(line=number, kind="changed", text=f"changed: {text}"))
        lines.append(line or _Line(number, lines[-1].seq + 1 if lines else 1, "", "", intact=False))
    problems += _order(lines)
    if head is not None:
        problems += _end(lines, head)
    return sorted(problems, key=lambda problem: (problem.line == 0, problem.line))


def _order(lines: Sequence[_Line]) -> list[TrailProblem]:
    """Missing, repeated, reordered and replaced lines."""
    problems: list[TrailProblem] = []
    present = {line.seq for line in lines}
    seen: set[int] = set()
    before = _Line(0, 0, "", GENESIS, intact=True)
    for line in lines:
        here = line.number
        if line.seq in seen:
            problems.append(TrailProblem(line=here, kind="repeated", text=f"repeated: verdict {line.seq} is there already"))
        elif line.seq <= before.seq:
            problems.append(
                TrailProblem(line=here, kind="reordered", text=f"reordered: verdict {line.seq} after {before.seq}")
            )
        elif line.seq > before.seq + 1:
            gap = [
                seq for seq in range(before.seq + 1, min(line.seq, before.seq + 1 + len(lines) + 1)) if seq not in present
            ]
            kind: ProblemKind = "missing" if gap else "reordered"
            last = line.seq - 1
            span = f"verdict {before.seq + 1}" if before.seq + 1 == last else f"verdicts {before.seq + 1} to {last}"
            problems.append(
                TrailProblem(line=here, kind=kind, text=f"{kind}: {span} should stand before verdict {line.seq}")
            )
        elif before.hash and line.prev and line.prev != before.hash:
            problems.append(
                TrailProblem(
                    line=here,
                    kind="replaced",
                    text=f"replaced: verdict {line.seq} followed another verdict {before.seq}",
                )
            )
        seen.add(line.seq)
        before = line
    return problems


def _end(lines: Sequence[_Line], head: TrailHead) -> list[TrailProblem]:
    """What the kept head says about lines up to it."""
    last = max((line.seq for line in lines), default=0)
    if last < head.seq:
        gone = f"verdict {head.seq} is" if last + 1 == head.seq else f"verdicts {last + 1} to {head.seq} are"
        return [TrailProblem(line=0, kind="cut", text=f"cut: {gone} gone from the end; the kept head names {head.seq}")]
    if head.seq and not any(line.seq == head.seq and line.hash == head.hash for line in lines):
        where = next((line.number for line in lines if line.seq == head.seq), 0)
        return [
            TrailProblem(
                line=where, kind="replaced", text=f"replaced: verdict {head.seq} is not the one the kept head names"
            )
        ]
    return []
