"""``borg tail``: events as they come, one line each: when, which session, what was said, how long it took.

Below it the lessons that the agent was told, in their words.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import msgspec

from borgd.cli.terminal_text import coloured, fitted, flags_of, printable, width
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


class LessonWords:
    """The questions of lessons, read when the first is asked for, and again where one is new."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, names: list[str]) -> Iterator[str]:
        """A line for each."""
        if any(name not in self._known for name in names):
            from borgd.cli.lesson.lesson_files import load

            self._known |= {lesson.id: lesson.question for lesson in load()}
        for name in names:
            yield printable(f"          {name}: {self._known.setdefault(name, 'this lesson is gone')}")


def run(argv: list[str]) -> int:
    """Print until interrupted."""
    flags = flags_of(argv, "tail", __doc__, json="one JSON object a line")
    since, words = -1, LessonWords()
    while True:
        body = msgspec.json.encode({"since": since, "wait": WAIT_S})
        answer = msgspec.json.decode(call("tail", body, WAIT_S + 5).out)
        since = answer["last"]
        for event in answer["events"]:
            if flags:
                print(msgspec.json.encode(event).decode())
                continue
            print(line(event))
            for told in words.of(event.get("lessons", [])):
                print(coloured(fitted(told, width()), "dim"))
        sys.stdout.flush()
