"""The listening stage: a person takes something back, in a prompt, a rejected tool call or an answer; each is an episode.

The agent is told once per correction that it may propose a lesson. Episodes are private and scrubbed.
"""

from __future__ import annotations

from borgd.agents.event import Event
from borgd.agents.transcripts.claude_code import Fact
from borgd.config import Config
from borgd.daemon.learning import Learning
from borgd.daemon.session import Session
from borgd.journal import GroupCommit, Journal
from borgd.lessons.capture import Correction, detect, from_answer, from_rejection, own_rules
from borgd.lessons.episodes import episode, hint
from borgd.lessons.proposals import of_invariant
from borgd.lessons.veto import Veto
from borgd.lessons.veto import parse as parse_veto
from borgd.limits.interrupts_tools import QUESTION_TOOLS


class Listening:
    """Hears what a person's words say about what came before."""

    def __init__(self, learning: Learning, commit: GroupCommit, journals: dict[str, Journal], config: Config) -> None:
        self.learning = learning
        self.commit = commit
        self.episodes = journals["episodes"]
        self.proposals = journals["proposals"]
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
            return await self._vetoed(session, veto, now_ms)
        correction = detect(event.prompt, proposal(session), self._own)
        return await self._corrected(session, correction, now_ms) if correction else ""

    async def tool(self, session: Session, event: Event, now_ms: int) -> str:
        """As ``prompt``, for a tool call that came back: the answer to a question, words with a rejection."""
        corrections = [found for text in session.rejections if (found := from_rejection(text))]
        session.rejections.clear()
        tool = event.tool
        if tool is not None and tool.failed and (found := from_rejection(tool.error)):
            corrections.append(found)
        if tool is not None and tool.name in QUESTION_TOOLS:
            corrections += answered(tool.input, tool.response)
        texts = [await self._corrected(session, correction, now_ms) for correction in corrections]
        return "\n".join(text for text in texts if text)

    def saw_fact(self, session: Session, fact: Fact) -> None:
        """A rejected call's result comes through the transcript alone."""
        if fact.kind == "result" and fact.failed and len(session.rejections) < 8:
            session.rejections.append(fact.text)

    async def _vetoed(self, session: Session, veto: Veto, now_ms: int) -> str:
        count = await self.learning.vetoed(session, veto.reason, now_ms)
        if veto.invariant:
            scope = self.learning.scopes_shown(session)
            found = of_invariant(
                veto.invariant, veto.reason, ms=now_ms, scope=scope, repo=session.remote, agent=session.agent
            )
            await self.commit.append(self.proposals, [found])
        return f"[borg] The person takes back {count} of the lessons you were just shown." if count else ""

    async def _corrected(self, session: Session, correction: Correction, now_ms: int) -> str:
        await self.learning.corrected(session, correction.text, correction.rule, now_ms)
        found = episode(
            correction,
            ms=now_ms,
            agent=session.agent,
            session=session.id,
            repo=session.remote,
            task=session.prompts[-2] if len(session.prompts) > 1 else "",
            proposal=proposal(session),
        )
        if not session.first_noted("episode", found.id):
            return ""
        session.write(("#borg-episode", found.id))
        await self.commit.append(self.episodes, [found])
        return hint(found) if self._propose else ""


def proposal(session: Session) -> str:
    """What the agent last said or did, for a person to push back on; empty: nothing yet."""
    return session.last_message or "\n".join(session.changed_paths[-10:])


def answered(tool_input: dict[str, object], response: object) -> list[Correction]:
    """Corrections among the answers to an agent's questions: those that state a rule in the person's own words."""
    answers = response.get("answers") if isinstance(response, dict) else None
    questions = tool_input.get("questions")
    if not isinstance(answers, dict) or not isinstance(questions, list):
        return []
    found = []
    for entry in questions:
        if not isinstance(entry, dict):
            continue
        question = str(entry.get("question", ""))
        options = entry.get("options")
        labels = [str(one.get("label", "")) for one in options if isinstance(one, dict)] if isinstance(options, list) else []
        correction = from_answer(question, str(answers.get(question, "")), labels)
        found += [correction] if correction else []
    return found
