"""Each fault that is put into a sound set-up is named by its cause, ends with 1, and is gone after the command it names."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.server.processes import ROOT, Home, listens, wait_for

pytestmark = pytest.mark.slow

HOOK = ".local/share/borgd/hook/"
LAUNCH = ".local/share/borgd/launch"
SETTINGS = ".claude/settings.json"


class Setup(NamedTuple):
    """A sound set-up: installed and with a daemon that serves."""

    home: Home
    project: Path

    def at(self, name: str) -> Path:
        return self.home.directory / name

    def bad(self, **env: str) -> list[dict[str, Any]]:
        """What doctor says is broken; its exit code agrees."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "borgd", "doctor", "--quick", "--json"],
            env={**self.home.env, **env},
            cwd=self.project,
            capture_output=True,
            check=False,
            timeout=240,
        )
        found = [one for one in json.loads(done.stdout)["findings"] if one["verdict"] == "bad"]
        assert done.returncode == (1 if found else 0)
        return found

    def kill(self) -> None:
        pid = json.loads(self.home.ask(b"borg/1 call ping\n").out)["pid"]
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not self.home.answers())

    def settings(self, change: Callable[[dict[str, Any]], object]) -> None:
        document = json.loads(self.at(SETTINGS).read_text())
        change(document)
        self.at(SETTINGS).write_text(json.dumps(document))


@pytest.fixture
def sound(tmp_path: Path) -> Iterator[Setup]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    setup = Setup(Home(home, SHELL="/bin/sh"), tmp_path / "project")
    setup.project.mkdir()
    assert setup.home.borg("install", "claude-code", "--apply").returncode == 0
    assert setup.home.borg("start").returncode == 0
    try:
        yield setup
    finally:
        setup.home.borg("stop")


