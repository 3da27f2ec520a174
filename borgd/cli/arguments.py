"""The parser of every command: a mistyped option or word is answered with what was probably meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import NoReturn

NEAR = 0.6
"""design: likeness (difflib's ratio) from which a word is taken for a mistyped one."""

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>.*)\)")
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<given>.*)")


class CommandParser(argparse.ArgumentParser):
    """As argparse's own, with a suggestion."""

    def error(self, message: str) -> NoReturn:
        """:raises SystemExit: always, with 2; usage, what was wrong and what is near on standard error."""
        from difflib import get_close_matches

        near: list[str] = []
        if choice := _CHOICE.search(message):
            near = get_close_matches(choice["given"], [name.strip("' ") for name in choice["known"].split(",")], 1, NEAR)
        elif unknown := _UNKNOWN.search(message):
            options = sorted(set(_options(self)))
            for given in unknown["given"].split():
                if given.startswith("-"):
                    near += get_close_matches(given.partition("=")[0], options, 1, NEAR)
        super().error(f"{message}; did you mean {' '.join(dict.fromkeys(near))}?" if near else message)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The long options of a parser and of its commands."""
    for action in parser._actions:
        yield from (name for name in action.option_strings if name.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _options(inner)
