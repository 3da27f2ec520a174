"""``borg debug select --replay``: what another policy would have shown, decision by decision, differences listed.

The draws are the logged ones, so a difference is the policy's and not chance's. Reads journals, writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.debug import replay_files as files
from borgd.cli.terminal_text import about, printable
from borgd.errors import UsageError
from borgd.replay.candidates import parse
from borgd.replay.estimate.select import ReplayedChoice, selected

LISTED = 20
"""design: differences that are printed unless --all is given."""


def run(argv: list[str]) -> int:
    """Run the command."""
    parser = CommandParser(prog="borg debug select", description=about(__doc__))
    parser.add_argument("--replay", action="store_true", required=True, help="replay the logged decisions")
    parser.add_argument("--decisions", nargs="+", default=[], metavar="FILE", help="decision journals (this machine's)")
    parser.add_argument("--outcomes", nargs="+", default=[], metavar="FILE", help="needed for belief.* only")
    parser.add_argument(
        "--set", action="append", default=[], metavar="CONSTANT=VALUE", required=True, help="may be repeated"
    )
    parser.add_argument("--all", action="store_true", help="every difference, not only the first")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args(argv)
    candidate = parse(", ".join(arguments.set), arguments.set)
    if "holdout" in candidate.settings:
        raise UsageError("holdout changes a coin, not a choice; borg debug ope --set holdout=… weighs it")
    decisions = files.decision_files(arguments.decisions)
    outcomes = (
        files.read_outcomes(files.outcome_files(arguments.outcomes), beliefs=True) if candidate.moves_beliefs else None
    )

    def choices() -> Iterator[ReplayedChoice]:
        for chunk in files.Lines(decisions).chunks(0):
            yield from selected(chunk, candidate, outcomes)

    seen = differing = gained = lost = 0
    listed: list[ReplayedChoice] = []
    for choice in choices():
        seen += 1
        if choice.added or choice.dropped:
            differing += 1
            gained += len(choice.added)
            lost += len(choice.dropped)
            if arguments.all or arguments.json or len(listed) < LISTED:
                listed.append(choice)
    summary = {"decisions": seen, "different": differing, "added": gained, "dropped": lost}
    if arguments.json:
        print(msgspec.json.encode({"version": 1, "settings": candidate.settings, **summary, "differences": listed}).decode())
        return 0
    for choice in listed:
        changes = [f"+{printable(name)}" for name in choice.added] + [f"-{printable(name)}" for name in choice.dropped]
        print(f"{printable(choice.decision)} {choice.channel} {printable(choice.session)}: {' '.join(changes)}")
    if differing > len(listed):
        print(f"… and {differing - len(listed):,} more; --all lists them")
    print(
        f"{candidate.describe()}: {differing:,} of {seen:,} decisions differ; {gained:,} lessons more, {lost:,} fewer"
        if seen
        else NOTHING
    )
    return 0


NOTHING = "No decisions yet: borgd writes one whenever it recalls a lesson."
