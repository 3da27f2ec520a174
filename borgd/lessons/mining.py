"""Episodes from a past session of any agent, line by line, by the same detectors that listen live. Pure.

Holds one turn at a time, so a transcript of any length costs the same memory. ``safe`` is an offset from which reading may
go on later as if it had never stopped. What only may be a correction is settled by what the agent did next: it gave in, or
changed the same file once more. Subagents' prompts are an agent's words, not a person's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from borgd.agents.transcript import TranscriptFact
from borgd.agents.transcripts import reader_of
from borgd.lessons.corrections.detect import Correction, from_questionnaire, from_rejection, own_words
from borgd.lessons.corrections.languages import PatternRule
from borgd.lessons.corrections.linear import Band
from borgd.lessons.corrections.verdict import Situation, deeds_text, judge
from borgd.lessons.episodes import Episode, episode

LINE_BYTES = 8 << 20
"""guard: a longer line is skipped."""
TOUCHES = 10
"""design: touched paths that stand for a proposal where the agent said nothing."""
CHANGED_LINES = 60
"""design: changed lines of a turn that are kept, the last ones."""


_GAVE_IN = re.compile(
    r"(?i)\b(?:you(?:'|’)?re (?:absolutely |quite )?right|you are right|good (?:catch|point)|fair (?:point|enough)"
    r"|my (?:mistake|bad)|sorry|apolog\w+|i (?:should|shouldn't) have|i missed|i misread|reverted|undid|undone|switched"
    r"|put (?:it|them|\w+) back|moved (?:it|them) back|instead(?: of)?|no longer|replaced"
    r"|now (?:uses?|goes|reads?|takes?|keeps?|lives?)"
    r"|stimmt|du hast recht|entschuldig\w+|tu as raison|vous avez raison|désolée?|tienes razón|perdón|lo siento"
    r"|tem razão|desculp\w+)\b|すみません|申し訳|ご指摘|失礼|おっしゃる|抱歉|对不起|说得对|说的对|죄송|맞습니다"
)
"""Words of an agent that takes back what it did."""


class MinedEpisode(NamedTuple):
    """``sure``: a correction; else it may have been one, which somebody who reads it can tell."""

    episode: Episode
    sure: bool = True


class Miner:
    """Reads one transcript's lines in order.

    :param session: the id where a line names none.
    :param repository: ``owner/name`` of a directory.
    :param agent: whose session it is.
    :param ms: its time where lines name none, in ms since the epoch.
    """

    def __init__(
        self,
        session: str,
        repository: Callable[[str], str],
        own: Sequence[PatternRule] = (),
        *,
        offset: int = 0,
        agent: str = "claude-code",
        ms: int = 0,
    ) -> None:
        self.safe = offset
        self.long = 0
        self._agent = agent
        self._ms = ms
        self._offset = offset
        self._session = session
        self._repository = repository
        self._own = own
        self._reader = reader_of(agent)()
        self._task = ""
        self._said = ""
        self._touched: list[str] = []
        self._lines: list[str] = []
        self._open: list[MinedEpisode] = []
        self._gave_in = False

    @property
    def damaged(self) -> int:
        """Lines that were not rows, or too long to be read."""
        return self.long + self._reader.damaged

    def begin(self, head: Iterable[bytes]) -> None:
        """Hear from the file's first lines which session it is, where reading goes on later in it."""
        for line in head:
            self._reader.feed(line, limit=LINE_BYTES)

    def finish(self) -> list[MinedEpisode]:
        """What waited for the agent's answer when the transcript ended."""
        return self._settled()

    def line(self, line: bytes) -> list[MinedEpisode]:
        """The episodes that ``line`` (with its LF) completes."""
        start, self._offset = self._offset, self._offset + len(line)
        if len(line) > LINE_BYTES or not line.strip():
            self.long += len(line) > LINE_BYTES
            return []
        wanted = self._reader.INTERESTING
        if wanted and not any(kind in line for kind in wanted):
            return []
        facts = self._reader.feed(line, limit=LINE_BYTES)
        if self._reader.of_subagent:
            return []
        return [made for fact in facts for made in self._take(fact, start)]

    def _take(self, fact: TranscriptFact, start: int) -> Iterator[MinedEpisode]:
        if fact.kind in ("prompt", "queued"):
            if not own_words(fact.text):
                return
            if fact.kind == "prompt":
                yield from self._settled()
            yield from self._judged(fact.text, interrupting=fact.kind == "queued")
            if fact.kind == "prompt":
                self._task, self._said, self._touched, self._lines, self.safe = fact.text, "", [], [], start
        elif fact.kind == "call" and fact.changes:
            self._lines = [*self._lines, *_new_lines(fact.input)][-CHANGED_LINES:]
        elif fact.kind in ("text", "plan"):
            self._said = fact.text
            self._gave_in = self._gave_in or (bool(self._open) and _GAVE_IN.search(fact.text) is not None)
        elif fact.kind == "touch":
            changed = fact.changes and any(fact.text in one.episode.paths for one in self._open)
            self._gave_in = self._gave_in or changed
            self._touched = [*self._touched, fact.text][-TOUCHES:]
        elif fact.kind == "result" and fact.failed:
            rejected = from_rejection(fact.text)
            if rejected is not None:
                yield MinedEpisode(self._episode(rejected, self._proposal()))
        elif fact.kind == "answers":
            for question, correction in from_questionnaire(fact.input):
                yield MinedEpisode(self._episode(correction, question))

    def _judged(self, text: str, *, interrupting: bool) -> Iterator[MinedEpisode]:
        deeds = deeds_text(self._touched, self._lines)
        verdict = judge(text, Situation(said=self._said or deeds, deeds=deeds, interrupting=interrupting), self._own)
        if verdict.correction is None:
            return
        found = MinedEpisode(self._episode(verdict.correction, self._proposal()), verdict.band is Band.SURE)
        if found.sure:
            yield found
        else:
            self._open.append(found)

    def _settled(self) -> list[MinedEpisode]:
        """What may have been a correction was one where the agent gave in to it or changed the same file again."""
        found, self._open = [one._replace(sure=self._gave_in) for one in self._open], []
        self._gave_in = False
        return found

    def _proposal(self) -> str:
        return self._said or "\n".join(self._touched)

    def _episode(self, correction: Correction, proposal: str) -> Episode:
        seen = self._reader
        return episode(
            correction,
            ms=seen.ms or self._ms,
            agent=self._agent,
            session=seen.session or self._session,
            repo=self._repository(seen.cwd) if seen.cwd else "",
            task=self._task,
            proposal=proposal,
            paths=self._touched,
            lines=self._lines,
        )


def _new_lines(call: Any) -> list[str]:
    """The lines that a call which changes a file puts there."""
    edits = call.get("edits") if isinstance(call, dict) else None
    parts = [call, *(edits if isinstance(edits, list) else [])] if isinstance(call, dict) else []
    texts = [part.get(name) for part in parts if isinstance(part, dict) for name in ("new_string", "content", "new_source")]
    return [line for text in texts if isinstance(text, str) for line in text.splitlines() if line.strip()][-CHANGED_LINES:]
