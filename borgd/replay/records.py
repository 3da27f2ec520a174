"""Lines of decisions.jsonl into columns that can be replayed; what cannot be used is counted with its reason.

Promises: never raises for what a file holds, never lets one record distort another, keeps nothing of a record beyond its
columns. A record is used only if all of it can be believed; the reasons of the others are a closed list, so that a page
can print them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import msgspec
import numpy as np
from numpy.typing import NDArray

from borgd.lessons.team import hashed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

VERSION = 1
"""host: the version of the decision format that is read."""
POLICIES = frozenset({"budget", "widen", "graded", "cost"})
"""host: names of the rules whose slots are understood."""
LATEST_MS = 4_102_444_800_000
"""guard: the year 2100; a later time is a broken clock."""
LARGEST_POOL = 2_000
"""guard: entries of a pool that are read."""
LEAST_SEEN = 1e-6
"""guard: something shown at a smaller probability than this is a false record, not luck (a million decisions hold one)."""
LARGEST_NUMBER = 1e9
"""guard: bases, beliefs, characters and microseconds above this are damage."""

NO_P, ZERO_P, LARGE_P, NEGATIVE_P = "no p", "p = 0", "p > 1", "p < 0"
NO_POOL, NO_OUTCOME, UNKNOWN_POLICY = "no pool", "no outcome yet", "unknown policy"
YOUNG, YOUNG_OLD_RULE = "younger than a day", "younger than two days"
OTHER_VERSION, DAMAGED, REPEATED = "cut by another version", "damaged", "repeated id"
NOT_A_NUMBER, ABSURD, CONTRADICTORY = "not a number", "absurd value", "contradicts itself"
REASONS = (
    NO_P, ZERO_P, LARGE_P, NEGATIVE_P, NO_POOL, NO_OUTCOME, YOUNG, YOUNG_OLD_RULE, UNKNOWN_POLICY,
    OTHER_VERSION, DAMAGED, REPEATED, NOT_A_NUMBER, ABSURD, CONTRADICTORY,
)  # fmt: skip


class ReplayedEntry(msgspec.Struct, gc=False):
    """A pool entry as it may be found: everything optional, nothing believed yet."""

    id: str = ""
    p: float | None = None
    base: float = 0.0
    share: float = 1.0
    score: float = 0.0
    draw: float = 0.5
    alpha: float = 1.0
    beta: float = 1.0
    scoped: bool = False
    standing: bool = False
    shown: bool = False
    held: bool = False
    cut: bool = False
    holdout: float = 0.0


class DecisionLine(msgspec.Struct, gc=False):
    """A decision as it may be found."""

    id: str
    ms: int
    agent: str = ""
    session: str = ""
    channel: str = ""
    pool: list[ReplayedEntry] = []
    policy: str = ""
    version: int = 1
    slots: int = 0
    generic_slots: int = 0
    chars: int = 0
    micros: int = 0
    holdout: float = 0.0
    floor: float = 0.0
    best: float = 0.0
    """Score that bars were relative to; 0: not logged, the pool's best stands for it."""
    evidence: float = 0.0
    """Evidence that shares are relative to; 0: not logged."""
    machine: str = ""
    engineer: str = ""
    scopes: list[str] = []
    topics: list[str] = []
    subagent: str = ""
    horizon_ms: int = 0
    """0: from before a coin was thrown once a session and lesson; ``holdout`` is then every entry's."""
    ranking: int = 0


class _OnlyVersion(msgspec.Struct, gc=False):
    version: int | str | float = VERSION


_DECODER = msgspec.json.Decoder(DecisionLine)
_ONLY_VERSION = msgspec.json.Decoder(_OnlyVersion)


def hash64(*parts: str) -> int:
    """A stable 64-bit name of strings, length-prefixed; collisions among a million are one in 10⁷."""
    text = "".join([f"{len(part)}:{part}" for part in parts])
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


hash_name = lru_cache(maxsize=1 << 14)(hash64)
"""``hash64`` for names that come again and again (lessons, sessions)."""


def reason_against(line: DecisionLine) -> str | None:
    """Why this decision cannot be replayed, or None."""
    if line.version != VERSION:
        return OTHER_VERSION
    if line.policy not in POLICIES:
        return UNKNOWN_POLICY
    if not line.pool:
        return NO_POOL
    if not 0 < line.ms < LATEST_MS or len(line.pool) > LARGEST_POOL or not line.id:
        return ABSURD
    if not (0 <= line.chars < LARGEST_NUMBER and 0 <= line.micros < LARGEST_NUMBER and 0 <= line.slots < LARGEST_NUMBER):
        return ABSURD
    if not 0 <= line.horizon_ms < LATEST_MS or not 0 <= line.ranking < LARGEST_NUMBER:
        return ABSURD
    for holdout in {line.holdout, *(coin(line, entry) for entry in line.pool)}:
        if not 0.0 <= holdout < 1.0:
            return ABSURD if math.isfinite(holdout) else NOT_A_NUMBER
    for entry in line.pool:
        reason = _reason_against_entry(entry, coin(line, entry))
        if reason:
            return reason
    if len({entry.id for entry in line.pool}) < len(line.pool):
        return CONTRADICTORY
    return None


