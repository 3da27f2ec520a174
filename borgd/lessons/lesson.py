"""What a lesson is: a question the agent asks itself, where it applies, and the consequence it prevents.

A value, never an answer. Reading, writing and cleaning are elsewhere (store, hygiene).
"""

from __future__ import annotations

from typing import Literal

import msgspec

Source = Literal["correction", "veto", "review", "regret", "answer", "written", "constraint"]
Reach = Literal["team", "repo", "personal"]

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$"
"""An id fits in an answer line (``<id>: applies - …``) and in a file name."""


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """One version of one lesson, as a line of lessons.jsonl holds it (design §5)."""

    id: str
    question: str
    consequence: str
    version: int = 1
    ms: int = 0
    situations: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    area: str = ""
    source: Source = "written"
    engineers: tuple[str, ...] = ()
    repo: str = ""
    reach: Reach = "team"
    supersedes: tuple[str, ...] = ()
    overrides: str = ""
    origin: str = ""
    facets: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    """Patterns over edited code and closing words that show that the lesson's point arises; see ``patterns``."""
    handled: tuple[str, ...] = ()
    """Patterns that show it dealt with."""
    support: int = 0
    history: tuple[dict[str, object], ...] = ()
    retired: bool = False
    peer: bool = False
    """Came from a teammate's file: untrusted text, rendered fenced and labelled. Never stored."""
    claimed: tuple[str, ...] = ()
    """Authors whom a teammate's line names beside the person whose file it is: shown, never counted. Never stored."""

    @property
    def standing(self) -> bool:
        """A constraint that was ratified here: delivered when its scope comes up, matched or not.

        A teammate's is untrusted text and must match like any other lesson.
        """
        return self.source == "constraint" and not self.peer
