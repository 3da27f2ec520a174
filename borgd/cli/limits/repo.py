"""``borg repo``: whether a repository's own .borgd.toml counts. It may only tighten, and only as a person has allowed it."""

from __future__ import annotations

import json
from pathlib import Path

from borgd.cli.arguments import CommandParser
from borgd.cli.limits.limit_terminal import person
from borgd.cli.terminal_text import about, printable
from borgd.cli.working_directory import working_directory
from borgd.clock import now_ms
from borgd.errors import ConfigError, LimitError
from borgd.limits.audit import AuditEntry
from borgd.limits.investigation.verdict import EVALUATOR
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.repository_config import FILE_NAME, AllowedFiles, RepositoryConfigs, RepositoryFile, allow_command


def run(argv: list[str]) -> int:
    """Do what ``argv`` says; 0 when it was done."""
    parser = CommandParser(prog="borg repo", description=about(__doc__))
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("allow", "let it count as it is now; another content counts only when it is allowed again"),
        ("deny", "let it count no longer"),
        ("show", "what it says, and whether it counts"),
    ):
        command = commands.add_parser(name, help=summary, description=summary)
        command.add_argument(
            "directory", nargs="?", default="", metavar="DIR", help="in the repository; the working directory"
        )
        command.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    where = user_paths()
    allowed = AllowedFiles(where.data)
    configs = RepositoryConfigs(allowed)
    directory = str(Path(options.directory or working_directory()).resolve())
    file = configs.file(directory)
    if file is None:
        if configs.problems:
            raise ConfigError(FILE_NAME, next(iter(configs.problems.values())))
        raise LimitError(f"no {FILE_NAME} between {directory} and the top of its repository")
    if options.command != "show":
        by = person(f"borg repo {options.command}")
        if options.command == "allow":
            allowed.allow(file)
        else:
            allowed.deny(file.path)
        entry = AuditEntry(
            limit="investigation",
            verdict="allowed" if options.command == "allow" else "disallowed",
            reason=f"{file.path} by {by} on the command line",
            evaluator=EVALUATOR,
            policy=file.digest,
        )
        AuditTrail(where).record([entry], now_ms())
    _show(file, counts=allowed.allows(file), as_json=options.json)
    return 0


def _show(file: RepositoryFile, *, counts: bool, as_json: bool) -> None:
    text = Path(file.path).read_text("utf-8", "replace")
    if as_json:
        print(json.dumps({"file": file.path, "sha256": file.digest, "allowed": counts, "text": text}))
        return
    print(printable(f"{file.path} {'counts' if counts else 'is ignored'} (sha256 {file.digest[:12]})"))
    for line in text.splitlines():
        print(printable(f"  {line}"))
    if counts:
        print("It may only tighten; [investigation.least] in config.toml says below what it may not go.")
    else:
        print(printable(f"Let it count: {allow_command(file)}"))
