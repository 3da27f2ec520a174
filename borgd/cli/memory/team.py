"""``borg team init DIR | join DIR | leave | status``: share lessons and outcomes in a directory that a file sync carries."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

import msgspec

from borgd.cli.terminal_text import about, printable
from borgd.config.read import engineer_name, machine_name, read_config
from borgd.config.write import write_setting
from borgd.errors import BorgError
from borgd.lessons.team import SALT_BYTES, TeamCard, owner_name
from borgd.paths import Paths, user_paths
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
    for _ in team.new_lessons():
        pass
    return {"directory": str(team.directory), "owner": owner, "members": team.members(), "problems": team.problems}


def show(found: dict[str, object]) -> None:
    """For a person."""
    print(f"{found['directory']}, you are {found['owner']}")
    members = found["members"]
    assert isinstance(members, dict)
    for owner, counts in sorted(members.items()):
        print(f"  {printable(owner):<32} {counts['lessons']:>6} lessons {counts['outcomes']:>8} outcomes")
    if not members:
        print("  nothing is shared yet: what you add with borg lesson add goes out as soon as the daemon runs")
    problems = found["problems"]
    assert isinstance(problems, list)
    for problem in problems:
        print(f"  damaged: {printable(str(problem))}")


def run(argv: list[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="borg team", description=about(__doc__))
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
        if name == "status":
            command.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    where = user_paths()
    if options.command == "status":
        found = status(where)
        print(msgspec.json.encode(found).decode()) if options.json else show(found)
        return 0
    if options.command == "leave":
        if not read_config(where).team.directory:
            raise BorgError("no team here, so there is nothing to leave")
        write_setting(where, "team", "directory", None)
        print("Left. What you shared stays in the team's directory; borg forget takes lessons back.")
        return 0
    directory = options.directory.expanduser().resolve()
    if options.command == "init":
        init(directory)
    read_card(directory)
    write_setting(where, "team", "directory", str(directory))
    print(f"{where.config_file}: the team is {directory}. Restart the daemon (borg stop) to share and to receive.")
    return 0
