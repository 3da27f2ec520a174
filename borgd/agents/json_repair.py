"""JSON that a program wrote from cut text: made decodable, so that half a character does not cost the whole event.

Pure. Agents cut long texts at any UTF-16 unit, and JavaScript writes the half of a pair that is left as ``\\ud83d``.
"""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)


def _whole(match: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if match["half"] else match[0]


def repaired(text: bytes) -> bytes:
    """``text`` with U+FFFD for bytes that are no UTF-8 and for escapes of half a pair; all else as it was."""
    return _ESCAPES.sub(_whole, text.decode("utf-8", "replace").encode())
