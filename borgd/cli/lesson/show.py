"""``borg lesson show``: everything about one lesson, what is believed of it, and the outcomes that belief rests on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import details, load, print_json
from borgd.cli.lesson.lesson_memory import numbers_of, outcomes_of, told
from borgd.lessons.redact import redact
from borgd.lessons.sanitize import clean
from borgd.memory.records import Outcome

OUTCOMES = 20
"""design: outcomes printed, the newest."""
EVIDENCE_CHARS = 200
"""design: characters of one outcome's evidence."""


def run(argv: list[str]) -> int:
    """Print the lesson."""
    parser = CommandParser(prog="borg lesson show", description="Everything about one lesson.")
    parser.add_argument("id", help="the lesson's id or the start of it")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_args(argv)
    store = load()
    lesson = store.find(arguments.id)
    found, outcomes = numbers_of(store, lesson.id), outcomes_of(lesson.id)
    if arguments.json:
        rows = [msgspec.to_builtins(outcome) for outcome in outcomes]
        print_json(msgspec.to_builtins(lesson) | {"memory": found, "outcomes": rows})
        return 0
    print(details(lesson))
    print(told(found))
    print(
        _told_outcomes(outcomes) if outcomes else "  outcomes     none yet: it was not shown, or nothing came of it so far"
    )
    return 0


def _told_outcomes(outcomes: Sequence[Outcome]) -> str:
    more = f" (the last {OUTCOMES} of {len(outcomes)})" if len(outcomes) > OUTCOMES else ""
    rows = [f"  outcomes{more}"]
    for one in outcomes[-OUTCOMES:]:
        day = datetime.fromtimestamp(one.ms / 1000).date() if 0 <= one.ms < 1 << 47 else "?"
        kind = f"{one.kind}{' (held out)' if one.held else ''}{f' × {one.credit:.2f}' if one.credit < 1 else ''}"
        rows.append(f"    {day}  {kind}: {redact(clean(one.evidence, EVIDENCE_CHARS))}")
    return "\n".join(rows)
