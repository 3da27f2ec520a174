"""``borg policy``: show, check, propose, diff, ratify and roll back the policy that guards specialists."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from borgd.cli.arguments import CommandParser
from borgd.cli.limits.limit_terminal import person
from borgd.cli.terminal_text import printable
from borgd.clock import now_ms
from borgd.config.read import engineer_name, read_config
from borgd.errors import EXIT_FORESEEN, InputError, LimitError
from borgd.limits.audit import AuditEntry
from borgd.limits.escalation.evaluate import EVALUATOR, CompiledPolicy, compile_policy, evaluate
from borgd.limits.escalation.facts import facts_from
from borgd.limits.escalation.floor import looser_than
from borgd.limits.escalation.syntax import MAX_POLICY_BYTES, PolicyError
from borgd.limits.escalation.versions import SHORT_HASH, PolicyChange, diff
from borgd.paths import Paths, user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.escalations import PolicyStore


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="borg policy", description="The policy that says when a specialist may be called.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("show", "the policy that holds, and why it is this one"),
        ("check", "is FILE a policy, is it as strict as the floor; with --facts: what does it say"),
        ("propose", "put FILE before a person"),
        ("diff", "what the waiting proposal would change"),
        ("ratify", "sign the waiting proposal off; it holds from then on"),
        ("rollback", "go back to the policy before"),
    ):
        command = commands.add_parser(name, help=summary, description=summary)
        command.add_argument("--json", action="store_true", help="print one JSON document")
        if name in ("check", "propose"):
            command.add_argument("file", metavar="FILE")
        if name == "check":
            command.add_argument(
                "--facts", help="a JSON object with spent, ceiling, soft, min_local, iterations, hard; or a list"
            )
        if name == "ratify":
            command.add_argument(
                "hash", help="the first characters (eight or more) of its hash, as borg policy diff shows it"
            )
    return parser


def run(argv: list[str]) -> int:
    """Do what ``argv`` says; 1 where a policy is refused."""
    options = _parser().parse_args(argv)
    where = user_paths()
    store = PolicyStore(where, read_config(where).escalation)
    if options.command == "check":
        return _check(store, options)
    if options.command == "show":
        return _show(store, options)
    if options.command == "diff":
        return _diff(store, options)
    change = _change(where, store, options)
    _record(where, change)
    if options.json:
        print(json.dumps({"kind": change.kind, "policy": change.hash, "by": change.by}))
    elif change.kind == "proposed":
        print(f"proposed {change.hash[:SHORT_HASH]}; a person reads it with borg policy diff and signs it with")
        print(f"  borg policy ratify {change.hash[:SHORT_HASH]}")
    else:
        print(f"{change.hash[:SHORT_HASH]} holds from now on")
    return 0


def _change(where: Paths, store: PolicyStore, options: argparse.Namespace) -> PolicyChange:
    if options.command == "propose":
        try:
            return store.propose(_read(options.file), engineer_name(read_config(where)), now_ms())
        except PolicyError as error:
            raise InputError(options.file, error.problem, line=error.line or None) from None
    by = person(f"borg policy {options.command}")
    return store.ratify(options.hash, by, now_ms()) if options.command == "ratify" else store.rollback(by, now_ms())


def _record(where: Paths, change: PolicyChange) -> None:
    entry = AuditEntry(
        limit="policy", verdict=change.kind, reason=f"by {change.by}", evaluator=EVALUATOR, policy=change.hash, facts={}
    )
    AuditTrail(where).record([entry], now_ms())


def _read(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_POLICY_BYTES + 1)
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}") from None


def _check(store: PolicyStore, options: argparse.Namespace) -> int:
    told: dict[str, Any] = {"verdict": None, "reason": None, "policy": None, "steps": None, "floor": None, "error": None}
    try:
        policy = compile_policy(_read(options.file))
        told["policy"] = policy.hash
        looser = looser_than(compile_policy(store.floor.encode()), policy)
        shown = None if looser is None or looser.facts is None else looser.facts.plain()
        told["floor"] = {"ok": looser is None, "reason": looser.reason if looser else None, "facts": shown}
        if options.facts is not None:
            told |= _verdicts(policy, options.facts)
    except PolicyError as error:
        told["error"] = {"message": error.problem, "line": error.line or None, "column": error.column or None}
    except InputError as error:
        told["error"] = {"message": error.expected, "line": None, "column": None}
    failed = told["error"] is not None or (options.facts is None and not told["floor"]["ok"])
    if options.json:
        print(json.dumps(told, indent=2))
    elif told["error"] is not None:
        place = ":".join(str(part) for part in (options.file, told["error"]["line"], told["error"]["column"]) if part)
        print(printable(f"borg: {place}: {told['error']['message']}"), file=sys.stderr)
    else:
        _print_check(told)
    return EXIT_FORESEEN if failed else 0


def _verdicts(policy: CompiledPolicy, text: str) -> dict[str, Any]:
    """The verdict for one JSON object of facts, or under ``verdicts`` those for a list of them."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"--facts: expected a JSON object: {error}") from None
    listed = given if isinstance(given, list) else [given]
    answers = []
    for one in listed:
        if not isinstance(one, dict):
            raise PolicyError(f"--facts: expected a JSON object, not {type(one).__name__}")
        verdict = evaluate(policy, facts_from(one))
        answers.append({"verdict": verdict.word, "reason": verdict.reason, "steps": verdict.steps})
    return {"verdicts": answers} if isinstance(given, list) else answers[0]


def _print_check(told: dict[str, Any]) -> None:
    print(f"a policy, {told['policy'][:SHORT_HASH]}")
    if told["floor"]["ok"]:
        print("never looser than the floor")
    else:
        example = f"; for example with {json.dumps(told['floor']['facts'])}" if told["floor"]["facts"] else ""
        print(f"looser than the floor: {told['floor']['reason']}{example}")
    for one in told.get("verdicts", [told] if told["verdict"] else []):
        print(f"{one['verdict']}: {one['reason']} ({one['steps']} steps)")


def _show(store: PolicyStore, options: argparse.Namespace) -> int:
    holding, history = store.effective(), store.history()
    waiting = history.waiting
    if options.json:
        told = {
            "policy": holding.policy.hash,
            "source": holding.source,
            "text": holding.text,
            "problems": list(holding.problems),
            "waiting": None if waiting is None else {"policy": waiting.hash, "by": waiting.by, "ms": waiting.ms},
            "pins": [{"policy": pin.hash, "by": pin.by, "ms": pin.ms, "kind": pin.kind} for pin in history.pins],
        }
        print(json.dumps(told, indent=2))
        return 0
    print(holding.text.rstrip())
    print(f"\n; {holding.policy.hash[:SHORT_HASH]}, {holding.source}")
    for problem in holding.problems:
        print(f"; {problem}")
    if waiting is not None:
        print(f"; {waiting.hash[:SHORT_HASH]} waits, proposed by {waiting.by}: borg policy diff")
    return 0


def _diff(store: PolicyStore, options: argparse.Namespace) -> int:
    waiting = store.history().waiting
    if waiting is None:
        raise LimitError("no policy is waiting; propose one with borg policy propose FILE")
    text = diff(store.effective().text, waiting.text)
    if options.json:
        print(json.dumps({"policy": waiting.hash, "by": waiting.by, "diff": text}, indent=2))
    else:
        print(text)
        print(f"\nproposed by {waiting.by}; to sign it: borg policy ratify {waiting.hash[:SHORT_HASH]}")
    return 0
