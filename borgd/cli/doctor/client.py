"""``borg doctor`` on what is installed: the hook client, its interpreter, and the line that starts the daemon."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from borgd import __version__
from borgd.cli.doctor import modules
from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene
from borgd.stores.installed.client import (
    MODULE,
    client_path,
    installed_client,
    is_of_a_patch_release,
    launch_command,
    launch_path,
    own_interpreter,
    place_client,
)

RUN_S = 5.0
"""guard: the client ends within a second; a machine under load gets more."""
VERSION_S = 5.0
"""guard: seconds that another program called borg gets to say what it is."""
INSTALL = "borg install claude-code --apply"


def client(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the installed hook client is there, ours, current, and runs."""
    path = client_path(scene.where)
    fix = partial(place_client, scene.where)
    found = installed_client(scene.where)
    if found is None:
        yield DoctorFinding("client", NOTE, f"not installed at {path}", INSTALL)
        return
    info = path.stat()
    if info.st_uid != os.getuid() or stat.S_IMODE(info.st_mode) & 0o022:
        yield DoctorFinding("client", BAD, f"{path} can be changed by others", INSTALL, fix)
    if not os.access(path, os.X_OK):
        yield DoctorFinding("client", BAD, f"{path} cannot be executed", INSTALL, fix)
        return
    other = f"{path} is not the client of borgd {__version__}: an older or a changed one"
    if not os.access(found.interpreter, os.X_OK):
        yield DoctorFinding(
            "client", BAD, f"its interpreter {found.interpreter} is gone: every hook says nothing", INSTALL, fix
        )
        if not found.current:
            yield DoctorFinding("client", BAD, other, INSTALL, fix)
        return
    module = path.with_name(MODULE)
    if not module.exists():
        yield DoctorFinding("client", BAD, f"{module} is missing: every hook says nothing", INSTALL, fix)
        return
    broken = _broken(path, found.interpreter)
    if broken:
        yield DoctorFinding("client", BAD, f"{path} does not run ({broken}): every hook says nothing", INSTALL, fix)
    elif not found.current:
        yield DoctorFinding("client", BAD, other, INSTALL, fix)
    else:
        yield DoctorFinding("client", OK, f"{path}, run by {found.interpreter}")
    if "/shims/" in found.interpreter:
        text = f"{found.interpreter} is a shim, which costs each hook tens of milliseconds"
        yield DoctorFinding("client", NOTE, text, INSTALL)
    elif is_of_a_patch_release(found.interpreter):
        text = f"{found.interpreter} goes with the next update of Python; a daemon that starts after it mends the client"
        better = own_interpreter()
        yield DoctorFinding("interpreter", NOTE, text, INSTALL if better != found.interpreter else "")


def _broken(path: Path, interpreter: str) -> str:
    """Why the client does not do its work; empty: it does. Tried in an empty home, where it must say ENOENT."""
    with tempfile.TemporaryDirectory(prefix="borgd-doctor-") as home:
        env = {"HOME": home, "PATH": os.defpath}
        try:
            done = subprocess.run(
                [path, "claude-code", "Doctor"], input=b"{}", capture_output=True, env=env, timeout=RUN_S, check=False
            )
        except subprocess.TimeoutExpired:
            return f"it took longer than {RUN_S:g} s"
        except OSError as error:
            return str(error.strerror)
        log = Path(home) / ".local/state/borgd/hook.log"
        if done.returncode == 0 and done.stdout.strip() == b"{}" and log.exists() and "ENOENT" in log.read_text():
            return ""
        why = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        if not why:
            code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import borg_hook; borg_hook.main"
            told = subprocess.run([interpreter, "-ISBc", code], capture_output=True, env=env, timeout=RUN_S, check=False)
            why = told.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        return why[:200] or f"it answered {done.stdout[:60]!r} and ended with {done.returncode}"


def launcher(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether a session's start can start the daemon: the line for it, its interpreter, the modules that it needs."""
    path, fix = launch_path(scene.where), partial(place_client, scene.where)
    if not path.exists() and not path.is_symlink():
        if client_path(scene.where).exists():
            yield DoctorFinding("start", BAD, f"{path} is missing: no hook can start the daemon", INSTALL, fix)
        else:
            yield DoctorFinding("start", NOTE, "a session's start cannot start the daemon: it is not installed", INSTALL)
        yield from _modules(launch_command()[:-3])
        return
    info = path.lstat()
    if not stat.S_ISREG(info.st_mode) or info.st_uid != os.getuid() or stat.S_IMODE(info.st_mode) & 0o022:
        yield DoctorFinding("start", BAD, f"{path} can be written by others and is not used", INSTALL, fix)
        return
    command = [line for line in path.read_text("utf-8", "replace").split("\n") if line]
    if not command or not command[0].startswith("/") or command[-3:] != ["-m", "borgd", "run"]:
        yield DoctorFinding("start", BAD, f"{path} does not name the command that runs the daemon", INSTALL, fix)
        return
    if not os.access(command[0], os.X_OK):
        yield DoctorFinding("start", BAD, f"{command[0]}, which should run the daemon, is gone", INSTALL, fix)
        return
    yield DoctorFinding("start", OK, f"a session's start or a prompt runs {command[0]}")
    yield from _modules(command[:-3])


def _modules(command: list[str]) -> Iterator[DoctorFinding]:
    said = modules.probe(command)
    if said.failed:
        yield DoctorFinding("modules", BAD, f"{command[0]} does not run Python: {said.failed}", INSTALL)
    elif "borgd" in said.problems and not said.version:
        text = f"{command[0]} cannot import borgd: {said.problems['borgd']}"
        yield DoctorFinding("modules", BAD, text, INSTALL)
    elif said.problems:
        names = list(said.problems)
        told = "; ".join(f"{name}: {why[:200]}" for name, why in said.problems.items())
        text = f"the daemon cannot start: {command[0]} cannot import {told}"
        yield DoctorFinding("modules", BAD, text, modules.remedy(said.prefix, command[0], names))
    elif said.version != __version__:
        text = f"{command[0]} runs borgd {said.version}, and this command is {__version__}"
        yield DoctorFinding("modules", NOTE, text, INSTALL)
    else:
        yield DoctorFinding("modules", OK, f"{command[0]} imports all that the daemon needs")


def command_line(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether ``borg`` is what a person or an agent gets who types it."""
    found = shutil.which("borg", path=scene.env.get("PATH", ""))
    if found is None:
        text = "borg is not on the PATH: the agent that is told to run it cannot find it"
        yield DoctorFinding("command", NOTE, text, "uv tool install borgd, or pipx install borgd")
        return
    try:
        done = subprocess.run([found, "--version"], capture_output=True, timeout=VERSION_S, check=False)
        words = done.stdout.decode("utf-8", "replace").strip()
    except (OSError, subprocess.TimeoutExpired):
        words = ""
    if not words.startswith("borgd "):
        text = f"{found}, the first borg on the PATH, is another program ({words[:60] or 'it does not say which'})"
        yield DoctorFinding("command", NOTE, text, "put borgd's directory first on the PATH; borgd is the same command")
    elif words != f"borgd {__version__}":
        yield DoctorFinding(
            "command", NOTE, f"{found} is {words}, and this is {__version__}", "upgrade the older of the two"
        )
    else:
        yield DoctorFinding("command", OK, f"{found} is borgd {__version__}")
