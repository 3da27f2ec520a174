"""What an awk program writes or runs, wherever in it: ``print > "f"``, ``print | "cmd"``, ``"cmd" | getline``, ``system``.

A small tokenizer: strings, regular expressions and comments are told from code, so that a ``>`` in a text or in a comparison
is none of these. Behind ``print`` and ``printf`` a ``>`` outside parentheses always redirects. Pure and linear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

_WRITTEN_NOWHERE = frozenset({"/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty", "-"})
_BEFORE_REGEX = frozenset("(,{;!&|~=?:+-*%<>\n") | {
    "",
    "print",
    "printf",
    "return",
    "in",
    "&&",
    "||",
    "!~",
    "==",
    "else",
    "}",
}


@dataclass(slots=True)
class AwkProgram:
    """What a program does beside printing."""

    writes: list[str] = field(default_factory=list)
    """Files it writes; an empty name is one known only when it runs."""
    runs: list[str] = field(default_factory=list)
    """Commands it runs; an empty one is known only when it runs."""
    loads: bool = False
    """It takes in other files of code."""


def read_awk(program: str) -> AwkProgram:
    """What ``program`` writes and runs."""
    found = AwkProgram()
    tokens = list(_tokens(program))
    printing, depth, printed_at = False, 0, 0
    for place, (kind, text) in enumerate(tokens):
        if kind == "word":
            if text in ("print", "printf"):
                printing, printed_at = True, depth
            elif text == "system":
                found.runs.append(_argument(tokens, place + 1))
            found.loads = found.loads or text == "@"
        elif kind != "mark":
            continue
        elif text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            printing = printing and depth >= printed_at and text != "}"
        elif text in (";", "\n") and depth <= printed_at:
            printing = False
        elif text in (">", ">>") and printing and depth == printed_at:
            name = _one_text(tokens, place + 1)
            found.writes += [] if name in _WRITTEN_NOWHERE else [name]
        elif text in ("|", "|&"):
            found.runs += _piped(tokens, place, printing)
    return found


def _piped(tokens: list[tuple[str, str]], place: int, printing: bool) -> list[str]:
    """The command on the other side of a pipe, where that is one."""
    if tokens[place + 1 : place + 2] == [("word", "getline")]:
        before = tokens[place - 1] if place else ("end", "")
        alone = place < 2 or tokens[place - 2][1] in ("{", ";", "\n", "(", "while", "if", "!", "=", "&&", "||")
        return [before[1] if before[0] == "string" and alone else ""]
    return [_one_text(tokens, place + 1)] if printing else []


def _one_text(tokens: list[tuple[str, str]], place: int) -> str:
    """The text at ``place`` where it is all there is up to the end of the statement; else nothing."""
    kind, text = tokens[place] if place < len(tokens) else ("end", "")
    return text if kind == "string" and _ends(tokens, place + 1) else ""


def _ends(tokens: list[tuple[str, str]], place: int) -> bool:
    return place >= len(tokens) or tokens[place][1] in (";", "}", "\n", ")")


def _argument(tokens: list[tuple[str, str]], place: int) -> str:
    """The one text in parentheses from ``place`` on; empty where it is not one text."""
    inside = tokens[place : place + 3]
    if [text for _, text in inside[::2]] == ["(", ")"] and inside[1][0] == "string":
        return inside[1][1]
    return ""


def _tokens(program: str) -> Iterator[tuple[str, str]]:
    """Pairs of a kind (word, string, regex, mark) and a text."""
    place, last = 0, ""
    while place < len(program):
        character = program[place]
        begin = place
        if character in " \t\r":
            place += 1
            continue
        if character == "\\" and program[place + 1 : place + 2] == "\n":
            place += 2
            continue
        if character == "#":
            end = program.find("\n", place)
            place = len(program) if end < 0 else end
            continue
        if character == '"':
            place = _past(program, place + 1, '"')
            yield "string", program[begin + 1 : place - 1]
            last = '"'
            continue
        if character == "/" and (last in _BEFORE_REGEX or last == ""):
            place = _past(program, place + 1, "/")
            yield "regex", program[begin:place]
            last = "/re/"
            continue
        if character.isalnum() or character in "_$":
            while place < len(program) and (program[place].isalnum() or program[place] in "_$."):
                place += 1
            last = program[begin:place]
            yield "word", last
            continue
        two = program[place : place + 2]
        if two in (">>", "|&", "||", "&&", ">=", "<=", "==", "!=", "!~", "+=", "-=", "*=", "/=", "%="):
            place += 2
            yield "mark", two
            last = two
            continue
        place += 1
        yield ("word" if character == "@" else "mark"), character
        last = character


def _past(program: str, place: int, quote: str) -> int:
    while place < len(program):
        if program[place] == "\\":
            place += 1
        elif program[place] == quote:
            return place + 1
        place += 1
    return len(program) + 1
