"""``borg doctor``: what is installed, what is missing, what to do. Changes nothing but, with ``--fix``, what is safe."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from borgd.cli.arguments import CommandParser
from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene
from borgd.cli.doctor.modules import remedy
from borgd.cli.terminal_text import about, coloured, printable
from borgd.cli.working_directory import working_directory
from borgd.errors import EXIT_FORESEEN, BorgError, module_at_fault, refused
from borgd.paths import user_paths

Check = Callable[[Scene], Iterator[DoctorFinding]]
CHECKS = (
    "places.runtime_directory",
    "places.directories",
    "places.at_the_socket",
    "daemon.daemon",
    "daemon.problems",
    "daemon.last_end",
    "client.client",
    "client.launcher",
    "client.command_line",
    "agents.versions",
    "agents.settings",
    "agents.switches",
    "agents.last_events",
    "agents.gaps",
    "agents.not_understood",
    "agents.shell",
    "stores.configuration",
    "stores.off",
    "stores.repository_file",
    "stores.journals",
    "stores.team",
    "stores.clock",
    "journey.event",
    "journey.whole_life",
    "stores.failures",
)
"""In the order in which a person should read what they find; ``module.function``."""
SLOW = ("agents.versions", "journey.whole_life")
"""What ``--quick`` leaves out."""
COLOURS = {OK: "green", NOTE: "yellow", BAD: "red"}


def findings(scene: Scene, checks: tuple[str, ...] = CHECKS) -> Iterator[DoctorFinding]:
    """What ``checks`` find; one that fails, or lacks a module of its own, does not keep the others from being made."""
    lacking: set[str] = set()
    for name in checks:
        module, _, function = name.partition(".")
        try:
            check: Check = getattr(_checks_of(module), function)
        except Exception as error:  # whatever a broken module does
            lacking.add(module_at_fault(error))
            continue
        try:
            yield from check(scene)
        except BorgError as error:
            yield DoctorFinding(module, BAD, str(error))
        except OSError as error:
            yield DoctorFinding(module, BAD, refused(error) or str(error))
    for what in sorted(lacking):
        todo = remedy(sys.prefix, sys.executable, [what.partition(".")[0]])
        yield DoctorFinding("modules", BAD, f"this command itself cannot import {what}, so not all could be looked at", todo)


def _checks_of(module: str) -> object:
    """A module of checks, imported only now: one whose own imports are broken keeps no other from looking."""
    match module:
        case "places":
            from borgd.cli.doctor import places

            return places
        case "daemon":
            from borgd.cli.doctor import daemon

            return daemon
        case "client":
            from borgd.cli.doctor import client

            return client
        case "agents":
            from borgd.cli.doctor import agents

            return agents
        case "stores":
            from borgd.cli.doctor import stores

            return stores
    from borgd.cli.doctor import journey

    return journey


def scene_of(env: dict[str, str]) -> Scene:
    """What there is to look at, from this process's environment."""
    return Scene(user_paths(), env, Path(working_directory()))


def run(argv: list[str]) -> int:
    """Print the findings; 1 where something is broken."""
    parser = CommandParser(prog="borg doctor", description=about(__doc__))
    parser.add_argument("--json", action="store_true", help="one JSON object: ok, findings (id, verdict, evidence, next)")
    parser.add_argument("--fix", action="store_true", help="mend what is safe to mend: only what borgd itself made")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="without the round trip in a throw-away home and without asking agents for their versions",
    )
    options = parser.parse_args(argv)
    scene = scene_of(dict(os.environ))
    checks = tuple(check for check in CHECKS if not (options.quick and check in SLOW))
    found = _show(findings(scene, checks), quiet=options.json)
    if options.fix and _fix(found, quiet=options.json):
        if not options.json:
            print("\nAfter that:")
        found = _show(findings(scene_of(dict(os.environ)), checks), quiet=options.json)
    ok = all(finding.state != BAD for finding in found)
    if options.json:
        print(json.dumps({"ok": ok, "findings": [finding.as_json() for finding in found]}))
    else:
        bad = sum(finding.state == BAD for finding in found)
        print(coloured("Nothing is broken." if ok else f"{bad} broken.", "green" if ok else "red"))
    sys.stdout.flush()
    return 0 if ok else EXIT_FORESEEN


def _show(found: Iterator[DoctorFinding], *, quiet: bool) -> list[DoctorFinding]:
    kept = []
    for finding in found:
        kept.append(finding)
        if not quiet:
            print(f"{coloured(f'{finding.state:<5}', COLOURS[finding.state])}{finding.name}: {printable(finding.text)}")
            if finding.todo:
                print(f"     → {printable(finding.todo)}", flush=True)
    return kept


def _fix(found: list[DoctorFinding], *, quiet: bool) -> bool:
    """Mend what can be; whether there was anything."""
    fixes = {finding.todo: finding for finding in found if finding.fix is not None and finding.state != OK}
    for finding in fixes.values():
        assert finding.fix is not None
        try:
            finding.fix()
            said = "mended"
        except (BorgError, OSError) as error:
            said = f"not mended: {error}"
        if not quiet:
            print(f"{said}: {finding.name} ({printable(finding.todo)})")
    return bool(fixes)
