"""The listening stage of a prompt: vetoes, corrections, answers that state a rule; each becomes an episode."""

from __future__ import annotations

from borgd.agents.event import Event
from borgd.config import Config
from borgd.daemon.learning import Learning
from borgd.daemon.session import Session
from borgd.journal import GroupCommit, Journal
from borgd.lessons.capture import Correction, detect, own_rules
from borgd.lessons.veto import parse as parse_veto


class Listening:
    """Hears what a person's words say about what came before."""

    def __init__(self, learning: Learning, commit: GroupCommit, episodes: Journal, config: Config) -> None:
        self.learning = learning
        self.commit = commit
        self.episodes = episodes
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Settings changed.

        :raises ConfigError: a pattern of the person's own is no regular expression.
        """
        self._own = own_rules(config.capture.patterns)
        self._propose = config.capture.propose

    async def prompt(self, session: Session, event: Event, now_ms: int) -> str:
        """What the agent is told about a prompt that takes something back; empty: nothing."""
        veto = parse_veto(event.prompt)
        if veto is not None:
            count = await self.learning.vetoed(session, veto.reason, now_ms)
            return f"[borg] {count} lessons just shown are vetoed." if count else ""
        correction = detect(event.prompt, proposal(session), self._own)
        return await self._corrected(session, correction, now_ms) if correction else ""

    async def _corrected(self, session: Session, correction: Correction, now_ms: int) -> str:
        await self.learning.corrected(session, correction.text, correction.rule, now_ms)
        return ""


def proposal(session: Session) -> str:
    """What the agent last said or did, for a person to push back on; empty: nothing yet."""
    return session.last_message or "\n".join(session.changed_paths[-10:])
