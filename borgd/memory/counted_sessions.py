"""Whose sessions outcomes are of, when each began and where it worked: what the fold knows beside the results.

Order and repetition of outcomes change nothing but the numbers: a beginning is the earliest time, a repository the first in
order of those that are named.
"""

from __future__ import annotations

from typing import Protocol

from borgd.memory.records import OutcomeKind

LAST_MS = 1 << 53
"""guard: times from other machines are held to [0, LAST_MS], which every column can carry."""


class CountedOutcomes(Protocol):
    """The fields of an outcome that memory counts."""

    @property
    def id(self) -> str: ...
    @property
    def ms(self) -> int: ...
    @property
    def lesson(self) -> str: ...
    @property
    def kind(self) -> OutcomeKind: ...
    @property
    def decision(self) -> str: ...
    @property
    def agent(self) -> str: ...
    @property
    def session(self) -> str: ...
    @property
    def held(self) -> bool: ...
    @property
    def credit(self) -> float: ...
    @property
    def repo(self) -> str: ...
    @property
    def engineer(self) -> str: ...
    @property
    def turn(self) -> int: ...


BY = "\1"
"""design: stands before the engineer in a session's name; no engineer's name holds it."""


def session_key(agent: str, session: str, engineer: str = "") -> str:
    """The name under which an engineer's session is counted; empty where there is none."""
    return f"{agent}\0{session}{by(engineer)}" if session else ""


def by(engineer: str) -> str:
    """The end of a session's name that says whose it is: a session of one person never counts as another's."""
    return f"{BY}{engineer}" if engineer else ""


def held_ms(ms: int) -> int:
    """A time that may come from a broken clock or a hostile line, held to what columns can carry."""
    return min(max(ms, 0), LAST_MS)


class CountedSessions:
    """What is known of each engineer's session, by its number. What was told outside of any session has a number of its own
    and no place in the clock."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """By ``session_key``."""
        self.engineers: list[str] = []
        self.repos: list[str] = []
        """The first in order of the repositories that the session's outcomes name; empty: none."""
        self.begun: dict[int, int] = {}
        """The earliest time (ms) that an outcome of the session names."""
        self.loose: dict[int, int] = {}
        """As ``begun``, of what was told outside of any session."""

    def number(self, key: str) -> int:
        """The number of the session ``key``, new or known."""
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.engineers)
            self.engineers.append(key.rpartition(BY)[2] if BY in key else "")
            self.repos.append("")
        return number

    def outside(self, outcome: CountedOutcomes) -> int:
        """The number for an outcome that names no session."""
        number = self.number(f"\0{outcome.decision or outcome.id}{by(outcome.engineer)}")
        ms = held_ms(outcome.ms)
        self.loose[number] = min(ms, self.loose.get(number, ms))
        self.place(number, outcome.repo)
        return number

    def place(self, number: int, repo: str) -> None:
        """An outcome of the session names ``repo``."""
        known = self.repos[number]
        if repo and (not known or repo < known):
            self.repos[number] = repo

    def when(self, number: int) -> int:
        """When the session began, or what names none was told, ms."""
        found = self.begun.get(number)
        return self.loose.get(number, 0) if found is None else found
