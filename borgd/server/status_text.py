"""The daemon's status as text, a line per fact. Made by the daemon, so that the command need not import a JSON reader."""

from __future__ import annotations

from typing import Any

NAMES = {"__global__": "whole budget"}
"""design: what a person calls it."""


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
    none = "none yet: borg install shows how an agent calls them"
    text.append(f"hooks        {'calls and latencies since the start' if status['hooks'] else none}")
    for key, latency in status["hooks"].items():
        figures = "  ".join(f"{name[:-3]} {latency[name]:.2f}" for name in ("p50_ms", "p95_ms", "p99_ms", "max_ms"))
        text.append(f"  {key:<36} {latency['count']:>7}  {figures} ms")
    for name, value in status["service"].items():
        text += entry(name, value)
    return text


def entry(name: str, value: Any, indent: str = "") -> list[str]:
    """One fact and what is in it: plain values behind its name, everything else on lines of its own below."""
    label = f"{indent}{NAMES.get(name, name.replace('_', ' ')):<12} "
    if isinstance(value, dict):
        below: list[str] = []
        flat = [f"{key.replace('_', ' ')} {plain(one)}" for key, one in value.items() if not isinstance(one, (dict, list))]
        for key, one in value.items():
            below += entry(key, one, indent + "  ") if isinstance(one, (dict, list)) else []
        return [f"{label}{', '.join(flat)}".rstrip(), *below] if flat or below else []
    if isinstance(value, list):
        return [f"{label}{len(value)}", *(f"{indent}  {plain(one)}" for one in value)] if value else []
    return [f"{label}{plain(value)}"]


def plain(value: Any) -> str:
    """``value`` as a person writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} {plain(one)}" for key, one in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    """``seconds`` in its two largest units."""
    whole = int(seconds)
    for size, unit, small, sub in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // small} {sub}"
    return f"{whole} s"
