"""The correction stage: a person takes something back, in a prompt, a rejected tool call or an answer; each is an episode.

The agent is told once per correction that it may propose a lesson. What only may be a correction moves nothing: the agent,
which can tell, gets one conditional line a turn, and the episode waits in the session's state. Episodes are private.
"""

from __future__ import annotations

import msgspec

from borgd.agents.event import Event
from borgd.agents.transcript import TranscriptFact
from borgd.config.schema import Config
from borgd.journal import GroupCommit, Journal
from borgd.lessons.corrections.adaptation import shift, shifted
from borgd.lessons.corrections.conditioning import Conditioned, condition
from borgd.lessons.corrections.detect import Correction, from_answer, from_rejection, own_rules
from borgd.lessons.corrections.linear import Band, shipped
from borgd.lessons.corrections.verdict import Situation, Verdict, deeds_text, judge
from borgd.lessons.corrections.veto import VETOES_TO_ASK, Veto
from borgd.lessons.corrections.veto import parse as parse_veto
from borgd.lessons.episodes import Episode, doubtful_hint, episode, hint
from borgd.lessons.proposals import of_invariant, table
from borgd.lessons.redact import SECRET_CHARS, redact_head
from borgd.limits.interrupts.tools import QUESTION_TOOLS
from borgd.memory.sources.judge import shown
from borgd.pipeline.outcome_stage import OutcomeStage
from borgd.sessions.session import PROMPT_CHARS, Session
from borgd.sessions.turn import Turn

KEPT_CALLS = 64
"""guard: calls of a transcript remembered until their result comes."""
KEPT_DOUBTFUL = 50
"""guard: turns of a session whose doubtful episode waits to be filed."""
KEPT_REJECTIONS = 8
"""guard: failed calls remembered until the session's next event."""
CALL_CHARS = 2000
"""guard: characters kept of a call."""


