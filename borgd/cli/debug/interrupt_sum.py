"""borg debug interrupts --explain ID: how the verdict on one ask was added up, from the journal of what was decided."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, cast

from borgd.cli.terminal_text import printable
from borgd.errors import LimitError
from borgd.journal import Journal, TypedFollower
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.records import Asked, InterruptRecord
from borgd.limits.interrupts.verdict import COUNTED, decimal
from borgd.limits.interrupts.windows import instant
from borgd.paths import Paths

ORIGINS = {
    "default": "not stated: the bar one ask before the ceiling, so that it clears while the account is unspent",
    "stated": "stated by the agent",
}
"""Where a confidence comes from, in words."""


def verdicts_on(name: str, where: Paths) -> list[Asked]:
    """The verdicts on ask ``name``: its number in the inbox, with or without #, or a verdict's id; in their order.

    :raises LimitError: there is none.
    """
    kind = cast("type[InterruptRecord]", InterruptRecord)  # a union: a type to the decoder, none to the checker
    records = TypedFollower(Journal(where.journal("interrupts")), kind).read().records
    wanted = name.removeprefix("#")
    found = [one for one in records if isinstance(one, Asked) and wanted in (one.id, str(one.number or ""))]
    if not found:
        raise LimitError(f"no ask {name[:40]!r} was judged here; borg inbox list --all shows their numbers")
    return found


def explained(asked: Asked) -> dict[str, Any]:
    """One verdict as ``--json`` prints it; the keys are stable."""
    return {
        "id": asked.id,
        "number": asked.number or None,
        "ms": asked.ms,
        "kind": asked.what,
        "question": asked.question,
        "scope": scopes.shown(asked.scope),
        "verdict": asked.outcome,
        "rule": "joined" if asked.joined else asked.rule,
        "reason": asked.reason,
        "charged": asked.charged,
        "counted": asked.counted,
        "account": scopes.shown(asked.binding),
        "spent": asked.spent,
        "ceiling": asked.ceiling,
        "sum": asked.sum or None,
        "bar": float(Fraction(asked.bar)),
        "confidence": float(Fraction(asked.confidence)) if asked.confidence else None,
        "confidence_from": asked.confidence_from or None,
        "stakes": float(Fraction(asked.stakes)) if asked.stakes else None,
        "stakes_from": asked.stakes_from or None,
        "policy": asked.policy,
    }


def _text(asked: Asked) -> str:
    origin = ORIGINS.get(asked.confidence_from, asked.confidence_from or "not recorded")
    confidence = decimal(Fraction(asked.confidence)) if asked.confidence else "not a number"
    stakes = decimal(Fraction(asked.stakes)) if asked.stakes else "not a number"
    rows = [
        f'#{asked.number} {asked.what}, {instant(asked.ms)}, {scopes.shown(asked.scope)}: "{asked.question}"',
        f"  verdict     {asked.outcome} ({'joined' if asked.joined else asked.rule}): {asked.reason}",
        f"  account     {scopes.said(asked.binding)}, {asked.spent} of {asked.ceiling} spent before it",
        f"  bar         {asked.sum or asked.bar}",
        f"  confidence  {confidence} ({origin})",
        f"  stakes      {stakes} ({asked.stakes_from or 'not recorded'})",
    ]
    if asked.rule in COUNTED:
        rows.append("  the budget was not asked: it was shown and counted")
    return printable("\n".join(rows))


def explain(name: str, where: Paths, *, as_json: bool) -> int:
    """Print how the verdicts on ask ``name`` came about; the exit code."""
    found = verdicts_on(name, where)
    if as_json:
        print(json.dumps({"verdicts": [explained(one) for one in found]}, ensure_ascii=False))
    else:
        print("\n".join(_text(one) for one in found))
    return 0
