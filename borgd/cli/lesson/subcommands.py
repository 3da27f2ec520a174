"""``borg lesson``: one module per subcommand, imported only when it runs."""

from __future__ import annotations

from importlib import import_module

from borgd.errors import UsageError

SUBCOMMANDS: dict[str, tuple[str, str]] = {
    "add": ("add", "write a lesson"),
    "list": ("list", "all lessons, a line each, or those that hold some words"),
    "show": ("show", "everything about one: text, belief, outcomes"),
    "edit": ("edit", "change one in $EDITOR, or the fields given; the old version stays in the journal"),
    "retire": ("retire", "take one out of recall"),
    "import": ("import_lessons", "rules from a Markdown file, or lessons from a .jsonl file"),
    "episodes": ("episodes", "corrections that have not become a lesson yet"),
    "propose": ("propose", "propose a lesson from a correction; it waits for ratify"),
    "test": ("test", "try one again: would it come up where it should, and only there"),
    "ratify": ("ratify", "keep, edit, merge or drop what was proposed"),
}


def usage() -> str:
    """The list of subcommands, one line each."""
    lines = [f"  {name:<8} {summary}" for name, (_, summary) in SUBCOMMANDS.items()]
    return (
        "usage: borg lesson SUBCOMMAND [ARGUMENT …]\n\n" + "\n".join(lines) + "\n\nborg lesson SUBCOMMAND --help says more."
    )


def run(argv: list[str]) -> int:
    """Run the subcommand in ``argv``."""
    if argv and argv[0] == "help":
        argv = [*argv[1:], "--help"]
    if not argv or argv[0] in ("-h", "--help"):
        print(usage())
        return 0 if argv else UsageError.exit_code
    if argv[0] not in SUBCOMMANDS:
        from difflib import get_close_matches

        near = get_close_matches(argv[0], SUBCOMMANDS, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"no subcommand {argv[0]!r}; {meant}expected one of {', '.join(SUBCOMMANDS)}")
    return int(import_module(f"borgd.cli.lesson.{SUBCOMMANDS[argv[0]][0]}").run(argv[1:]))
