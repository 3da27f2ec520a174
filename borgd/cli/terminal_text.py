"""Words that several commands print alike."""

from __future__ import annotations

import time


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


def about(docstring: str | None) -> str:
    """A module's docstring as a command's help says it: without the command's own name and without markup."""
    text = docstring or ""
    text = (text.partition("``: ")[2] or text).replace("``", "")
    return text[:1].upper() + text[1:]
