"""``borg report``: the page for a week or a month, for a person or a team. Reads journals, writes one file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from borgd import clock
from borgd.cli.arguments import CommandParser
from borgd.cli.debug import replay_files as files
from borgd.cli.terminal_text import about
from borgd.config.read import read_config
from borgd.errors import BorgError, NoDaemonError, ProtocolError
from borgd.memory.belief import BeliefRule
from borgd.paths import private_dir, user_paths
from borgd.replay.asks import AskDay, ask_days
from borgd.replay.engine import Replay
from borgd.replay.findings import ReplayResult
from borgd.replay.page.page import page
from borgd.replay.records import hash64
from borgd.replay.result import result
from borgd.replay.rewards import REWARDS

DAY_MS = 24 * 3600 * 1000
WEEK_DAYS, MONTH_DAYS = 7, 30
CALL_S = 0.5
"""design: how long the daemon may take to say its latencies; the page does without."""


def run(argv: list[str]) -> int:
    """Run the command."""
    parser = CommandParser(prog="borg report", description=about(__doc__))
    span = parser.add_mutually_exclusive_group()
    span.add_argument("--week", action="store_true", help="the last seven days (the default)")
    span.add_argument("--month", action="store_true", help="the last thirty days")
    parser.add_argument("--team", action="store_true", help="the headline of the whole team, as all its machines see it")
    parser.add_argument("--decisions", nargs="+", default=[], metavar="FILE", help="decision journals (this machine's)")
    parser.add_argument("--outcomes", nargs="+", default=[], metavar="FILE", help="outcome journals (this machine's)")
    parser.add_argument("--out", metavar="FILE", help="where the page goes (default: the state directory)")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    arguments = parser.parse_args(argv)
    days = MONTH_DAYS if arguments.month else WEEK_DAYS
    if arguments.team and not arguments.outcomes and files.team_directory() is None:
        raise BorgError("no team here: borg team join DIR joins one; without --team the page is of this machine")
    decisions = files.decision_files(arguments.decisions)
    told = files.outcome_files(arguments.outcomes, team=arguments.team)
    if not decisions and not told.shared:
        print(
            "Nothing to report yet: borgd writes a record when it recalls a lesson. borg doctor says if an agent is set up."
        )
        return 0
    outcomes = files.read_outcomes(told, beliefs=True)
    now_ms = max(files.last_ms(decisions), outcomes.latest_ms) if arguments.decisions else clock.now_ms()
    since_ms = now_ms - days * DAY_MS
    salt = told.salt if arguments.team else ""
    replay = Replay([], REWARDS, outcomes, now_ms, since_ms=since_ms, salt=salt)
    if arguments.team:
        files.hear(replay, told)
    files.run(replay, decisions, files.fingerprint(decisions, outcomes, [], ["report", since_ms, salt]))
    who = "the team" if arguments.team else "this machine"
    title = f"{'A month' if arguments.month else 'A week'} of lessons, {who}"
    out = Path(arguments.out) if arguments.out else private_dir(user_paths().state) / "report.html"
    lessons = files.known_lessons()
    scopes = files.scopes_of(lessons) if arguments.team else {}
    found = result(replay, areas=files.areas_of(lessons), scopes=scopes)
    write(out, page_of(replay, found, title, since_ms, files.questions_of(lessons)))
    print(f"The page is in {out}")
    if arguments.open:
        _open(out)
    return 0


def page_of(
    replay: Replay, found: ReplayResult, title: str, since_ms: int = 0, questions: Mapping[str, str] | None = None
) -> str:
    """The page of one replay, with what the daemon and the interruptions' journal add to it.

    :param questions: lesson -> its question.
    """
    period = "no decision yet"
    if replay.first_ms:
        period = f"{_date(replay.first_ms)} to {_date(replay.last_ms)}, {len(replay.sessions):,} sessions"
    return page(
        found,
        title=title,
        period=period,
        timeline=replay.outcomes.beliefs(BeliefRule()),
        names={hash64(name): name for name in replay.lessons.names},
        ask_days=_asks(since_ms),
        ceiling=read_config(user_paths()).interrupts.daily_interrupt_budget,
        hooks=_hooks(),
        since_ms=since_ms,
        questions=questions,
    )


def write(out: Path, text: str) -> None:
    """Write the page, readable by its owner only.

    :raises BorgError: it cannot be written there.
    """
    try:
        out.touch(mode=0o600)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BorgError(f"{out} cannot be written: {error.strerror}; name another file with --out") from None


def _asks(since_ms: int) -> list[AskDay]:
    journal = user_paths().journal("interrupts")
    if not journal.exists():
        return []
    with journal.open("rb") as stream:
        return ask_days(stream, since_ms)


def _hooks() -> Sequence[tuple[str, float, float, float]]:
    """Latencies of a running daemon's hooks; nothing where none answers."""
    from borgd.protocol.client import call

    try:
        answer = call("status", timeout_s=CALL_S)
        status = msgspec.json.decode(answer.out)
        hooks = [
            (name, figures["p50_ms"], figures["p95_ms"], figures["p99_ms"]) for name, figures in status["hooks"].items()
        ]
    except (NoDaemonError, ProtocolError, msgspec.MsgspecError, KeyError, TypeError):
        return []
    return [(name, float(p50), float(p95), float(p99)) for name, p50, p95, p99 in hooks]


def _open(out: Path) -> None:
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    try:
        subprocess.run([opener, str(out)], check=False, timeout=10, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        raise BorgError(f"no browser could be started with {opener}; open {out} yourself") from None


def _date(ms: int) -> str:
    return str(np.datetime64(ms, "ms").astype("datetime64[D]"))
