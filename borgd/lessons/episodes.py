"""Episodes: what was asked, what the agent proposed, what the person said to that. The raw material of lessons.

Private: episodes.jsonl never leaves the machine. Promises sealed text (cleaned, secrets out, cut) and an id that is the same
for the same correction, whether it was heard live or read from a transcript later. Must not judge; capture does.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

import msgspec

from borgd.lessons.corrections.detect import Correction
from borgd.lessons.redact import redact, seal

TASK_CHARS = 600
"""design: kept of the prompt that the work began with."""
PROPOSAL_CHARS = 1200
"""design: kept of what the agent proposed."""
CORRECTION_CHARS = 1200
"""design: kept of the person's words."""
ID_CHARS = 8
"""design: base32 characters after the E: 40 bits."""
PATHS = 40
"""design: paths kept of what was corrected."""
PATH_CHARS = 300
"""guard: characters kept of one of them."""
LINES = 60
"""design: edited lines kept of what was corrected, the last ones."""
LINES_CHARS = 4000
"""guard: characters kept of all of them."""
HINT_CHARS = 299
"""guard: longest hint to the agent."""


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """A line of episodes.jsonl. ``repo`` is ``owner/name``; ``rule`` the detector's; ``ms`` wall time since the epoch."""

    id: str
    ms: int
    agent: str
    session: str
    correction: str
    repo: str = ""
    task: str = ""
    proposal: str = ""
    rule: str = ""
    reason: str = ""
    strength: float = 0.0
    turn: int = 0
    """The session's turn in which the person said it; 0: not known."""
    paths: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """What the agent had changed in the turn that was corrected: files, and edited lines with secrets taken out."""


def short_id(letter: str, *parts: str) -> str:
    """``letter`` and ID_CHARS base32 characters of the SHA-256 of ``parts``."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return letter + base64.b32encode(digest).decode().lower()[:ID_CHARS]


def episode(
    correction: Correction,
    *,
    ms: int,
    agent: str,
    session: str,
    repo: str = "",
    task: str = "",
    proposal: str = "",
    turn: int = 0,
    paths: Sequence[str] = (),
    lines: Sequence[str] = (),
) -> Episode:
    """The episode of ``correction``, every text sealed. ``task`` is the prompt that ``proposal`` answered."""
    said = seal(correction.text, CORRECTION_CHARS)
    return Episode(
        id=short_id("E", agent, session, said),
        ms=ms,
        agent=agent,
        session=session,
        correction=said,
        repo=repo,
        task=seal(task, TASK_CHARS),
        proposal=seal(proposal, PROPOSAL_CHARS),
        rule=correction.rule,
        reason=correction.reason,
        strength=correction.strength,
        turn=turn,
        paths=tuple(seal(path, PATH_CHARS) for path in paths[-PATHS:]),
        lines=_sealed_lines(lines),
    )


def _sealed_lines(lines: Sequence[str]) -> tuple[str, ...]:
    whole = redact("\n".join(lines[-LINES:]))[:LINES_CHARS]  # as one, since some secrets have several lines
    return tuple(line for part in whole.split("\n") if (line := seal(part, PATH_CHARS)))


_ASKED = (
    "--question '…?' --consequence '…' --situation '…' --facet '…' --sign '…' --handled '…' [--scope NAME]; --help teaches",
    "--question '…?' --consequence '…' --situation '…' --sign '…' --handled '…' [--scope NAME]; --help teaches",
    "--question '…?' --consequence '…' [--scope NAME]; --help teaches",
    "--question '…?' --consequence '…'",
)


def hint(episode: Episode, command: str = "borg") -> str:
    """What the agent is told once about a correction: that it may propose a lesson, and how; at most HINT_CHARS characters.

    :param command: how to call borg.
    """
    head = "[borg] You were just corrected. If it holds beyond this task (no one-off), file it:"
    return _fitting(f"{head} {command} lesson propose --episode {episode.id}")


def doubtful_hint(session: str, turn: int, command: str = "borg") -> str:
    """What the agent is told of a prompt that only may be a correction; at most HINT_CHARS characters."""
    head = "[borg] If that corrects you, and beyond this task, file it; else ignore this:"
    return _fitting(f"{head} {command} lesson propose --session {session} --turn {turn}")


def _fitting(start: str) -> str:
    """``start`` with as much of what a lesson needs as there is room for; a session's or a path's name is never cut."""
    return next((text for asked in _ASKED if len(text := f"{start} {asked}") <= HINT_CHARS), f"{start} {_ASKED[-1]}")
