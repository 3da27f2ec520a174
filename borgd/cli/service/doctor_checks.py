"""The questions that ``borg doctor`` asks: each looks at one thing and says what it is, and what to do about it.

Must not change anything, and must not let one broken thing keep the others from being looked at.
"""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from borgd import __version__
from borgd.cli.service.install import installed
from borgd.config.read import read_config
from borgd.errors import BorgError, ConfigError, NoDaemonError, ProtocolError, refused
from borgd.paths import Paths, shipped
from borgd.protocol import frames as wire
from borgd.protocol.client import UnreachableError, call, daemon_pid
from borgd.stores.installed.client import CLIENT, MODULE, client_path

AGENTS = ("claude-code",)
PING_S = 2.0
"""guard: a daemon that runs answers within this."""
SHELL_S = 5.0
"""guard: a shell's profile may take this long."""
LAST_FAILURES = 5
"""design: lines of hook.log that are shown."""
LEAST_FREE_BYTES = 1 << 20
"""design: a disk with less room than this is as good as full."""
TAIL_BYTES = 1 << 14
"""guard: how much of hook.log is read."""
MEANING = {
    "ENOENT": "no daemon ran",
    "ECONNREFUSED": "the daemon had died",
    "EPERM": "a sandbox forbade the connection",
    "EACCES": "the permissions of the socket's directory forbade the connection",
    "timeout": "the daemon did not answer in time: stopped, or very busy",
    "breaker": "the daemon had not answered several times, so it was not waited for",
    "empty": "the agent sent nothing on standard input",
    "closed": "the daemon broke off: it ended or crashed meanwhile",
    "garbage": "what answered was not borgd",
    "version": "client and daemon are of different versions",
    "uid": "the socket belongs to another user",
    "daemon": "the daemon answered with an error; daemon.log says more",
    "usage": "the hook was called with wrong arguments: install it again",
    "stdout": "the agent did not take the answer",
    "error": "the client failed in a way that was not foreseen",
}
OK, NOTE, BAD = "ok", "note", "bad"


class DoctorFinding(NamedTuple):
    """``state`` is ok, note (works, but look) or bad; ``todo`` is empty where there is nothing to do."""

    name: str
    state: str
    text: str
    todo: str = ""


def findings(where: Paths, env: dict[str, str]) -> Iterator[DoctorFinding]:
    """All of them, in the order in which a person should read them."""
    checks: list[Callable[[], Iterator[DoctorFinding]]] = [
        lambda: runtime_directory(env),
        lambda: directories(where),
        lambda: daemon(where),
        lambda: client(where),
        lambda: launcher(where),
        lambda: settings(where),
        lambda: configuration(where),
        lambda: shell(env),
        lambda: failures(where),
    ]
    for check in checks:
        try:
            yield from check()
        except BorgError as error:
            yield DoctorFinding("doctor", BAD, str(error))
        except OSError as error:
            yield DoctorFinding("doctor", BAD, refused(error) or str(error))


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def runtime_directory(env: dict[str, str]) -> Iterator[DoctorFinding]:
    """Whether $XDG_RUNTIME_DIR can hold the socket."""
    name, value = "runtime directory", env.get("XDG_RUNTIME_DIR", "")
    path = Path(value)
    if not value:
        yield DoctorFinding(name, OK, "XDG_RUNTIME_DIR is not set; the socket is in the state directory")
    elif not value.startswith("/"):
        yield DoctorFinding(
            name, NOTE, f"XDG_RUNTIME_DIR is the relative path {value!r} and is not used", "set it to an absolute path"
        )
    elif not path.is_dir() or path.is_symlink():
        yield DoctorFinding(
            name, NOTE, f"{value} is not a directory and is not used", "log in again, or unset XDG_RUNTIME_DIR"
        )
    elif path.stat().st_uid != os.getuid():
        yield DoctorFinding(
            name, NOTE, f"{value} belongs to uid {path.stat().st_uid} and is not used", "unset it after su or sudo"
        )
    elif _mode(path) != 0o700:
        yield DoctorFinding(name, NOTE, f"{value} has mode {_mode(path):o} and is not used", f"chmod 700 {value}")
    else:
        yield DoctorFinding(name, OK, f"{value} holds the socket")


