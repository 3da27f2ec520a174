"""The effort ceiling: the model or effort that a spawned agent asks for, lowered to what is allowed. Never raised. Pure.

What is unknown gets the cheapest level, not the ceiling: a name that cannot be placed may be the dearest there is. It
says which level it is and why. A spawn that names none inherits its parent's: pass that.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from borgd.errors import LimitError

Why = Literal["within", "lowered", "unknown", "no ceiling"]


class Clamped(NamedTuple):
    """``level``: what to use instead of what was asked; the same where ``why`` is ``within`` or ``no ceiling``."""

    level: str
    why: Why

    @property
    def changed(self) -> bool:
        return self.why in ("lowered", "unknown")


class Ladder:
    """Levels from the cheapest to the dearest, and the dearest one allowed (empty: no ceiling)."""

    def __init__(self, levels: tuple[str, ...], ceiling: str = "") -> None:
        """:raises LimitError: no levels, one twice, or a ceiling that is not one of them."""
        if not levels or len(set(levels)) != len(levels) or not all(levels):
            raise LimitError(f"levels are different names from the cheapest to the dearest, not {levels!r}")
        if ceiling and ceiling not in levels:
            raise LimitError(f"the ceiling {ceiling!r} is none of the levels {', '.join(levels)}")
        self.levels = levels
        self.ceiling = ceiling
        self._place = {level: place for place, level in enumerate(levels)}

    def level_of(self, name: str) -> str | None:
        """The level whose word ``name`` holds (``opus`` in ``claude-opus-4-5``), the dearest if several; None: unknown."""
        words = set(re.split(r"[^a-z0-9]+", name.casefold()))
        return next((level for level in reversed(self.levels) if level == name or level.casefold() in words), None)

    def clamp(self, asked: str) -> Clamped:
        """What ``asked`` becomes: itself up to the ceiling, the ceiling above it, the cheapest level where it is unknown."""
        if not self.ceiling:
            return Clamped(asked, "no ceiling")
        level = self.level_of(asked)
        if level is None:
            return Clamped(self.levels[0], "unknown")
        if self._place[level] <= self._place[self.ceiling]:
            return Clamped(asked, "within")
        return Clamped(self.ceiling, "lowered")

    def rank(self, level: str) -> int:
        """0-based place of a level, the cheapest first.

        :raises KeyError: it is not one of the levels.
        """
        return self._place[level]
