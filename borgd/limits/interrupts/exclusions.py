"""Which sources may not ask: a permanent tier (the operator's) and a transient one (with cause and expiry). Checked first.

Nothing bypasses it. Tiers and causes never cross: lifting a transient exclusion for one cause leaves every other cause and
the permanent tier as they were. Pure; milliseconds since the epoch are passed in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from borgd.config.schema import ExclusionConfig
from borgd.errors import ConfigError

Tier = Literal["permanent", "transient"]


class Exclusion(msgspec.Struct, frozen=True, kw_only=True):
    """``expires_ms``: when a transient one ends by itself; None: when it is lifted. A permanent one has no end."""

    source: str
    tier: Tier
    cause: str
    since_ms: int = 0
    expires_ms: int | None = None

    def holds(self, now_ms: int) -> bool:
        return self.tier == "permanent" or self.expires_ms is None or now_ms < self.expires_ms


class Exclusions:
    """The exclusions in force. Mutable: a fold over records keeps one."""

    def __init__(self, exclusions: Iterable[Exclusion] = ()) -> None:
        self._by_source: dict[str, dict[tuple[Tier, str], Exclusion]] = {}
        for exclusion in exclusions:
            self.exclude(exclusion)

    def exclude(self, exclusion: Exclusion) -> None:
        """Take ``exclusion`` in; the same source, tier and cause again replaces its expiry."""
        self._by_source.setdefault(exclusion.source, {})[exclusion.tier, exclusion.cause] = exclusion

    def retract(self, source: str, cause: str) -> bool:
        """Lift the transient exclusion of ``source`` for ``cause``; False where there is none. Never a permanent one."""
        return self._by_source.get(source, {}).pop(("transient", cause), None) is not None

    def excluded(self, source: str, now_ms: int) -> Exclusion | None:
        """What excludes ``source`` now, a permanent cause before a transient one; None: nothing."""
        found: Exclusion | None = None
        for exclusion in self._by_source.get(source, {}).values():
            if exclusion.holds(now_ms):
                if exclusion.tier == "permanent":
                    return exclusion
                found = found or exclusion
        return found

    def all(self, now_ms: int) -> list[Exclusion]:
        """Every exclusion in force, by source."""
        entries = (entry for source in sorted(self._by_source) for entry in self._by_source[source].values())
        return [entry for entry in entries if entry.holds(now_ms)]


def configured(entries: Iterable[ExclusionConfig], source: str = "config.toml") -> list[Exclusion]:
    """The operator's exclusions.

    :raises ConfigError: an empty source, an expiry on a permanent one, an expiry without an offset.
    """
    found = []
    for number, entry in enumerate(entries):
        where = f"interrupts.exclusions[{number}]"
        if not entry.source:
            raise ConfigError(source, "expected the name of a source", field=f"{where}.source")
        if entry.expires is not None and entry.tier == "permanent":
            raise ConfigError(source, 'expected tier = "transient" beside expires', field=f"{where}.tier")
        if entry.expires is not None and entry.expires.tzinfo is None:
            expected = "expected a time with an offset, such as 2026-07-01T18:00:00+02:00"
            raise ConfigError(source, expected, field=f"{where}.expires")
        expires = None if entry.expires is None else int(entry.expires.timestamp() * 1000)
        found.append(Exclusion(source=entry.source, tier=entry.tier, cause=entry.cause, expires_ms=expires))
    return found
