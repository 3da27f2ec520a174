"""``borg lesson propose``: what an agent runs after it was corrected. The proposal waits for a person."""

from __future__ import annotations

import argparse

import msgspec

from borgd.cli.lesson.lesson_files import add_fields, append, given, here, print_json, records
from borgd.clock import now_ms
from borgd.errors import BorgError
from borgd.lessons.proposals import PER_EPISODE, Proposal, propose, table


def run(argv: list[str]) -> int:
    """Store the proposal and say what happens next."""
    parser = argparse.ArgumentParser(prog="borg lesson propose", description="Propose a lesson from a correction.")
    parser.add_argument("--episode", required=True, metavar="ID", help="the correction it comes from")
    add_fields(parser, required=True, full=False)
    parser.add_argument("--json", action="store_true", help="print the proposal as JSON")
    arguments = parser.parse_args(argv)
    made = _checked(arguments)
    known = records("proposals")
    decided = table(known).verdicts.get(made.id)
    if decided is None and made.id not in {record.get("id") for record in known}:
        _room(known, made.episode)
        append("proposals", [made])
    if arguments.json:
        print_json({"proposal": msgspec.to_builtins(made), "verdict": decided.verdict if decided else None})
    elif decided is not None:
        print(f"{made.id} was proposed before and the answer was {decided.verdict}; nothing to do")
    else:
        print(f"{made.id} is proposed; a person decides with borg lesson ratify. Go on with the task.")
    return 0


def _checked(arguments: argparse.Namespace) -> Proposal:
    episode = next((one for one in records("episodes") if one.get("id") == arguments.episode), None)
    if episode is None:
        raise BorgError(f"no correction {arguments.episode!r}; borg lesson episodes lists them")
    fields = given(arguments) | {"agent": str(episode.get("agent", "")), "episode": arguments.episode}
    repo = str(episode.get("repo", "")) or here()
    if fields.get("reach") == "repo" and not repo:
        raise BorgError("--reach repo: the correction was made in no repository; use team or personal")
    return propose(ms=now_ms(), repo=repo, **fields)


def _room(known: list[dict[str, object]], episode: str) -> None:
    if sum(record.get("episode") == episode for record in known) >= PER_EPISODE:
        raise BorgError(f"{PER_EPISODE} lessons are proposed from {episode} already; a person decides on those first")
