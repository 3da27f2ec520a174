"""``borg doctor`` on what is stored: settings, journals, the team's directory, the clock, and the failures of hooks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from borgd.cli.doctor.finding import BAD, NOTE, OK, DoctorFinding, Scene, quoted
from borgd.cli.service.off import described
from borgd.clock import now_ms as clock_now_ms
from borgd.config.read import read_config
from borgd.errors import BorgError, ConfigError, JournalError
from borgd.journal import Journal
from borgd.stores.off_switch import OffSwitch
from borgd.stores.repository_config import AllowedFiles, RepositoryConfigs, allow_command
from borgd.stores.team import read_card

LAST_FAILURES = 5
"""design: lines of hook.log that are shown."""
TAIL_BYTES = 1 << 14
"""guard: how much of hook.log is read."""
AHEAD_S = 3600
"""design: a file written later than this from now says that the clock was set back."""
DAMAGES = 5
"""design: damaged places of a journal that are named."""
MEANING = {
    "ENOENT": "no daemon ran",
    "ECONNREFUSED": "the daemon had died",
    "EPERM": "a sandbox forbade the connection",
    "EACCES": "the permissions of the socket's directory forbade the connection",
    "timeout": "the daemon did not answer in time: stopped, or very busy",
    "breaker": "the daemon had not answered several times, so it was not waited for",
    "closed": "the daemon broke off: it ended or crashed meanwhile",
    "garbage": "what answered was not borgd",
    "version": "client and daemon are of different versions",
    "uid": "the socket belongs to another user",
    "daemon": "the daemon answered with an error; daemon.log says more",
    "usage": "the hook was called with wrong arguments: install it again",
    "stdout": "the agent did not take the answer",
    "empty": "the agent sent nothing on standard input",
    "error": "the client failed in a way that was not foreseen",
}


def configuration(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether config.toml can be used."""
    try:
        read_config(scene.where)
    except ConfigError as error:
        todo = f"fix it ({quoted('borg', 'doctor')} shows whether it is); until then the defaults serve and commands refuse"
        yield DoctorFinding("config", BAD, str(error), todo)
        return
    path = scene.where.config_file
    yield DoctorFinding("config", OK, f"{path} is fine" if path.exists() else "no config.toml: the defaults are used")


def off(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether borgd was told to keep quiet."""
    if scene.env.get("BORGD_OFF", "0") not in ("", "0"):
        yield DoctorFinding(
            "off", NOTE, "BORGD_OFF is set here: hooks of agents started from here say nothing", "unset BORGD_OFF"
        )
    for switch in OffSwitch(scene.where.state).switches(clock_now_ms()):
        yield DoctorFinding("off", NOTE, f"switched off: {described(switch)}", "borg on")


def repository_file(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the repository here has a file of its own, and whether it counts."""
    configs = RepositoryConfigs(AllowedFiles(scene.where.data))
    file = configs.file(str(scene.directory))
    if file is None:
        for problem in configs.problems.values():
            yield DoctorFinding("repository file", NOTE, problem)
    elif configs.limits_of(str(scene.directory)) is not None:
        yield DoctorFinding("repository file", OK, f"{file.path} tightens limits here, as you allowed it")
    elif configs.problems:
        yield DoctorFinding("repository file", NOTE, next(iter(configs.problems.values())), allow_command(file))


def journals(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether every record of the journals can be read."""
    paths = sorted(scene.where.data.glob("*.jsonl"))
    bad = False
    for path in paths:
        journal = Journal(path)
        try:
            damage = journal.read().damage
        except JournalError as error:
            bad = True
            yield DoctorFinding("journals", BAD, str(error), f"look at {path}")
            continue
        lost = [one for one in damage if one.lost]
        if lost:
            bad = True
            told = "; ".join(str(one) for one in lost[:DAMAGES])
            more = f" and {len(lost) - DAMAGES} more" if len(lost) > DAMAGES else ""
            text = f"{path} is damaged: {told}{more}. The records around it are read; the damaged lines can be set aside"
            yield DoctorFinding("journals", BAD, text, "borg doctor --fix", partial(journal.rewrite, dict))
    if not bad:
        yield DoctorFinding("journals", OK, f"{len(paths)} journals, every record can be read")


def team(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the team's directory is there and is one."""
    try:
        directory = read_config(scene.where).team.directory
    except ConfigError:
        return  # said by the check of the settings
    if not directory:
        return
    path = Path(directory).expanduser()
    todo = f"bring it back (mount or sync it), or borg team join another; {quoted('ls', path)}"
    if not path.is_dir():
        yield DoctorFinding("team", BAD, f"the team's directory {path} is not there: teammates' lessons are not read", todo)
        return
    try:
        read_card(path)
    except BorgError as error:
        yield DoctorFinding("team", BAD, str(error), todo)
        return
    yield DoctorFinding("team", OK, f"{path} is there")


def clock(scene: Scene) -> Iterator[DoctorFinding]:
    """Whether the clock was set back behind what is stored already."""
    now = time.time()
    for path in sorted(scene.where.data.glob("*.jsonl")):
        ahead = path.stat().st_mtime - now
        if ahead > AHEAD_S:
            text = f"{path} was written {ahead / 3600:.0f} hours from now: the clock was set back, or was wrong then"
            yield DoctorFinding("clock", NOTE, text, "check the date")
            return
    yield DoctorFinding("clock", OK, "nothing stored is from the future")


def failures(scene: Scene) -> Iterator[DoctorFinding]:
    """The last failures of the client, with what they mean."""
    path = scene.where.state / "hook.log"
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
    forbidden = sorted({words[1] for words in parts if words[0] >= since and words[3] in ("EPERM", "EACCES")})
    if forbidden:
        text = f"a sandbox around {', '.join(forbidden)} forbids the way to the daemon: lessons and limits are off there"
        todo = f"allow the Unix socket {scene.where.socket} there, or start the agent outside that sandbox"
        yield DoctorFinding("hook log", BAD, text, todo)
    for stamp, agent, event, cause, text in parts[-LAST_FAILURES:]:
        meaning = MEANING.get(cause, "unknown cause")
        yield DoctorFinding("hook log", OK, f"{stamp} {agent} {event}: {cause}, {meaning} ({text})")
