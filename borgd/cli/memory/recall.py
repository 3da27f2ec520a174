"""``borg recall [TEXT…] [--file F]… [--channel early|stop] [--lessons FILE] [--json]``: what would be recalled, and why.

Works without a daemon. Reads TEXT, the files, or standard input; draws nothing (belief means), so it says the same twice.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import IO, Any

import msgspec

from borgd import clock
from borgd.cli.arguments import CommandParser
from borgd.cli.terminal_text import about, printable
from borgd.cli.working_directory import working_directory
from borgd.config.read import engineer_name, machine_name, read_config
from borgd.errors import InputError, UsageError
from borgd.lessons.lesson import Lesson
from borgd.lessons.team import owner_name
from borgd.paths import user_paths
from borgd.recall.by_cost import choose_block, choose_line
from borgd.recall.choose import Choice, choose_early, choose_stop
from borgd.recall.code_seen import code_stems
from borgd.recall.context import Context
from borgd.recall.early import ANY
from borgd.recall.evidence import Match
from borgd.recall.explain import in_words
from borgd.recall.policy import RecallPolicy, policy_of
from borgd.recall.text.scope import named_scopes
from borgd.stores.knowledge import Knowledge
from borgd.stores.repository import name as repository_name
from borgd.stores.team import open_team

NONE_YET = "There is no lesson to recall: borg lesson add writes one, borg lesson import CLAUDE.md takes over your rules."
TEXT_BYTES = 1 << 20
"""guard: how much of a file, or of standard input, is looked at."""
LEAST_SITUATION = 0.8
"""design: a situation that adds less is as good as absent."""
LISTED = 10
"""design: lessons listed for a person."""


def text_of(options: argparse.Namespace) -> str:
    """The work that the person gives: words, files, or standard input.

    :raises UsageError: nothing was given; InputError: a file cannot be read.
    """
    parts = [" ".join(options.text)] if options.text else []
    for name in options.file:
        try:
            with Path(name).open("rb") as file:
                parts.append(_text(file, name))
        except OSError as error:
            raise InputError(name, f"cannot be read: {error.strerror}") from None
    if not parts and not sys.stdin.isatty():
        parts.append(_text(sys.stdin.buffer, "standard input"))
    if not any(part.strip() for part in parts):
        raise UsageError("give a text, --file FILE, or text on standard input; borg recall --help says more")
    return "\n".join(parts)


def _text(file: IO[bytes], name: str) -> str:
    data = file.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        print(f"borg: {printable(name)}: only the first {TEXT_BYTES >> 20} MiB are looked at", file=sys.stderr)
    return data[:TEXT_BYTES].decode("utf-8", "replace")


def document(choice: Choice, matches: list[Match], knowledge: Knowledge, floor: float) -> dict[str, Any]:
    """The stable JSON document."""
    return {
        "text": choice.text,
        "blocks": choice.blocks,
        "shown": list(choice.shown),
        "floor": floor,
        "decision": msgspec.to_builtins(choice.decision),
        "matches": [
            {
                "id": match.id,
                "evidence": match.evidence,
                "scoped": match.scoped,
                "in_scope": match.in_scope,
                "parts": match.parts,
                "said": said(match),
                "lacked": lacked(match, knowledge.lessons[match.id]),
                "reason": reason(match, choice, floor),
                "question": knowledge.lessons[match.id].question,
            }
            for match in matches
        ],
        "lessons": len(knowledge.lessons),
        "problems": knowledge.problems,
    }


def preview(
    matches: list[Match], knowledge: Knowledge, policy: RecallPolicy, channel: str | None, topics: list[str]
) -> Choice:
    """What would be told at ``channel`` (None: by a block, else by a line), nothing drawn and nothing withheld."""
    common: dict[str, Any] = {
        "done": (), "session": "", "decision_id": "preview", "now_ms": clock.now_ms(), "policy": policy,
        "withhold": _nothing,
    }  # fmt: skip
    lessons, memory = knowledge.lessons, knowledge.memory
    if policy.rule == "budget":
        if channel == "early":
            return choose_early(matches, lessons, memory, topics=topics, **common)
        return choose_stop(matches, lessons, memory, **common)
    line = choose_line(
        matches, lessons, memory, topics=topics, edit=channel is None, lines_left=policy.session_lines, **common
    )
    if channel == "early":
        return line
    block = choose_block(matches, lessons, memory, handled={match.id for match in matches if match.handled}, **common)
    if block.text or channel == "stop":
        return block
    return line


def said(match: Match) -> str:
    """The parts of a match in words, the strongest first, what speaks against it last."""
    return "; ".join(in_words(match.parts))


def lacked(match: Match, lesson: Lesson) -> str:
    """What would have made a lesson speak more strongly; empty: nothing that can be named."""
    parts = match.parts
    found = []
    if "sign" in parts and not lesson.signs:
        found.append("it has no signs (borg lesson edit --sign)")
    elif "sign" in parts and not parts["sign"]:
        found.append("none of its signs matches")
    if parts.get("handled"):
        found.append("it is dealt with already")
    if "situation_lead" in parts and not lesson.situations:
        found.append("it names no situation (borg lesson edit --situation)")
    elif 0 <= parts.get("situation_lead", LEAST_SITUATION) < LEAST_SITUATION:
        found.append("none of its situations is there")
    return ", ".join(found)


def reason(match: Match, choice: Choice, floor: float) -> str:
    """What became of a match, in a few words."""
    if match.id in choice.reasons:
        return choice.reasons[match.id]
    return f"evidence {match.evidence:.3f} is under the floor {floor:.3f}" if match.evidence < floor else ""


def show(found: dict[str, Any]) -> None:
    """For a person."""
    for problem in found["problems"]:
        print(f"borg: {printable(problem)}", file=sys.stderr)
    nothing = "Nothing applies: no lesson is worth telling here."
    print(found["text"] or (nothing if found["lessons"] else NONE_YET))
    if found["matches"]:
        print("\n   evidence  lesson       what became of it")
    for match in found["matches"][:LISTED]:
        print(f"   {match['evidence']:8.3f}  {match['id']:<12} {match['reason']}")
        print(f"             {'':<12} {match['said']}")
        if match["lacked"]:
            print(f"             {'':<12} lacks: {match['lacked']}")


def _nothing(_: str) -> float:
    """Nothing is withheld from who asks by hand."""
    return 0.0


def run(argv: list[str]) -> int:
    """Recall and print."""
    parser = CommandParser(prog="borg recall", description=about(__doc__))
    parser.add_argument("text", nargs="*", metavar="TEXT", help="what a session says or does")
    parser.add_argument("--file", action="append", default=[], metavar="FILE", help="a file with the work's text")
    parser.add_argument("--channel", choices=["early", "stop"], help="the moment: a prompt, or a Stop (any)")
    parser.add_argument("--lessons", type=Path, metavar="FILE", help="a file of lessons instead of the machine's")
    parser.add_argument("--cwd", default=working_directory(), metavar="DIR", help="where the session works (here)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    if options.lessons is not None and not options.lessons.is_file():
        raise InputError(str(options.lessons), "no such file")
    where, text = user_paths(), text_of(options)
    config = read_config(where)
    policy = policy_of(config)
    engineer = engineer_name(config)
    team, _ = open_team(
        config.team.directory if options.lessons is None else "",
        owner_name(engineer, machine_name()),
        config.people.machines,
    )
    knowledge = Knowledge(where, config, engineer, lessons_file=options.lessons, team=team)
    knowledge.refresh_all()
    remote = repository_name(options.cwd)
    knowledge.works_in(options.cwd, remote)  # said by hand, so it is seen, but nothing is written down
    index = knowledge.index
    context = Context(
        text=text, cwd=options.cwd, remote=remote, repos=knowledge.names_of(remote), moment=options.channel or "stop"
    )
    if policy.rule == "cost":
        hits, code = index.patterns.match(text), frozenset(code_stems(text) if options.file else ())
        context = msgspec.structs.replace(context, code=code, hits=hits, said=hits)
    find = index.judge if policy.rule == "cost" else index.match
    matches = [
        match
        for match in find(context, knowledge.prior, explain=True)
        if options.lessons or knowledge.reaches(knowledge.lessons[match.id], remote)
    ]
    topics = [*named_scopes(knowledge.scope_names(), f"{text}\n{options.cwd}\n{remote}"), ANY]
    choice = preview(matches, knowledge, policy, options.channel, topics)
    found = document(choice, matches, knowledge, policy.match_floor)
    if options.json:
        print(msgspec.json.encode(found).decode())
    else:
        show(found)
    return 0
