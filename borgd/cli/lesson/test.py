"""``borg lesson test``: try a lesson or a proposal again, on its own correction and on the sessions of the last weeks."""

from __future__ import annotations

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.lesson_files import load, print_json, records
from borgd.cli.lesson.trial import plain, told, try_lesson, try_proposal
from borgd.cli.lesson.verdicts import episodes
from borgd.lessons.proposals import table


def run(argv: list[str]) -> int:
    """Print what the trial showed."""
    parser = CommandParser(
        prog="borg lesson test", description="Would it come up where it should, and only there? Changes nothing."
    )
    parser.add_argument("id", help="a lesson's id, the start of it, or a proposal's that waits")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_args(argv)
    known, stories = table(records("proposals")), episodes()
    proposal = next((one for one in known.waiting if one.id == known.replaced.get(arguments.id, arguments.id)), None)
    if proposal is not None:
        key, trial = proposal.id, try_proposal(proposal, stories.get(proposal.episode))
    else:
        lesson = load().find(arguments.id)
        key, trial = lesson.id, try_lesson(lesson, stories.get(lesson.origin))
    if arguments.json:
        print_json({"id": key, "trial": plain(trial)})
    else:
        print(f"{key}\n{told(trial)}")
    return 0
