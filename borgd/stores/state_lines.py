"""The lines of a session's state file: a work line (``prompt: …``) or a bookkeeping line (``#borg-…``). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

LINE_CHARS = 8000
"""guard: characters of one line."""

MARK = "#borg-"
COUNTED = "#borg-counted"
"""design: the mark of lines with the words that a session added to the machine's counts."""
KINDS = ("prompt", "touch", "plan", "said")


def escape(text: str, limit: int = LINE_CHARS) -> str:
    """``text`` on one line: backslashes and line breaks escaped, everything that could end a line made a space."""
    text = text[:limit].replace("\\", "\\\\").replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]", " ", text)


def unescape(line: str) -> str:
    """The text ``escape`` made ``line`` from."""
    return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), line)


def parse(lines: list[str]) -> Iterator[tuple[str, str]]:
    """(kind, text) of each line: a work kind, a mark (``#borg-asked``), or ``work`` for what someone else appended."""
    for line in lines:
        if line.startswith(MARK):
            name, _, rest = line.partition(" ")
            yield name, unescape(rest)
            continue
        kind, separator, rest = line.partition(": ")
        if separator and kind in KINDS:
            yield kind, unescape(rest)
        elif line.strip():
            yield "work", line.strip()[:LINE_CHARS]
