"""``borg why [SESSION] [--json]``: every decision of a session with its pool, scores, draws, probabilities and outcomes.

Of each lesson its words, and what spoke for and against it; what a lesson says now, not what it said then.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import load
from borgd.cli.terminal_text import about, clock, coloured, fitted, printable, width
from borgd.errors import BorgError
from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome, PoolEntry
from borgd.paths import user_paths
from borgd.recall.explain import in_words

LISTED = 5
"""design: sessions that an error names."""


def explain(entry: PoolEntry, decision: Decision) -> str:
    """In a few words: what became of this lesson in the choice, and why."""
    if entry.shown:
        return "shown, standing: its system came up" if entry.standing else "shown"
    if entry.held:
        chance = entry.holdout or decision.holdout
        return f"withheld at random from the whole session (holdout {chance:g}), to measure its effect"
    if entry.cut:
        return f"won a slot, cut by the {decision.budget} characters the text may have"
    return "others won the slots"


def describe(decision: Decision, outcomes: list[Outcome], questions: Mapping[str, str]) -> dict[str, Any]:
    """One decision as the JSON document has it."""
    found: dict[str, Any] = msgspec.to_builtins(decision)
    for entry, raw in zip(decision.pool, found["pool"], strict=True):
        raw["reason"] = explain(entry, decision)
        raw["question"] = questions.get(entry.id, "")
        raw["said"] = in_words(entry.parts)
        raw["outcomes"] = [
            {"kind": one.kind, "evidence": one.evidence, "ms": one.ms, "credit": one.credit}
            for one in outcomes
            if one.decision == decision.id and one.lesson == entry.id
        ]
    return found


def show(found: dict[str, Any]) -> None:
    """One decision for a person."""
    topics = f" on {', '.join(found['topics'])}" if found["topics"] else ""
    cost = f"{found['chars']} characters, {found['micros'] / 1000:.1f} ms"
    print(f"{clock(found['ms'])}  {found['channel']}{printable(topics)}  {cost}, policy {found['policy']}")
    columns = width()
    print("   lesson        score   share   draw      p  what became of it")
    for entry in sorted(found["pool"], key=lambda one: one["rank"]):
        numbers = f"{entry['score']:7.3f} {entry['share']:7.3f} {entry['draw']:6.3f} {entry['p']:6.3f}"
        print(f"   {entry['id']:<12}{numbers}  {entry['reason']}")
        print(fitted(f"                 {printable(entry['question'] or 'this lesson is gone')}", columns))
        for part in entry["said"]:
            print(coloured(fitted(f"                 {part}", columns), "dim"))
        for outcome in entry["outcomes"]:
            print(f"                 {outcome['kind']}: {printable(outcome['evidence'])}")
    print()


def _session(decisions: list[Decision], named: str | None) -> str:
    """The id of the session that is meant; the last one where none is named.

    :raises BorgError: there is none, or several start so.
    """
    last = {one.session: one.ms for one in sorted(decisions, key=lambda one: one.ms)}
    newest = sorted(last, key=lambda name: -last[name])
    if named in last or (named is None and newest):
        return named or newest[0]
    if named is None:
        raise BorgError("no decision yet: borgd writes one when it recalls a lesson; borg recall TEXT tries it by hand")
    near = [name for name in newest if named and name.startswith(named)]
    if not near:
        known = f"; the last ones are {', '.join(newest[:LISTED])}" if newest else ""
        raise BorgError(f"no decision for a session {named!r}: nothing applied there, or it was another machine{known}")
    if len(near) > 1:
        raise BorgError(f"{len(near)} sessions start with {named!r}: {', '.join(near[:LISTED])}; name more of it")
    return near[0]


def run(argv: list[str]) -> int:
    """Explain; exit code 1 where the session is not known."""
    parser = CommandParser(prog="borg why", description=about(__doc__))
    parser.add_argument("session", nargs="?", help="the agent's session id, or its beginning (the last session)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    where = user_paths()
    reading = Journal(where.journal("decisions")).read(Decision)
    for damage in reading.damage:
        print(f"borg: {where.journal('decisions')}:{damage.line}: {damage.reason}", file=sys.stderr)
    session = _session(reading.records, options.session)
    decisions = [one for one in reading.records if one.session == session]
    names = {one.id for one in decisions}
    outcomes = [one for one in Journal(where.journal("outcomes")).read(Outcome).records if one.decision in names]
    questions = {lesson.id: lesson.question for lesson in load()}
    documents = [describe(one, outcomes, questions) for one in sorted(decisions, key=lambda one: (one.ms, one.id))]
    if options.json:
        print(msgspec.json.encode({"session": session, "decisions": documents}).decode())
    else:
        for document in documents:
            show(document)
    return 0
