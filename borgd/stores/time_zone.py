"""The machine's IANA time zone by name: TZ, what /etc/localtime points to, /etc/timezone, else UTC."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from borgd.limits.interrupts.windows import known_zone

FALLBACK = "UTC"


def machine_zone(env: Mapping[str, str] | None = None, etc: Path = Path("/etc")) -> str:
    """A name that the zone tables know."""
    env = os.environ if env is None else env
    for name in (env.get("TZ", "").removeprefix(":"), _link(etc / "localtime"), _text(etc / "timezone")):
        if name and known_zone(name):
            return name
    return FALLBACK


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