class CorrectionStage:
    """Hears what a person's words say about what came before."""

    def __init__(self, outcomes: OutcomeStage, commit: GroupCommit, journals: dict[str, Journal], config: Config) -> None:
        self.outcomes = outcomes
        self.commit = commit
        self.episodes = journals["episodes"]
        self.proposals = journals["proposals"]
        self.command = "borg"
        self._model = shipped()
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Settings changed.

        :raises ConfigError: a pattern of the person's own is not a regular expression.
        """
        self._own = own_rules(config.capture.patterns)
        self._propose = config.capture.propose

    @property
    def shift(self) -> float:
        """By how much the thresholds moved on this machine, in log odds."""
        return round(self._model.thresholds.sure - shipped().thresholds.sure, 3)

    def learn(self) -> None:
        """Take in what the person kept and dropped of the proposals that came from corrections.

        :raises JournalError: the proposals cannot be read.
        """
        records = self.proposals.read().records
        heard = {record.get("id") for record in records if record.get("episode")}
        verdicts = table(records).verdicts.values()
        self._model = shifted(shipped(), shift(one.verdict != "drop" for one in verdicts if one.id in heard))

    async def prompt(self, session: Session, event: Event, now_ms: int) -> str:
        """What the agent is told about a prompt that takes something back; empty: nothing."""
        turn = session.turns.now
        interrupting = turn.opened or not turn.idle
        texts = [*await self._rejected(session, now_ms), *await self._overheard(session, now_ms, but=event.prompt)]
        turn.opened, turn.task = True, turn.task or event.prompt
        veto = parse_veto(event.prompt)
        if veto is not None:
            texts.append(await self._vetoed(session, veto, now_ms))
        else:
            texts.append(await self._heard(session, event.prompt, now_ms, interrupting=interrupting))
        return "\n".join(text for text in texts if text)

    async def _overheard(self, session: Session, now_ms: int, *, but: str = "") -> list[str]:
        """What is told about prompts that the transcript alone spoke of, other than the one at hand."""
        heard, session.overheard = session.overheard, []
        same = but.strip()
        return [
            await self._heard(session, one.text, now_ms, interrupting=one.queued)
            for one in heard
            if one.text.strip() != same and parse_veto(one.text) is None
        ]

    async def _heard(self, session: Session, text: str, now_ms: int, *, interrupting: bool) -> str:
        """A person said ``text``: for sure a correction, perhaps one, or none."""
        turn = session.turns.now if interrupting else session.turns.before
        if not interrupting and turn.idle:
            turn = Turn(said=session.last_message, paths=session.changed_paths[-10:])
        deeds = deeds_text(turn.paths, turn.lines)
        doing = deeds or ("; ".join(turn.calls) if interrupting else "")
        about = "\n".join((turn.task, turn.said, *turn.paths, *turn.lines))
        situation = Situation(said=turn.said or doing, deeds=deeds, about=about, interrupting=interrupting)
        [one] = condition([text], lambda prompt: _flagging(judge(prompt, situation, self._own, self._model)))
        if not one.flagged:
            return ""
        verdict = one.found if isinstance(one.found, Verdict) else _unjudged(one)
        assert verdict.correction is not None
        proposed = "\n".join(part for part in (turn.said, "" if turn.said and not interrupting else doing) if part)
        found = self._episode(session, verdict.correction, proposed, now_ms, turn)
        if verdict.band is Band.SURE:
            return await self._corrected(session, verdict.correction, found, now_ms)
        return self._asked(session, found)

    def _asked(self, session: Session, found: Episode) -> str:
        """The conditional line for what may be a correction, once a turn; the episode waits in the session's state."""
        turn = session.turns.now
        if turn.lined or not self._propose:
            return ""
        turn.lined = True
        session.doubtful[turn.number] = found
        while len(session.doubtful) > KEPT_DOUBTFUL:
            del session.doubtful[next(iter(session.doubtful))]
        session.write(("#borg-doubtful", f"{turn.number} {msgspec.json.encode(found).decode()}"))
        return doubtful_hint(session.id, turn.number, self.command)

    async def tool(self, session: Session, event: Event, now_ms: int) -> str:
        """As ``prompt``, for a tool call that came back: the answer to a question, words with a rejection."""
        texts = [*await self._rejected(session, now_ms), *await self._overheard(session, now_ms)]
        tool = event.tool
        if tool is not None and tool.failed and (found := from_rejection(tool.error)):
            texts.append(await self._refused(session, found, call_text(tool.name, tool.input), now_ms))
        if tool is not None and tool.name in QUESTION_TOOLS:
            for correction in answered(tool.input, tool.response):
                texts.append(await self._refused(session, correction, proposal(session), now_ms))
        return "\n".join(text for text in texts if text)

    def saw_fact(self, session: Session, fact: TranscriptFact) -> None:
        """A rejected call and its result come through the transcript alone."""
        if fact.kind == "call":
            session.calls[fact.id] = call_text(fact.tool, fact.input)
            while len(session.calls) > KEPT_CALLS:
                del session.calls[next(iter(session.calls))]
        elif fact.kind == "result":
            call = session.calls.pop(fact.id, "")
            if fact.failed and len(session.rejections) < KEPT_REJECTIONS:
                session.rejections.append((fact.text, call))

    async def _rejected(self, session: Session, now_ms: int) -> list[str]:
        rejections, session.rejections = session.rejections, []
        heard = [(from_rejection(text), call) for text, call in rejections]
        return [await self._refused(session, found, call or proposal(session), now_ms) for found, call in heard if found]

    async def _refused(self, session: Session, correction: Correction, proposed: str, now_ms: int) -> str:
        made = self._episode(session, correction, proposed, now_ms, session.turns.now)
        return await self._corrected(session, correction, made, now_ms)

    async def _vetoed(self, session: Session, veto: Veto, now_ms: int) -> str:
        before = {name: self.outcomes.vetoes(name) for decision in session.decisions for name in shown(decision)}
        names = await self.outcomes.vetoed(session, veto.reason, now_ms)
        third = [name for name in names if before.get(name, 0) < VETOES_TO_ASK <= self.outcomes.vetoes(name)]
        if veto.invariant:
            scope = self.outcomes.scopes_shown(session)
            found = of_invariant(
                veto.invariant, veto.reason, ms=now_ms, scope=scope, repo=session.remote, agent=session.agent
            )
            await self.commit.append(self.proposals, [found])
        told = [f"[borg] The person takes back {len(names)} of the lessons you were just shown."] if names else []
        told += [
            f"It is the third veto of {name}: ask them, once, whether to run borg lesson retire {name}." for name in third
        ]
        return " ".join(told)

    def _episode(self, session: Session, correction: Correction, proposed: str, now_ms: int, turn: Turn) -> Episode:
        """The episode of ``correction``, made from what the agent did in ``turn``."""
        said = redact_head(correction.text.strip(), PROMPT_CHARS)
        others = [prompt for prompt in session.prompts if prompt != said]
        return episode(
            correction,
            ms=now_ms,
            agent=session.agent,
            session=session.id,
            repo=session.remote,
            task=turn.task or (others[-1] if others else ""),
            proposal=redact_head(proposed, PROMPT_CHARS - SECRET_CHARS),
            turn=session.turns.now.number,
            paths=turn.paths,
            lines=turn.lines,
        )

    async def _corrected(self, session: Session, correction: Correction, found: Episode, now_ms: int) -> str:
        await self.outcomes.corrected(session, correction.text, correction.rule, now_ms)
        if not session.first_noted("episode", found.id):
            return ""
        session.write(("#borg-episode", found.id))
        await self.commit.append(self.episodes, [found])
        return hint(found, self.command) if self._propose else ""


def _flagging(verdict: Verdict) -> Verdict | None:
    """``verdict`` where something is to be done about it."""
    return None if verdict.band is Band.NONE else verdict


def _unjudged(one: Conditioned[str, Verdict]) -> Verdict:
    """What is made of a prompt that the detector failed on: the agent is asked, since a failure is never silence."""
    reason = "the detector could not judge it"
    return Verdict(band=Band.DOUBTFUL, correction=Correction(text=one.item, rule="unjudged", reason=reason, strength=0.5))


def call_text(tool: str, arguments: dict[str, object]) -> str:
    """A tool call as what the agent proposed: its name and input, cut."""
    call = f"{tool} {msgspec.json.encode(arguments, enc_hook=str).decode()}"
    return redact_head(call, CALL_CHARS)


def proposal(session: Session) -> str:
    """What the agent last said or did, for a person to push back on; empty: nothing yet."""
    return session.turns.now.said or session.last_message or "\n".join(session.changed_paths[-10:])


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
