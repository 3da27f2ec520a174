"""The daemon's status as text. Made by the daemon, so that the command need not import a JSON reader.

``page`` is one screen for a person; ``lines`` has every fact on a line of its own.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

NAMES = {"__global__": "whole budget"}
"""design: what a person calls it."""


def page(status: dict[str, Any], now_ms: int) -> list[str]:
    """``status`` in one screen: what it costs, what waits, what is wrong."""
    service = status["service"]
    text = [f"borgd {status['version']}, pid {status['pid']}, up {duration(status['uptime_s'])}"]
    text += [f"loaded       {plain(service['loaded'])}"] if "loaded" in service else []
    text += entry("problems", service.get("problems") or [])
    text += entry("team problems", service.get("team_problems") or [])
    text += [f"off          {one}" for one in map(_switch, service.get("off") or [])]
    text += _told(service.get("told") or {})
    if "lessons" in service:
        sessions = service.get("sessions", 0)
        text.append(f"lessons      {service['lessons']}")
        text.append(f"sessions     {sessions} open" if sessions else "sessions     none open")
    text += _heard(service.get("last_events") or {}, service.get("gaps") or {}, now_ms)
    text += _interrupts(service.get("interrupts") or {})
    if service.get("team"):
        text.append(f"team         {service['team']['directory']}, as {service['team']['owner']}")
    text += _hooks(status["hooks"], status["errors"])
    return [*text, f"socket       {status['socket']}", "borg status --all has every figure."]


def _told(told: dict[str, Any]) -> list[str]:
    """What lessons cost, in lines and blocks."""
    if not told:
        return []
    today, days = told["today"], told["days"]
    if not days:
        return ["told         nothing in the last week"]
    now = f"{_many(today['lines'], 'line')} and {_many(today['blocks'], 'block')}"
    found = [f"told         today {now} in {_many(today['sessions'], 'session')} ({today['characters']:,} characters)"]
    if days > 1:
        costs = f"{told['lines_a_day']:g} lines and {told['blocks_a_day']:g} blocks a day"
        found.append(f"             in the last {days} days {costs} ({told['characters_a_day']:,} characters)")
    return found


def _heard(agents: dict[str, dict[str, int]], gaps: dict[str, list[str]], now_ms: int) -> list[str]:
    """When each agent was heard last, and with what; what cannot be done there."""
    found = []
    for agent, events in sorted(agents.items()):
        if events:
            last = max(events, key=lambda name: events[name])
            found.append(f"{agent:<12} heard {age(events[last], now_ms)} ({last})")
            found += [f"             {gap}" for gap in gaps.get(agent, ())]
    return found


def _interrupts(found: dict[str, Any]) -> list[str]:
    """What is spent of the budget, and what waits for an answer."""
    whole = found.get("scopes", {}).get("__global__")
    if whole is None:
        return []
    text = [f"interrupts   {whole['spent']} of {whole['ceiling']} spent"]
    waiting = {name: number for name, number in found["waiting"].items() if number}
    if waiting:
        text.append(f"  waiting    {', '.join(f'{name} {number}' for name, number in waiting.items())}: borg inbox")
    return [*text, *(f"  {alarm}" for alarm in found.get("alarms", []))]


def _hooks(hooks: dict[str, dict[str, float]], errors: dict[str, int]) -> list[str]:
    """How fast events are answered."""
    if not hooks:
        return ["hooks        none yet: borg install shows how an agent calls them"]
    slowest = max(hooks, key=lambda key: hooks[key]["p99_ms"])
    calls = sum(int(latency["count"]) for latency in hooks.values())
    text = [f"hooks        {_many(calls, 'call')}; slowest {slowest}: {_times(hooks[slowest])}"]
    if any(errors.values()):
        text.append(f"errors       {errors['crashes']} crashes, {errors['malformed']} malformed requests: see the log")
    return text


def _times(latency: dict[str, float]) -> str:
    return f"half under {latency['p50_ms']:.1f} ms, 99 in 100 under {latency['p99_ms']:.1f} ms"


def _switch(switch: dict[str, Any]) -> str:
    what = {"all": "everywhere", "repo": "in"}.get(switch["kind"], switch["kind"])
    until = f" until {moment(switch['until_ms'])}" if switch["until_ms"] else ""
    return f"{what} {switch['value']}".strip() + until


def _many(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def lines(status: dict[str, Any], now_ms: int) -> list[str]:
    """``status`` as text, a line per fact; moments as how long ago they were."""
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
        text += entry(name, _spoken(name, value, now_ms))
    return text


def _spoken(name: str, value: Any, now_ms: int) -> Any:
    """``value`` with moments as a person says them."""
    if name == "last_events":
        return {agent: {event: age(ms, now_ms) for event, ms in events.items()} for agent, events in value.items()}
    if name == "not_understood":
        return {agent: {event: _misunderstood(one, now_ms) for event, one in of.items()} for agent, of in value.items()}
    return [_switch(one) for one in value] if name == "off" else value


def _misunderstood(one: dict[str, Any], now_ms: int) -> str:
    often = "once" if one["times"] == 1 else f"{one['times']} times"
    return f"{one['reason']}, {often}, last {age(one['ms'], now_ms)}"


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


def age(ms: int, now_ms: int) -> str:
    """How long before ``now_ms`` the moment ``ms`` was."""
    seconds = (now_ms - ms) / 1000
    return f"{duration(seconds)} ago" if seconds >= 1 else "just now"


def moment(ms: int) -> str:
    """The local time of ``ms`` since the epoch."""
    try:
        return datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "?"
