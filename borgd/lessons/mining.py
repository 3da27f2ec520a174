"""Episodes from a past transcript of Claude Code, line by line, by the same detectors that listen live. Pure.

Holds one prompt and one proposal at a time, so a transcript of any length costs the same memory. ``safe`` is an offset
from which reading may go on later as if it had never stopped. Subagents' prompts are an agent's words, not a person's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from borgd.agents.claude_code.transcript import TranscriptFact, TranscriptReader
from borgd.lessons.corrections.detect import Correction, detect, from_questionnaire, from_rejection, own_words
from borgd.lessons.corrections.languages import PatternRule
from borgd.lessons.episodes import Episode, episode

AGENT = "claude-code"
LINE_BYTES = 8 << 20
"""guard: a longer line is skipped."""
TOUCHES = 10
"""design: touched paths that stand for a proposal where the agent said nothing."""


class _Row(msgspec.Struct, rename="camel"):
    type: str = ""
    session_id: str = ""
    cwd: str = ""
    timestamp: str = ""
    is_sidechain: bool = False
    is_meta: bool = False
    tool_use_result: msgspec.Raw = msgspec.Raw(b"null")


_decoder = msgspec.json.Decoder(_Row)


class Miner:
    """Reads one transcript's lines in order.

    :param session: the id where a line names none.
    :param repository: ``owner/name`` of a directory.
    """

    def __init__(
        self, session: str, repository: Callable[[str], str], own: Sequence[PatternRule] = (), *, offset: int = 0
    ) -> None:
        self.safe = offset
        self.damaged = 0
        self._offset = offset
        self._session = session
        self._repository = repository
        self._own = own
        self._reader = TranscriptReader()
        self._task = ""
        self._said = ""
        self._touched: list[str] = []
        self._row = _Row()

    def line(self, line: bytes) -> list[Episode]:
        """The episodes that ``line`` (with its LF) completes."""
        start, self._offset = self._offset, self._offset + len(line)
        if len(line) > LINE_BYTES or not line.strip():
            self.damaged += len(line) > LINE_BYTES
            return []
        is_user = b'"user"' in line
        if not is_user and b'"assistant"' not in line:
            return []
        try:
            self._row = _decoder.decode(line)
        except (msgspec.DecodeError, RecursionError):
            self.damaged += 1
            return []
        if self._row.is_sidechain:
            return []
        facts = self._reader.feed(line)
        found = [made for fact in facts for made in self._take(fact, start)]
        return found + (list(self._answers()) if self._row.type == "user" else [])

    def _take(self, fact: TranscriptFact, start: int) -> Iterator[Episode]:
        if fact.kind == "prompt":
            if not own_words(fact.text):
                return
            correction = detect(fact.text, self._proposal(), self._own)
            if correction is not None:
                yield self._episode(correction, self._proposal())
            self._task, self._said, self._touched, self.safe = fact.text, "", [], start
        elif fact.kind in ("text", "plan"):
            self._said = fact.text
        elif fact.kind == "touch":
            self._touched = [*self._touched, fact.text][-TOUCHES:]
        elif fact.kind == "result" and fact.failed:
            rejected = from_rejection(fact.text)
            if rejected is not None:
                yield self._episode(rejected, self._proposal())

    def _answers(self) -> Iterator[Episode]:
        if b'"answers"' not in bytes(self._row.tool_use_result):
            return
        result: Any = msgspec.json.decode(self._row.tool_use_result)
        for question, correction in from_questionnaire(result) if isinstance(result, dict) else []:
            yield self._episode(correction, question)

    def _proposal(self) -> str:
        return self._said or "\n".join(self._touched)

    def _episode(self, correction: Correction, proposal: str) -> Episode:
        row = self._row
        return episode(
            correction,
            ms=_ms(row.timestamp),
            agent=AGENT,
            session=row.session_id or self._session,
            repo=self._repository(row.cwd) if row.cwd else "",
            task=self._task,
            proposal=proposal,
        )


def _ms(timestamp: str) -> int:
    try:
        return max(0, int(datetime.fromisoformat(timestamp).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0
