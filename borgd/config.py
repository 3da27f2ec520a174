"""config.toml as Structs: every setting, its default, its range. A repository's .borgd.toml may only tighten.

Must not read anything but the bytes it is given. An unknown key is an error that names it: a misspelt limit is no limit.
"""

from __future__ import annotations

import tomllib
from typing import Annotated, TypeVar

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


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of config.toml."""

    daemon: DaemonConfig = DaemonConfig()
    recall: RecallConfig = RecallConfig()
    capture: CaptureConfig = CaptureConfig()
    people: PeopleConfig = PeopleConfig()
    team: TeamConfig = TeamConfig()


T = TypeVar("T")


def decode(data: bytes, kind: type[T], source: str) -> T:
    """TOML in ``data`` as a ``kind``.

    :param source: the file's name for the error.
    :raises ConfigError: no TOML, an unknown key, a value out of range; names file, field and what was expected.
    """
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
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
