"""Lines of the state file taken into a session: at a restart, or from someone else who wrote them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import msgspec

from borgd.lessons.episodes import Episode
from borgd.lessons.patterns import PatternHits
from borgd.memory.records import Decision
from borgd.sessions import attendance
from borgd.sessions.session import PROMPT_CHARS, PROMPTS, Session
from borgd.sessions.state_file import MARK
from borgd.stores.state_lines import COUNTED

COUNTED_WORDS = 2000
"""guard: words of one line; a word has at most 24 letters, and a line that is too long would be cut."""


def _take_prompt_id(session: Session, text: str) -> None:
    if session.turns.move(text):  # a file from before turns had lines of their own
        session.work.begin()
        session.work.turn_prompts = 1
        session.changed = False
    session.prompt_id = text
    session.turns.now.opened = True
    session.ended = False
    _take_heard(session, text)


def _take_turn(session: Session, text: str) -> None:
    number, _, id = text.partition(" ")
    if number.isdigit() and session.turns.move(id):
        session.work.begin()
        session.turns.now.number = int(number)
        session.prompt_id = id
        session.changed = False


def _take_heard(session: Session, text: str) -> None:
    session.first_noted("prompt", text)
    if session.marks:
        session.marks[-1].id = text


def _take_doubtful(session: Session, text: str) -> None:
    turn, _, record = text.partition(" ")
    with suppress(msgspec.DecodeError, RecursionError, ValueError):
        session.doubtful[int(turn)] = msgspec.json.decode(record, type=Episode)


def _take_asked(session: Session, text: str) -> None:
    session.open_ask, *ids = text.split()
    session.asked.update(ids)


def _take_note(session: Session, text: str) -> None:
    session.notes.append(text)
    del session.notes[: -5 * PROMPTS]


def _take_topic(session: Session, text: str) -> None:
    tries, _, name = text.partition(" ")
    if tries.isdigit() and name:
        session.topics[name] = int(tries)


def _take_pool(session: Session, text: str) -> None:
    with suppress(msgspec.DecodeError, RecursionError):
        decision = msgspec.json.decode(text, type=Decision)
        pool = tuple(entry for entry in decision.pool if entry.id.strip("-"))  # a forgotten lesson's id was blanked
        if pool:
            kept = msgspec.structs.replace(decision, pool=pool)
            session.decide(kept)
            session.touch_lessons(kept)


def _take_occasion(session: Session, text: str) -> None:
    with suppress(msgspec.DecodeError, RecursionError):
        decision = msgspec.json.decode(text, type=Decision)
        session.touch_lessons(decision)


def _take_untold(session: Session, text: str) -> None:
    for decision in [one for one in session.decisions if one.id == text]:
        session.untell(decision)


def _take_judged(session: Session, text: str) -> None:
    decision, *names = text.split()
    session.judged.update((decision, name) for name in names)


def _hits(text: str) -> Iterator[tuple[str, PatternHits]]:
    for part in text.split():
        name, _, bits = part.partition("=")
        sign, _, handled = bits.partition(",")
        if name and sign.isdigit() and handled.isdigit():
            yield name, PatternHits(int(sign), int(handled))


def _take_block(session: Session, text: str) -> None:
    session.block(text)


_LINES: dict[str, Callable[[Session, str], object]] = {
    "prompt": lambda session, text: session.hear(text[:PROMPT_CHARS]),
    "touch": Session.touch,
    "plan": lambda session, text: setattr(session, "plan", text),
    "said": lambda session, text: setattr(session, "last_message", text),
    "work": _take_note,
    "#borg-cwd": lambda session, text: setattr(session, "cwd", text),
    "#borg-prompt": _take_prompt_id,
    "#borg-turn": _take_turn,
    "#borg-doubtful": _take_doubtful,
    "#borg-heard": _take_heard,
    attendance.LINE: lambda session, text: setattr(session, "attendance", attendance.read_attendance(text)),
    "#borg-topic": _take_topic,
    "#borg-early": lambda session, text: session.delivered.update(text.split()[1:]),
    "#borg-held": lambda session, text: session.withheld.update(text.split()[1:]),
    "#borg-pool": _take_pool,
    "#borg-occasion": _take_occasion,
    "#borg-untold": _take_untold,
    "#borg-judged": _take_judged,
    "#borg-skipped": lambda session, text: session.skipped.add(text),
    "#borg-corrected": lambda session, text: session.corrected.add(text),
    "#borg-acted": lambda session, text: session.acted.add(text),
    "#borg-asked": _take_asked,
    "#borg-answered": lambda session, _: setattr(session, "open_ask", ""),
    "#borg-blocked": _take_block,
    "#borg-code": lambda session, text: session.work.add(text.split(), {}),
    "#borg-signs": lambda session, text: session.work.add((), dict(_hits(text))),
    "#borg-asked-signs": lambda session, text: session.work.ask(dict(_hits(text))),
    "#borg-episode": lambda session, text: session.first_noted("episode", text),
    "#borg-red": lambda session, text: session.turned(text, passed=False),
    "#borg-green": lambda session, text: session.turned(text, passed=True),
    "#borg-stopped": lambda session, _: session.open.clear(),
    COUNTED: lambda session, _: session.first_seen("counted", session.id),
    "#borg-ended": lambda session, _: setattr(session, "ended", True),
    "#borg-changed": lambda session, _: setattr(session, "changed", True),
}


def apply_line(session: Session, kind: str, text: str) -> None:
    """Take one line of the state file into ``session`` (at a restart, or from someone else)."""
    if kind.startswith(MARK) and not text and kind not in ("#borg-answered", "#borg-changed", "#borg-stopped"):
        return
    if kind in _LINES:
        _LINES[kind](session, text)


def counted_lines(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the session added to the machine's counts of words, so that ``borg forget`` can take it back."""
    for start in range(0, len(words), COUNTED_WORDS):
        yield COUNTED, " ".join(words[start : start + COUNTED_WORDS])
