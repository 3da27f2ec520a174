"""Work that no person typed as a prompt: what a slash command stands for, what a subagent was called for.

Never judged as a person's words.
"""

from __future__ import annotations

from borgd.agents.event import Event
from borgd.lessons.redact import redact_head
from borgd.sessions.session import PROMPT_CHARS, Session

SPAWNING = 50
"""guard: subagents that were called for and have not begun yet."""


def take_work(session: Session, text: str, *, id: str = "", row: int = 0) -> str:
    """Have ``text`` count as work of the session, for recall to look at with the next event; as it was kept."""
    kept = redact_head(text.strip(), PROMPT_CHARS)
    if kept and session.hear(kept, id, row):
        session.write(("prompt", kept))
        session.new_work.append(kept)
    return kept


def called(session: Session, event: Event) -> None:
    """The agent is about to call a subagent: what for waits until it begins."""
    if event.spawn:
        session.spawning = [*session.spawning, (event.subagent_type, event.spawn)][-SPAWNING:]


def began(session: Session, event: Event) -> None:
    """A subagent begins: what it was called for is its work.

    As the host tells it; else, of what waits, the first of its kind.
    """
    main = session.main
    if main is None:
        return
    called_for = event.prompt
    if main.spawning:
        mine = next((one for one in main.spawning if one[0] == event.subagent_type), main.spawning[0])
        main.spawning.remove(mine)
        called_for = called_for or mine[1]
    if called_for:
        session.turns.now.task = take_work(session, called_for)


def expanded(session: Session, event: Event) -> None:
    """A slash command was given with ``event.prompt`` as it was typed: its arguments are work."""
    name, _, arguments = event.prompt.partition(" ")
    if not arguments.strip():
        return
    kept = redact_head(event.prompt.strip(), PROMPT_CHARS)
    for place, mark in enumerate(session.marks):
        if mark.id == event.prompt_id and session.prompts[place] == name:
            session.prompts[place] = kept
            session.write(("prompt", kept))
            session.new_work.append(kept)
            return
    take_work(session, kept, id=event.prompt_id)
