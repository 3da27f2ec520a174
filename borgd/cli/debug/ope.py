"""``borg debug ope``: what the lessons brought, and what another policy would have brought, from the logs on this machine.

Reports, never applies. What it comes to is said first, in a sentence each; then coverage, then values with intervals.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from borgd import clock
from borgd.cli.arguments import CommandParser
from borgd.cli.debug import replay_files as files
from borgd.cli.terminal_text import about, printable
from borgd.errors import BorgError, UsageError
from borgd.replay.candidates import CandidatePolicy, parse, parse_named
from borgd.replay.engine import Replay
from borgd.replay.estimate.power import WORTH
from borgd.replay.findings import CandidateResult, Coverage, HeadlineFinding, ReplayResult
from borgd.replay.result import result
from borgd.replay.rewards import REWARDS

SEED = 20_260_101
"""design: of the bootstrap."""
NOTHING = (
    "No decisions yet: borgd writes one whenever it recalls a lesson. Work with an agent for a while, or try it on a\n"
    "simulated world: borg debug simulate --out DIR, then borg debug ope --decisions DIR/decisions.jsonl --outcomes "
    "DIR/outcomes.jsonl"
)


def run(argv: list[str]) -> int:
    """Run the command."""
    arguments = _parser().parse_args(argv)
    candidates = _candidates(arguments.set, arguments.candidate)
    if not 0.0 < arguments.worth < float("inf"):
        raise UsageError(f"--worth {arguments.worth}: expected a difference above 0")
    decisions = files.decision_files(arguments.decisions)
    if not decisions:
        print(
            msgspec.json.encode({"version": 1, "coverage": None, "candidates": []}).decode() if arguments.json else NOTHING
        )
        return 0
    if arguments.team and files.team_directory() is None and not files.outcome_files(arguments.outcomes).shared:
        raise BorgError("no team here: borg team join DIR joins one; without --team this machine's occasions count")
    replay = replayed(
        decisions,
        files.outcome_files(arguments.outcomes),
        candidates,
        arguments.reward or (["all"] if arguments.html else ["changed"]),
        bootstrap=arguments.interval == "bootstrap",
        beliefs=bool(arguments.html),
        team=arguments.team,
    )
    lessons = files.known_lessons() if arguments.team else []
    found = result(
        replay,
        use_bootstrap=arguments.interval == "bootstrap",
        worth=arguments.worth,
        areas=files.areas_of(lessons),
        scopes=files.scopes_of(lessons),
    )
    if arguments.html:
        from borgd.cli.debug.report import page_of

        Path(arguments.html).write_text(page_of(replay, found, "What another policy would have done"), encoding="utf-8")
    if arguments.json:
        print(msgspec.json.encode(found).decode())
    else:
        print(text(found))
        if arguments.html:
            print(f"\nThe page is in {arguments.html}")
    return 0


def replayed(
    decisions: Sequence[Path],
    outcomes: files.OutcomeFiles,
    candidates: list[CandidatePolicy],
    rewards: Sequence[str],
    *,
    bootstrap: bool = False,
    beliefs: bool = False,
    team: bool = False,
) -> Replay:
    """A replay of these files; ``team``: the occasions of all its machines count."""
    known = files.read_outcomes(outcomes, beliefs=beliefs or any(candidate.moves_beliefs for candidate in candidates))
    now_ms = max(clock.now_ms(), known.latest_ms)
    chosen = files.rewards(rewards)
    salt = outcomes.salt if team else ""
    replay = Replay(candidates, chosen, known, now_ms, bootstrap=SEED if bootstrap else None, salt=salt)
    if team:
        files.hear(replay, outcomes)
    files.run(replay, decisions, files.fingerprint(decisions, known, candidates, [chosen, bootstrap, salt]))
    return replay


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="borg debug ope", description=about(__doc__))
    add = parser.add_argument
    add("--decisions", nargs="+", default=[], metavar="FILE", help="decision journals (default: this machine's)")
    add(
        "--outcomes", nargs="+", default=[], metavar="FILE", help="outcome journals (default: this machine's and the team's)"
    )
    add("--team", action="store_true", help="the headline of the whole team, from the occasions that its machines share")
    add("--set", action="append", default=[], metavar="CONSTANT=VALUE", help="a constant of one candidate; may be repeated")
    add("--candidate", nargs="+", action="extend", default=[], metavar="NAME:CONSTANT=VALUE,…", help="a candidate by name")
    add("--reward", action="append", choices=[*REWARDS, "all"], help="what counts as good (default: changed)")
    add("--interval", choices=["anytime", "bootstrap"], default="anytime", help="bootstrap is for comparison only")
    add("--worth", type=float, default=WORTH, metavar="N", help="smallest difference per recall worth waiting for")
    add("--json", action="store_true", help="one JSON document")
    add("--html", metavar="FILE", help="write one self-contained page")
    return parser


def _candidates(pairs: list[str], named: list[str]) -> list[CandidatePolicy]:
    candidates = [parse(", ".join(pairs), pairs)] if pairs else []
    candidates += [parse_named(text) for text in named]
    names = [candidate.name for candidate in candidates]
    if len(set(names)) < len(names) or "logged" in names:
        raise UsageError(f"candidates need different names, and none may be called logged: {', '.join(names)}")
    return candidates


def text(found: ReplayResult) -> str:
    """The result for a terminal."""
    head = found.headline
    parts = [" ".join(part for part in (head.sentence, head.plan, head.withholding) if part)]
    if found.coverage.used:
        wanted = [one for one in found.candidates if one.settings or len(found.candidates) == 1]
        parts.append("\n".join(candidate.sentence for candidate in wanted))
    parts.append(occasions_text(head) + coverage_text(found.coverage))
    if not found.coverage.used:
        return "\n\n".join(parts)
    parts.append(f"Intervals: 95 %, {found.interval}.")
    for reward in dict.fromkeys(candidate.reward for candidate in found.candidates):
        mine = [candidate for candidate in found.candidates if candidate.reward == reward]
        parts.append(f"== {mine[0].unit} ==")
        parts += [_table(candidate) for candidate in mine]
    return "\n\n".join(part for part in parts if part)


def occasions_text(head: HeadlineFinding) -> str:
    """Which occasions the headline rests on; one line, empty where there is none."""
    if not (head.occasions or head.young or head.old):
        return ""
    said = f"{head.occasions:,} occasions counted"
    said += f"; {head.young:,} younger than a day" if head.young else ""
    said += f"; {head.old:,} of before a coin was thrown once a session left out" if head.old else ""
    said += f"; from {len(head.teammates)} files of the team" if head.teammates else ""
    return f"{said}\n"


def coverage_text(coverage: Coverage) -> str:
    """What was used and what was not."""
    total = coverage.used + sum(coverage.skipped.values())
    lines = [
        f"{coverage.used:,} of {total:,} decisions used, {coverage.sessions:,} sessions, {coverage.outcomes:,} outcomes"
    ]
    lines += [f"  skipped {count:,}: {reason}" for reason, count in coverage.skipped.items()]
    lines += [f"  outcomes skipped {count:,}: {reason}" for reason, count in coverage.outcomes_skipped.items()]
    lines.append(
        f"  probabilities: {coverage.exact_probabilities:,} exact, {coverage.drawn_probabilities:,} by draws or a grader"
    )
    lines.append(f"  {coverage.combined}: " + "; ".join(printable(name) for name in coverage.loggers[:6]))
    return "\n".join(lines)


def _table(candidate: CandidateResult) -> str:
    title = printable(candidate.name) + (f" ({printable(describe(candidate))})" if candidate.settings else "")
    facts = (
        f"effective sample size {candidate.effective_sample_size:,.0f}, largest weight {candidate.largest_weight:.2f}, "
        f"without support {candidate.share_without_support:.1%}"
    )
    if candidate.shown_per_recall is not None and candidate.characters_per_recall is not None:
        facts += (
            f"; {candidate.shown_per_recall:.2f} lessons and {candidate.characters_per_recall:.0f} characters per recall"
        )
    lines = [title, f"  {facts}"]
    lines.append(f"  {'':<22}{'value':>9}{'low':>9}{'high':>9}{'per shown':>11}{'per 1,000 characters':>22}")
    rows = [*candidate.estimates, *([candidate.difference] if candidate.difference else [])]
    for row in rows:
        cells = f"{_cell(row.value, 9)}{_cell(row.low, 9)}{_cell(row.high, 9)}"
        lines.append(f"  {row.name:<22}{cells}{_cell(row.per_shown, 11)}{_cell(row.per_1000_characters, 22)}".rstrip())
    lines += [f"  note: {note}" for note in candidate.notes]
    return "\n".join(lines)


def describe(candidate: CandidateResult) -> str:
    """The constants in which it differs."""
    return ", ".join(f"{key}={value}" for key, value in candidate.settings.items())


def _cell(value: float | None, width: int) -> str:
    return f"{'–' if value is None else f'{value:.3f}':>{width}}"
