"""How far an engineer's lessons have been borne out, per area of work.

Trust(engineer, area) = (1 + followed) / (2 + followed + corrected + 2 × superseded), 0.5 with no evidence. A lesson has
its authors' mean. Names are canonical under the configured aliases.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from borgd.lessons.lesson import Lesson

NEUTRAL = 0.5
"""design: no evidence; a lesson's score is multiplied by trust / NEUTRAL."""
SUPERSEDED = 2
"""design: a lesson that another engineer had to replace counts as two corrections."""


def trust(followed: float, corrected: float, superseded: int) -> float:
    """Trust in (0, 1). ``followed`` and ``corrected`` count sessions, ``superseded`` lessons."""
    return (1 + followed) / (2 + followed + corrected + SUPERSEDED * superseded)


@lru_cache(maxsize=65536)
def area_key(area: str) -> str:
    """An area as it is compared: case and outer space do not matter."""
    return " ".join(area.casefold().split())


class EngineerNames:
    """Canonical names. An alias may point to another; a ring of aliases ends at its smallest name."""

    def __init__(self, aliases: Mapping[str, str] | None = None) -> None:
        self._aliases = {_name(name): " ".join(canonical.split()) for name, canonical in (aliases or {}).items()}
        self._known: dict[str, str] = {}

    def canonical(self, name: str) -> str:
        """The name under which ``name`` is counted."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._resolve(name)
        return known

    def authors(self, lesson: Lesson) -> tuple[str, ...]:
        """The engineers of ``lesson``, canonical, each once, in a fixed order."""
        return tuple(sorted({self.canonical(name) for name in lesson.engineers if name.strip()}))

    def _resolve(self, name: str) -> str:
        current, seen = " ".join(name.split()), [_name(name)]
        while (target := self._aliases.get(_name(current))) is not None and _name(target) != _name(current):
            if _name(target) in seen:
                return min(seen[seen.index(_name(target)) :])
            seen.append(_name(target))
            current = target
        return current


def _name(name: str) -> str:
    return " ".join(name.casefold().split())
