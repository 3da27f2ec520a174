"""What a transcript tells of a session: plan, words, touched files, tokens; prompts and compactions that no hook told of.

Each prompt counts once, whoever told it first. Rows are remembered, so that a rewind takes back what came after its row.
"""

from __future__ import annotations

import re

from borgd.agents import prompts_in_file
from borgd.agents.claude_code.hooks import is_machine_made
from borgd.agents.transcript import TokenUsage, TranscriptFact
from borgd.lessons.redact import redact_head
from borgd.sessions.other_work import take_work
from borgd.sessions.session import PROMPT_CHARS, Session, relative
from borgd.sessions.turn import Overheard

OVERHEARD = 8
"""guard: prompts that wait to be listened to."""
COMPACTION_ROWS = 3
"""host: a compaction is told by its boundary and then by its summary; a summary so close to a boundary is the same one."""
_NUMBERED = re.compile(r"p?\d*\Z")
"""A prompt id that is only our own count, where the host gave none."""


def apply_fact(session: Session, fact: TranscriptFact) -> None:
    """Take one fact of the transcript into ``session``, its lines into what the state file gains."""
    if fact.subagent != session.subagent:
        return
    backlog = session.tail is not None and session.tail.backlog
    match fact.kind:
        case "prompt" | "queued" if not session.subagent:  # a subagent's prompts are another agent's words
            _prompt(session, fact)
        case "expansion":
            _expansion(session, fact)
        case "rewind":
            _rewind(session, fact.row)
        case "compaction":
            of_its_own = not fact.text or fact.row - session.compaction_row > COMPACTION_ROWS
            if of_its_own and not backlog:
                session.compactions += 1
            session.compaction_row = fact.row
        case "plan":
            _plan(session, fact.text, fact.row)
        case "text":
            if session.said_row or not session.last_message or not backlog:  # else a hook told later words
                session.last_message, session.said_row = fact.text[:PROMPT_CHARS], fact.row
                session.turns.now.said = session.last_message
        case "touch":
            path = relative(fact.text, session.cwd)
            if session.touch(path, fact.row):
                session.write(("touch", path))
        case "usage" if fact.usage is not None:
            _usage(session, fact.usage)


def forget_rows(session: Session) -> None:
    """The transcript is read anew: its rows have other numbers."""
    session.plan_row = session.said_row = 0
    session.compaction_row = -COMPACTION_ROWS - 1
    session.touches.update(dict.fromkeys(session.touches, 0))
    for mark in session.marks:
        mark.row = 0


def _prompt(session: Session, fact: TranscriptFact) -> None:
    from borgd.recall.render import is_ours  # brings numpy: not before the daemon serves

    text = fact.text.strip()
    if not text or is_machine_made(text) or is_ours(text):
        return
    text = redact_head(text, PROMPT_CHARS)
    told = next((place for place, mark in enumerate(session.marks) if fact.id and mark.id == fact.id), None)
    if told is not None:
        session.marks[told].row = fact.row
        if text.startswith("/") and text.startswith(session.prompts[told]):  # a hook tells the name of a command alone
            session.prompts[told] = text
        return
    same = (mark for mark, words in zip(session.marks, session.prompts, strict=True) if words == text and not mark.row)
    known = next((mark for mark in same if not fact.id or _NUMBERED.match(mark.id)), None)
    backlog = session.tail is not None and session.tail.backlog
    if known is not None:
        known.row = fact.row
        if backlog and prompts_in_file(session.agent):  # what stood before it was work of earlier
            session.new_work.clear()
    elif session.first_noted("prompt", fact.id or text):
        session.hear(text, fact.id, fact.row)
        session.write(("prompt", text), ("#borg-heard", fact.id or text[:PROMPT_CHARS]))
        if not backlog:
            session.overheard = [*session.overheard, Overheard(text, queued=fact.kind == "queued")][-OVERHEARD:]
            session.new_work.append(text)
        elif prompts_in_file(session.agent):
            session.new_work = [text]


def _expansion(session: Session, fact: TranscriptFact) -> None:
    """The text of a slash command: work, and no person's words."""
    if session.first_noted("expansion", fact.id, fact.text[:PROMPT_CHARS]):
        take_work(session, fact.text, row=fact.row)


def _rewind(session: Session, row: int) -> None:
    kept = [(words, mark) for words, mark in zip(session.prompts, session.marks, strict=True) if mark.row <= row]
    session.prompts, session.marks = [words for words, _ in kept], [mark for _, mark in kept]
    for path in [path for path, first in session.touches.items() if first > row]:
        del session.touches[path]
    if session.plan_row > row:
        _plan(session, "", 0)
    if session.said_row > row:
        session.last_message, session.said_row = "", 0


def _plan(session: Session, text: str, row: int) -> None:
    plan = redact_head(text, PROMPT_CHARS)
    session.plan_row = row
    if plan != session.plan:
        session.plan = plan
        session.write(("plan", plan))


def _usage(session: Session, more: TokenUsage) -> None:
    session.usage = TokenUsage(
        session.usage.input_tokens + more.input_tokens,
        session.usage.output_tokens + more.output_tokens,
        session.usage.cache_read_input_tokens + more.cache_read_input_tokens,
        session.usage.cache_creation_input_tokens + more.cache_creation_input_tokens,
    )
