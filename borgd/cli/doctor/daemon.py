"""``borg doctor`` on the daemon: whether one answers, which version it is, what it says is wrong, how the last one ended."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from borgd import __version__
from borgd.agents.sandbox import how_to_allow
from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene
from borgd.cli.service.daemon_start import run as start
from borgd.cli.service.daemon_stop import run as stop
from borgd.errors import BorgError, NoDaemonError, ProtocolError
from borgd.protocol import frames
from borgd.protocol.client import UnreachableError, call, daemon_pid
from borgd.stores.daemon_lock import is_locked, lock_owner, state_lock

PING_S = 2.0
"""guard: a daemon that runs answers within this."""
TAIL_BYTES = 1 << 16
"""guard: how much of daemon.log is read."""
RECENT_S = 24 * 3600
"""design: a crash longer ago than this is history."""
RESTART = "borg stop && borg start"

_LINE = re.compile(r"(?P<stamp>\S+Z) (?P<pid>\d+) (?P<level>\w+) (?P<name>\S+) (?P<text>.*)")


def restart() -> None:
    """Stop the daemon and start this version's, without a word: what is printed here is read by others."""
    with redirect_stdout(StringIO()):
        stop([])
        start([])


def daemon(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether a daemon answers, and of which version it is."""
    try:
        answer = call("ping", timeout_s=PING_S)
        said = msgspec.json.decode(answer.out, type=dict[str, object])
    except UnreachableError as error:
        yield _unreachable(scene, error)
        return
    except (ProtocolError, msgspec.MsgspecError) as error:
        text = f"what answers on {scene.where.socket} is not a borgd of this version: {error}"
        yield DoctorFinding("daemon", BAD, text, RESTART)
        return
    version, pid = said.get("version"), said.get("pid")
    if version != __version__ or said.get("protocol") != frames.VERSION:
        older = "older" if _parts(version) < _parts(__version__) else "newer"
        text = f"the daemon (pid {pid}) is borgd {version}, {older} than this command, which is {__version__}"
        yield DoctorFinding("daemon", BAD, text, RESTART, restart)
    elif said.get("loaded") is False:
        text = f"the daemon (pid {pid}) answers but has not loaded: {said.get('problem') or 'it is still reading'}"
        yield DoctorFinding("daemon", BAD if said.get("problem") else NOTE, text, RESTART)
    else:
        yield DoctorFinding("daemon", OK, f"borgd {version}, pid {pid}, answers on {scene.where.socket}")


def _parts(version: object) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", str(version))]


def _unreachable(scene: Scene, error: UnreachableError) -> DoctorFinding:
    if error.cause in ("ENOENT", "ECONNREFUSED"):
        stays = (scene.where.state / "stay").exists()
        why = "; it was stopped to stay so (borg stop --stay)" if stays else ""
        todo = "borg start" if stays else "borg start; the next session or prompt would do it too"
        return DoctorFinding("daemon", NOTE, f"{error}{why}", todo)
    if error.cause in ("EPERM", "EACCES"):
        text = f"{error}. The daemon may well be fine: what forbids it is around this command"
        where = scene.where
        known = how_to_allow(scene.env, str(where.socket), str(where.data), str(where.state))
        todo = known or f"allow connections to the Unix socket {where.socket} in the sandbox's settings"
        return DoctorFinding("daemon", BAD, text, todo)
    if error.cause == "uid":
        return DoctorFinding("daemon", BAD, str(error), f"rm {scene.where.socket}")
    holder = None
    with suppress(NoDaemonError):
        holder = daemon_pid(PING_S)
    return DoctorFinding("daemon", BAD, f"{error}" + (f" (pid {holder})" if holder else ""), RESTART, restart)


def service_status() -> dict[str, Any]:
    """The service's part of the daemon's status; empty where none answers."""
    try:
        answer = call("status", timeout_s=PING_S)
        said = msgspec.json.decode(answer.out, type=dict[str, Any])
    except (BorgError, msgspec.MsgspecError):
        return {}
    service = said.get("service")
    return service if isinstance(service, dict) else {}


def problems(_: Scene) -> Iterator[DoctorFinding]:
    """What the running daemon itself reports."""
    said = service_status()
    for problem in said.get("problems") or ():
        yield DoctorFinding("problems", NOTE, f"the daemon reports: {problem}")
    for name, why in (said.get("read_only") or {}).items():
        yield DoctorFinding("problems", BAD, f"the daemon writes no {name} any more: {why}", RESTART, restart)
    grader = said.get("grader") or {}
    if grader.get("resting"):
        text = f"the grader ({grader.get('command')}) failed {grader.get('failures')} times and is left alone for a while"
        yield DoctorFinding("grader", BAD, text, "mend the command at [recall] grader in config.toml, or take it out")


def last_end(scene: Scene) -> Iterator[DoctorFinding]:
    """How the last daemon ended, where it did not say goodbye."""
    lines = [found for found in map(_LINE.match, _tail(scene.where.state / "daemon.log")) if found]
    if not lines:
        return
    crash = next((line for line in reversed(lines) if "crashed" in line["text"] or "could not go on" in line["text"]), None)
    served = max((index for index, line in enumerate(lines) if line["text"].startswith("serving")), default=-1)
    owner = lock_owner(state_lock(scene.where))
    alive = is_locked(state_lock(scene.where))
    if crash is not None and lines.index(crash) > served and not alive:
        text = f"the last daemon (pid {crash['pid']}) crashed at {crash['stamp']}: {crash['text']}"
        todo = "borg start" + ("; first what the check of the modules says" if "cannot be imported" in text else "")
        yield DoctorFinding("last crash", BAD, text, todo)
    elif served >= 0 and not alive and not any(line["text"].startswith("ended") for line in lines[served:]):
        pid = owner[0] if owner else lines[served]["pid"]
        text = f"the last daemon (pid {pid}) ended without a word after {lines[-1]['stamp']}: killed, or out of memory"
        yield DoctorFinding("last crash", BAD if scene.where.socket.exists() else NOTE, text, "borg start")
    elif crash is not None and crash["stamp"] >= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - RECENT_S)):
        text = f"a daemon crashed at {crash['stamp']}, and another serves since: {crash['text']}"
        yield DoctorFinding("last crash", NOTE, text, f"report it with {scene.where.state / 'daemon.log'}")
    else:
        yield DoctorFinding("last crash", OK, "the last daemon did not crash")


def _tail(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            return file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return []
