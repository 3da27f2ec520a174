"""borg inbox: what waits for you. list, answer, dismiss, worth, mute, unmute, muted. Works with or without the daemon."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.terminal import agreed, at_terminal
from borgd.cli.limits.inbox_terminal import as_json, complain, line, open_store, print_json, span_ms
from borgd.clock import now_ms
from borgd.config.read import engineer_name
from borgd.errors import UsageError
from borgd.limits.interrupts.inbox import InboxEntry
from borgd.stores.inbox_store import InboxStore

EMPTY = """Nothing waits for you. Deferred questions of your agents land here; any program can ask:
  borg ask --option yes --option no --recommended no --wait 10m "Ship it?"
borg inbox list --all shows what is over."""
HELP = {"number": "its number, as borg inbox shows it", "source": "the program that asks (borg ask --source)"}


def run(argv: list[str]) -> int:
    """Exit code of the command."""
    arguments = _arguments(argv)
    store, config = open_store()
    box = InboxStore(store.journals, engineer_name(config))
    actions: dict[str, Callable[[argparse.Namespace, InboxStore], int]] = {
        "list": _list,
        "show": _show,
        "answer": _answer,
        "dismiss": _dismiss,
        "worth": _worth,
        "mute": _mute,
        "unmute": _unmute,
        "muted": _muted,
    }
    code = actions[arguments.action](arguments, box)
    complain(store)
    return code


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = CommandParser(prog="borg inbox", description="What waits for you.")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    common = CommandParser(add_help=False)
    common.add_argument("--json", action="store_true", help="one JSON document")

    def action(name: str, summary: str, *positional: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, parents=[common], help=summary, description=summary)
        for each in positional:
            made.add_argument(each, metavar={"number": "N"}.get(each, each.upper()), help=HELP[each])
        return made

    action("list", "what waits, the most urgent first").add_argument("--all", action="store_true", help="what is over, too")
    action("show", "ask N whole: its plan, its options, why it waits", "number")
    answer = action(
        "answer", "answer ask N: an option's number or label (with commas where several may be chosen), or words", "number"
    )
    answer.add_argument("text", metavar="TEXT", nargs="+", help="an option, or an answer in your own words")
    answer.add_argument(
        "--text", dest="free", action="store_true", help="take TEXT as it is, even where it reads like a number"
    )
    dismiss = action("dismiss", "close ask N; its fallback stands", "number")
    dismiss.add_argument("--yes", action="store_true", help="do not ask")
    worth = action("worth", "was ask N worth asking?", "number")
    worth.add_argument("said", metavar="yes|no", choices=("yes", "no"), help="your verdict")
    mute = action("mute", "neither show nor queue what SOURCE asks", "source")
    mute.add_argument("--for", dest="span", metavar="SPAN", help="2h, 1d; default: until it is unmuted")
    for each in (mute, action("unmute", "lift a mute for the same cause", "source")):
        each.add_argument("--cause", default="muted", metavar="TEXT", help="why; a mute is lifted for its own cause only")
    action("muted", "sources that may not ask, and why")
    return parser.parse_args(["list", *argv] if not argv or argv[0] in ("--json", "--all") else argv)


def _number(text: str) -> int:
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise UsageError(f"N: expected the number of an ask, got {text[:40]!r}")
    return int(digits)


def _said(entry: InboxEntry, arguments: argparse.Namespace, text: str) -> int:
    if arguments.json:
        print_json(as_json(entry))
    else:
        print(text)
    return 0


def _list(arguments: argparse.Namespace, box: InboxStore) -> int:
    now = now_ms()
    entries = box.entries(now, everything=arguments.all)
    if arguments.json:
        print_json({"asks": [as_json(entry) for entry in entries]})
    else:
        print("\n".join(line(entry, now) for entry in entries) or EMPTY)
    return 0


def _show(arguments: argparse.Namespace, box: InboxStore) -> int:
    now = now_ms()
    entry = box.entry(_number(arguments.number), now)
    return _said(entry, arguments, line(entry, now, whole=True))


def _answer(arguments: argparse.Namespace, box: InboxStore) -> int:
    entry = box.answer(_number(arguments.number), " ".join(arguments.text), now_ms(), free=arguments.free)
    late = ", late: its session is over" if entry.session_over else ", late: it had gone on with its fallback"
    return _said(entry, arguments, f"#{entry.number} answered{late if entry.late else ''}: {entry.answer}{_reaches(entry)}")


def _reaches(entry: InboxEntry) -> str:
    """Who will hear the answer, where that is not simply the session that asked."""
    if entry.approves:
        thing = "plan" if entry.ask.what == "plan" else "call"
        return f" (this {thing}, once, in this session only)"
    if entry.session_over and entry.ask.standing:
        return " (quoted to the next session in the same scope)"
    return ""


def _dismiss(arguments: argparse.Namespace, box: InboxStore) -> int:
    if not (arguments.yes or arguments.json) and at_terminal():
        now = now_ms()
        print(line(box.entry(_number(arguments.number), now), now, whole=True))
        if not agreed("Close it without an answer?"):
            return 1
    entry = box.dismiss(_number(arguments.number), now_ms())
    return _said(entry, arguments, f"#{entry.number} dismissed; its fallback stands: {entry.ask.fallback or 'none'}")


def _worth(arguments: argparse.Namespace, box: InboxStore) -> int:
    entry = box.worth(_number(arguments.number), arguments.said == "yes", now_ms())
    return _said(entry, arguments, f"#{entry.number} {'was' if entry.worth else 'was not'} worth asking")


def _mute(arguments: argparse.Namespace, box: InboxStore) -> int:
    now = now_ms()
    span = None if arguments.span is None else span_ms(arguments.span, "--for")
    box.mute(arguments.source, arguments.cause, None if span is None else now + span, now)
    return _muted(arguments, box)


def _unmute(arguments: argparse.Namespace, box: InboxStore) -> int:
    box.unmute(arguments.source, arguments.cause, now_ms())
    return _muted(arguments, box)


def _muted(arguments: argparse.Namespace, box: InboxStore) -> int:
    exclusions = box.muted(now_ms())
    if arguments.json:
        print_json({"muted": exclusions})
        return 0
    for entry in exclusions:
        until = "" if entry["expires"] is None else f" until {entry['expires']}"
        print(f"{entry['source']}: {entry['tier']}, {entry['cause']}{until}")
    if not exclusions:
        print("Every source may ask; borg inbox mute SOURCE --for 2h keeps one quiet.")
    return 0
