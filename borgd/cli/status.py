"""``borg status``: what the daemon does now. Asked often, so it must start like bare Python: arguments are read by hand."""

from __future__ import annotations

import json
from typing import Any

from borgd.daemon.client import call
from borgd.errors import BorgError, UsageError

USAGE = "usage: borg status [--json]\n\nWhat the daemon does now: requests, latencies, errors. Exit code 4: none runs."
STATUS_S = 3.0
"""design: seconds that a daemon has to say how it is."""


def run(argv: list[str]) -> int:
    """Print it.

    :raises NoDaemonError: none runs, or it does not answer.
    """
    if argv and argv[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if argv not in ([], ["--json"]):
        raise UsageError(f"borg status takes only --json, not {' '.join(argv)!r}")
    answer = call("status", timeout_s=STATUS_S)
    if answer.status:
        raise BorgError(answer.err.decode("utf-8", "replace").strip() or "the daemon could not say how it is")
    print(answer.out.decode() if argv else "\n".join(lines(json.loads(answer.out))))
    return 0


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
