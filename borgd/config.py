"""config.toml as Structs: every setting, its default, its range. A repository's .borgd.toml may only tighten.

Must not read anything but the bytes it is given. An unknown key is an error that names it: a misspelt limit is no limit.
"""

from __future__ import annotations

import tomllib
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, TypeVar

import msgspec

from borgd.errors import ConfigError

Probability = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class DaemonConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[daemon]"""

    idle_exit_s: Annotated[float, msgspec.Meta(ge=0.0)] = 0.0
    """Seconds without a request after which the daemon ends; 0: never."""
    session_idle_s: Annotated[float, msgspec.Meta(gt=0.0)] = 24 * 3600.0


class RecallConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[recall]"""

    holdout: Probability = 0.05
    floor: float | None = None
    """None: the tuned MATCH_FLOOR."""
    grader: tuple[str, ...] = ()
    """A command that reads JSON and answers grades; empty: none."""
    ask_cap: Annotated[int, msgspec.Meta(ge=0)] | None = None


class CaptureConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[capture]"""

    patterns: tuple[str, ...] = ()
    """Regular expressions of the user's own that mark a prompt as a correction."""
    propose: bool = True


class PeopleConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[people]"""

    engineer: str = ""
    """This person's name in lessons and outcomes; empty: git's user.name, else the login name."""
    aliases: dict[str, str] = {}
    """Another spelling -> the canonical name."""


class TeamConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[team]"""

    directory: str = ""


class ScopeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[interrupts.scopes."a/b"]"""

    weight: Decimal = Decimal(1)
    """Scales this scope's own ceiling (or the root's, where it has none); above 0."""
    ceiling: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Asks per window; 0: never; None: the root's."""


class ExclusionConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[[interrupts.exclusions]]"""

    source: str
    tier: Literal["permanent", "transient"] = "permanent"
    cause: str = "configured"
    expires: datetime | None = None
    """For the transient tier: when it ends, with an offset (2026-07-01T18:00:00+02:00); None: until it is taken out."""


class InterruptsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[interrupts]"""

    daily_interrupt_budget: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 3
    """The root's ceiling: ordinary asks per window."""
    base: Decimal = Decimal("0.5")
    cap: Decimal = Decimal("0.95")
    high_stakes_threshold: Decimal = Decimal("0.9")
    bar: Literal["linear", "timed"] = "linear"
    window: Literal["day", "rolling"] = "day"
    time_zone: str = ""
    """The owner's IANA zone; empty: the machine's."""
    hard_cap: bool = False
    """Nothing is admitted past a spent ceiling, high stakes included."""
    strict_scopes: bool = False
    """An ask from a scope that is not configured is deferred."""
    scopes: dict[str, ScopeConfig] = {}
    exclusions: tuple[ExclusionConfig, ...] = ()
    paths: dict[str, str] = {}
    """A repository (owner/name) or a default scope path -> the scope path that is charged instead."""


class InboxConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[inbox]"""

    expiry_hours: Annotated[float, msgspec.Meta(gt=0.0, le=8760.0)] = 72.0
    digest_hours: tuple[Annotated[int, msgspec.Meta(ge=0, le=23)], ...] = (9, 13, 17)
    """Local hours at which one notification sums up what waits; empty: none."""
    notify: bool = True
    """Use the desktop's notification service where there is one."""


class EffortConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[effort]"""

    models: tuple[str, ...] = ("haiku", "sonnet", "opus")
    """Cheapest to dearest; a model belongs to the level whose word its name holds."""
    model_ceiling: str = ""
    """The dearest model a spawned agent may ask for; empty: no ceiling."""
    efforts: tuple[str, ...] = ("low", "medium", "high")
    effort_ceiling: str = ""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of config.toml."""

    daemon: DaemonConfig = DaemonConfig()
    recall: RecallConfig = RecallConfig()
    capture: CaptureConfig = CaptureConfig()
    people: PeopleConfig = PeopleConfig()
    team: TeamConfig = TeamConfig()
    interrupts: InterruptsConfig = InterruptsConfig()
    inbox: InboxConfig = InboxConfig()
    effort: EffortConfig = EffortConfig()


T = TypeVar("T")


def decode(data: bytes, kind: type[T], source: str) -> T:
    """TOML in ``data`` as a ``kind``.

    :param source: the file's name for the error.
    :raises ConfigError: no TOML, an unknown key, a value out of range; names file, field and what was expected.
    """
    try:
        table = tomllib.loads(data.decode("utf-8-sig"), parse_float=Decimal)  # budgets are exact: 0.1 is a tenth
    except UnicodeDecodeError:
        raise ConfigError(source, "expected UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(source, f"expected TOML: {error}") from None
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `$.")
        raise ConfigError(source, text, field=path.rstrip("`") or None) from None


def load(data: bytes | None, source: str = "config.toml") -> Config:
    """The configuration in ``data``; all defaults where there is no file (None)."""
    return Config() if data is None else decode(data, Config, source)