def directories(where: Paths) -> Iterator[DoctorFinding]:
    """Whether our directories are ours, private and writable."""
    for path in (where.config, where.data, where.state, where.run):
        if not path.exists():
            continue
        owner = path.stat().st_uid
        if owner != os.getuid():
            yield DoctorFinding(
                "directories", BAD, f"{path} belongs to uid {owner}", "make yourself its owner, or move it away"
            )
        elif os.statvfs(path).f_flag & os.ST_RDONLY:
            yield DoctorFinding(
                "directories", BAD, f"{path} is on a read-only file system: nothing is stored", "mount it writable"
            )
        elif not os.access(path, os.W_OK | os.X_OK):
            yield DoctorFinding("directories", BAD, f"{path} cannot be written", f"chmod u+rwx {path}")
        elif os.statvfs(path).f_bavail * os.statvfs(path).f_frsize < LEAST_FREE_BYTES:
            yield DoctorFinding("directories", BAD, f"{path}: the disk is full, nothing is stored", "free some space")
        elif path != where.config and _mode(path) & 0o077:
            yield DoctorFinding(
                "directories", NOTE, f"{path} has mode {_mode(path):o}: others can look in", f"chmod 700 {path}"
            )
        else:
            yield DoctorFinding("directories", OK, f"{path} is yours")


def daemon(where: Paths) -> Iterator[DoctorFinding]:
    """Whether a daemon answers, and of which version it is."""
    try:
        answer = call("ping", timeout_s=PING_S)
        said = msgspec.json.decode(answer.out, type=dict[str, object])
    except UnreachableError as error:
        if error.cause in ("ENOENT", "ECONNREFUSED"):
            yield DoctorFinding("daemon", NOTE, str(error), "borg start; the next session's start would do it too")
            return
        holder = None
        with suppress(NoDaemonError):
            holder = daemon_pid(PING_S)
        yield DoctorFinding("daemon", BAD, f"{error}" + (f" (pid {holder})" if holder else ""), "borg stop, then borg start")
        return
    except (ProtocolError, msgspec.MsgspecError) as error:
        yield DoctorFinding(
            "daemon", BAD, f"what answers is not a borgd of this version: {error}", "borg stop, then borg start"
        )
        return
    version, pid = said.get("version"), said.get("pid")
    if version != __version__ or said.get("protocol") != wire.VERSION:
        text = f"the daemon (pid {pid}) is borgd {version}, this is {__version__}"
        yield DoctorFinding("daemon", NOTE, text, "borg stop, then borg start")
    else:
        yield DoctorFinding("daemon", OK, f"borgd {version}, pid {pid}, answers on {where.socket}")


def client(where: Paths) -> Iterator[DoctorFinding]:
    """Whether the installed hook client is there, ours, current, and has an interpreter."""
    path, todo = client_path(where), "borg install claude-code --apply"
    if not path.exists():
        yield DoctorFinding("client", NOTE, f"not installed at {path}", todo)
        return
    first, _, body = path.read_bytes().partition(b"\n")
    interpreter = first.removeprefix(b"#!").decode("utf-8", "replace").split(" ")[0]
    if path.stat().st_uid != os.getuid() or _mode(path) & 0o022:
        yield DoctorFinding("client", BAD, f"{path} can be changed by others", todo)
    if not os.access(path, os.X_OK):
        yield DoctorFinding("client", BAD, f"{path} cannot be executed", todo)
    if not os.access(interpreter, os.X_OK):
        yield DoctorFinding("client", BAD, f"its interpreter {interpreter} is gone", todo)
    elif "/shims/" in interpreter:
        yield DoctorFinding("client", NOTE, f"{interpreter} is a shim, which costs each hook tens of milliseconds", todo)
    module = path.with_name(MODULE)
    wanted = (shipped("hooks") / CLIENT).read_bytes().partition(b"\n")[2], (shipped("hooks") / MODULE).read_bytes()
    if not module.exists():
        yield DoctorFinding("client", BAD, f"{module} is missing: every hook says nothing", todo)
    elif (body, module.read_bytes()) != wanted:
        yield DoctorFinding("client", NOTE, f"{path} is not the client of borgd {__version__}", todo)
    else:
        yield DoctorFinding("client", OK, f"{path}, run by {interpreter}")


