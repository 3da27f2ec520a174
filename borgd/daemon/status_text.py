"""The daemon's status as text, a line per fact. Made by the daemon, so that the command need not import a JSON reader."""

from __future__ import annotations

from typing import Any


def lines(status: dict[str, Any]) -> list[str]:
    """``status`` as text, a line per fact."""
    connections, errors = status["connections"], status["errors"]
    text = [
        f"borgd {status['version']}, pid {status['pid']}, up {duration(status['uptime_s'])}",
        f"socket       {status['socket']}",
        f"requests     {status['requests']} ({status['in_flight']} now)",
        f"connections  {connections['total']} ({connections['open']} open, {connections['refused']} refused,"
        f" {connections['abandoned']} abandoned)",
        f"errors       {errors['crashes']} crashes, {errors['malformed']} malformed requests",
    ]
    if not status["hooks"]:
        text.append("hooks        none yet: borg install shows how an agent calls them")
    for key, latency in status["hooks"].items():
        figures = "  ".join(f"{name[:-3]} {latency[name]:.2f}" for name in ("p50_ms", "p95_ms", "p99_ms", "max_ms"))
        text.append(f"  {key:<36} {latency['count']:>7}  {figures} ms")
    return text + [f"{name:<12} {value}" for name, value in flat(status["service"])]


def flat(tree: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """The leaves of ``tree``, named by their path."""
    leaves: list[tuple[str, Any]] = []
    for name, value in tree.items():
        if isinstance(value, dict):
            leaves += flat(value, f"{prefix}{name}.")
        else:
            leaves.append((prefix + name, value))
    return leaves


def duration(seconds: float) -> str:
    """``seconds`` in its two largest units."""
    whole = int(seconds)
    for size, unit, small, sub in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // small} {sub}"
    return f"{whole} s"
