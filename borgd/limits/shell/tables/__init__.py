"""The command table: one module a family of tools, each a mapping from a program's name to its row. Data; pure.

To teach the judge a command, add a row to the module of its family; ``tool.Tool`` says what a row can hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables import (
    archives,
    clouds,
    containers,
    databases,
    files,
    hosts,
    infrastructure,
    javascript,
    kubernetes,
    languages,
    python_tools,
    system,
    wrappers,
)
from borgd.limits.shell.tables.tool import Effect, Finding, Tool, changes, look_up, looks, words

TABLE: Mapping[str, Tool] = {
    **dict.fromkeys(sorted(files.NOTHING), Tool(Effect.NOTHING)),
    **dict.fromkeys(sorted(files.READ), looks(ignores="--dry-run --check --diff --list")),
    **dict.fromkeys(sorted(files.CHANGE), changes(ignores="--check --diff --list")),
    **files.TOOLS,
    **archives.TOOLS,
    **system.TOOLS,
    **databases.TOOLS,
    **languages.TOOLS,
    **javascript.TOOLS,
    **python_tools.TOOLS,
    **containers.TOOLS,
    **kubernetes.TOOLS,
    **infrastructure.TOOLS,
    **clouds.TOOLS,
    **hosts.TOOLS,
    **wrappers.TOOLS,
}
"""Every program that has a row."""

__all__ = ["TABLE", "Effect", "Finding", "Tool", "look_up", "words"]
