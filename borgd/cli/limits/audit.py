"""``borg audit``: print the trail of verdicts, or verify that nothing in it was changed, removed or moved."""

from __future__ import annotations

import argparse
import json

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.terminal_text import clock, count, printable
from borgd.errors import EXIT_FORESEEN, BorgError
from borgd.limits.audit import TrailHead
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail


def run(argv: list[str]) -> int:
    """Print or verify; 1 when the trail has problems."""
    parser = CommandParser(prog="borg audit", description="The trail of every verdict of the limits.")
    parser.add_argument(
        "command", nargs="?", choices=("show", "verify"), default="show", help="print it (show), or check it"
    )
    parser.add_argument(
        "--head", type=_head, metavar="SEQ:HASH", help="verify: a head you kept; else the one kept beside the state"
    )
    parser.add_argument("--session", default="", metavar="ID", help="show: only this session, or those whose id starts so")
    parser.add_argument("-n", type=_count, default=20, metavar="N", help="show: the last N verdicts; 0: all")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    trail = AuditTrail(user_paths())
    return _verify(trail, options) if options.command == "verify" else _show(trail, options)


def _head(text: str) -> TrailHead:
    try:
        return TrailHead.parse(text)
    except BorgError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a number from 0 up, not {text!r}")
    return int(text)


def _verify(trail: AuditTrail, options: argparse.Namespace) -> int:
    lines, head, problems = trail.verify(options.head)
    if options.json:
        told = {"ok": not problems, "lines": lines, "head": str(head), "problems": msgspec.to_builtins(problems)}
        print(json.dumps(told, indent=2))
    elif not lines and not problems:
        print("No verdicts yet. They appear when a limit is asked: borg investigate, borg ask, borg escalate.")
    else:
        for problem in problems:
            print(f"{trail.journal.path}:{problem.line or 'end'}: {problem.text}")
        wrong = count(len(problems), "problem") if problems else "no problems"
        print(f"{count(lines, 'verdict')}, {wrong}; head {head}")
        if not problems:
            print("Write the head down elsewhere to see later whether verdicts were cut from the end (--head).")
    return EXIT_FORESEEN if problems else 0


def _show(trail: AuditTrail, options: argparse.Namespace) -> int:
    records, damaged = trail.show(options.n, options.session)
    if options.json:
        print(json.dumps({"verdicts": records, "damaged": damaged}, indent=2, ensure_ascii=False))
        return 0
    if not records:
        print("No verdicts yet.")
    for record in records:
        ms, session = record.get("ms"), str(record.get("session", ""))[:8]
        said = f"{record.get('limit')} {record.get('verdict')} {session} {record.get('reason')}"
        print(printable(f"{record.get('seq')} {clock(ms) if isinstance(ms, int) else '?'} {said}"))
    if damaged:
        print(f"lines that cannot be read: {damaged}; borg audit verify names them")
    return 0
