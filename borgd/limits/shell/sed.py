"""What a sed script writes or runs, wherever in it: ``w`` commands and flags, GNU's ``e``. Pure and linear.

Read as sed reads it: addresses, one-letter commands, text up to the end of the line behind ``a i c``, expressions with
any delimiter. What cannot be read so is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_WRITTEN_NOWHERE = frozenset({"/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty"})
_TO_END_OF_LINE = "aicrRwW:btTqQlLe#v"


@dataclass(slots=True)
class SedScript:
    """What a script does beside printing."""

    writes: list[str] = field(default_factory=list)
    """Files it writes."""
    runs: list[str] = field(default_factory=list)
    """Commands it runs; an empty one is a command made of the input."""
    unreadable: bool = False


def read_sed(script: str) -> SedScript:
    """What ``script`` writes and runs."""
    found = SedScript()
    place = 0
    while place < len(script):
        if script[place] in " \t\n;{}":
            place += 1
            continue
        place = _address(script, place)
        while place < len(script) and script[place] in " \t!":
            place += 1
        if place >= len(script) or place < 0:
            break
        place = _command(script, place, found)
        if place < 0:
            found.unreadable = True
            break
    return found


def _delimited(script: str, place: int, delimiter: str, *, pattern: bool = True) -> int:
    """Behind the next ``delimiter`` that is not escaped and, in a pattern, not in brackets; the end where there is none."""
    while place < len(script):
        character = script[place]
        if character == "\\":
            place += 1
        elif character == delimiter:
            return place + 1
        elif character == "[" and pattern:
            begin = place + (2 if script[place + 1 : place + 2] == "^" else 1)
            closing = script.find("]", begin + 1)
            if closing >= 0 and "\n" not in script[place:closing]:
                place = closing
        place += 1
    return len(script)


def _address(script: str, place: int) -> int:
    """Past ``1``, ``$``, ``/re/``, ``\\cREc``, ``1,5``, ``0~4``, ``/re/I``."""
    while place < len(script):
        character = script[place]
        if character == "/":
            place = _delimited(script, place + 1, "/")
        elif character == "\\" and place + 1 < len(script):
            place = _delimited(script, place + 2, script[place + 1])
        elif character.isdigit() or character in "$,~+ \t" or (character in "IM" and place and script[place - 1] in "/IM"):
            place += 1
        else:
            break
    return place


def _line_end(script: str, place: int) -> int:
    while place < len(script) and script[place] != "\n":
        place += 2 if script[place] == "\\" else 1
    return min(place, len(script))


def _command(script: str, place: int, found: SedScript) -> int:
    """Past one command; negative where it cannot be read."""
    letter = script[place]
    place += 1
    if letter in "sy":
        if place >= len(script) or script[place] in "\n\\":
            return -1
        delimiter = script[place]
        place = _delimited(script, place + 1, delimiter, pattern=letter == "s")
        place = _delimited(script, place, delimiter, pattern=False)
        return _flags(script, place, found) if letter == "s" else place
    if letter in "wWe":
        end = _line_end(script, place)
        argument = script[place:end].strip()
        if letter == "e":
            found.runs.append(argument.rstrip("}; "))
        elif argument not in _WRITTEN_NOWHERE:
            found.writes.append(argument)
        return end
    if letter in _TO_END_OF_LINE:
        if letter in "btTqQlL":
            while place < len(script) and script[place] not in ";\n}":
                place += 1
            return place
        return _line_end(script, place)
    return place if letter in "{}=dDgGhHnNpPxzF" else -1


def _flags(script: str, place: int, found: SedScript) -> int:
    while place < len(script) and script[place] not in ";\n}":
        flag = script[place]
        place += 1
        if flag == "w":
            end = _line_end(script, place)
            if script[place:end].strip() not in _WRITTEN_NOWHERE:
                found.writes.append(script[place:end].strip())
            return end
        if flag == "e":
            found.runs.append("")
        elif flag not in "gpIiMm0123456789 \t":
            return -1
    return place
