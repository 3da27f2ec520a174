"""``borg lesson ratify``: a person decides on each proposal and each offer of a teammate's, one key each; or by flags."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson import team_offers
from borgd.cli.lesson.lesson_files import here, load, print_json, records
from borgd.cli.lesson.terminal import ask_text, key_press
from borgd.cli.lesson.trial import plain, told, try_proposal
from borgd.cli.lesson.verdicts import decide, episodes, keep, merge, sheet, story, waiting_proposal
from borgd.clock import now_ms
from borgd.errors import BorgError, UsageError
from borgd.lessons.episodes import Episode
from borgd.lessons.lesson import Lesson
from borgd.lessons.offers import told as offer_text
from borgd.lessons.proposals import Proposal, ProposalTable, propose, table, unheard
from borgd.recall.near_duplicates import NearDuplicate, near_duplicates

KEYS = "[k]eep  [e]dit  [m]erge  [d]rop  [s]kip  [q]uit"
EPISODE_KEYS = "[w]rite a lesson of it  [d]rop  [s]kip  [q]uit"


def run(argv: list[str]) -> int:
    """Ask about everything that waits, or do what the flags say."""
    parser = CommandParser(prog="borg lesson ratify", description="Decide on what was proposed.")
    parser.add_argument("--keep", action="append", default=[], metavar="ID", help="make it a lesson; take an offer")
    parser.add_argument("--drop", action="append", default=[], metavar="ID", help="never ask again; an episode too")
    parser.add_argument("--merge", action="append", default=[], nargs=2, metavar=("ID", "INTO"), help="join a lesson")
    parser.add_argument("--json", action="store_true", help="print what waits, or what was done, as JSON")
    arguments = parser.parse_args(argv)
    state = table(records("proposals"))
    if arguments.keep or arguments.drop or arguments.merge:
        return _by_flags(arguments, state)
    if arguments.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _print(state, as_json=arguments.json)
    return _ask(state)


def _by_flags(arguments: argparse.Namespace, state: ProposalTable) -> int:
    stories = episodes()
    done: list[dict[str, Any]] = []
    waiting = team_offers.waiting_offers(state.verdicts)
    for key in arguments.keep:
        if offer := team_offers.find(waiting, key):
            done.append({"id": offer.id, "verdict": "keep", "lesson": team_offers.take(offer).id})
            continue
        proposal = waiting_proposal(state.waiting, key, state.replaced)
        episode = stories.get(proposal.episode)
        trial = plain(try_proposal(proposal, episode))
        done.append({"id": proposal.id, "verdict": "keep", "lesson": keep(proposal, episode).id, "trial": trial})
    for key, into in arguments.merge:
        proposal = waiting_proposal(state.waiting, key, state.replaced)
        done.append({"id": proposal.id, "verdict": "merge", "lesson": merge(proposal, into).id})
    for key in arguments.drop:
        offer = team_offers.find(waiting, key)
        name = key if key in stories else offer.id if offer else waiting_proposal(state.waiting, key, state.replaced).id
        decide(name, "drop")
        done.append({"id": name, "verdict": "drop", "lesson": ""})
    if arguments.json:
        print_json({"done": done})
    else:
        for one in done:
            print(f"{one['id']}: {one['verdict']}{' ' + one['lesson'] if one['lesson'] else ''}")
            for line in one.get("trial", {}).get("advice", ()):
                print(f"  - {line}")
    return 0


def _near_duplicates(proposal: Proposal, lessons: Sequence[Lesson]) -> list[NearDuplicate]:
    return near_duplicates(proposal.question, proposal.consequence, lessons)


def _sheet(proposal: Proposal, episode: Episode | None, lessons: Sequence[Lesson]) -> str:
    """A proposal for a person, with the words of the correction that it comes from and what its trial showed."""
    text = sheet(proposal, _near_duplicates(proposal, lessons))
    if episode is not None:
        text += f"\n{story(episode)}"
    return f"{text}\n{told(try_proposal(proposal, episode))}"


def _print(state: ProposalTable, *, as_json: bool) -> int:
    lessons, stories = load().current(), episodes()
    offered = team_offers.waiting_offers(state.verdicts)
    if as_json:
        waiting = [
            {
                "proposal": msgspec.to_builtins(one),
                "correction": stories[one.episode].correction if one.episode in stories else "",
                "trial": plain(try_proposal(one, stories.get(one.episode))),
                "twins": [
                    {"id": near_duplicate.lesson.id, "likeness": near_duplicate.likeness}
                    for near_duplicate in _near_duplicates(one, lessons)
                ],
            }
            for one in state.waiting
        ]
        print_json({"waiting": waiting, "offers": [team_offers.as_json(one) for one in offered]})
    elif state.waiting or offered:
        sheets = [_sheet(one, stories.get(one.episode), lessons) for one in state.waiting]
        print("\n\n".join([*map(offer_text, offered), *sheets]))
        print("\nDecide in a terminal, or with --keep ID, --merge ID INTO, --drop ID.")
    else:
        print("Nothing is proposed. Agents propose after a correction; borg lesson episodes lists what they were told.")
    return 0


def _ask(state: ProposalTable) -> int:
    stories = episodes()
    offered = team_offers.waiting_offers(state.verdicts)
    if not team_offers.ask(offered):
        return 0
    for proposal in state.waiting:
        lessons = load().current()
        print(f"\n{_sheet(proposal, stories.get(proposal.episode), lessons)}")
        if not _decide(proposal, stories.get(proposal.episode), _near_duplicates(proposal, lessons)):
            return 0
    waiting = unheard(stories.values(), records("proposals"), state.verdicts)
    for episode in waiting:
        print(f"\n{story(episode)}")
        if not _decide_episode(episode):
            return 0
    print("\nThat was all." if state.waiting or waiting or offered else "Nothing waits.")
    return 0


def _decide(proposal: Proposal, episode: Episode | None, near: list[NearDuplicate]) -> bool:
    """Ask until there is a verdict; False: the person has had enough."""
    while True:
        key = key_press(KEYS, "kemdsq")
        try:
            if key == "k":
                print(f"lesson {keep(proposal, episode).id}")
            elif key == "e":
                print(f"lesson {keep(proposal, episode, _edited(proposal)).id}")
            elif key == "m":
                into = ask_text("into lesson", near[0].lesson.id if near else "")
                lesson = merge(proposal, into)
                print(f"lesson {lesson.id}, version {lesson.version}, reach {lesson.reach}")
            elif key == "d":
                decide(proposal.id, "drop")
        except UsageError:
            raise
        except BorgError as error:
            print(f"borg: {error}")
            continue
        return key != "q"


def _edited(proposal: Proposal) -> dict[str, Any]:
    question = ask_text("question", proposal.question)
    consequence = ask_text("consequence", proposal.consequence)
    scope = ask_text("scope (names, comma between)", ", ".join(proposal.scope))
    names = tuple(name.strip() for name in scope.split(",") if name.strip())
    return {"question": question, "consequence": consequence, "scope": names}


def _decide_episode(episode: Episode) -> bool:
    key = key_press(EPISODE_KEYS, "wdsq")
    if key == "w":
        made = propose(
            ask_text("question", ""),
            ask_text("consequence", ""),
            ms=now_ms(),
            episode=episode.id,
            repo=episode.repo or here(),
        )
        print(f"lesson {keep(made, episode).id}")
        decide(episode.id, "keep")
    elif key == "d":
        decide(episode.id, "drop")
    return key != "q"
