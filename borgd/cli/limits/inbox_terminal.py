"""What ``borg ask`` and ``borg inbox`` share: the desks on this user's journals, and how an ask is printed."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from typing import Any

import msgspec

from borgd.cli.terminal_text import printable
from borgd.clock import machine_zone, now_ms
from borgd.config.read import read_config
from borgd.config.schema import Config
from borgd.errors import UsageError
from borgd.limits.audit import AuditEntry
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.inbox import InboxEntry
from borgd.limits.interrupts.windows import instant
from borgd.paths import private_dir, user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.interrupt_store import InterruptStore

_UNITS = {"": 1000, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
BODY_ROWS = 30
"""design: lines of a plan that the list shows."""
MAX_SPAN_MS = 366 * 86_400_000
"""guard: the longest span a command takes."""


def open_store() -> tuple[InterruptStore, Config]:
    """The desk of this user, and the configuration it judges by.

    :raises BorgError: the configuration or the data directory cannot be used.
    """
    where = user_paths()
    config = read_config(where)
    directory = private_dir(where.data)
    trail = AuditTrail(where)

    def audit(entry: AuditEntry) -> None:
        trail.record([entry], now_ms())

    return InterruptStore(directory, config, zone=machine_zone(), audit=audit), config


def complain(store: InterruptStore) -> None:
    """What could not be read of the journals, on standard error; the rest was used."""
    for problem in store.journals.problems:
        print(f"borg: {printable(problem)}", file=sys.stderr)


def span_ms(text: str, flag: str) -> int:
    """``90s``, ``10m``, ``2h``, ``1d`` or seconds, as milliseconds.

    :raises UsageError: something else, or more than a year.
    """
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([smhd]?)", text.strip())
    ms = round(float(match[1]) * _UNITS[match[2]]) if match else -1
    if not 0 <= ms <= MAX_SPAN_MS:
        raise UsageError(f"{flag}: expected a span such as 90s, 10m or 2h, got {text[:40]!r}")
    return ms


def ago(ms: int, now_ms: int) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, now_ms - ms) // 1000
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit} ago"
    return f"{seconds}s ago"


def as_json(entry: InboxEntry) -> dict[str, Any]:
    """One ask of the inbox as ``--json`` prints it; the keys are stable."""
    ask = entry.ask
    return {
        "number": entry.number,
        "state": entry.state,
        "asked": instant(entry.queued_ms),
        "ended": instant(entry.ended_ms) if entry.ended_ms else None,
        "expires": instant(ask.expires_ms) if ask.expires_ms else None,
        "scope": scopes.shown(ask.scope),
        "source": ask.source,
        "agent": ask.agent,
        "session": ask.session,
        "kind": ask.what,
        "repository": ask.repository,
        "question": ask.question,
        "body": ask.body or None,
        "multiple": ask.multiple,
        "standing": ask.standing,
        "options": list(ask.options),
        "recommended": None if ask.recommended is None else ask.options[ask.recommended],
        "fallback": ask.fallback,
        "answer": entry.answer or None,
        "by": entry.by or None,
        "late": entry.late,
        "fallback_taken": entry.fallback_taken,
        "worth": entry.worth,
        "told": sorted(entry.told),
        "used": entry.used,
        "session_over": entry.session_over,
        "reason": ask.reason,
        "flags": list(ask.flags),
        "stakes": _number(ask.stakes),
        "confidence": _number(ask.confidence),
    }


def _number(text: str) -> float | None:
    return float(Fraction(text)) if text else None


def line(entry: InboxEntry, now_ms: int, *, whole: bool = False) -> str:
    """One ask of the inbox for a person; ``whole``: all of its plan, and why it waits."""
    ask = entry.ask
    where = f", {scopes.shown(ask.scope)}" if ask.scope else ""
    head = f"#{entry.number} {entry.state}, {ago(entry.queued_ms, now_ms)}{where}"
    who = f", from {ask.source}" if ask.source else ""
    flags = f"  [look: {', '.join(ask.flags)}]" if ask.flags else ""
    several = "  (several may be chosen)" if ask.multiple else ""
    rows = [f"{head}{who}{flags}", f"    {ask.question or '(no question)'}{several}"]
    body = ask.body.split("\n") if ask.body else []
    shown = body if whole else body[:BODY_ROWS]
    rows += [f"    | {text}".rstrip() for text in shown]
    if len(body) > len(shown):
        rows.append(f"    | ... {len(body) - len(shown)} more lines: borg inbox show {entry.number}")
    if ask.approval and not body:
        rows.append("    | (the agent's host gave no text of it)")
    for place, option in enumerate(ask.options):
        mark = "  (recommended)" if place == ask.recommended and "(recommended)" not in option.casefold() else ""
        rows.append(f"    {place + 1}. {option}{mark}")
    if entry.answer:
        rows.append(f"    answer{' (late)' if entry.late else ''}: {entry.answer}")
        if entry.ask.approval and entry.used:
            rows.append("    it has served, or its session is over")
    elif ask.fallback and entry.state in ("deferred", "expired", "dismissed"):
        rows.append(f"    fallback: {ask.fallback}")
    if whole:
        rows += [f"    {ask.reason}"] if ask.reason else []
        rows.append(f"    session {ask.session or '(none)'}{', which is over' if entry.session_over else ''}")
    return "\n".join(rows)


def print_json(document: object) -> None:
    """``document`` as one JSON document, keys in a stable order."""
    print(msgspec.json.format(msgspec.json.encode(document, order="deterministic"), indent=2).decode())