def launcher(where: Paths) -> Iterator[DoctorFinding]:
    """Whether a session's start can start the daemon."""
    path, todo = where.data / "launch", "borg install claude-code --apply"
    if not path.exists():
        yield DoctorFinding("start", NOTE, "a session's start cannot start the daemon: it is not installed", todo)
        return
    command = path.read_text("utf-8", "replace").split("\n")[0]
    if path.is_symlink() or path.stat().st_uid != os.getuid() or _mode(path) & 0o022:
        yield DoctorFinding("start", BAD, f"{path} can be written by others and is not used", todo)
    elif not os.access(command, os.X_OK):
        yield DoctorFinding("start", BAD, f"{command}, which should run the daemon, is gone", todo)
    else:
        yield DoctorFinding("start", OK, f"a session's start runs {command}")


def settings(where: Paths) -> Iterator[DoctorFinding]:
    """Whether the agents' settings call the client."""
    for agent in AGENTS:
        try:
            held = installed(agent, where)
        except BorgError as error:
            yield DoctorFinding(agent, BAD, str(error), "fix that file; borgd changes nothing in it until then")
            continue
        missing = sorted(event for event, there in held.items() if not there)
        todo = f"borg install {agent} --apply"
        if not missing:
            yield DoctorFinding(agent, OK, f"calls borgd for {', '.join(sorted(held))}")
        elif len(missing) == len(held):
            yield DoctorFinding(agent, NOTE, "does not call borgd", todo)
        else:
            yield DoctorFinding(agent, BAD, f"does not call borgd for {', '.join(missing)}", todo)


def configuration(where: Paths) -> Iterator[DoctorFinding]:
    """Whether config.toml can be used."""
    try:
        read_config(where)
    except ConfigError as error:
        yield DoctorFinding("config", BAD, str(error), "fix it; until then the daemon uses the defaults and commands refuse")
        return
    text = f"{where.config_file} is fine" if where.config_file.exists() else "no config.toml: the defaults are used"
    yield DoctorFinding("config", OK, text)


def shell(env: dict[str, str]) -> Iterator[DoctorFinding]:
    """Whether the login shell prints something of its own: some agents run hooks through it, and read that as the answer."""
    program = env.get("SHELL", "")
    if not os.access(program, os.X_OK):
        return
    try:
        done = subprocess.run(
            [program, "-l", "-c", ":"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SHELL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        yield DoctorFinding("shell", NOTE, f"{program} -l takes longer than {SHELL_S:g} s to start", "look at your profile")
        return
    if done.stdout:
        text = (
            f"your {Path(program).name} profile prints to standard output; agents that run hooks through it read no answer"
        )
        yield DoctorFinding("shell", BAD, text, "let the profile print only where the shell is interactive")
    else:
        yield DoctorFinding("shell", OK, f"{program} prints nothing of its own")


def failures(where: Paths) -> Iterator[DoctorFinding]:
    """The last failures of the client, with what they mean."""
    path = where.state / "hook.log"
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        yield DoctorFinding("hook log", OK, "no hook ever failed")
        return
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 24 * 3600))
    parts = [words for words in (line.split(" ", 4) for line in lines) if len(words) == 5]
    recent = sum(words[0] >= since for words in parts)
    yield DoctorFinding("hook log", NOTE if recent else OK, f"{recent} failures in the last 24 hours in {path}")
    for stamp, agent, event, cause, text in parts[-LAST_FAILURES:]:
        meaning = MEANING.get(cause, "unknown cause")
        yield DoctorFinding("hook log", OK, f"{stamp} {agent} {event}: {cause}, {meaning} ({text})")
