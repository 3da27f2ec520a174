"""One key, one line: how a person answers in a terminal. Escapes are shown, never obeyed."""

from __future__ import annotations

import argparse
import os
import sys
import termios
import tty
from collections.abc import Mapping
from typing import Any

INTERRUPT = "\x03"
END = "\x04"


def key_press(prompt: str, keys: str) -> str:
    """The next of ``keys`` that is pressed, without Enter; end of input is q.

    What was typed before the question is thrown away: a key pressed twice must not decide the next one unread.

    :raises KeyboardInterrupt: control C.
    """
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
        print(prompt, end=" ", flush=True)
        key = ""
        while not key or key not in keys:
            key = os.read(descriptor, 1).decode("latin-1").lower()
            if key == INTERRUPT:
                raise KeyboardInterrupt
            if key in ("", END):
                key = "q"
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    print(key)
    return key


def at_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def agreed(question: str) -> bool:
    """Whether the person says yes; where nobody can be asked, yes."""
    return not at_terminal() or key_press(f"{question} [y]es  [n]o", "ynq") == "y"


def ask_text(name: str, default: str) -> str:
    """A line for ``name``; Enter alone takes ``default``."""
    try:
        said = input(f"  {name}{f' [{default}]' if default else ''}: ").strip()
    except EOFError:
        said = ""
    return said or default


def ask_missing(fields: Mapping[str, Any], parser: argparse.ArgumentParser) -> dict[str, Any]:
    """``fields`` of a lesson; where question or consequence are missing, a person at a terminal is asked for them and the
    rest (Enter alone leaves a list as it is). Where there is no terminal the command ends with what is missing."""
    missing = [f"--{name}" for name in ("question", "consequence") if fields.get(name) is None]
    if not missing:
        return dict(fields)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        parser.error(f"the following arguments are required: {', '.join(missing)}")
    found = dict(fields)
    for name, words in (("question", "question (what the agent shall ask itself)"), ("consequence", "what goes wrong")):
        found[name] = found.get(name) or ask_text(words, "")
    for name, words in (
        ("situations", "a situation where it applies"),
        ("signs", "a pattern that shows that the point arises"),
        ("handled", "a pattern that shows it dealt with"),
    ):
        items = list(found.get(name) or ())
        while not fields.get(name) and (said := ask_text(f"{words} (Enter: no more)", "")):
            items.append(said)
        if items:
            found[name] = items
    return {name: value for name, value in found.items() if value}
