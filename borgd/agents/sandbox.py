"""Agents' sandboxes: which one a command runs in, by what the agent puts into its environment; what to allow there. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

REFUSALS = ("Read-only file system", "Operation not permitted", "Permission denied", "(EPERM)", "(EACCES)")
"""host: how what a sandbox forbids is called in an error's text."""


class AgentSandbox(NamedTuple):
    """``variables``: any of them set says that this sandbox is around; ``allow``: what its user may write, and where."""

    agent: str
    variables: tuple[str, ...]
    allow: str


SANDBOXES = (
    AgentSandbox(
        "Codex",
        ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"),
        'in ~/.codex/config.toml, under [sandbox_workspace_write], writable_roots = ["{data}", "{state}"] lets it write '
        "there, and network_access = true lets it reach the daemon's socket (and the network)",
    ),
    AgentSandbox(
        "Claude Code",
        ("SANDBOX_RUNTIME",),
        'in its settings, sandbox.filesystem.allowWrite ["{data}", "{state}"] lets it write there, and '
        'sandbox.network.allowUnixSockets ["{socket}"] (on Linux allowAllUnixSockets) lets it reach the daemon',
    ),
    AgentSandbox(
        "Gemini CLI",
        ("SANDBOX",),
        "SANDBOX_MOUNTS={data}:{data}:rw,{state}:{state}:rw in its environment lets it write there and reach the daemon",
    ),
)
"""host: the agents' own words."""


def how_to_allow(env: Mapping[str, str], socket: str, data: str, state: str) -> str:
    """What to allow in the sandbox that ``env`` shows, as a sentence with these paths; empty: no sandbox is known there."""
    for one in SANDBOXES:
        if any(env.get(name) for name in one.variables):
            allow = one.allow.format(socket=socket, data=data, state=state)
            return f"this command runs in {one.agent}'s sandbox: {allow}. Or let it run outside the sandbox."
    return ""


def is_refusal(text: str) -> bool:
    """Whether an error's ``text`` tells of what a sandbox forbids."""
    return any(word in text for word in REFUSALS)
