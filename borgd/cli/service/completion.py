"""``borg completion bash|zsh|fish|man``: completions for a shell, or the manual page, made from the commands' own parsers.

``borg completion bash > ~/.local/share/bash-completion/completions/borg``, ``borg completion zsh > ~/.zfunc/_borg``,
``borg completion fish > ~/.config/fish/completions/borg.fish``, ``borg completion man > ~/.local/share/man/man1/borg.1``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import cast

import shtab

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.subcommands import SUBCOMMANDS
from borgd.cli.terminal_text import about

SHELLS = ("bash", "zsh", "fish")
SHARED = {
    "bash": "bash-completion/completions/borg",
    "zsh": "zsh/site-functions/_borg",
    "fish": "fish/vendor_completions.d/borg.fish",
    "man": "man/man1/borg.1",
}
"""host: where shells and man look below share/, into which the wheel puts the same texts."""


class _CaughtParser(BaseException):
    """A command's parser, caught where it was about to parse: nothing of the command has run."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def _catch(parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
    raise _CaughtParser(parser)


def parser_of(module: str, argv: list[str]) -> argparse.ArgumentParser:
    """The parser of the command in ``module``."""
    kept = argparse.ArgumentParser.parse_args
    argparse.ArgumentParser.parse_args = _catch  # type: ignore[assignment, method-assign]
    try:
        import_module(module).run([*argv, "--help"])
    except _CaughtParser as caught:
        return caught.parser
    finally:
        argparse.ArgumentParser.parse_args = kept  # type: ignore[method-assign]
    raise AssertionError(f"{module} reads its arguments without a parser")


def whole_parser() -> argparse.ArgumentParser:
    """One parser for all commands of ``borg``."""
    from borgd.cli import COMMANDS, WITH_OWN_NAME

    root = CommandParser(prog="borg", description="Lessons for coding agents, and limits on what they spend.")
    root.add_argument("--version", action="store_true", help="say which version this is")
    commands = root.add_subparsers(dest="command", metavar="COMMAND")
    groups: dict[str, argparse._SubParsersAction[CommandParser]] = {}
    for words, (module, summary) in COMMANDS.items():
        if len(words) == 2 and words[0] not in groups:
            groups[words[0]] = commands.add_parser(words[0], help=words[0]).add_subparsers(metavar="COMMAND")
        here = groups[words[0]] if len(words) == 2 else commands
        if words == ("lesson",):
            inner = here.add_parser("lesson", help=summary).add_subparsers(metavar="COMMAND")
            for name, (file, what) in SUBCOMMANDS.items():
                _add(inner, name, what, parser_of(f"borgd.cli.lesson.{file}", []))
        elif words != ("completion",):
            named = [words[0]] if module in WITH_OWN_NAME else []
            _add(here, words[-1], summary, parser_of(f"borgd.cli.{module}", named))
    _add(commands, "completion", "completions for a shell, or the manual page", _parser())
    return root


def _add(to: argparse._SubParsersAction[CommandParser], name: str, summary: str, found: argparse.ArgumentParser) -> None:
    plain = summary.replace("%", "%%")
    to.add_parser(
        name,
        help=plain,
        description=found.description,
        parents=[cast("CommandParser", found)],
        add_help=False,
        conflict_handler="resolve",
    )


def manual_page(root: argparse.ArgumentParser) -> str:
    """The manual page in the man macros: a section a command."""
    lines = ['.TH BORG 1 "" "borgd" "User Commands"', ".SH NAME", "borg \\- lessons for coding agents"]
    lines += [".SH SYNOPSIS", ".B borg", ".I COMMAND", "[ARGUMENT ...]", ".SH DESCRIPTION", _roff(root.description or "")]
    lines.append(".SH COMMANDS")
    for name, parser in _leaves(root, "borg"):
        lines += [".SS " + _roff(name), _roff(parser.description or "")]
        for action in parser._actions:
            if action.help is argparse.SUPPRESS or isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)):
                continue
            lines += [".TP", _label(action), _roff((action.help or "").replace("%%", "%"))]
    return "\n".join(line for line in lines if line) + "\n"


def _label(action: argparse.Action) -> str:
    """An option with what it takes, or an argument's name, for the macros."""
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest)
    value = value if isinstance(value, str) else " ".join(value)
    if not action.option_strings:
        return f".I {_roff(value)}"
    named = _roff(", ".join(action.option_strings))
    return f".B {named}" if action.nargs == 0 else f'.BI "{named} " {_quoted(value)}'


def _quoted(text: str) -> str:
    """``text`` as one argument of a macro."""
    return '"' + _roff(text).replace('"', '""') + '"'


def _leaves(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield name, parser
    for action in inner:
        for word, one in action.choices.items():
            yield from _leaves(one, f"{name} {word}")


def _roff(text: str) -> str:
    """``text`` as roff reads it: no line of it is taken for a request."""
    flat = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{flat}" if flat[:1] in (".", "'") else flat


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="borg completion", description=about(__doc__))
    parser.add_argument("kind", choices=[*SHELLS, "man"], help="for which shell, or the manual page")
    return parser


def run(argv: list[str]) -> int:
    """Print it."""
    print(text_of(_parser().parse_args(argv).kind), end="")
    return 0


def text_of(kind: str) -> str:
    """The completions of the shell ``kind``, or the manual page (``man``)."""
    root = whole_parser()
    return manual_page(root) if kind == "man" else str(shtab.complete(root, shell=kind))
