"""Doctor finds nothing wrong where nothing is: ten ways in which borgd is installed and homes are made.

The first run in a plain environment and the one without a runtime directory are in test_doctor.py and test_doctor_faults.py
as well. What is installed from the package index is skipped, with the reason, where there is none.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from borgd.protocol.address import socket_path
from tests.server.processes import ROOT, Home, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

HERE = [sys.executable, "-P", "-m", "borgd"]
MAY_BE_TOLD = {"claude-code-events", "command", "interpreter", "shell", "event", "round-trip", "hook-log"}
"""What a note may be about in a sound set-up: no event came yet, another borg is on the PATH, the machine is busy."""
STRANGERS = (4242, 4243)
"""Users whom no password file knows."""
SYSTEM = Path("/usr/bin/python3")


class Place:
    """A home with a borgd of its own, run by ``borg``, as ``user`` where one is given."""

    def __init__(self, home: Path, borg: list[str], user: int | None = None, **env: str) -> None:
        self.home, self.command, self.user = home, borg, user
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "SHELL": "/bin/sh", **env}

    def borg(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        who: dict[str, Any] = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        return subprocess.run(
            [*self.command, *arguments],
            env=self.env,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=300,
            **who,
        )

    def good(self, *arguments: str) -> str:
        done = self.borg(*arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Installed, with a daemon that was started as a person would."""
        self.good("install", "claude-code", "--apply")
        self.good("start")
        try:
            yield
        finally:
            self.borg("stop")

    def finds_nothing(self, *flags: str) -> dict[str, list[dict[str, Any]]]:
        """Doctor's findings by id, none of them bad and no note about what is as it should be."""
        done = self.borg("doctor", "--json", *flags)
        found = json.loads(done.stdout)["findings"]
        told = [one for one in found if one["verdict"] != "ok" and one["id"] not in MAY_BE_TOLD]
        assert told == []
        assert [one for one in found if one["verdict"] == "bad"] == []
        assert done.returncode == 0
        by_id: dict[str, list[dict[str, Any]]] = {}
        for one in found:
            by_id.setdefault(one["id"], []).append(one)
        assert "to the daemon and back" in str(by_id["event"])
        return by_id


def made(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True)
    return path


def test_an_environment_and_no_runtime_directory(tmp_path: Path) -> None:
    place = Place(made(tmp_path / "home"), HERE)
    with place.serving():
        found = place.finds_nothing()
    assert found["round-trip"]


def test_a_runtime_directory(tmp_path: Path) -> None:
    place = Place(made(tmp_path / "home"), HERE, XDG_RUNTIME_DIR=str(made(tmp_path / "run")))
    with place.serving():
        found = place.finds_nothing("--quick")
    assert str(tmp_path / "run/borgd/borgd.sock") in str(found["socket"])


def test_a_path_too_long_for_a_socket(tmp_path: Path) -> None:
    home = made(tmp_path / ("long" * 30) / "home")
    place = Place(home, HERE)
    path = socket_path(place.env, os.getuid())
    assert path.startswith("/tmp/borgd-")
    try:
        with place.serving():
            found = place.finds_nothing("--quick")
        assert path in str(found["socket"])
    finally:
        shutil.rmtree(Path(path).parent, ignore_errors=True)


@pytest.mark.parametrize("inside", ["itself", "a directory above"])
def test_a_home_that_is_a_link(tmp_path: Path, inside: str) -> None:
    made(tmp_path / "disk/home")
    if inside == "itself":
        (tmp_path / "home").symlink_to("disk/home")
        place = Place(tmp_path / "home", HERE)
    else:
        (tmp_path / "users").symlink_to("disk")
        place = Place(tmp_path / "users/home", HERE)
    with place.serving():
        place.finds_nothing("--quick")


def test_settings_of_dotfiles_are_links(tmp_path: Path) -> None:
    home = made(tmp_path / "home")
    made(home / "dotfiles/borgd")
    made(home / "dotfiles/claude")
    made(home / ".config")
    (home / ".config/borgd").symlink_to("../dotfiles/borgd")
    (home / ".claude").symlink_to("dotfiles/claude")
    place = Place(home, HERE)
    with place.serving():
        place.finds_nothing("--quick")


