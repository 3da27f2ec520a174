"""``borg lesson propose``: what an agent runs after it was corrected. It is tried at once and waits for a person."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import add_fields, append, given, here, print_json, records, with_dashes
from borgd.cli.lesson.terminal import ask_missing
from borgd.cli.lesson.trial import plain, told, try_proposal
from borgd.cli.lesson.verdicts import episodes
from borgd.clock import now_ms
from borgd.errors import BorgError, UsageError
from borgd.lessons.episodes import Episode
from borgd.lessons.proposals import PER_EPISODE, Proposal, propose, table
from borgd.paths import user_paths
from borgd.recall.near_duplicates import ALIKE, likeness, words
from borgd.stores.past import assimilate_state
from borgd.stores.past.past_sessions import find_doubtful

TEACHING = """A lesson is a question to ask yourself next time, never an answer. What was wanted for this task alone is none.
Give --situation three to six times: what a person would ask for, what code would be touched, identifiers, other words.
--sign is a pattern (Python syntax, case ignored) over edited code and closing words where the point arises: two to five,
one of them what you had written. --handled is one of work that has dealt with it. You are told at once what is missing;
filing again replaces it. Example:
  borg lesson propose --episode E2x7qk1a --scope 'Tidal Ledger' \\
    --question 'Does code that only reads take its session from get_ro_session, the replica?' \\
    --consequence 'Reports on the primary hold up postings at month end.' \\
    --situation 'adding a report or export' --situation 'a new GET route with a session' --facet 'read replica' \\
    --sign 'get_session\\b[^@]{0,300}select\\(' --sign 'def export_\\w+' --handled 'get_ro_session|replica'"""


def run(argv: list[str]) -> int:
    """Store the proposal, try it, and say what happens next."""
    parser = CommandParser(
        prog="borg lesson propose",
        description="Propose a lesson from a correction.",
        epilog=TEACHING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--episode", metavar="ID", help="the correction it comes from")
    parser.add_argument("--session", metavar="ID", help="with --turn: the session and its turn in which it was said")
    parser.add_argument("--turn", metavar="N", type=int, help="with --session")
    add_fields(parser, required=False, full=False)
    parser.add_argument("--json", action="store_true", help="print the proposal and what its trial showed as JSON")
    arguments = parser.parse_args(with_dashes(argv))
    episode = _episode(arguments)
    known = table(records("proposals"))
    made = _replacing(_checked(parser, arguments, episode), known.waiting)
    decided = known.verdicts.get(made.id)
    if decided is None:
        _room(known.waiting, made)
        append("proposals", [made])
    trial = try_proposal(made, episode)
    if arguments.json:
        verdict = decided.verdict if decided else None
        print_json({"proposal": msgspec.to_builtins(made), "trial": plain(trial), "verdict": verdict})
    elif decided is not None:
        print(f"{made.id} was proposed before and the answer was {decided.verdict}; nothing to do")
    else:
        again = " Better flags? File again, it replaces this." if trial.advice else ""
        print(f"{made.id} is proposed; a person decides with borg lesson ratify. Go on with the task.{again}")
        print(told(trial))
    return 0


def _episode(arguments: argparse.Namespace) -> Episode:
    """The correction that is named; one that was kept in the session only becomes an episode now."""
    stories = episodes()
    if arguments.episode:
        found = stories.get(arguments.episode) or _mined(arguments.episode)
        if found is None:
            raise BorgError(f"no correction {arguments.episode!r}; borg lesson episodes lists them")
        return _kept(found, stories)
    if not arguments.session or arguments.turn is None:
        raise UsageError("expected --episode ID, or --session ID and --turn N, as you were told after the correction")
    heard = [one for one in stories.values() if one.session == arguments.session and one.turn == arguments.turn]
    if heard:
        return heard[-1]
    found = find_doubtful(user_paths(), arguments.session, arguments.turn)
    if found is None:
        raise BorgError(
            f"nothing is known (any more) of turn {arguments.turn} of session {arguments.session!r}; "
            "a person can write the lesson with borg lesson add"
        )
    return _kept(found, stories)


def _mined(key: str) -> Episode | None:
    """What borg assimilate found in a past transcript and was not sure of."""
    state = assimilate_state.load()
    return next((one for one in state.doubtful if one.id == key and state.may_keep(one)), None)


def _kept(episode: Episode, stories: Mapping[str, Episode]) -> Episode:
    if episode.id not in stories:
        append("episodes", [episode])
    return episode


def _checked(parser: argparse.ArgumentParser, arguments: argparse.Namespace, episode: Episode) -> Proposal:
    fields: Mapping[str, Any] = given(arguments)
    fields = ask_missing(fields, parser)
    repo = episode.repo or here()
    if fields.get("reach") == "repo" and not repo:
        raise BorgError("--reach repo: the correction was made in no repository; use team or personal")
    return propose(ms=now_ms(), repo=repo, agent=episode.agent, episode=episode.id, **fields)


def _replacing(made: Proposal, waiting: tuple[Proposal, ...]) -> Proposal:
    """``made``, which replaces a proposal from the same correction that it says in other words."""
    asked = words(made.question)
    earlier = next((one.replaces for one in waiting if one.id == made.id and one.replaces), "")
    if earlier:
        return msgspec.structs.replace(made, replaces=earlier)
    for one in reversed(waiting):
        if one.episode == made.episode and one.id != made.id and likeness(asked, words(one.question)) >= ALIKE:
            return msgspec.structs.replace(made, replaces=one.id)
    return made


def _room(waiting: tuple[Proposal, ...], made: Proposal) -> None:
    others = [one for one in waiting if one.episode == made.episode and one.id not in (made.id, made.replaces)]
    if len(others) >= PER_EPISODE:
        raise BorgError(f"{PER_EPISODE} lessons are proposed from {made.episode} already; a person decides on those first")
