"""What reading one command's arguments comes to. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from borgd.limits.shell.tables.tool import Effect


@dataclass(frozen=True, slots=True)
class Read:
    """What a command line was found to do."""

    effect: Effect
    reason: str
    runs: tuple[str, ...] = ()
    """Texts for a shell that it runs besides."""


Reader = Callable[[Sequence[str]], Read]
