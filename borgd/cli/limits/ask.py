"""borg ask: ask the person, if the budget admits it; any program may. Works with or without the daemon.

stdout is what to go on with: the answer, else the fallback. The exit codes are in its --help. Whoever stops waiting loses
nothing: the ask waits on in the inbox.
"""

from __future__ import annotations

import argparse
import sys
import time
from decimal import Decimal, InvalidOperation

from borgd.cli.arguments import CommandParser
from borgd.cli.limits.inbox_terminal import complain, open_store, print_json, span_ms
from borgd.cli.working_directory import working_directory
from borgd.clock import now_ms
from borgd.errors import LimitError, UsageError
from borgd.limits.interrupts import scopes
from borgd.limits.interrupts.inbox import InboxEntry
from borgd.limits.interrupts.verdict import Ask, AskOption, InterruptVerdict
from borgd.stores import repository
from borgd.stores.desktop_notice import notify
from borgd.stores.inbox_store import InboxStore

EXIT_ANSWERED = 0
EXIT_NO_ANSWER = 10
EXIT_DISMISSED = 11
EXIT_EXCLUDED = 12
_EXITS = {"answered": EXIT_ANSWERED, "closed elsewhere": EXIT_ANSWERED, "dismissed": EXIT_DISMISSED}

EXIT_CODES = """exit codes:
   0  answered: standard output is the answer
  10  no answer yet, or none in time: standard output is the fallback; the ask waits in borg inbox
  11  dismissed: standard output is the fallback
  12  the source is excluded: nothing was asked, standard output is the fallback
   1  it could not be asked    2  a wrong command line"""
"""design: what a program that asks goes by."""
LOOK_SECONDS = 0.2
"""design: how often a waiting ask looks for its answer."""


def run(argv: list[str]) -> int:
    """Exit code of the command."""
    arguments = _arguments(argv)
    store, config = open_store()
    ask = _ask(arguments, config.interrupts.paths)
    verdict = store.meter(ask)
    complain(store)
    if verdict.outcome == "excluded":
        return _print(arguments, ask, verdict, None)
    box = InboxStore(store.journals)
    entry = box.entry(verdict.number, now_ms())
    if verdict.admitted:
        if config.inbox.notify and not verdict.joined:
            notify(f"Ask #{verdict.number}", ask.question[:200])
        store.delivered(verdict)
        if ask.wait_ms:
            entry = _wait(box, verdict.number, ask.wait_ms)
        if entry.state == "answered":
            box.told(verdict.number, ask.session or f"ask {verdict.id}", now_ms())
    return _print(arguments, ask, verdict, entry)


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = CommandParser(
        prog="borg ask",
        description="Ask the person, if the budget admits it.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="what you ask the person")
    parser.add_argument("--scope", metavar="PATH", help="where it is charged, such as team/repo; default: this repository")
    parser.add_argument("--source", default="", metavar="NAME", help="which program asks")
    parser.add_argument("--confidence", metavar="0..1", help="that a person is needed")
    parser.add_argument("--stakes", metavar="0..1", help="what a wrong guess would cost")
    parser.add_argument("--option", action="append", default=[], metavar="TEXT", help="two to four, one of them recommended")
    parser.add_argument("--recommended", metavar="TEXT", help="the option to go on with unless told otherwise")
    parser.add_argument("--fallback", default="", metavar="TEXT", help="what happens without an answer")
    parser.add_argument(
        "--wait", default="0", metavar="SPAN", help="wait for the answer: 90s, 10m, 2h; then it waits in the inbox"
    )
    parser.add_argument("--key", default="", metavar="TEXT", help="asks with one key are the same ask")
    parser.add_argument("--session", default="", metavar="ID", help="whose ask it is: a later answer reaches that session")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    return parser.parse_args(argv)


def _ask(arguments: argparse.Namespace, paths: dict[str, str]) -> Ask:
    options: list[str] = arguments.option
    if options and not 2 <= len(options) <= 4:
        raise UsageError(f"--option: expected two to four, got {len(options)}")
    if len({option.casefold() for option in options}) != len(options) or not all(option.strip() for option in options):
        raise UsageError("--option: expected different texts")
    if options and arguments.recommended not in options:
        raise UsageError("--recommended: expected one of the options, word for word")
    if arguments.recommended is not None and not options:
        raise UsageError("--recommended: expected --option A --option B beside it")
    question = " ".join(arguments.question).strip()
    if not question:
        raise UsageError("QUESTION: expected a text")
    return Ask(
        scope=_scope(arguments.scope, paths),
        source=arguments.source,
        confidence=_number(arguments.confidence),
        stakes=_number(arguments.stakes),
        question=question,
        options=tuple(AskOption(text) for text in options),
        recommended=options.index(arguments.recommended) if options else None,
        fallback=arguments.fallback,
        session=arguments.session,
        key=arguments.key,
        wait_ms=span_ms(arguments.wait, "--wait"),
    )


def _scope(given: str | None, paths: dict[str, str]) -> str:
    if given is None:
        return scopes.default_scope(repository.name(working_directory()), "", paths)
    try:
        return scopes.parse(given)
    except LimitError as error:
        raise UsageError(f"--scope: {error}") from None


def _number(text: str | None) -> object:
    """The number in ``text``; a text that is none stays one, and the budget sends the ask to the inbox."""
    if text is None:
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def _wait(box: InboxStore, number: int, wait_ms: int) -> InboxEntry:
    """The entry once it has ended, or when the time is over; the asker then goes on with its fallback."""
    end = time.monotonic() + wait_ms / 1000
    while True:
        entry = box.entry(number, now_ms())
        left = end - time.monotonic()
        if not entry.open:
            return entry
        if left <= 0:
            return box.gave_up(number, now_ms())
        time.sleep(min(LOOK_SECONDS, left))


def _print(arguments: argparse.Namespace, ask: Ask, verdict: InterruptVerdict, entry: InboxEntry | None) -> int:
    state = "excluded" if entry is None else entry.state
    answer = entry.answer if entry is not None and entry.state in ("answered", "closed elsewhere") else None
    code = EXIT_EXCLUDED if entry is None else _EXITS.get(entry.state, EXIT_NO_ANSWER)
    if arguments.json:
        print_json(
            {
                "number": verdict.number or None,
                "verdict": verdict.outcome,
                "state": state,
                "answer": answer,
                "fallback": ask.goes_on_with or None,
                "bar": float(verdict.threshold),
                "reason": verdict.reason,
                "flags": list(verdict.flags),
                "joined": bool(verdict.joined),
            }
        )
        return code
    if answer is not None:
        print(answer)
        return code
    said = verdict.text or _still(verdict.number, state)
    print(f"borg: {said}", file=sys.stderr)
    if ask.goes_on_with:
        print(ask.goes_on_with)
    return code


def _still(number: int, state: str) -> str:
    """What became of ask ``number``, which was admitted and has no answer."""
    later = f"borg inbox answer {number} TEXT answers it"
    if state in ("deferred", "expired"):
        return f"nobody answered #{number} in time; it waits in the inbox: {later}"
    if state == "pending":
        return f"#{number} is pending, nobody has answered yet; {later}"
    return f"#{number} is {state}"
