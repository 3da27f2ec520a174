"""``borg no [ID] [reason]``: the person takes back a lesson, or all that a session was last shown, credit split over it.

At a terminal a person sees what it would be, with the text, before anything happens; ``borg undo`` takes it back. After a
lesson's third veto they are asked once whether to retire it. Named with ``--invariant``, a rule that always holds is put
forward as a proposal; ratified, it is standing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import append, change, engineer, load, one_line, print_json, records
from borgd.cli.lesson.terminal import agreed, at_terminal, key_press
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.corrections.veto import VETOES_TO_ASK
from borgd.lessons.lesson import ID_PATTERN, Lesson
from borgd.lessons.proposals import Proposal, of_invariant
from borgd.lessons.store import LessonStore
from borgd.lessons.undoing import actions, occasion, turns
from borgd.memory.records import Decision, Outcome
from borgd.memory.sources.judge import judge_veto, shown

SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID",)
"""host: where an agent tells the programs that it starts which session they are in."""

_NAMED = re.compile(ID_PATTERN)


def run(argv: list[str]) -> int:
    """Store the vetoes and say what was vetoed."""
    parser = CommandParser(prog="borg no", description="Veto a lesson, or all that was last shown.")
    parser.add_argument("reason", nargs="*", metavar="[ID] [reason]", help="a lesson's id; why, in your words")
    parser.add_argument("--session", metavar="ID", help="a session's id or its start (the last one that was shown anything)")
    parser.add_argument("--invariant", metavar="RULE", help="what always holds; proposed as a standing lesson")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    arguments = parser.parse_args(argv)
    store = load()
    lessons = {lesson.id: lesson for lesson in store}
    session = arguments.session or _session_here()
    only, reason = _meant(store, arguments.reason, session)
    decision = _last(session, only)
    names = [only] if only else shown(decision)
    if not arguments.yes and at_terminal():
        names = _asked([lessons[name] for name in names if name in lessons])
        if not names:
            return 1
    told = records("outcomes")
    outcomes = _vetoes(decision, names, reason, lessons, told)
    known = {record.get("id") for record in told}
    fresh = [outcome for outcome in outcomes if outcome.id not in known]
    append("outcomes", fresh)
    proposal = None
    if arguments.invariant:
        scope = sorted({name for key in shown(decision) if key in lessons for name in lessons[key].scope})
        proposal = of_invariant(
            arguments.invariant,
            reason,
            ms=now_ms(),
            scope=scope,
            repo=decision.repo,
            agent=decision.agent,
        )
        append("proposals", [proposal])
    if arguments.json:
        print_json(
            {
                "decision": decision.id,
                "session": decision.session,
                "vetoed": [msgspec.to_builtins(outcome) for outcome in outcomes],
                "new": len(fresh),
                "proposal": msgspec.to_builtins(proposal) if proposal else None,
            }
        )
    else:
        _say(decision, outcomes, fresh, proposal)
        for outcome in fresh:
            _third(outcome.lesson, lessons, [*told, *map(msgspec.to_builtins, fresh)], ask=not arguments.yes)
    return 0


def _meant(store: LessonStore, words: list[str], session: str) -> tuple[str, str]:
    """The lesson that the first word names, or none, and the reason; a word that is not a lesson's id belongs to it."""
    if words and _NAMED.match(words[0]):
        lesson = store.get(words[0])
        near = [key for key in _ever_shown(session) if key.startswith(words[0])] if lesson is None else [lesson.id]
        if len(near) == 1:
            return near[0], " ".join(words[1:])
    return "", " ".join(words)


def _ever_shown(session: str) -> set[str]:
    return {name for decision in _decisions(session) for name in shown(decision)}


def _asked(lessons: list[Lesson]) -> list[str]:
    """The lessons that the person takes back: all, one, or none."""
    for number, lesson in enumerate(lessons, 1):
        print(f"{number}. {one_line(lesson)}\n   {lesson.consequence}")
    digits = "".join(str(number) for number in range(1, min(len(lessons), 9) + 1)) if len(lessons) > 1 else ""
    one = f"  [1-{len(digits)}] only that one" if digits else ""
    key = key_press(f"veto {'all of these' if digits else 'this'}? [y]es{one}  [n]o", f"ynq{digits}")
    if key == "y":
        return [lesson.id for lesson in lessons]
    return [lessons[int(key) - 1].id] if key.isdigit() else []


def _vetoes(
    decision: Decision, names: list[str], reason: str, lessons: Mapping[str, Lesson], told: list[dict[str, Any]]
) -> list[Outcome]:
    """The outcomes of the vetoes, as another turn where this session's last one was taken back."""
    turn, found = turns(told), []
    for outcome in judge_veto(decision, reason, lessons, ms=now_ms(), only=names):
        again = turn.get(occasion(msgspec.to_builtins(outcome))[:-1], 1)
        later = msgspec.structs.replace(outcome, id=f"{outcome.id}.{again}", turn=again)
        found.append(outcome if again == 1 else later)
    return found


def _third(name: str, lessons: Mapping[str, Lesson], told: list[dict[str, Any]], *, ask: bool) -> None:
    """After the third veto of a lesson, and only then, ask whether to retire it."""
    mine = [action for action in actions((), told, engineer()) if action.kind == "veto"]
    times = sum(record.get("lesson") == name for action in mine for record in action.records)
    if times != VETOES_TO_ASK or name not in lessons or lessons[name].retired:
        return
    if not (ask and at_terminal()):
        print(f"that was the third veto of {name}: borg lesson retire {name} takes it out of recall")
    elif agreed(f"that was the third veto of {name}. Retire it?"):
        change(lambda store: [store.retire(name, ms=now_ms(), engineer=engineer(), reason="vetoed three times")])
        print(f"lesson {name} is retired; borg undo brings it back")


def _session_here() -> str:
    return next((os.environ[name] for name in SESSION_VARIABLES if os.environ.get(name)), "")


def _decisions(session: str) -> Iterator[Decision]:
    """The choices that showed something, of the sessions whose id starts with ``session``."""
    for record in records("decisions"):
        try:
            one = msgspec.convert(record, Decision)
        except msgspec.ValidationError:
            continue
        if one.session.startswith(session) and shown(one):
            yield one


def _last(session: str, lesson: str = "") -> Decision:
    """The last choice that showed something, or the last that showed ``lesson``.

    :raises BorgError: there is none.
    """
    found: Decision | None = None
    for one in _decisions(session):
        if (not lesson or lesson in shown(one)) and (found is None or one.ms >= found.ms):
            found = one
    if found is None:
        where = f"session {session!r}" if session else "any session"
        raise BorgError(
            f"{lesson or 'no lesson'} was {'not ' if lesson else ''}shown in {where} yet, so there is nothing to veto"
        )
    return found


def _say(decision: Decision, outcomes: list[Outcome], fresh: list[Outcome], proposal: Proposal | None) -> None:
    names = ", ".join(f"{outcome.lesson} (credit {outcome.credit:.2f})" for outcome in outcomes)
    again = "" if fresh else " (they were before)"
    print(f"vetoed in session {decision.session}{again}: {names}")
    if proposal is not None:
        print(f"proposed as standing: {proposal.id}  {proposal.question}\nborg lesson ratify --keep {proposal.id} keeps it")
