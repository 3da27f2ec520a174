"""Answer lines: ``<id>: applies - <what changes>`` or ``<id>: skip - <why>``, in any shape an agent writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

ANSWER_CHARS = 200
"""design: characters kept of what an answer says."""

_APPLIES = r"appl(?:ies|y|ied)|yes|gilt|trifft zu|oui|s['’]applique|sí|aplica|はい|適用|适用"
_SKIP = (
    r"skip(?:ped|s)?|n/?a|not applicable|does(?: not|n['’]t) apply|no|nein|entfällt|überspringen|trifft nicht zu|non|passer|"
    r"ne s['’]applique pas|no aplica|omitir|スキップ|該当なし|いいえ|不适用"
)
_DECORATION = r"[\s*_`~\"'“”‘’()\[\]<>|#]*"
_SEPARATOR = r"(?:\s*[:：=\-–—→|,]\s*|\s+)"
_LEAD = r"(?:[-*+•·]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+|>\s*)*"


class LessonAnswer(NamedTuple):
    """``applies`` is what the agent said, ``why`` its words after it (at most ANSWER_CHARS)."""

    applies: bool
    why: str


def _pattern(ids: Iterable[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True))
    verdict = rf"(?:(?P<skip>{_SKIP})|(?P<applies>{_APPLIES}))"
    return re.compile(
        rf"^\s*{_LEAD}{_DECORATION}(?P<id>{names}){_DECORATION}{_SEPARATOR}{_DECORATION}{verdict}(?![^\W\d_])[*_`~\"']*(?P<why>.*)$",
        re.IGNORECASE,
    )


def answers(text: str, ids: Iterable[str]) -> dict[str, LessonAnswer]:
    """The answer to each of ``ids`` in ``text``; the last one counts where there are several. Others' ids are not read."""
    known = {name.casefold(): name for name in ids}
    if not known:
        return {}
    pattern = _pattern(known.values())
    found: dict[str, LessonAnswer] = {}
    for line in text.split("\n"):
        match = pattern.match(line[:2000])
        if match:
            why = re.sub(r"^[\s*_`~]*[:：=\-–—→|,.]*\s*", "", match["why"]).strip(" |*_`")
            found[known[match["id"].casefold()]] = LessonAnswer(match["applies"] is not None, why[:ANSWER_CHARS])
    return found
