"""Who really sent a hook's payload: agents read each other's settings, so the entry that was called is only a guess. Pure.

The payload's own keys decide where they are unmistakable, else the entry. Only keys of the payload itself count, never ones
inside a tool's input.
"""

from __future__ import annotations

from typing import Any

import msgspec

from borgd.agents.json_repair import repaired

_HINTS = (b'"cursor_version"', b'"prompt_id"', b'"turn_id"', b'"sessionId"', b'"timestamp"', b"/.claude/projects/")
"""Words without which a payload is whose the entry says."""
_CLAUDE_FILES = "/.claude/projects/"
"""host: where Claude Code's session files are."""
_IN_CURSOR = {"UserPromptSubmit": "beforeSubmitPrompt"}
_IN_COPILOT = {"UserPromptSubmit": "userPromptSubmitted", "Stop": "agentStop"}
"""host: what these call an event of Claude Code's, where it is not the same with a small first letter."""


class _Signs(msgspec.Struct):
    cursor_version: Any = None
    prompt_id: Any = None
    turn_id: Any = None
    model: Any = None
    timestamp: Any = None
    sessionId: Any = None  # noqa: N815
    session_id: Any = None
    transcript_path: Any = None


_decoder = msgspec.json.Decoder(_Signs)


def sender(name: str, event: str, body: bytes) -> tuple[str, str]:
    """The agent that really sent ``body``, and its name of the event.

    :param name: the agent whose entry was called.
    :param event: the event as the entry names it.
    """
    if name not in ("claude-code", "codex") or not any(hint in body for hint in _HINTS):
        return name, event
    signs = _signs_of(body)
    if signs is None:
        return name, event
    if signs.cursor_version is not None:
        return "cursor", _small(event, _IN_CURSOR)
    if isinstance(signs.sessionId, str) and signs.session_id is None:
        return "copilot", _small(event, _IN_COPILOT)
    of_claude = signs.prompt_id is not None or _CLAUDE_FILES in str(signs.transcript_path)
    of_codex = isinstance(signs.turn_id, str) and isinstance(signs.model, str)
    if name == "codex":
        return ("claude-code" if of_claude and not of_codex else name), event
    if of_codex and not of_claude:
        return "codex", event
    if not of_claude and signs.timestamp is not None and signs.transcript_path is None:
        return "copilot", _small(event, _IN_COPILOT)
    return name, event


def _signs_of(body: bytes) -> _Signs | None:
    text = body.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        try:
            return _decoder.decode(text)
        except msgspec.ValidationError:
            return None
        except msgspec.DecodeError:
            return _decoder.decode(repaired(text))
    except (msgspec.DecodeError, RecursionError):
        return None


def _small(event: str, names: dict[str, str]) -> str:
    return names.get(event, event[:1].lower() + event[1:])
