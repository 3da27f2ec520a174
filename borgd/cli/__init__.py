"""The command line: one module per command, imported only when it runs. ``borg`` and ``borgd`` are the same program.

A command module has ``run(argv: list[str]) -> int``; it returns the exit code and raises BorgError for what it foresaw.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from borgd.cli.terminal_text import printable
from borgd.errors import EXIT_FORESEEN, EXIT_INTERRUPTED, EXIT_UNFORESEEN, EXIT_USAGE, BorgError, refused

COMMANDS: dict[tuple[str, ...], tuple[str, str]] = {
    ("demo",): ("service.demo", "a scripted session in a throw-away home, from hook to lesson"),
    ("run",): ("service.daemon_run", "serve in the foreground"),
    ("start",): ("service.daemon_start", "start the daemon in the background"),
    ("stop",): ("service.daemon_stop", "stop the daemon"),
    ("off",): ("service.off", "say nothing: everywhere, in a session, a repository, for an agent"),
    ("on",): ("service.off", "the way back"),
    ("status",): ("service.status", "what the daemon does now"),
    ("doctor",): ("doctor.doctor", "what is installed, what is missing, what to do"),
    ("install",): ("service.install", "show or apply what an agent's settings need"),
    ("uninstall",): ("service.install", "show or apply their removal"),
    ("lesson",): ("lesson.subcommands", "add, list, show, edit, retire, import, propose, ratify"),
    ("recall",): ("memory.recall", "what would be recalled for this text"),
    ("why",): ("memory.why", "every decision of a session, explained"),
    ("tail",): ("service.tail", "live events"),
    ("no",): ("memory.no", "veto what was just shown"),
    ("undo",): ("memory.undo", "take back your last veto, retirement, edit or forgotten lesson"),
    ("assimilate",): ("memory.assimilate", "mine past transcripts for corrections"),
    ("forget",): ("memory.forget", "remove a lesson, a session or a span of time"),
    ("team",): ("memory.team", "init, join, status"),
    ("trust",): ("memory.trust", "engineers' trust by area"),
    ("memory",): ("memory.memory", "export what is remembered"),
    ("investigate",): ("limits.investigate", "start, status, extend, stop an investigation budget"),
    ("repo",): ("limits.repo", "let a repository's .borgd.toml tighten limits: allow, deny, show"),
    ("ask",): ("limits.ask", "ask the person, if the budget admits it"),
    ("inbox",): ("limits.inbox", "pending and deferred asks: list, answer, dismiss"),
    ("escalate",): ("limits.escalate", "may a specialist be called?"),
    ("policy",): ("limits.policy", "show, check, propose, diff, ratify, rollback the escalation policy"),
    ("audit",): ("limits.audit", "verify or print the trail of verdicts"),
    ("completion",): ("service.completion", "completions for bash, zsh and fish, and the manual page"),
    ("report",): ("debug.report", "the page for a week or a month"),
    ("debug", "recall"): ("debug.recall", "score a labelled set"),
    ("debug", "loop"): ("debug.loop", "is what a person corrects heard, on a labelled set"),
    ("debug", "bm25"): ("debug.bm25", "terms, idf and contributions for a query"),
    ("debug", "interrupts"): ("debug.interrupts", "replay a day of asks against a configuration"),
    ("debug", "ope"): ("debug.ope", "what another policy would have done"),
    ("debug", "select"): ("debug.select", "what would have been shown, replayed"),
    ("debug", "shell"): ("debug.shell", "what each command of a file is taken for, and why"),
    ("debug", "simulate"): ("debug.simulate", "write journals of a world with known truth"),
}
WITH_OWN_NAME = ("service.install", "service.off")
"""Modules of two commands: they are told by which name they were called."""

CODES = "\nExit codes: 0 done, 1 not done, 2 wrong arguments, 3 a fault of borgd, 4 no daemon answers, 130 interrupted."


def usage(group: str = "") -> str:
    """The list of commands, one line each; of ``group`` only, where it is one (``debug``)."""
    listed = {words: summary for words, (_, summary) in COMMANDS.items() if not group or words[0] == group}
    lines = [f"  {' '.join(words):<18} {summary}" for words, summary in listed.items()]
    command = f"borg {group} COMMAND" if group else "borg COMMAND"
    return (
        f"usage: {command} [ARGUMENT …]\n\n" + "\n".join(lines) + f"\n\n{command} --help says more.{'' if group else CODES}"
    )


def dispatch(argv: list[str]) -> int:
    """Run the command in ``argv`` and return its exit code."""
    if argv and argv[0] == "help":
        argv = [*argv[1:], "--help"]
    if not argv or argv[0] in ("-h", "--help"):
        print(usage())
        return 0 if argv else EXIT_USAGE
    if argv[0] in ("-V", "--version"):
        from borgd import __version__

        print(f"borgd {__version__}")
        return 0
    for length in (2, 1):
        words = tuple(argv[:length])
        if len(words) == length and words in COMMANDS:
            module = import_module(f"borgd.cli.{COMMANDS[words][0]}")
            arguments = argv if COMMANDS[words][0] in WITH_OWN_NAME else argv[length:]
            return int(module.run(arguments))
    if argv[0] in {words[0] for words in COMMANDS} and argv[1:] in ([], ["-h"], ["--help"]):
        print(usage(argv[0]))
        return EXIT_USAGE if len(argv) == 1 else 0
    named = [word for word in argv[:2] if not word.startswith("-")]
    print(f"borg: no command {' '.join(named or argv[:1])!r};{_meant(argv)} borg --help lists them", file=sys.stderr)
    return EXIT_USAGE


def _meant(argv: list[str]) -> str:
    """What was probably meant by a command that is none; empty where nothing is near."""
    from difflib import get_close_matches

    known = [" ".join(words) for words in COMMANDS]
    near = get_close_matches(" ".join(argv[:2]), known, 1, 0.75) or get_close_matches(argv[0], known, 1, 0.6)
    return f" did you mean borg {near[0]}?" if near else ""


def main() -> None:
    """Console entry of ``borg`` and ``borgd``."""
    _prepare_streams()
    try:
        code = _foreseen()
    except Exception:
        import traceback

        _say(f"{traceback.format_exc()}borg: this was not foreseen; the lines above say where")
        code = EXIT_UNFORESEEN
    sys.exit(code)


def _foreseen() -> int:
    """Run the command line; the exit code of what it did or of what was foreseen to go wrong."""
    try:
        code = dispatch(sys.argv[1:])
        sys.stdout.flush()
    except BorgError as error:
        _say(f"borg: {error}{_sandbox(str(error))}")
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard(sys.stdout.fileno())
        return 0
    except UnicodeEncodeError as error:
        _say(f"borg: {error.object!a} is not valid UTF-8")
        return EXIT_USAGE
    except OSError as error:
        sentence = refused(error)
        if sentence is None:
            raise
        _discard(sys.stdout.fileno())
        _say(f"borg: {sentence}{_sandbox(sentence)}")
        return EXIT_FORESEEN
    return code


def _sandbox(said: str) -> str:
    """A line on what to allow, where an agent's sandbox is around and ``said`` is what it refuses; else nothing."""
    from borgd.agents.sandbox import how_to_allow, is_refusal
    from borgd.paths import user_paths

    if not is_refusal(said):
        return ""
    try:
        where = user_paths()
    except BorgError:
        return ""
    hint = how_to_allow(os.environ, str(where.socket), str(where.data), str(where.state))
    return f"\nborg: {hint}" if hint else ""


def _say(text: str) -> None:
    try:
        print(printable(text), file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr.fileno())


def _discard(descriptor: int) -> None:
    """What is still to be written has nowhere to go; without this the interpreter would try again and end with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _prepare_streams() -> None:
    """What the caller closed (``2>&-``) leads nowhere, rather than into the next file that is opened.

    A letter that the terminal's encoding lacks is written as its number: it is no reason to fail.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (for as long as the process lives)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
