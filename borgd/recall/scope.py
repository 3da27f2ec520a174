"""Which system names a text names. Pure.

A name is named only as a contiguous run of its parts: "Answer Guard" in ``answer guard``, ``AnswerGuard``,
``answer_guard/api.py``, ``answerguard``, and not in "the output … guard". No part is dropped for being short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from borgd.recall.words import segments


class Parts:
    """A text's parts, ready to be asked for many names."""

    def __init__(self, text: str) -> None:
        self._parts = segments(text)
        self._starts: dict[str, list[int]] = {}
        for position, part in enumerate(self._parts):
            self._starts.setdefault(part, []).append(position)

    def names(self, name: Sequence[str]) -> bool:
        """Whether the parts of ``name`` stand in the text side by side, or written together as one word."""
        if not name:
            return False
        length = len(name)
        wanted = list(name)
        if any(self._parts[start : start + length] == wanted for start in self._starts.get(name[0], ())):
            return True
        return length > 1 and "".join(name) in self._starts


def named_scopes(names: Iterable[str], text: str) -> list[str]:
    """Those of ``names`` that ``text`` names, in the order given, each once."""
    parts = Parts(text)
    return [name for name in dict.fromkeys(names) if parts.names(segments(name))]
