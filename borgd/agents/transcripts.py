"""Which agents' sessions can be read, where each keeps them, and who reads them. Pure.

One line of ``SESSION_FILES`` an agent. Where a file is decides whose it is, else what its first rows look like.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from borgd.agents.transcript import TranscriptReader, row_of

DATABASE = b"SQLite format 3\0"
"""host: how a file of SQLite starts."""
UNSURE = "claude-code"
"""design: whose a file of lines is taken for that looks like nobody's: every row that means nothing is passed over."""


class SessionFiles(NamedTuple):
    """``reader`` as module and class. ``variable``: what moves the directory, ``below_home`` where it is otherwise.

    ``patterns``: the files below it.
    """

    reader: tuple[str, str]
    variable: str
    below_home: str
    patterns: tuple[str, ...]
    apart: bool = False
    """Subagents have files of their own, told by their names; nobody typed the prompts in them."""
    database: bool = False
    """Sessions are rows of a database of SQLite."""

    def directory(self, env: Mapping[str, str], home: str) -> str:
        """The directory of this user."""
        moved = env.get(self.variable, "").rstrip("/") if self.variable else ""
        return moved or f"{home.rstrip('/')}/{self.below_home}".rstrip("/")

    def place(self, env: Mapping[str, str], home: str) -> str:
        """The directory below which this user's files are."""
        return f"{self.directory(env, home)}/{self.patterns[0]}".partition("*")[0].rpartition("/")[0]


SESSION_FILES: Mapping[str, SessionFiles] = {
    "claude-code": SessionFiles(
        ("claude_code.transcript", "ClaudeTranscript"), "CLAUDE_CONFIG_DIR", ".claude", ("projects/**/*.jsonl",), apart=True
    ),
    "codex": SessionFiles(
        ("codex.transcript", "CodexTranscript"),
        "CODEX_HOME",
        ".codex",
        (
            "sessions/**/*.jsonl",
            "sessions/**/*.jsonl.zst",
            "archived_sessions/**/*.jsonl",
            "archived_sessions/**/*.jsonl.zst",
        ),
    ),
    "gemini": SessionFiles(
        ("gemini.transcript", "GeminiTranscript"),
        "GEMINI_CLI_HOME",
        "",
        (".gemini/tmp/*/chats/session-*.jsonl", ".gemini/tmp/*/chats/session-*.json"),
    ),
    "opencode": SessionFiles(
        ("opencode.transcript", "OpencodeTranscript"),
        "XDG_DATA_HOME",
        ".local/share",
        ("opencode/opencode*.db",),
        database=True,
    ),
    "omp": SessionFiles(("omp.transcript", "OmpTranscript"), "PI_CODING_AGENT_DIR", ".omp/agent", ("sessions/*/*.jsonl",)),
    "cursor": SessionFiles(
        ("cursor.transcript", "CursorTranscript"),
        "",
        ".cursor",
        ("projects/*/agent-transcripts/**/*.jsonl",),
        apart=True,
    ),
    "copilot": SessionFiles(
        ("copilot.transcript", "CopilotTranscript"), "COPILOT_HOME", ".copilot", ("session-state/*/events.jsonl",)
    ),
}
"""host: places and variables of each agent."""


def reader_of(agent: str) -> type[TranscriptReader]:
    """The reader of the agent's rows."""
    module, name = SESSION_FILES[agent].reader
    found: type[TranscriptReader] = getattr(import_module(f"borgd.agents.{module}"), name)
    return found


def line_reader_of(agent: str) -> type[TranscriptReader] | None:
    """The same where the agent's session files are lines that can be followed as they grow; None: they are not."""
    return reader_of(agent) if agent in SESSION_FILES and not SESSION_FILES[agent].database else None


def whose(path: str, head: bytes, homes: Mapping[str, str]) -> str:
    """The agent whose session file ``path`` is, by the directory of an agent's that it is in, else by its first bytes.

    :param homes: agent to its directory.
    """
    if head.startswith(DATABASE):
        return "opencode"
    for line in head.split(b"\n")[:20]:
        row = row_of(line)
        found = next((agent for agent in SESSION_FILES if row is not None and _recognises(agent, row)), "")
        if found:
            return found
    inside = [
        agent
        for agent, home in homes.items()
        if path.startswith(f"{home}/") and agent != "gemini" and SESSION_FILES[agent].database == path.endswith(".db")
    ]
    return inside[0] if inside else UNSURE


def is_subagents(agent: str, path: str) -> bool:
    """Whether ``path`` is by its name the session file of a subagent."""
    *above, name = path.split("/")
    return SESSION_FILES[agent].apart and ("subagents" in above or name.startswith("agent-"))


def _recognises(agent: str, row: Mapping[str, object]) -> bool:
    return reader_of(agent).recognises(row)
