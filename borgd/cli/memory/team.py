"""``borg team init DIR | join DIR | leave | status``: share lessons and outcomes in a directory that a file sync carries.

A system's name that only teammates' lessons bring counts once a session worked in a repository of that name, or once it
was confirmed: ``join`` lists the others and asks.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec

from borgd.cli.arguments import CommandParser
from borgd.cli.lesson.terminal import agreed, at_terminal
from borgd.cli.terminal_text import about, printable
from borgd.config.read import engineer_name, machine_name, read_config
from borgd.config.schema import Config
from borgd.config.write import write_setting
from borgd.errors import BorgError, UsageError
from borgd.journal import Journal
from borgd.lessons.store import LessonStore
from borgd.lessons.team import SALT_BYTES, TeamCard, owner_name
from borgd.paths import Paths, user_paths
from borgd.stores.matching.seen_places import FILE, SeenPlaces, unknown_scopes
from borgd.stores.team import CARD, Team, read_card

KEPT_LOCAL = "*.lock\n*.quarantine\n*.rewrite\n.*.new\n"
ATTRIBUTES = "*.jsonl merge=union\n"


def init(directory: Path) -> None:
    """Make ``directory`` a team's, with what git and Syncthing need beside the card.

    :raises BorgError: it is one already, or cannot be written.
    """
    if (directory / CARD).exists():
        raise BorgError(f"{directory} is a team's already; borg team join {directory} joins it")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        card = TeamCard(salt=secrets.token_hex(SALT_BYTES))
        (directory / CARD).write_bytes(msgspec.json.encode(card) + b"\n")
        for name, text in ((".gitattributes", ATTRIBUTES), (".gitignore", KEPT_LOCAL), (".stignore", KEPT_LOCAL)):
            if not (directory / name).exists():
                (directory / name).write_text(text)
    except OSError as error:
        raise BorgError(f"{directory} cannot be written: {error.strerror}") from None


def status(where: Paths) -> dict[str, object]:
    """What is shared, by whom.

    :raises BorgError: no team, or its directory cannot be read.
    """
    config = read_config(where)
    if not config.team.directory:
        raise BorgError("no team here: borg team init DIR makes one, borg team join DIR joins one")
    owner = owner_name(engineer_name(config), machine_name())
    team = Team(Path(config.team.directory).expanduser(), owner, config.people.machines)
    waiting = sorted(unknown(where, config, team))
    return {
        "directory": str(team.directory),
        "owner": owner,
        "members": team.members(),
        "problems": team.problems,
        "unknown_scopes": waiting,
    }


def unknown(where: Paths, config: Config, team: Team) -> frozenset[str]:
    """Names of systems that the team's lessons bring and nothing here knows.

    :raises JournalError: this machine's lessons cannot be read.
    """
    store = LessonStore()
    store.apply(Journal(where.journal("lessons")).read().records)
    for path, records in team.new_lessons():
        store.apply(records, str(path), peer=team.is_peer(path), owner=team.owner_of(path))
    return unknown_scopes(store, config.team.scopes, SeenPlaces(where.state / FILE))


def confirm(where: Paths, directory: Path, named: Sequence[str], *, everything: bool) -> tuple[list[str], list[str]]:
    """Which unknown names of systems count from now on, and which go on to wait. Asks at a terminal.

    :param named: those that were named by hand.
    :param everything: take all without asking.
    :raises UsageError: a name that no teammate's lesson brings, or that counts already.
    """
    config = read_config(where)
    team = Team(directory, owner_name(engineer_name(config), machine_name()), config.people.machines)
    waiting = sorted(unknown(where, config, team))
    for name in named:
        if name not in waiting:
            raise UsageError(f"--scope {printable(name)}: no such name waits; there are: {listed(waiting) or 'none'}")
    if not waiting or named:
        return sorted(set(named)), [name for name in waiting if name not in named]
    return (waiting, []) if everything or (at_terminal() and _wanted(waiting)) else ([], waiting)


def _wanted(waiting: Sequence[str]) -> bool:
    print("Your teammates' lessons name systems that nothing here knows:")
    for name in waiting:
        print(f"  {printable(name)}")
    print("Their lessons come where a session works in such a repository. If you agree, also wherever the name is said.")
    return agreed("Let these names count?")


def listed(names: Sequence[str]) -> str:
    """``names`` in one line."""
    return ", ".join(map(printable, names))


def show(found: dict[str, object]) -> None:
    """For a person."""
    print(f"{found['directory']}, you are {found['owner']}")
    members = found["members"]
    assert isinstance(members, dict)
    for owner, counts in sorted(members.items()):
        print(f"  {printable(owner):<32} {counts['lessons']:>6} lessons {counts['outcomes']:>8} outcomes")
    if not members:
        print("  nothing is shared yet: what you add with borg lesson add goes out as soon as the daemon runs")
    waiting = found["unknown_scopes"]
    assert isinstance(waiting, list)
    if waiting:
        print(f"  names that wait until a session works in such a repository: {listed(waiting)}")
        print(f"  borg team join {printable(str(found['directory']))} lets them count everywhere")
    problems = found["problems"]
    assert isinstance(problems, list)
    for problem in problems:
        print(f"  damaged: {printable(str(problem))}")


def leave(where: Paths, *, ask: bool) -> int:
    """Say what goes, ask at a terminal, and leave the team; the exit code.

    :raises BorgError: there is none.
    """
    shared = read_config(where).team
    if not shared.directory:
        raise BorgError("no team here, so there is nothing to leave")
    if ask and at_terminal():
        print(f"The team is {printable(shared.directory)}: its lessons come no more, and nothing of yours is shared.")
        if shared.scopes:
            print(f"  names of its systems that you confirmed: {listed(shared.scopes)}")
        if not agreed("Leave it?"):
            return 1
    write_setting(where, "team", "directory", None)
    write_setting(where, "team", "scopes", None)
    print("Left. What you shared stays in the team's directory; borg forget takes lessons back.")
    return 0


def join(where: Paths, directory: Path, scopes: Sequence[str] = (), *, everything: bool = False) -> int:
    """Join the team of ``directory``; ``scopes`` and ``everything`` as for ``confirm``. The exit code.

    :raises BorgError: it is none of a team's, or the settings cannot be written.
    """
    read_card(directory)
    taken, waiting = confirm(where, directory, scopes, everything=everything)
    write_setting(where, "team", "directory", str(directory))
    if taken:
        write_setting(where, "team", "scopes", sorted({*read_config(where).team.scopes, *taken}))
        print(f"These names count from now on: {listed(taken)}")
    if waiting:
        print(f"These wait until a session works in such a repository: {listed(waiting)}")
        print(f"borg team join {directory} --yes lets them count everywhere.")
    print(f"{where.config_file}: the team is {directory}. Restart the daemon (borg stop) to share and to receive.")
    return 0


def run(argv: list[str]) -> int:
    """The exit code."""
    parser = CommandParser(prog="borg team", description=about(__doc__))
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("init", "make DIR a team's directory and join it"),
        ("join", "share with those whose directory DIR is"),
        ("leave", "share no more; what was shared stays in the directory"),
        ("status", "who shares what, and what is damaged"),
    ):
        command = commands.add_parser(name, help=summary, description=summary)
        if name in ("init", "join"):
            command.add_argument("directory", type=Path, metavar="DIR", help="a directory that a file sync carries")
        if name == "leave":
            command.add_argument("--yes", action="store_true", help="do not ask")
        if name == "join":
            command.add_argument("--yes", action="store_true", help="let every name of a teammate's system count, unasked")
            command.add_argument(
                "--scope",
                action="append",
                default=[],
                metavar="NAME",
                help="let this name count (repeatable), unasked",
            )
        if name == "status":
            command.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    where = user_paths()
    if options.command == "status":
        found = status(where)
        print(msgspec.json.encode(found).decode()) if options.json else show(found)
        return 0
    if options.command == "leave":
        return leave(where, ask=not options.yes)
    directory = options.directory.expanduser().resolve()
    if options.command == "init":
        init(directory)
        return join(where, directory)
    return join(where, directory, options.scope, everything=options.yes)
