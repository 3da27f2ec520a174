"""``borg investigate``: open, look at, extend and close an investigation budget. Works with and without a daemon."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

import msgspec

from borgd.agents import AGENTS
from borgd.cli.arguments import CommandParser
from borgd.cli.limits.limit_terminal import person, session_of
from borgd.cli.terminal_text import printable
from borgd.clock import now_ms
from borgd.config.read import read_config
from borgd.errors import LimitError, UsageError
from borgd.limits.audit import AuditEntry
from borgd.limits.investigation.budget import BUDGETS, WALL, Limits
from borgd.limits.investigation.profile import Profile, profile_for
from borgd.limits.investigation.verdict import EVALUATOR
from borgd.paths import Paths, user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.investigations import InvestigationStore

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""host: the session that a command was started from."""
LISTED = 10
"""design: sessions that are told, the last active first."""


def _amount(text: str) -> float | None:
    if text == "none":
        return None
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or none, not {text!r}") from None
    if not 0 <= value < 1e12:
        raise argparse.ArgumentTypeError(f"expected a number from 0 up, not {text!r}")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="borg investigate", description="The budget of a session's reading.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("start", "open one by name; what is not said is as in [investigation.explicit]"),
        ("status", "what is open, what is left"),
        ("extend", "allow this much more"),
        ("stop", "close one and say what it used"),
    ):
        command = commands.add_parser(name, help=summary, description=summary)
        command.add_argument(
            "--session", default="", metavar="ID", help="the agent's session id or its first characters; the current one"
        )
        command.add_argument("--subagent", default="", metavar="ID", help="the id of a subagent in it")
        command.add_argument("--json", action="store_true", help="print one JSON document")
        if name == "status":
            command.add_argument("--all", action="store_true", help=f"the last {LISTED} sessions, not only the current one")
        if name in ("start", "extend"):
            for budget in BUDGETS:
                command.add_argument("--" + budget.replace("_", "-"), type=_amount, default=argparse.SUPPRESS, metavar="N")
        if name == "start":
            command.add_argument("--mode", choices=("enforce", "warn"), help="deny what is over, or say so once")
    return parser


def run(argv: list[str]) -> int:
    """Do what ``argv`` says; 0 when it was done."""
    options = _parser().parse_args(argv)
    where = user_paths()
    investigations = InvestigationStore(where.state / "investigations", read_config(where).investigation)
    known = investigations.sessions()
    if not options.session and os.environ.get(SESSION_VARIABLE, "") in known:
        options.session = os.environ[SESSION_VARIABLE]
    if options.command == "status":
        return _status(investigations, options, known)
    profile = _profile(investigations, options) if options.command == "start" else None
    more = _more(options) if options.command == "extend" else {}
    session = session_of(options.session, [*known, *_with_state(where, known)])
    if session not in known and session not in _with_state(where, known):
        raise LimitError(_unseen(options.session, known))
    by = person(f"borg investigate {options.command}")
    if profile is not None:
        investigations.start(session, profile, now_ms(), subagent=options.subagent)
    elif options.command == "extend":
        investigations.extend(session, more, now_ms(), subagent=options.subagent, by=by)
    told = investigations.status(session, now_ms())
    if options.command == "stop":
        told = investigations.stop(session, now_ms(), subagent=options.subagent)
    _record(where, options, session, by)
    _show(told, options.json)
    return 0


def _record(where: Paths, options: argparse.Namespace, session: str, by: str) -> None:
    """What a person decides about a budget stands in the trail beside what the budget decides."""
    entry = AuditEntry(
        limit="investigation",
        verdict={"start": "started", "extend": "extended", "stop": "stopped"}[options.command],
        reason=f"by {by} on the command line",
        evaluator=EVALUATOR,
        facts=_given(options),
        session=session,
        subagent=options.subagent,
    )
    AuditTrail(where).record([entry], now_ms())


def _given(options: argparse.Namespace) -> dict[str, float | None]:
    return {budget: getattr(options, budget) for budget in BUDGETS if hasattr(options, budget)}


def _whole(budget: str, amount: float) -> float:
    if budget == WALL:
        return amount
    if amount != int(amount):
        raise UsageError(f"--{budget.replace('_', '-')}: expected a whole number, not {amount:g}")
    return int(amount)


def _profile(investigations: InvestigationStore, options: argparse.Namespace) -> Profile:
    profile = profile_for(investigations.config, "explicit")
    changes: dict[str, Any] = {
        budget: None if amount is None else _whole(budget, amount) for budget, amount in _given(options).items()
    }
    limits: Limits = msgspec.structs.replace(profile.limits, **changes)
    return Profile(mode=options.mode or profile.mode, limits=limits)


def _more(options: argparse.Namespace) -> dict[str, float]:
    more = {budget: _whole(budget, amount) for budget, amount in _given(options).items() if amount is not None}
    if not more:
        raise UsageError("say how much more: borg investigate extend --max-retrieval-calls 8")
    return more


def _status(investigations: InvestigationStore, options: argparse.Namespace, known: list[str]) -> int:
    if not known and not options.session:
        if options.json:
            print(json.dumps({"sessions": []}))
        else:
            print("No session has been seen yet. Work with an agent whose hooks are installed (borg install), then:")
            print("  borg investigate start --max-retrieval-calls 20")
        return 0
    sessions = [session_of(options.session, known)] if options.session else known[: LISTED if options.all else 1]
    if not set(sessions) <= set(known):
        raise LimitError(_unseen(options.session, known))
    told = [investigations.status(session, now_ms()) for session in sessions]
    if options.json:
        print(json.dumps({"sessions": told}, indent=2))
        return 0
    for one in told:
        _show(one, as_json=False)
    return 0


def _unseen(named: str, known: list[str]) -> str:
    seen = f"; the last ones are {', '.join(known[:LISTED])}" if known else ""
    return f"no session {named!r} has been seen{seen}"


def _with_state(where: Paths, known: list[str]) -> list[str]:
    """Ids of sessions that have a state file and no investigation yet; subagents' are not among them."""
    found = []
    for agent in AGENTS:
        names = [path.name.removesuffix(".ctx") for path in where.sessions.glob(f"{agent}-*.ctx")]
        found += [name.removeprefix(f"{agent}-") for name in names if "." not in name.removeprefix(f"{agent}-")]
    return [name for name in found if name not in known]


def _show(told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(told, indent=2))
        return
    if "open" in told:
        used = f"{told['tokens']} tokens, {told['cached_tokens']} from cache, {told['turns']} turns"
        print(printable(f"session {told['session']}: {used}"))
        if not told["open"]:
            print("  nothing open: the next prompt opens an investigation")
    for one in told.get("open", [told]):
        whose = f"subagent {one['subagent']} {one['type']}".strip() if one["subagent"] else "the session's own"
        how = "by name" if one["explicit"] else "by its prompt"
        print(f"  {whose}, opened {how}, {one['mode']}" + (f", {one['denied']} calls denied" if one["denied"] else ""))
        for name, limit in one["limits"].items():
            used, of = one["spent"][name], "no limit" if limit is None else f"of {limit:g}"
            print(f"    {name.replace('_', ' '):<22} {used:>8g} {of}")
        if one["unenforceable"]:
            print(f"    not enforceable, no usage is reported: {', '.join(one['unenforceable'])}")
