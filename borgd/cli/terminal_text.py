"""Words that several commands print alike."""

from __future__ import annotations

import os
import sys
import time

COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
"""method: their numbers in ECMA-48."""


def count(number: int, one: str) -> str:
    """``1 lesson``, ``2 lessons``."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """``text`` of a file's, a name's or an argument's, safe for a terminal: no escape in it is obeyed."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)


def clock(ms: int) -> str:
    """The local time of ``ms`` since the epoch; a question mark where no calendar has it."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000))
    except (ValueError, OverflowError, OSError):
        return "?"


def width() -> int:
    """Columns of the terminal that standard output is; 0 where it is none, and nothing need be cut."""
    if not sys.stdout.isatty():
        return 0
    from shutil import get_terminal_size

    return get_terminal_size().columns


def fitted(text: str, columns: int) -> str:
    """``text`` cut to ``columns`` of a terminal, with a sign that it was; 0: as it is. A wide character takes two."""
    if not columns or len(text) * 2 <= columns:
        return text
    from unicodedata import combining, east_asian_width

    sizes = [0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text]
    if sum(sizes) <= columns:
        return text
    taken, room = 0, columns - 1
    for size in sizes:
        room -= size
        if room < 0:
            break
        taken += 1
    return f"{text[:taken].rstrip()}…"


def about(docstring: str | None) -> str:
    """A module's docstring as a command's help says it: without the command's own name and without markup."""
    text = docstring or ""
    text = (text.partition("``: ")[2] or text).replace("``", "")
    return text[:1].upper() + text[1:]


def coloured(text: str, colour: str) -> str:
    """``text`` in ``colour`` where standard output is a terminal that shows it and nobody set NO_COLOR."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("", "dumb") or not sys.stdout.isatty()
    return text if plain or not text else f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def flags_of(argv: list[str], command: str, docstring: str | None, **flags: str) -> frozenset[str]:
    """Which of ``flags`` (name -> what it does) ``argv`` holds, for a command that takes nothing else.

    A command without arguments starts without the parser: ``borg status`` is asked often.

    :raises SystemExit: other arguments (2), or help was asked for (0).
    """
    if not argv:
        return frozenset()
    from borgd.cli.arguments import CommandParser

    parser = CommandParser(prog=f"borg {command}", description=about(docstring))
    for name, summary in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=summary)
    return frozenset(name for name, given in vars(parser.parse_args(argv)).items() if given)
