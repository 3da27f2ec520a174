"""The installed hook client: a copy outside any environment, its interpreter, and the line that starts the daemon.

Promises that the path and the command line never change between versions, that the interpreter named outlives its own
patch release where there is such a path, and that a client which is there is never left without its second half.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from borgd.agents.wiring import PLUGIN_HELPERS, WIRINGS
from borgd.errors import BorgError
from borgd.files import replace_file
from borgd.paths import Paths, private_dir, shipped
from borgd.stores.installed.command import command_is_current, place_command, remove_command

CLIENT = "borg-hook"
MODULE = "borg_hook.py"
LAUNCH = "launch"
SHEBANG_CHARS = 110
"""host: kernels cut a script's first line at 127 bytes or more."""
OLDEST = (3, 8)
"""method: the oldest Python that runs the client."""
ASK_S = 5.0
"""guard: seconds that an interpreter gets to say its version."""
SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3")
"""host: paths that keep leading to a Python when it is updated."""

_PATCH = re.compile(r"(\d+\.\d+)\.\d+[^/]*")


class Client(NamedTuple):
    """What is installed. ``interpreter``: its full path; ``current``: it is the client of this version."""

    path: Path
    interpreter: str
    current: bool


def client_path(where: Paths) -> Path:
    """The installed client."""
    return where.data / "hook" / CLIENT


def launch_path(where: Paths) -> Path:
    """The command that starts the daemon, an argument a line."""
    return where.data / LAUNCH


def launch_command() -> list[str]:
    """The command that runs this installation's daemon."""
    return [sys.executable, "-I", "-m", "borgd", "run"]


def is_of_a_patch_release(path: str) -> bool:
    """Whether ``path`` names a patch release (``…/3.12.1/bin/python3.12``), so that the next update takes it away."""
    return _PATCH.search(os.path.dirname(path)) is not None  # noqa: PTH120 (a string as the shebang has it)


def lasting_interpreter(base: str, candidates: tuple[str, ...] = SYSTEM) -> str:
    """A path of an interpreter that outlives a patch release: ``base`` itself, its minor release's, or the system's.

    :param base: the full path of the interpreter that runs us, links resolved.
    """
    if not is_of_a_patch_release(base):
        return base
    for path in (*_of_minor_release(base), *candidates):
        if path != base and _is_usable(path):
            return path
    return base


def _of_minor_release(base: str) -> list[str]:
    """Where uv (a link for the minor release) and Homebrew (``opt``) keep the same interpreter for longer."""
    found = [_PATCH.sub(r"\1", base, count=1)]
    prefix, cellar, rest = base.partition("/Cellar/")
    if cellar:
        formula, _, inside = rest.partition("/")
        found.append(f"{prefix}/opt/{formula}/{inside.partition('/')[2]}")
    return found


def _is_usable(path: str) -> bool:
    if not os.access(path, os.X_OK) or "/shims/" in path:
        return False
    try:
        done = subprocess.run(
            [path, "-ISc", "import sys; print(*sys.version_info[:2])"], capture_output=True, timeout=ASK_S, check=False
        )
        major, minor = (int(word) for word in done.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    return (major, minor) >= OLDEST


def own_interpreter() -> str:
    """The full path of the interpreter that the client should name.

    :raises BorgError: no script can name it.
    """
    interpreter = lasting_interpreter(os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable))
    if " " in interpreter or len(interpreter) > SHEBANG_CHARS:
        raise BorgError(
            f"{interpreter} cannot be named in a script's first line; use a Python on a shorter path without spaces"
        )
    return interpreter


def plugin_modules() -> list[str]:
    """The files of the plugins that run inside agents, below ``hooks/`` and beside the installed client."""
    return [*PLUGIN_HELPERS, *(wiring.plugin.module for wiring in WIRINGS.values() if wiring.plugin is not None)]


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and one.read_bytes() == other.read_bytes()


def place_client(where: Paths) -> None:
    """Copy the client into the data directory and note how to start the daemon.

    :raises BorgError: the interpreter cannot be named, or the directory is not ours.
    """
    interpreter = own_interpreter()
    private_dir(where.data)
    directory = private_dir(client_path(where).parent)
    _, _, body = (shipped("hooks") / CLIENT).read_bytes().partition(b"\n")
    replace_file(directory / MODULE, (shipped("hooks") / MODULE).read_bytes(), 0o600)
    for name in plugin_modules():
        path = directory / name
        private_dir(path.parent)
        replace_file(path, (shipped("hooks") / name).read_bytes(), 0o600)
    subprocess.run([interpreter, "-IS", "-m", "py_compile", str(directory / MODULE)], check=False, capture_output=True)
    replace_file(client_path(where), f"#!{interpreter} -IS\n".encode() + body, 0o700)
    place_command(where)
    replace_file(launch_path(where), ("\n".join(launch_command()) + "\n").encode(), 0o600)


def installed_client(where: Paths) -> Client | None:
    """The client that is installed, None where none is.

    :raises OSError: it cannot be read.
    """
    path = client_path(where)
    try:
        first, _, body = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    words = first.removeprefix(b"#!").decode("utf-8", "replace").split(" ")
    module = path.with_name(MODULE)
    wanted = (shipped("hooks") / CLIENT).read_bytes().partition(b"\n")[2], (shipped("hooks") / MODULE).read_bytes()
    current = module.exists() and (body, module.read_bytes()) == wanted and first.startswith(b"#!")
    current = current and all(_same(path.parent / name, shipped("hooks") / name) for name in plugin_modules())
    return Client(path, words[0], current)


def renew_client(where: Paths) -> str:
    """Write the installed client anew where it is not this version's or its interpreter has moved; why, or nothing.

    A client that nobody installed is not made.

    :raises BorgError: it cannot be written as it should be.
    :raises OSError: likewise.
    """
    client = installed_client(where)
    if client is None:
        return ""
    why = ""
    if not os.access(client.interpreter, os.X_OK):
        why = f"its interpreter {client.interpreter} is gone"
    elif not client.current:
        why = "it was another version's"
    elif not command_is_current(where):
        why = "the command that agents call was another installation's"
    elif not _starts(where):
        why = "its way to start the daemon led nowhere"
    if why:
        place_client(where)
    return why


def _starts(where: Paths) -> bool:
    try:
        command = launch_path(where).read_text("utf-8", "replace").split("\n")[0]
    except OSError:
        return False
    return os.access(command, os.X_OK)


def remove_client(where: Paths) -> list[Path]:
    """Take client, its second half and the launch line away; what was there."""
    directory = client_path(where).parent
    modules = [directory / name for name in plugin_modules()]
    gone = [path for path in (client_path(where), directory / MODULE, *modules, launch_path(where)) if path.exists()]
    for path in gone:
        path.unlink()
    for inner in {path.parent for path in modules}:
        if inner.is_dir() and not any(inner.iterdir()):
            inner.rmdir()
    for path in (directory / "__pycache__").glob("*.pyc") if (directory / "__pycache__").is_dir() else ():
        path.unlink()
    for path in (directory / "__pycache__", directory):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    return gone + remove_command(where)