def test_a_socket_that_systemd_passes(tmp_path: Path) -> None:
    home = made(tmp_path / "home")
    place = Place(home, HERE, XDG_RUNTIME_DIR=str(made(tmp_path / "run")))
    place.good("install", "claude-code", "--apply")
    path = made(tmp_path / "run/borgd") / "borgd.sock"
    opener = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o600); s.listen(128)\n"
        "os.dup2(s.fileno(), 3) if s.fileno() != 3 else os.set_inheritable(3, True)\n"
        "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))\n"
        "os.execv(sys.argv[2], sys.argv[2:])\n"
    )
    daemon = subprocess.Popen(
        [sys.executable, "-c", opener, str(path), *HERE, "run"], env=place.env, stdin=subprocess.DEVNULL
    )
    try:
        at = Home(home, XDG_RUNTIME_DIR=str(tmp_path / "run"))
        wait_for(lambda: path.exists() and at.answers(), 120)
        place.good("start")  # says that it runs, once all is loaded
        place.finds_nothing("--quick")
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(60)
    assert path.exists(), "the socket is systemd's"


def site_packages() -> Path:
    import msgspec

    return Path(str(msgspec.__file__)).parent.parent


def needed() -> set[Path]:
    """Files and directories at the top of the installed packages that the product needs."""
    found: set[Path] = set()
    left, seen = ["borgd"], {"borgd"}
    while left:
        for line in metadata.requires(left.pop()) or []:
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            if "extra ==" in line or name in seen:
                continue
            seen.add(name)
            with suppress(metadata.PackageNotFoundError):  # for another version of Python or another system
                tops = {path.parts[0] for path in metadata.files(name) or []} - {"..", "__pycache__"}
                found |= {site_packages() / top for top in tops}
                left.append(name)
    return found


def borrowed(place: Path, base: Path, copied: bool = False) -> Path:
    """An environment of ``base`` with borgd and what it needs; its ``borg``.

    :param copied: what it needs is copied, for users who may not look where this one's packages are; else linked.
    """
    subprocess.run([str(base), "-m", "venv", "--without-pip", "--symlinks", str(place)], check=True, capture_output=True)
    site = next(place.glob("lib/python*/site-packages"))
    for path in needed():
        if not copied:
            (site / path.name).symlink_to(path)
        elif path.is_dir():
            shutil.copytree(path, site / path.name, ignore=shutil.ignore_patterns("__pycache__", "tests"))
        else:
            shutil.copy(path, site / path.name)
    shutil.copytree(ROOT / "borgd", site / "borgd", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "hooks", site / "hooks")
    shutil.copytree(ROOT / "systemd", site / "systemd")
    shutil.copy(ROOT / "lessons.example.jsonl", site)
    borg = place / "bin/borg"
    borg.write_text(f"#!{place}/bin/python -IP\nimport sys\nfrom borgd.cli import main\nsys.exit(main())\n")
    borg.chmod(0o755)
    return borg


