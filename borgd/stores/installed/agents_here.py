"""Which agents are on this machine, and their versions: by their directories of settings and by their programs on the PATH.

An agent's program is run only to say its version, for a bounded time.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from borgd.agents.wiring import WIRINGS

SAY_S = 10.0
"""guard: seconds that a program gets to say its version; some load a hundred megabytes first."""
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")


class AgentHere(NamedTuple):
    """``directory``: its settings, None where there are none yet; ``program``: empty where the PATH has none."""

    name: str
    directory: Path | None
    program: str

    def said(self) -> str:
        """What is here of it, for a person."""
        version = version_of(self.program) if self.program else ""
        parts = [f"{self.name} {version}".strip(), self.program or "not on the PATH"]
        return ", ".join([*parts, str(self.directory) if self.directory else "no settings yet"])


def agents_here(env: Mapping[str, str], home: str) -> list[AgentHere]:
    """The agents that have settings of this user or a program on the PATH of ``env``."""
    found = []
    for name, wiring in WIRINGS.items():
        directory = Path(wiring.directory(env, home))
        program = shutil.which(wiring.program, path=env.get("PATH", "")) or ""
        if directory.is_dir() or program:
            found.append(AgentHere(name, directory if directory.is_dir() else None, program))
    return found


def looked_for(env: Mapping[str, str], home: str) -> str:
    """What ``agents_here`` looks for, for a person."""
    return ", ".join(f"{wiring.directory(env, home)} or {wiring.program}" for wiring in WIRINGS.values())


def version_of(program: str) -> str:
    """The version that ``program`` says it is; empty where it says none in time."""
    try:
        done = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SAY_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return found[0] if found and done.returncode == 0 else ""


def is_newer(version: str, other: str) -> bool:
    """Whether ``version`` is later than ``other``; both as ``version_of`` has them."""
    one, two = ([int(part) for part in text.split(".")] for text in (version, other))
    return one > two
