"""``borg tail [--json]``: live events, one line each: when, which session, what was said, how long it took."""

from __future__ import annotations

import sys
import time
from typing import Any

import msgspec

from borgd.cli.terminal_text import printable
from borgd.errors import UsageError
from borgd.protocol.client import call

USAGE = (
    "usage: borg tail [--json]\n\nEvents as they come, one line each: when, which session, what was said, how long it took."
)
WAIT_S = 30
"""design: seconds that the daemon holds a question while nothing happens."""


def line(event: dict[str, Any]) -> str:
    """One event for a person."""
    clock = time.strftime("%H:%M:%S", time.localtime(event["ms"] / 1000))
    who = event["session"][:8] + (f"/{event['subagent'][:6]}" if event["subagent"] else "")
    what = event["event"] + (f" {event['tool']}" if event["tool"] else "")
    said = "" if event["answer"] == "nothing" else f"  → {event['answer']}, {event['chars']} characters"
    return printable(f"{clock}  {who:<15} {what:<32} {event['micros'] / 1000:7.1f} ms{said}")


def run(argv: list[str]) -> int:
    """Print until interrupted."""
    if argv and argv[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if argv not in ([], ["--json"]):
        raise UsageError(f"borg tail takes only --json, not {' '.join(argv)!r}")
    since = -1
    while True:
        body = msgspec.json.encode({"since": since, "wait": WAIT_S})
        answer = msgspec.json.decode(call("tail", body, WAIT_S + 5).out)
        since = answer["last"]
        for event in answer["events"]:
            print(msgspec.json.encode(event).decode() if argv else line(event))
        sys.stdout.flush()
