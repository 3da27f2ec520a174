"""The listening stage of a prompt: vetoes, corrections, answers that state a rule; each becomes an episode."""

from __future__ import annotations

from borgd.agents.event import Event
from borgd.config import Config
from borgd.daemon.learning import Learning
from borgd.daemon.session import Session
from borgd.journal import GroupCommit, Journal


class Listening:
    """Hears what a person's prompt says about what came before."""

    def __init__(self, learning: Learning, commit: GroupCommit, episodes: Journal, config: Config) -> None:
        self.learning = learning
        self.commit = commit
        self.episodes = episodes
        self.config = config

    async def prompt(self, session: Session, event: Event, now_ms: int) -> str:
        """What the agent is told about it; empty: nothing."""
        return ""