def test_shims_as_pyenv_makes_them(tmp_path: Path) -> None:
    """What is typed is a script that finds the interpreter of a patch release; hooks run that one, without the detour."""
    version = made(tmp_path / "pyenv/versions") / "3.11.99"
    borg = borrowed(version, Path(sys.executable).resolve())
    shims = made(tmp_path / "pyenv/shims")
    for name in ("borg", "python3", "python3.11"):
        target = borg if name == "borg" else version / "bin/python"
        (shims / name).write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
        (shims / name).chmod(0o755)
    home = made(tmp_path / "home")
    place = Place(home, [str(shims / "borg")], PATH=f"{shims}:/usr/bin:/bin", PYENV_ROOT=str(tmp_path / "pyenv"))
    with place.serving():
        found = place.finds_nothing("--quick")
    first = (home / ".local/share/borgd/hook/borg-hook").read_text().split("\n")[0]
    assert "shims" not in first
    assert [one["verdict"] for one in found["command"]] == ["ok"]


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A directory that other users can reach, as pytest's are not, and an interpreter of ours that they can run."""
    if os.getuid() != 0:
        pytest.skip("needs to become other users")
    said = subprocess.run([str(SYSTEM), "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, check=False)
    if said.stdout.decode().strip() != str(sys.version_info[:2]):
        pytest.skip(f"{SYSTEM} is no Python {sys.version_info[0]}.{sys.version_info[1]}, and others may not run ours")
    place = Path(tempfile.mkdtemp(prefix="borgd-users-"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def others_borg(place: Path) -> list[str]:
    borg = [str(borrowed(place / "venv", SYSTEM, copied=True).parent / "python"), "-P", "-m", "borgd"]
    code = ["-c", "import borgd.server.service"]
    tried = subprocess.run([*borg[:2], *code], user=STRANGERS[0], group=STRANGERS[0], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"others cannot run what is installed here: {tried.stderr.decode()[-200:]}")
    return borg


def home_of(place: Path, user: int, mode: int = 0o700) -> Path:
    home = place / f"home-{user}"
    home.mkdir()
    os.chown(home, user, user)
    home.chmod(mode)
    return home


def test_a_home_as_in_a_container(open_place: Path) -> None:
    """A user whom no password file knows, a home that anybody may look into, no shell, a bare PATH."""
    user = STRANGERS[0]
    home = home_of(open_place, user, 0o755)
    place = Place(home, others_borg(open_place), user, PATH="/usr/bin:/bin")
    del place.env["SHELL"]
    with place.serving():
        place.finds_nothing("--quick")
    assert (home / ".local/state/borgd").stat().st_uid == user


def test_two_users_at_once(open_place: Path) -> None:
    """Each has a daemon; neither doctor speaks of the other's."""
    borg = others_borg(open_place)
    one, two = (Place(home_of(open_place, user), borg, user, PATH="/usr/bin:/bin") for user in STRANGERS)
    with one.serving(), two.serving():
        for place in (one, two, one):
            place.finds_nothing("--quick")
    assert one.borg("status").returncode != 0, "both are stopped"


def installer(tool: str, place: Path) -> list[str]:
    """``tool`` as it is here, or from the package index."""
    here = shutil.which(tool)
    if here:
        return [here]
    venv.create(place, with_pip=True)
    got = subprocess.run(
        [place / "bin/pip", "install", "-q", "--disable-pip-version-check", tool],
        capture_output=True,
        check=False,
        timeout=240,
    )
    if got.returncode:
        pytest.skip(f"{tool} is not here and cannot be installed: {got.stderr.decode()[-200:]}")
    return [str(place / "bin" / tool)]


def checkout(place: Path) -> Path:
    """What is in the working directory, as it would be cloned."""
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.egg-info", ".*_cache"))
    return place


@pytest.mark.parametrize("tool", ["pipx", "uv"])
def test_one_installation_for_all_of_the_machine(tmp_path: Path, tool: str) -> None:
    command, home = installer(tool, tmp_path / "tool"), made(tmp_path / "home")
    bin_dir = home / ".local/bin"
    env = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PIPX_HOME": str(home / ".local/pipx"),
        "PIPX_BIN_DIR": str(bin_dir),
        "UV_TOOL_BIN_DIR": str(bin_dir),
        "UV_TOOL_DIR": str(home / ".local/share/uv/tools"),
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
    }
    words = ["install"] if tool == "pipx" else ["tool", "install"]
    source = checkout(tmp_path / "borgd")
    kept = {name: value for name, value in os.environ.items() if "INDEX" in name or "PROXY" in name.upper() or "SSL" in name}
    got = subprocess.run(
        [*command, *words, str(source)], env=kept | env, capture_output=True, check=False, timeout=500, text=True
    )
    if got.returncode and "borg" not in got.stderr.lower():
        pytest.skip(f"{tool} could not install anything: {got.stderr[-200:]}")
    assert got.returncode == 0, got.stderr[-2000:]
    place = Place(home, [str(bin_dir / "borg")], PATH=f"{bin_dir}:{os.environ['PATH']}")
    with place.serving():
        found = place.finds_nothing()
    assert [one["verdict"] for one in found["command"]] == ["ok"], "the borg that is typed is this one"
