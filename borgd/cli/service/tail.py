"""``borg tail``: events as they come, one line each: when, which session, what was said, how long it took."""

from __future__ import annotations

import sys
import time
from typing import Any

import msgspec

from borgd.cli.terminal_text import flags_of, printable
from borgd.protocol.client import call

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
    flags = flags_of(argv, "tail", __doc__, json="one JSON object a line")
    since = -1
    while True:
        body = msgspec.json.encode({"since": since, "wait": WAIT_S})
        answer = msgspec.json.decode(call("tail", body, WAIT_S + 5).out)
        since = answer["last"]
        for event in answer["events"]:
            print(msgspec.json.encode(event).decode() if flags else line(event))
        sys.stdout.flush()
