"""borg debug interrupts --config FILE --asks FILE.jsonl [--json]: replay a day of asks against a configuration.

With --explain ID: how the verdict on an ask of this machine was added up.

Reads two files and writes nothing. Exit code 1 where a line got no verdict; the other lines get theirs all the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from borgd.cli.arguments import CommandParser
from borgd.cli.debug.interrupt_sum import explain
from borgd.config.schema import load
from borgd.errors import EXIT_FORESEEN, InputError, LimitError
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.ceilings import policy
from borgd.limits.interrupts.exact_fractions import unit
from borgd.limits.interrupts.exclusions import configured
from borgd.limits.interrupts.replay import InterruptReplay
from borgd.limits.interrupts.verdict import Ask, InterruptVerdict
from borgd.paths import user_paths

FIELDS = frozenset({"scope", "source", "confidence", "stakes", "question", "ms"})
MAX_MS = 1 << 53


def run(argv: list[str]) -> int:
    """Exit code of the command."""
    arguments = _arguments(argv)
    if arguments.explain is not None:
        return explain(arguments.explain, user_paths(), as_json=arguments.json)
    config = load(_bytes(arguments.config), arguments.config)
    replay = InterruptReplay(
        policy(config.interrupts, source=arguments.config), configured(config.interrupts.exclusions, arguments.config)
    )
    asks: list[dict[str, object]] = []
    failed = False
    now_ms = 0
    for line, entry in _lines(arguments.asks):
        if isinstance(entry, InputError):
            print(f"borg: {entry}", file=sys.stderr)
            failed = True
            continue
        ask, problems = _ask(entry, arguments.asks, line)
        now_ms = _instant(entry, now_ms, arguments.asks, line, problems)
        for problem in problems:
            print(f"borg: {problem}", file=sys.stderr)
        asks.append({"line": line, **_shown(ask, replay.ask(ask, now_ms))})
    document = {
        "policy": replay.policy.hash,
        "asks": asks,
        "scopes": dict(replay.counters()),
        "admitted": sum(ask["verdict"] == "admit" for ask in asks),
        "deferred": sum(ask["verdict"] == "defer" for ask in asks),
        "excluded": sum(ask["verdict"] == "excluded" for ask in asks),
    }
    print(json.dumps(document, ensure_ascii=False)) if arguments.json else _print(document)
    return EXIT_FORESEEN if failed else 0


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = CommandParser(prog="borg debug interrupts", description="Replay a day of asks against a configuration.")
    parser.add_argument("--explain", metavar="ID", help="how the verdict on ask ID (its number in the inbox) was added up")
    parser.add_argument("--config", metavar="FILE", help="TOML with [interrupts]")
    parser.add_argument("--asks", metavar="FILE", help='one {"scope", "source", "confidence", "stakes"} a line; - is stdin')
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args(argv)
    if arguments.explain is None and (arguments.config is None or arguments.asks is None):
        parser.error("the following arguments are required: --config, --asks; or --explain ID")
    return arguments


def _bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}") from None


def _lines(name: str) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    for line, raw in enumerate(_bytes(name).removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        text = raw.strip()
        if not text:
            continue
        try:
            entry = json.loads(text, parse_float=Decimal)
        except (ValueError, RecursionError) as error:
            yield line, InputError(name, f"expected one JSON object: {error}", line=line)
            continue
        if isinstance(entry, dict):
            yield line, entry
        else:
            yield line, InputError(name, f"expected one JSON object, got {type(entry).__name__}", line=line)


def _ask(entry: dict[str, Any], name: str, line: int) -> tuple[Ask, list[InputError]]:
    """The ask of one line, and what is wrong with it; a wrong field never costs the ask its verdict."""
    problems = [
        InputError(name, f"expected one of {', '.join(sorted(FIELDS))}", line=line, field=str(field)[:80])
        for field in sorted(entry.keys() - FIELDS)
    ]
    numbers = {
        field: "null" if entry[field] is None else entry[field] for field in ("confidence", "stakes") if field in entry
    }
    for number, value in numbers.items():
        if unit(value) is None:
            problems.append(InputError(name, f"expected a number in [0, 1], got {_short(value)}", line=line, field=number))
    for field in ("source", "question"):
        if not isinstance(entry.get(field, ""), str):
            problems.append(InputError(name, f"expected text, got {_short(entry[field])}", line=line, field=field))
    scope = entry.get("scope", scopes.ROOT)
    try:
        scopes.parse(scope)
    except LimitError as error:
        problems.append(InputError(name, str(error), line=line, field="scope"))
    ask = Ask(
        scope=scope,
        source=str(entry.get("source", "")),
        confidence=numbers.get("confidence"),
        stakes=numbers.get("stakes"),
        question=str(entry.get("question", "")),
    )
    return ask, problems


def _instant(entry: dict[str, Any], now_ms: int, name: str, line: int, problems: list[InputError]) -> int:
    ms = entry.get("ms", now_ms)
    if isinstance(ms, bool) or not isinstance(ms, int) or not 0 <= ms <= MAX_MS:
        problems.append(InputError(name, f"expected milliseconds since the epoch, got {_short(ms)}", line=line, field="ms"))
        return now_ms
    return ms


def _short(value: object) -> str:
    return repr(str(value) if isinstance(value, Decimal) else value)[:80]


def _shown(ask: Ask, verdict: InterruptVerdict) -> dict[str, object]:
    return {
        "scope": ask.scope if isinstance(ask.scope, str) else None,
        "source": ask.source,
        "verdict": verdict.outcome,
        "bar": float(verdict.threshold),
        "bar_exact": str(verdict.threshold),
        "reason": verdict.reason,
        "rule": verdict.rule,
        "binding": scopes.shown(verdict.binding),
        "spent": verdict.spent,
        "ceiling": verdict.ceiling,
        "confidence": _number(verdict.confidence.value),
        "confidence_from": verdict.confidence.origin,
        "stakes": _number(verdict.stakes.value),
        "stakes_from": verdict.stakes.origin,
        "bypass": verdict.bypass,
        "flags": list(verdict.flags),
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _print(document: dict[str, Any]) -> None:
    for ask in document["asks"]:
        print(f"{ask['line']:>5}  {ask['verdict']:<8} bar {ask['bar']:.4f}  {ask['reason']}")
    if not document["asks"]:
        print('no asks; write one {"scope", "source", "confidence", "stakes"} a line')
    for path, row in document["scopes"].items():
        name = scopes.said("" if path == scopes.ROOT_NAME else path)
        print(f"{name}: {row['spent']} of {row['ceiling']}, {row['bypass']} by high stakes")
