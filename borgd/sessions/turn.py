"""A session's turns: what a person asked for, and what the agent said and changed until the next one.

A turn begins with the first event that carries a new prompt id, whatever event that is: prompts get lost, and what is typed
while the agent works carries the running turn's id. Pure but for the session it changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from borgd.sessions.seen_keys import SeenKeys

KNOWN_TURNS = 200
"""guard: prompt ids of a session's turns that are remembered, so that a late event opens no turn again."""
TURN_PATHS = 40
"""guard: changed paths remembered of one turn."""
TURN_LINES = 60
"""design: changed lines remembered of one turn, the last ones."""
TURN_CALLS = 5
"""design: calls remembered of one turn, the last ones: what the agent is at while it has changed nothing yet."""


@dataclass(frozen=True)
class Overheard:
    """A prompt that the transcript told; ``queued``: typed while the agent worked."""

    text: str
    queued: bool = False


@dataclass
class Turn:
    """``number`` from 1; ``task`` is the prompt that opened it, ``said`` the agent's last words in it."""

    number: int = 0
    id: str = ""
    task: str = ""
    said: str = ""
    paths: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    opened: bool = False
    """The prompt that opened it was told; a further one under its id was typed while the agent worked."""
    lined: bool = False
    """The conditional line was told in it."""

    @property
    def idle(self) -> bool:
        """Whether the agent did nothing in it."""
        return not (self.said or self.paths or self.lines or self.calls)

    def change(self, paths: list[str], lines: list[str]) -> None:
        """The agent changed ``lines`` in ``paths``."""
        self.paths = list(dict.fromkeys([*self.paths, *paths]))[-TURN_PATHS:]
        self.lines = [*self.lines, *lines][-TURN_LINES:]

    def call(self, text: str) -> None:
        """The agent is about to make a call."""
        self.calls = [*self.calls, text][-TURN_CALLS:]


@dataclass
class Turns:
    """``now`` is the running turn, ``before`` the last one in which the agent did something."""

    now: Turn = field(default_factory=Turn)
    before: Turn = field(default_factory=Turn)
    known: SeenKeys = field(default_factory=lambda: SeenKeys(KNOWN_TURNS))

    def move(self, prompt_id: str) -> bool:
        """An event of the turn ``prompt_id`` came; whether it is the first of a new one."""
        if not prompt_id or not self.known.first((prompt_id,)):
            return False
        if not self.now.idle:
            self.before = replace(self.now)
        self.now = Turn(number=self.now.number + 1, id=prompt_id)
        return True
