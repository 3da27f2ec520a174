"""``borg debug shell FILE``: what each command of a transcript, or of a file with one a line, is taken for, and why.

Each distinct command once, in the order of the file. Reads the file, runs nothing, writes nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.terminal_text import about, printable
from borgd.errors import UsageError
from borgd.limits.investigation.tools import COMMAND_FIELDS, command_line
from borgd.limits.shell.judge import judge
from borgd.limits.shell.tables.tool import Effect

VERDICTS = {Effect.READ: "look", Effect.CHANGE: "change", Effect.NOTHING: "nothing", Effect.UNKNOWN: "unknown"}
LISTED_CHARS = 160
"""design: characters of a command that one line of the listing shows."""
MAX_NESTED = 40
"""guard: objects inside each other that are searched for commands."""
_INPUTS = ("input", "tool_input", "toolInput", "args", "arguments", "parameters", "params", "action")


def run(argv: list[str]) -> int:
    """Run the command."""
    parser = CommandParser(prog="borg debug shell", description=about(__doc__))
    parser.add_argument("file", metavar="FILE", help="a transcript (JSON), or one command a line; - reads stdin")
    parser.add_argument("--json", action="store_true", help="a list of {command, verdict, reason}")
    arguments = parser.parse_args(argv)
    judged = [
        {"command": command, "verdict": VERDICTS[found.effect], "reason": found.reason}
        for command in dict.fromkeys(commands(_text(arguments.file)))
        for found in [judge(command)]
    ]
    if arguments.json:
        print(msgspec.json.encode(judged).decode())
        return 0
    for row in judged:
        shown = " ".join(row["command"].split())
        shown = shown if len(shown) <= LISTED_CHARS else shown[: LISTED_CHARS - 1] + "…"
        print(f"{row['verdict']:<8} {printable(shown)}\n         {printable(row['reason'])}")
    counts = Counter(row["verdict"] for row in judged)
    print(f"{len(judged):,} commands: " + ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS.values()))
    return 0


def _text(name: str) -> str:
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not valid UTF-8 at byte {error.start}; a transcript or text was expected") from None


def commands(text: str) -> Iterator[str]:
    """The shell commands of a transcript, or the lines of a text, comments and empty ones left out."""
    whole = _json(text)
    if isinstance(whole, dict | list):
        yield from _inside(whole, 0)
        return
    lines = text.split("\n")
    if isinstance(_json(next((line for line in lines if line.strip()), "")), dict):
        for line in lines:
            yield from _inside(_json(line), 0)
        return
    for line in lines:
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield line.rstrip("\r")


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _inside(value: Any, depth: int) -> Iterator[str]:
    """Commands given to a tool anywhere in ``value``."""
    if depth > MAX_NESTED:
        return
    if isinstance(value, list):
        for one in value:
            yield from _inside(one, depth + 1)
    elif isinstance(value, dict):
        if depth == 0 and (found := _given(value)):
            yield found
        for key, one in value.items():
            given = _json(one) if isinstance(one, str) and key in _INPUTS else one
            if key in _INPUTS and isinstance(given, dict) and (found := _given(given)):
                yield found
            else:
                yield from _inside(given, depth + 1)


def _given(given: dict[str, Any]) -> str:
    return next((line for name in COMMAND_FIELDS if (line := command_line(given.get(name)))), "")
