"""``borg no`` as a prompt's start: the person takes back what they were just shown. Parsing only."""

from __future__ import annotations

import re
from typing import NamedTuple

VETOES_TO_ASK = 3
"""design: vetoes of a lesson after which its person is asked, once, whether to retire it."""

_VETO = re.compile(r"\s*(?:/|!\s*)?borg[\s:,]+no\b(?![-\w'’])(?:[\s:,.!—–]|-(?!-))*(?P<rest>.*)\Z", re.I | re.S)
_INVARIANT = re.compile(r"(?:^|\s)--invariant(?:\s+|=)(?P<text>\"[^\"]*\"|'[^']*'|.+)\Z", re.S)


class Veto(NamedTuple):
    """``reason`` and ``invariant`` (a rule that always holds) as the person wrote them; either may be empty."""

    reason: str
    invariant: str


def parse(prompt: str) -> Veto | None:
    """The veto that ``prompt`` starts with, None where it starts with none.

    ``borg no``, ``borg no: reason``, ``borg no reason --invariant rule``.
    """
    match = _VETO.match(prompt)
    if match is None:
        return None
    invariant = _INVARIANT.search(match["rest"])
    reason = match["rest"][: invariant.start()] if invariant else match["rest"]
    return Veto(reason.strip(), invariant["text"].strip().strip("\"'") if invariant else "")
