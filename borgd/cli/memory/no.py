"""``borg no [reason]``: the person takes back what a session was last shown. Credit is split over what was shown.

Named with ``--invariant``, a rule that always holds is put forward as a proposal; ratified, it is standing.
"""

from __future__ import annotations

import argparse
import os

import msgspec

from borgd.cli.lesson.lesson_files import append, load, print_json, records
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.proposals import Proposal, of_invariant
from borgd.memory.records import Decision, Outcome
from borgd.memory.sources.judge import judge_veto, shown

SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID",)
"""host: where an agent tells the programs that it starts which session they are in."""


def run(argv: list[str]) -> int:
    """Store the vetoes and say what was vetoed."""
    parser = argparse.ArgumentParser(prog="borg no", description="Veto what was last shown.")
    parser.add_argument("reason", nargs="*", help="why, in your words")
    parser.add_argument("--session", metavar="ID", help="a session's id or its start (the last one that was shown anything)")
    parser.add_argument("--invariant", metavar="RULE", help="what always holds; proposed as a standing lesson")
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    arguments = parser.parse_args(argv)
    decision = _last(arguments.session or _session_here())
    store = load()
    lessons = {lesson.id: lesson for lesson in store}
    outcomes = judge_veto(decision, " ".join(arguments.reason), lessons, ms=now_ms())
    known = {record.get("id") for record in records("outcomes")}
    fresh = [outcome for outcome in outcomes if outcome.id not in known]
    append("outcomes", fresh)
    proposal = None
    if arguments.invariant:
        scope = sorted({name for key in shown(decision) if key in lessons for name in lessons[key].scope})
        proposal = of_invariant(
            arguments.invariant,
            " ".join(arguments.reason),
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
    return 0


def _session_here() -> str:
    return next((os.environ[name] for name in SESSION_VARIABLES if os.environ.get(name)), "")


def _last(session: str) -> Decision:
    """The last choice that showed something, of the session whose id starts with ``session``.

    :raises BorgError: there is none.
    """
    found: Decision | None = None
    for record in records("decisions"):
        try:
            one = msgspec.convert(record, Decision)
        except msgspec.ValidationError:
            continue
        if one.session.startswith(session) and shown(one) and (found is None or one.ms >= found.ms):
            found = one
    if found is None:
        where = f"session {session!r}" if session else "any session"
        raise BorgError(f"no lesson was shown in {where} yet, so there is nothing to veto")
    return found


def _say(decision: Decision, outcomes: list[Outcome], fresh: list[Outcome], proposal: Proposal | None) -> None:
    names = ", ".join(f"{outcome.lesson} (credit {outcome.credit:.2f})" for outcome in outcomes)
    again = "" if fresh else " (they were before)"
    print(f"vetoed in session {decision.session}{again}: {names}")
    if proposal is not None:
        print(f"proposed as standing: {proposal.id}  {proposal.question}\nborg lesson ratify --keep {proposal.id} keeps it")