def write(name: str, data: bytes) -> Callable[[Setup], None]:
    def put(setup: Setup) -> None:
        path = setup.at(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return put


def old_client(setup: Setup) -> None:
    path = setup.at(HOOK + "borg_hook.py")
    path.write_text(path.read_text().replace("LOG_TEXT = 300", "LOG_TEXT = 299"))


def shebang(setup: Setup) -> None:
    path = setup.at(HOOK + "borg-hook")
    path.write_bytes(b"#!/opt/3.13.2/bin/python3.13 -IS\n" + path.read_bytes().partition(b"\n")[2])


def project_settings(name: str) -> Callable[[Setup], None]:
    def put(setup: Setup) -> None:
        (setup.project / ".claude").mkdir()
        (setup.project / ".claude" / name).write_text('{"disableAllHooks": true}')

    return put


def stale_socket(setup: Setup) -> None:
    setup.kill()


def foreign_socket(setup: Setup) -> None:
    """Something that is not a borgd listens at the path, for as long as the test lives."""
    setup.home.borg("stop")
    code = (
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(9)\n"
        "while True:\n"
        "    c, _ = s.accept()\n"
        "    try:\n"
        "        c.recv(99); c.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n'); c.close()\n"
        "    except OSError: pass\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(setup.home.socket)])
    wait_for(lambda: listens(setup.home.socket))
    FOREIGN.append(process)


FOREIGN: list[subprocess.Popen[bytes]] = []
MOUNTED: list[Path] = []


@pytest.fixture(autouse=True)
def no_stranger_stays() -> Iterator[None]:
    yield
    while FOREIGN:
        process = FOREIGN.pop()
        process.kill()
        process.wait(120)
    while MOUNTED:
        subprocess.run(["umount", "-l", MOUNTED.pop()], check=True)


def file_in_its_place(setup: Setup) -> None:
    setup.home.borg("stop")
    setup.home.socket.touch()


def old_daemon(setup: Setup) -> None:
    """A daemon of before the last upgrade still serves."""
    setup.home.borg("stop")
    code = "import sys, borgd\nborgd.__version__ = '0.0.9'\nfrom borgd.cli import main\nsys.argv = ['borg', 'run']\nmain()\n"
    FOREIGN.append(subprocess.Popen([sys.executable, "-P", "-c", code], env=setup.home.env, stdin=subprocess.DEVNULL))
    wait_for(setup.home.answers)


def full_disk(setup: Setup) -> None:
    """The data directory is on a disk of its own, and that is full."""
    setup.home.borg("stop")
    place = setup.at(".local/share/borgd")
    kept = setup.at("kept")
    shutil.copytree(place, kept)
    if (
        os.getuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", place], check=False).returncode
    ):
        pytest.skip("needs to mount a small disk")
    MOUNTED.append(place)
    shutil.copytree(kept, place, dirs_exist_ok=True)
    setup.home.borg("start")
    with suppress(OSError), (place / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def linked_directory(setup: Setup) -> None:
    setup.home.borg("stop")
    elsewhere = setup.home.directory / "elsewhere"
    setup.home.state.rename(elsewhere)
    setup.home.state.symlink_to(elsewhere)


def crashed(setup: Setup) -> None:
    """A daemon whose last word is a crash."""
    setup.home.borg("stop")
    with (setup.home.state / "daemon.log").open("a") as log:
        log.write("2030-01-01T00:00:00Z 77 error borgd.run the daemon crashed: KeyError at bm25.py:7 in score\n")


def damaged(setup: Setup) -> None:
    path = setup.at(".local/share/borgd/decisions.jsonl")
    path.write_bytes(b'{"id":"a"}\n{"id":"b", oh no}\n{"id":"c"}\n')


def team_lost(setup: Setup) -> None:
    write(".config/borgd/config.toml", f'[team]\ndirectory = "{setup.at("share")}"\n'.encode())(setup)


class Fault(NamedTuple):
    """The check that says it, a word of its cause, how it is put in, how the person mends what no command can."""

    name: str
    word: str
    put: Callable[[Setup], object]
    by_hand: Callable[[Setup], object] | None = None


def take_out_switch(path: str) -> Callable[[Setup], object]:
    def mend(setup: Setup) -> None:
        target = setup.project / ".claude" / path if path != SETTINGS else setup.at(SETTINGS)
        document = json.loads(target.read_text())
        del document["disableAllHooks"]
        target.write_text(json.dumps(document))

    return mend


def end_stranger(setup: Setup) -> None:
    FOREIGN[0].kill()
    FOREIGN[0].wait(120)
    setup.home.borg("start")


ZEROS = b"#!/usr/bin/python3 -IS\n\0\0\0\n"
NOTHING = b"import nothing_at_all\n"
FALSE = b"/bin/false\n-I\n-m\nborgd\nrun\n"
FAULTS = {
    "the client's interpreter is gone": Fault("client", "/opt/3.13.2", shebang),
    "zero bytes in the client": Fault("client", "does not run", write(HOOK + "borg-hook", ZEROS)),
    "zero bytes in its module": Fault("client", "null bytes", write(HOOK + "borg_hook.py", b"import os\n\0\0\0")),
    "its module imports what is not there": Fault("client", "nothing_at_all", write(HOOK + "borg_hook.py", NOTHING)),
    "the module is gone": Fault("client", "is missing", lambda setup: setup.at(HOOK + "borg_hook.py").unlink()),
    "a client that cannot be executed": Fault("client", "executed", lambda setup: setup.at(HOOK + "borg-hook").chmod(0o600)),
    "an old client": Fault("client", "older", old_client),
    "a launcher of nonsense": Fault("start", "command", write(LAUNCH, b"\xff\xfe nonsense\n")),
    "a launcher that leads nowhere": Fault("start", "is gone", write(LAUNCH, b"/nowhere/python\n-I\n-m\nborgd\nrun\n")),
    "a launcher that is no Python": Fault("modules", "does not run Python", write(LAUNCH, FALSE)),
    "a launcher that others can write": Fault("start", "by others", lambda setup: setup.at(LAUNCH).chmod(0o666)),
    "no launcher": Fault("start", "missing", lambda setup: setup.at(LAUNCH).unlink()),
    "switched off by one's own settings": Fault(
        "switches",
        "disableAllHooks",
        lambda setup: setup.settings(lambda document: document.update(disableAllHooks=True)),
        take_out_switch(SETTINGS),
    ),
    "switched off by the project": Fault(
        "switches", "the project's", project_settings("settings.json"), take_out_switch("settings.json")
    ),
    "switched off for oneself in the project": Fault(
        "switches", "settings.local.json", project_settings("settings.local.json"), take_out_switch("settings.local.json")
    ),
    "a missing entry": Fault(
        "claude-code",
        "UserPromptSubmit",
        lambda setup: setup.settings(lambda found: found["hooks"].pop("UserPromptSubmit")),
    ),
    "a foreign entry": Fault(
        "claude-code",
        "/opt/other/borg-hook",
        lambda setup: setup.settings(
            lambda document: document["hooks"]["Stop"][0]["hooks"][0].update(command="/opt/other/borg-hook")
        ),
    ),
    "a stale socket": Fault("socket", "left over", stale_socket),
    "a daemon that was killed": Fault("last crash", "without a word", stale_socket),
    "a foreign socket": Fault("daemon", "not a borgd", foreign_socket, end_stranger),
    "a file in its place": Fault("socket", "a file stands", file_in_its_place),
    "a state directory that others can write": Fault("directories", "777", lambda setup: setup.home.state.chmod(0o777)),
    "a data directory that others can look into": Fault(
        "directories", "look in", lambda setup: setup.at(".local/share/borgd").chmod(0o755)
    ),
    "a linked directory": Fault("directories", "is a link", linked_directory),
    "a stopped daemon": Fault("daemon", "does not answer", lambda setup: os.kill(pid_of(setup), signal.SIGSTOP)),
    "a crashed daemon": Fault("last crash", "KeyError", crashed),
    "an old daemon": Fault("daemon", "older than this command", old_daemon),
    "a full disk": Fault(
        "directories", "the disk is full", full_disk, lambda setup: setup.at(".local/share/borgd/ballast").unlink()
    ),
    "a damaged journal": Fault("journals", "decisions.jsonl", damaged),
    "a broken config": Fault(
        "config",
        "config.toml:2",
        write(".config/borgd/config.toml", b"[recall]\nholdot = 1\n"),
        write(".config/borgd/config.toml", b"[recall]\nholdout = 0.1\n"),
    ),
    "a lost team directory": Fault("team", "is not there", team_lost, write(".config/borgd/config.toml", b"")),
}


def pid_of(setup: Setup) -> int:
    return int(json.loads(setup.home.ask(b"borg/1 call ping\n").out)["pid"])


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_is_named_and_mended_by_the_command_it_names(sound: Setup, what: str) -> None:
    assert sound.bad() == [], "the set-up is sound before"
    fault = FAULTS[what]
    fault.put(sound)
    found = [one for one in sound.bad() if one["id"] == fault.name.replace(" ", "-") and fault.word in one["evidence"]]
    assert found, sound.bad()
    assert found[0]["next"]
    if fault.by_hand is not None:
        fault.by_hand(sound)
    else:
        command = found[0]["next"].partition(";")[0]
        done = subprocess.run(
            ["sh", "-c", f'borg() {{ "{sys.executable}" -P -m borgd "$@"; }}; {command}'],
            env=sound.home.env,
            capture_output=True,
            check=False,
            timeout=240,
        )
        assert done.returncode == 0, (command, done.stderr)
    after = sound.bad()
    if after:  # a daemon that had to go for the fault is started by the next prompt
        sound.home.borg("start")
        after = sound.bad()
    assert after == []


@pytest.mark.skipif(os.getuid() != 0, reason="needs to give a directory to another uid")
def test_a_directory_of_somebody_else_is_named(sound: Setup) -> None:
    sound.home.borg("stop")
    os.chown(sound.at(".local/share/borgd"), 65534, 65534)
    found = sound.bad()
    assert any("belongs to uid 65534" in one["evidence"] and "chown" in one["next"] for one in found)
    os.chown(sound.at(".local/share/borgd"), 0, 0)
    assert sound.bad() == []


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with borgd in it whose modules can be broken: links to what this one has."""
    place = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(place, symlinks=True, with_pip=False)
    site = next(place.glob("lib/python*/site-packages"))
    here = Path(msgspec_file()).parent.parent
    for path in here.iterdir():
        if path.name != "__pycache__" and not path.name.startswith(("__editable__", "_borgd", "borgd", "_editable")):
            (site / path.name).symlink_to(path)
    shutil.copytree(ROOT / "borgd", site / "borgd", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("hooks", "systemd", "lessons.example.jsonl"):
        (site / name).symlink_to(ROOT / name)
    return place


def msgspec_file() -> str:
    import msgspec

    return str(msgspec.__file__)


@pytest.mark.parametrize("module", ["watchfiles", "numpy", "anyio", "msgspec"])
@pytest.mark.parametrize("how", ["gone", "broken"])
def test_a_module_that_is_gone_or_broken_is_named_by_start_and_doctor(
    tmp_path: Path, environment: Path, module: str, how: str
) -> None:
    site = next(environment.glob("lib/python*/site-packages"))
    kept = (site / module).readlink()
    (site / module).unlink()
    home = Home(tmp_path)
    borg = [str(environment / "bin/python"), "-P", "-m", "borgd"]
    try:
        (tmp_path / "launcher").mkdir()
        if how == "broken":
            (site / module).mkdir()
            (site / module / "__init__.py").write_text("raise SystemError('half written')\n")
        start = subprocess.run([*borg, "start"], env=home.env, capture_output=True, check=False, timeout=240, text=True)
        doctor = subprocess.run(
            [*borg, "doctor", "--quick", "--json"], env=home.env, capture_output=True, check=False, timeout=240, text=True
        )
    finally:
        if how == "broken":
            shutil.rmtree(site / module)
        (site / module).symlink_to(kept)
    assert start.returncode != 0
    assert "started" not in start.stdout
    assert module in start.stderr
    assert doctor.returncode == 1
    bad = [one for one in json.loads(doctor.stdout)["findings"] if one["verdict"] == "bad"]
    assert any(module in one["evidence"] and module in one["next"] and str(environment) in one["next"] for one in bad), bad
    again = subprocess.run([*borg, "start"], env=home.env, capture_output=True, check=False, timeout=240, text=True)
    after = subprocess.run(
        [*borg, "doctor", "--quick", "--json"], env=home.env, capture_output=True, check=False, timeout=240, text=True
    )
    subprocess.run([*borg, "stop"], env=home.env, capture_output=True, check=False, timeout=120)
    assert again.returncode == 0, again.stderr
    assert [one for one in json.loads(after.stdout)["findings"] if one["verdict"] == "bad"] == []
