"""``borg uninstall --purge``: everything of borgd goes from this account; the lessons only when the person says so."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from pathlib import Path

from borgd.cli.service.daemon_stop import run as stop
from borgd.cli.terminal_text import count
from borgd.errors import BorgError, NoDaemonError
from borgd.paths import Paths
from borgd.stores.installed.client import client_path, launch_path, remove_client


def purge(where: Paths, *, apply: bool, yes: bool) -> int:
    """End the daemon; take away client, launch line and state; ask about the lessons; the exit code."""
    lessons = sorted(path for path in where.data.glob("*") if path.is_file() and path != launch_path(where))
    if not apply:
        _show(where, len(lessons))
        return 0
    try:
        stop([])
    except NoDaemonError as error:
        print(f"borg: {error}", file=sys.stderr)
    gone = remove_client(where)
    gone += [path for path in (where.run, where.state) if _remove(path)]
    if lessons and (yes or _agreed(where.data, len(lessons))):
        gone += [where.data] if _remove(where.data) else []
    elif lessons:
        print(f"{where.data}: stays, with your lessons. To remove it too: borg uninstall --purge --apply --yes")
    else:
        with suppress(OSError):
            where.data.rmdir()
    for path in gone:
        print(f"{path}: removed")
    if where.config.exists():
        print(f"{where.config}: stays; it is yours")
    return 0


def _show(where: Paths, lessons: int) -> None:
    print("With --apply also: the daemon is ended, and these go:")
    for path in (client_path(where).parent, launch_path(where), where.state, where.run):
        if path.exists():
            print(f"  {path}")
    if lessons:
        print(f"Asked for before they go: {count(lessons, 'file')} of lessons and what was learned, in {where.data}")


def _agreed(path: Path, number: int) -> bool:
    """Whether the person at the terminal wants the lessons to go."""
    if not sys.stdin.isatty():
        return False
    print(
        f"Remove {count(number, 'file')} of lessons and what was learned, in {path}? They are nowhere else. [y/N] ",
        end="",
        flush=True,
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _remove(path: Path) -> bool:
    """Take a directory of ours away; a link is not followed. Whether it was there.

    :raises BorgError: something in it cannot be removed.
    """
    if path.is_symlink() or not path.is_dir():
        return False
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise BorgError(f"{error.filename or path} cannot be removed: {error.strerror}") from None
    return True
