"""Now, and where: the one wall clock, and the machine's IANA time zone."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

FALLBACK_ZONE = "UTC"
"""design: where the machine names no zone that is known."""


def now_ms() -> int:
    """Wall time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def known_zone(name: str) -> bool:
    """Whether the zone tables know ``name``."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError):  # ZoneInfoNotFoundError is a KeyError
        return False
    except KeyError:
        return False
    return bool(name)


def machine_zone(env: Mapping[str, str] | None = None, etc: Path = Path("/etc")) -> str:
    """The machine's zone: TZ, what /etc/localtime points to, /etc/timezone; UTC where none of them is known."""
    env = os.environ if env is None else env
    for name in (env.get("TZ", "").removeprefix(":"), _link(etc / "localtime"), _text(etc / "timezone")):
        if name and known_zone(name):
            return name
    return FALLBACK_ZONE


def _link(path: Path) -> str:
    try:
        target = os.path.realpath(path)
    except OSError:
        return ""
    return target.partition("/zoneinfo/")[2]


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "ignore").strip()
    except OSError:
        return ""
