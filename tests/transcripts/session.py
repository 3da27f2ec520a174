"""A throw-away home in which the commands of one transcript run: an environment of its own, no network, no rights of root's.

Root may read and write what modes forbid; where the tests run as root, the commands run without that right, so that a
file nobody may read is one nobody may read.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
STEP_S = 60.0
"""guard: one command on a busy machine."""
TOOLS = {"borg": "-I -m borgd", "shape": f"-I {HERE / 'shape.py'}", "tty": f"-I {HERE / 'tty.py'}"}
"""What a transcript may call besides the system's own programs."""
IDENTITY = "[user]\n\tname = Mira\n\temail = mira@example.com\n[init]\n\tdefaultBranch = main\n"


class Result(NamedTuple):
    """What a command did; the home's path reads ``~``."""

    code: int
    out: str
    err: str


def may(*command: str) -> bool:
    """Whether ``command`` succeeds here."""
    try:
        return subprocess.run(command, capture_output=True, timeout=STEP_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def confinement() -> list[str]:
    """The prefix that takes network and root's file rights from a command, as far as this machine can."""
    prefix = ["unshare", "-n", "--"] if may("unshare", "-n", "--", "true") else []
    modes = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
    return prefix + (modes if os.geteuid() == 0 and may(*modes, "true") else [])


class Session:
    """One home; what was started in it is ended with it."""

    def __init__(self, prefix: list[str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="borg-", dir="/tmp")).resolve()
        self.home = self.root / "home"
        self.prefix = prefix
        programs = self.root / "bin"
        for directory in (self.home, programs):
            directory.mkdir(mode=0o700)
        for name, arguments in TOOLS.items():
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
            program.chmod(0o700)
        (self.home / ".gitconfig").write_text(IDENTITY)
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
        }

    def run(self, command: str) -> Result:
        """Run ``command`` in bash, with pipefail."""
        with subprocess.Popen(
            [*self.prefix, "bash", "-o", "pipefail", "-c", command],
            env=self.env, cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        ) as child:  # fmt: skip
            try:
                out, err = child.communicate(timeout=STEP_S)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                out, err = child.communicate()
                err += f"(killed: it took more than {STEP_S:g} s)\n".encode()
        return Result(child.returncode, self._told(out), self._told(err))

    def _told(self, data: bytes) -> str:
        return data.decode("utf-8", "backslashreplace").replace(str(self.home), "~")

    def write(self, name: str, text: str) -> None:
        """Put a file into the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def close(self) -> None:
        """End the daemon, unmount what was mounted, remove everything."""
        if any(self.home.rglob("*.lock")):
            self.run("borg stop")
        for line in reversed(
            Path("/proc/self/mounts").read_text().splitlines() if os.path.exists("/proc/self/mounts") else []
        ):
            target = line.split(" ")[1]
            if target.startswith(f"{self.root}/"):
                may("umount", "-l", target)
        shutil.rmtree(self.root, ignore_errors=True)