def coin(line: DecisionLine, entry: ReplayedEntry) -> float:
    """The probability with which this entry is withheld if it wins a slot."""
    if line.horizon_ms:
        return entry.holdout
    return 0.0 if entry.standing else line.holdout


def _reason_against_entry(entry: ReplayedEntry, holdout: float) -> str | None:
    p = entry.p
    if p is None:
        return NO_P
    if not (math.isfinite(p) and math.isfinite(entry.base + entry.alpha + entry.beta + entry.share)):
        return NOT_A_NUMBER
    if p <= 0.0:
        return ZERO_P if p == 0.0 else NEGATIVE_P
    if p > 1.0:
        return LARGE_P
    if not (0.0 <= entry.base < LARGEST_NUMBER and 0.0 < entry.alpha < LARGEST_NUMBER and 0.0 < entry.beta < LARGEST_NUMBER):
        return ABSURD
    if entry.shown + entry.held + entry.cut > 1 or not entry.id:
        return CONTRADICTORY
    if entry.held and (holdout == 0.0 or entry.standing):
        return CONTRADICTORY
    if (entry.shown or entry.held) and p < LEAST_SEEN:
        return ABSURD
    return None


def decode(raw: bytes) -> DecisionLine | str | None:
    """One line of the file: a decision, the reason it is none, or None for a blank line."""
    text = raw.strip(b" \t\r\n\0\xef\xbb\xbf")
    if not text:
        return None
    try:
        line = _DECODER.decode(text)
    except msgspec.ValidationError:
        return _reason_by_version(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return NOT_A_NUMBER if b"NaN" in text or b"Infinity" in text else DAMAGED
    return reason_against(line) or line


def _reason_by_version(text: bytes) -> str:
    """A record that is not of our form: of another version, or damaged."""
    try:
        return DAMAGED if _ONLY_VERSION.decode(text).version == VERSION else OTHER_VERSION
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return DAMAGED


@dataclass(frozen=True)
class DecisionColumns:
    """Usable decisions as columns: per decision of shape (m,), per pool entry of shape (n,); ``decision`` maps n to m."""

    ms: Ints
    channel: Ints
    chars: Floats
    micros: Floats
    slots: Ints
    generic_slots: Ints
    holdout: Floats
    best: Floats
    evidence: Floats
    horizon: Ints
    ranking: Ints
    by_cost: Bools
    """Whether it was decided by what telling costs: no bar is then relative to another lesson's score."""
    session: NDArray[np.uint64]
    logger: NDArray[np.uint64]
    key: NDArray[np.uint64]
    decision: Ints
    lesson: NDArray[np.uint64]
    arm_key: NDArray[np.uint64]
    p: Floats
    base: Floats
    share: Floats
    alpha: Floats
    beta: Floats
    scoped: Bools
    standing: Bools
    shown: Bools
    held: Bools
    cut: Bools
    coin: Floats
    """The probability of being withheld once a slot is won; 0: no coin was thrown."""
    names: dict[int, str]
    """Lesson number (hash) to its id."""
    loggers: dict[int, tuple[str, float]]
    """Logger number (hash) to its name and its holdout; nan where it differs from occasion to occasion."""
    scopes: list[tuple[str, ...]]
    agents: list[str]
    occasion_key: NDArray[np.uint64]
    """Names an occasion for whoever counts it, on this machine and, with the team's salt, on every other; else 0."""

    @property
    def count(self) -> int:
        return len(self.ms)


CHANNELS = ("early", "stop", "free")


def columns(lines: Iterable[bytes], skipped: Counter[str], machine: str = "", salt: str = "") -> DecisionColumns:
    """Decode, check and pack lines; reasons are counted into ``skipped``. Order is kept. ``salt`` is a team's, if one
    counts."""
    found: list[DecisionLine] = []
    for raw in lines:
        line = decode(raw)
        if isinstance(line, str):
            skipped[line] += 1
        elif line is not None:
            found.append(line)
    return pack(found, machine, salt)


def pack(found: list[DecisionLine], machine: str = "", salt: str = "") -> DecisionColumns:
    """Checked decisions into columns."""
    names: dict[str, int] = {}
    loggers: dict[str, float] = {}
    for line in found:
        loggers.setdefault(logger_name(line, machine), math.nan if line.horizon_ms else line.holdout)
        for entry in line.pool:
            names.setdefault(entry.id, 0)
    names = {name: hash64(name) for name in names}
    numbers = {name: hash64(name) for name in loggers}
    pool = [entry for line in found for entry in line.pool]
    seen_keys = [hash64(line.id, entry.id) if entry.shown or entry.held else 0 for line in found for entry in line.pool]
    return DecisionColumns(
        ms=_ints([line.ms for line in found]),
        channel=_ints([CHANNELS.index(line.channel) if line.channel in CHANNELS else 0 for line in found]),
        chars=_floats([line.chars for line in found]),
        micros=_floats([line.micros for line in found]),
        slots=_ints([line.slots for line in found]),
        generic_slots=_ints([line.generic_slots for line in found]),
        holdout=_floats([line.holdout for line in found]),
        best=_floats([line.best if math.isfinite(line.best) else 0.0 for line in found]),
        evidence=_floats([line.evidence if math.isfinite(line.evidence) else 0.0 for line in found]),
        horizon=_ints([line.horizon_ms for line in found]),
        ranking=_ints([line.ranking for line in found]),
        by_cost=_bools([line.policy == "cost" for line in found]),
        session=_keys([hash64(line.agent, line.session or f"\0{line.id}", line.subagent) for line in found]),
        logger=_keys([numbers[logger_name(line, machine)] for line in found]),
        key=_keys([hash64(line.id) for line in found]),
        decision=np.repeat(np.arange(len(found)), [len(line.pool) for line in found]).astype(np.int64),
        lesson=_keys([names[entry.id] for entry in pool]),
        arm_key=_keys(seen_keys),
        p=_floats([entry.p or 0.0 for entry in pool]),
        base=_floats([entry.base for entry in pool]),
        share=_floats([entry.share for entry in pool]),
        alpha=_floats([entry.alpha for entry in pool]),
        beta=_floats([entry.beta for entry in pool]),
        scoped=_bools([entry.scoped for entry in pool]),
        standing=_bools([entry.standing for entry in pool]),
        shown=_bools([entry.shown for entry in pool]),
        held=_bools([entry.held for entry in pool]),
        cut=_bools([entry.cut for entry in pool]),
        coin=_floats([coin(line, entry) for line in found for entry in line.pool]),
        names={number: name for name, number in names.items()},
        loggers={hash64(name): (name, holdout) for name, holdout in loggers.items()},
        scopes=[tuple(line.scopes or line.topics) for line in found],
        agents=[line.agent for line in found],
        occasion_key=_keys(_occasion_keys(found, salt)) if salt else _keys(seen_keys),
    )


def _occasion_keys(found: list[DecisionLine], salt: str) -> list[int]:
    keys = []
    for line in found:
        name = hashed(salt, "decision", line.id)
        keys += [hash64(name, entry.id) if entry.shown or entry.held else 0 for entry in line.pool]
    return keys


def logger_name(line: DecisionLine, machine: str) -> str:
    """Who wrote this decision: the machine and the rule it followed."""
    held = "a coin an occasion" if line.horizon_ms else f"holdout {line.holdout:g}"
    return f"{line.machine or machine or 'this machine'} · {line.policy} · {held}"


def _floats(values: list[float] | list[int]) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _ints(values: list[int]) -> Ints:
    return np.asarray(values, dtype=np.int64)


def _keys(values: list[int]) -> NDArray[np.uint64]:
    return np.asarray(values, dtype=np.uint64)


def _bools(values: list[bool]) -> Bools:
    return np.asarray(values, dtype=np.bool_)


PER_DECISION = (
    "ms", "channel", "chars", "micros", "slots", "generic_slots", "holdout", "best", "evidence", "horizon", "ranking",
    "by_cost",
    "session", "logger", "key",
)  # fmt: skip
PER_ENTRY = (
    "lesson", "arm_key", "p", "base", "share", "alpha", "beta", "scoped", "standing", "shown", "held", "cut", "coin",
    "occasion_key",
)  # fmt: skip


def take(found: DecisionColumns, keep: Bools) -> DecisionColumns:
    """The decisions for which ``keep`` (of shape (m,)) holds, renumbered."""
    if bool(keep.all()):
        return found
    rows = keep[found.decision]
    columns = {name: getattr(found, name)[keep] for name in PER_DECISION}
    columns |= {name: getattr(found, name)[rows] for name in PER_ENTRY}
    return DecisionColumns(
        **columns,
        decision=(np.cumsum(keep) - 1)[found.decision[rows]],
        names=found.names,
        loggers=found.loggers,
        scopes=[scopes for scopes, kept in zip(found.scopes, keep.tolist(), strict=True) if kept],
        agents=[agent for agent, kept in zip(found.agents, keep.tolist(), strict=True) if kept],
    )
